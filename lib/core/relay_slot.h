/* SPDX-License-Identifier: MIT */
/* What the processes of a machine know together of a relay: that it rests, how many sessions it
 * has, how fast messages may follow each other. It stands in a small file of the spool directory
 * for each relay; a session's slot is a lock on one of its bytes, which goes with the process that
 * held it.
 */
#ifndef CORE_RELAY_SLOT_H
#define CORE_RELAY_SLOT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_settings;
struct smtp_relay;

/* Leave for one session with one relay. */
struct core_relay_slot;

/* Takes a slot of the first relay of the settings, from the one at index first on, that neither
   rests nor has all its sessions. NULL when there is none, or the spool directory cannot be written
   (error is set then). */
struct core_relay_slot *core_relay_slot_take(
    const struct base_settings *settings, guint first, GError **error);
void core_relay_slot_free(struct core_relay_slot *slot);
DEFINE_AUTO(core_relay_slot, core_relay_slot_free)

/* The relay, and its index in the settings. */
const struct smtp_relay *core_relay_slot_relay(const struct core_relay_slot *slot);
guint core_relay_slot_index(const struct core_relay_slot *slot);

/* It could not be had: it rests for a minute. */
void core_relay_slot_rest(struct core_relay_slot *slot);

/* Books the next message's turn: how many ms it has to wait before it is sent. */
gint64 core_relay_slot_wait(struct core_relay_slot *slot);

/* For a report: whether the relay at index rests (until when on base_clock_now, 0 = it does not),
   and how many sessions it has. False when index is past the last relay. */
struct core_relay_report {
	char *name; /* host:port, the caller's */
	gint64 rests_until;
	guint sessions;
};
bool core_relay_slot_report(
    const struct base_settings *settings, guint index, struct core_relay_report *report_r);

#endif
