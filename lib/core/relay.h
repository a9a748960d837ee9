/* SPDX-License-Identifier: MIT */
/* The relays of the settings, and the state that the processes of a machine share about each: until
   when it rests, how many sessions it has, and when the next message may be sent. The state stands
   in a small file for each relay in the spool directory. A slot is a lock on one byte of that file;
   the kernel releases it when the process that holds it ends. */
#ifndef CORE_RELAY_H
#define CORE_RELAY_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "smtp/relay.h"

struct base_settings;

/* Lists the relays of [smtp] host, in their order, as an array of struct smtp_relay. Their strings
   belong to settings and to the array, which the caller frees. */
GPtrArray *core_relay_list(const struct base_settings *settings);

/* The permission for one session with one relay. */
struct core_relay_slot;

/* Takes a slot of the first relay, from index first on, that neither rests nor has all its
   sessions. NULL when there is none; also when the spool directory cannot be written, and then
   error is set (FAILED). The caller frees it. */
struct core_relay_slot *core_relay_slot_take(
    const struct base_settings *settings, guint first, GError **error);
void core_relay_slot_free(struct core_relay_slot *slot);
DEFINE_AUTO(core_relay_slot, core_relay_slot_free)

/* The slot's relay, which the slot owns, and its index in the settings. */
const struct smtp_relay *core_relay_slot_relay(const struct core_relay_slot *slot);
guint core_relay_slot_index(const struct core_relay_slot *slot);

/* Notes that no session could be had: the relay rests for a minute. */
void core_relay_slot_rest(struct core_relay_slot *slot);

/* Books the next message's turn under the relay's rate limit. Returns how many ms to wait before it
   is sent. */
gint64 core_relay_slot_wait(struct core_relay_slot *slot);

/* The state of a relay, for a report. */
struct core_relay_report {
	char *name;	    /* host:port; the caller owns it */
	gint64 rests_until; /* on base_clock_now; 0: it does not rest */
	guint sessions;
};
/* Reads the state of the relay at index. False when index is past the last relay. */
bool core_relay_slot_report(
    const struct base_settings *settings, guint index, struct core_relay_report *report_r);

#endif
