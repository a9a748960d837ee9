/* SPDX-License-Identifier: MIT */
#ifndef CORE_DELIVER_H
#define CORE_DELIVER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/outbox.h"

struct core;
struct store_email;
struct core_relay_slot;

/* One attempt at delivering a batch of claimed copies: an SMTP session in a thread of its own,
   while the caller's thread composes, and records what became of the messages as it goes. */
struct core_delivery;

/* A new claim of this process, whose journal core_ensure_journal has opened, for [spool] lease from
 * now on. */
struct store_outbox_claim core_deliver_claim(const struct core *core);

/* Starts it, in a slot of a relay, which is taken; when its session cannot be had, the next relays
   are tried. With NULL nothing is sent, and all is due again. copies have been claimed by claim,
   whose until is on base_clock_now. email: that of the only copy, as it was just stored, which is
   taken; or NULL. */
struct core_delivery *core_deliver_start(struct core *core, struct core_relay_slot *slot,
    const struct store_outbox_claim *claim, const struct store_outbox_entry *copies, guint count,
    struct store_email *email);

/* Composes and records until all is done, or until deadline (on base_clock_boot; 0 = none). Then
   the session is ended, unless a relay's answer to a final dot is awaited: to leave then would send
   that message twice. True when all is done. False: wait again, with deadline 0, once nobody waits
   for us. */
bool core_deliver_wait(struct core_delivery *delivery, gint64 deadline);

/* How far a delivery may still go. What it leaves is due again at once. */
enum core_deliver_pace {
	DELIVER_GO_ON,
	DELIVER_BEGIN_NONE, /* to the end of the message in hand */
	DELIVER_LEAVE,	    /* nowhere, unless a relay's answer to a final dot is awaited */
};

/* Composes and records until all is done. pace is asked now and then, and may only get stricter.
   Copies of which LIMIT_DEATHS processes died come last, one after the other: each is composed in a
   child process (base/apart.h), and has failed for good where that dies too. core_deliver_wait
   leaves them: they are due again. */
void core_deliver_work(struct core_delivery *delivery,
    enum core_deliver_pace (*pace)(const void *context), const void *context);

/* Why the last thing that could not be done could not: the session, or recording. NULL when all
 * went well. */
const GError *core_deliver_trouble(const struct core_delivery *delivery);

void core_deliver_free(struct core_delivery *delivery);

#endif
