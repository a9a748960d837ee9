/* SPDX-License-Identifier: MIT */
/* The pace of the messages of one delivery: each takes its turns at the destinations of its
   recipients, and the replies to it teach how much a destination takes (relay/pace.h). */
#ifndef DELIVERY_PACING_H
#define DELIVERY_PACING_H

#include <glib.h>
#include <stdbool.h>

struct config_settings;
struct relay_destinations;
struct delivery_message;

struct delivery_pacing;

/* settings and messages outlive the result, which the caller frees; this ends all messages that
   took turns. The destinations of all messages are looked up together when the first one needs its
   own. */
struct delivery_pacing *delivery_pacing_new(
    const struct config_settings *settings, struct delivery_message *const *messages, guint count);
void delivery_pacing_free(struct delivery_pacing *pacing);

/* Takes the turns of a message to its destinations, and holds the recipients whose destination has
   none now; the message's wait is the longest of these. Returns whether the message can go to
   somebody. */
bool delivery_pacing_take(struct delivery_pacing *pacing, struct delivery_message *message);

/* Learns from the replies to a message, which is under way no more. */
void delivery_pacing_learn(struct delivery_pacing *pacing, const struct delivery_message *message);

/* No message is under way any more. */
void delivery_pacing_end(struct delivery_pacing *pacing);

/* Whether a message probably has to wait for its turn: one of its destinations is slowed, as far as
   it is known without a lookup. */
bool delivery_pacing_is_slowed(
    const struct delivery_pacing *pacing, const struct delivery_message *message);

/* The lookups of destinations; the pacing owns them. */
struct relay_destinations *delivery_pacing_destinations(const struct delivery_pacing *pacing);

#endif
