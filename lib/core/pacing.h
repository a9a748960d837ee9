/* SPDX-License-Identifier: MIT */
/* The pace of the messages of one delivery: each takes its turns at the destinations of its
   recipients, and the replies to it teach how much a destination takes (core/pace.h). */
#ifndef CORE_PACING_H
#define CORE_PACING_H

#include <glib.h>
#include <stdbool.h>

struct config_settings;
struct core_destinations;
struct core_message;

struct core_pacing;

/* settings and messages outlive the result, which the caller frees; this ends all messages that
   took turns. The destinations of all messages are looked up together when the first one needs its
   own. */
struct core_pacing *core_pacing_new(
    const struct config_settings *settings, struct core_message *const *messages, guint count);
void core_pacing_free(struct core_pacing *pacing);

/* Takes the turns of a message to its destinations, and holds the recipients whose destination has
   none now; the message's wait is the longest of these. Returns whether the message can go to
   somebody. */
bool core_pacing_take(struct core_pacing *pacing, struct core_message *message);

/* Learns from the replies to a message, which is under way no more. */
void core_pacing_learn(struct core_pacing *pacing, const struct core_message *message);

/* No message is under way any more. */
void core_pacing_end(struct core_pacing *pacing);

/* Whether a message probably has to wait for its turn: one of its destinations is slowed, as far as
   it is known without a lookup. */
bool core_pacing_is_slowed(const struct core_pacing *pacing, const struct core_message *message);

/* The lookups of destinations; the pacing owns them. */
struct core_destinations *core_pacing_destinations(const struct core_pacing *pacing);

#endif
