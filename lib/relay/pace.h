/* SPDX-License-Identifier: MIT */
/* The pace at which mail goes to destinations (relay/destination.h), shared by the processes of a
   machine in a file of the spool directory.

   A relay that defers a destination's mail (421, 4.7.x) is asked less and less often for that
   destination: after the n-th deferral 60, 30, 15, 8, 4, 2, then 1 attempts a minute are left,
   evenly. Ten acceptances in a row take one deferral back. The settings may set limits of their own
   in [pace DOMAIN], for all relays together.

   A message that has to wait gets a turn in the future. Turns are booked one after the other, so
   that a message is looked at again when its turn has come, and not before. */
#ifndef RELAY_PACE_H
#define RELAY_PACE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct config_settings;

#define PACE_TEXT_SIZE 640

/* Why a message has to wait. */
struct relay_pace_wait {
	gint64 until; /* on base_clock_now; 0: it need not */
	bool is_long; /* it waits for another day, from which its retries count */
	char text[PACE_TEXT_SIZE];
};

/* The paces, as one delivery uses them. */
struct relay_pace;

/* Opens the file, and creates it if it is missing; without it there is no limit. settings outlives
   the result. The caller closes it, which ends all messages that it took. */
struct relay_pace *relay_pace_open(const struct config_settings *settings);
void relay_pace_close(struct relay_pace *pace);
DEFINE_AUTO(relay_pace, relay_pace_close)

/* Whether every message may leave: the settings have no [pace], and no destination is slowed. */
bool relay_pace_is_idle(struct relay_pace *pace);

/* Whether a destination has deferrals at a relay. */
bool relay_pace_is_slowed(
    const struct relay_pace *pace, const char *relay, const char *destination);

/* Takes a turn for a message to a destination through a relay, by its name. message: any pointer,
   by which relay_pace_end knows it. False when it has to wait; *wait_r says until when and why. */
bool relay_pace_take(struct relay_pace *pace, const char *relay, const char *destination,
    const void *message, struct relay_pace_wait *wait_r);

/* The message is under way no more; NULL: all messages. */
void relay_pace_end(struct relay_pace *pace, const void *message);

/* The destination has deferred a message by this reply. */
void relay_pace_defer(
    struct relay_pace *pace, const char *relay, const char *destination, const char *reply);

/* The destination has accepted a message. */
void relay_pace_accept(struct relay_pace *pace, const char *relay, const char *destination);

#endif
