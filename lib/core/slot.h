/* What the processes of a machine know together of a relay: that it rests, how many sessions it
 * has, how fast messages may follow each other. It stands in a small file of the spool directory
 * for each relay; a session's slot is a lock on one of its bytes, which goes with the process that
 * held it.
 */
#ifndef CORE_SLOT_H
#define CORE_SLOT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct settings;
struct smtp_relay;

/* Leave for one session with one relay. */
struct slot;

/* Takes a slot of the first relay of the settings, from the one at index first on, that neither
   rests nor has all its sessions. NULL when there is none, or the spool directory cannot be written
   (error is set then). */
struct slot *core_slot_take(const struct settings *settings, guint first, GError **error);
void core_slot_free(struct slot *slot);
DEFINE_AUTO(slot, core_slot_free)

/* The relay, and its index in the settings. */
const struct smtp_relay *core_slot_relay(const struct slot *slot);
guint core_slot_index(const struct slot *slot);

/* It could not be had: it rests for a minute. */
void core_slot_rest(struct slot *slot);

/* Books the next message's turn: how many ms it has to wait before it is sent. */
gint64 core_slot_wait(struct slot *slot);

/* For a report: whether the relay at index rests (until when on base_clock_now, 0 = it does not),
   and how many sessions it has. False when index is past the last relay. */
struct slot_report {
	char *name; /* host:port, the caller's */
	gint64 rests_until;
	guint sessions;
};
bool core_slot_report(const struct settings *settings, guint index, struct slot_report *report_r);

#endif
