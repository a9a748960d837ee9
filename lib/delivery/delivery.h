/* SPDX-License-Identifier: MIT */
/* One attempt to deliver a batch of claimed outbox entries: composed, sent and recorded at once. */
#ifndef DELIVERY_H
#define DELIVERY_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/outbox/outbox.h"

struct service;
struct store_email;

/* One attempt to deliver a batch of claimed outbox entries. A thread of its own runs the SMTP
   session (delivery/sender.h); the caller's thread composes the messages meanwhile, and records
   their outcomes as they come. */
struct delivery;

/* Makes a new claim of this process, which lasts for [spool] lease from now on.
   service_ensure_journal must have opened the journal. */
struct store_outbox_claim delivery_claim(const struct service *service);

/* Starts a delivery. Each message goes to a relay of its route, and to the next one when that takes
   no session. entries: claimed by claim, whose until is on base_clock_now. email: the email of the
   only entry, which was just stored and is taken; NULL: emails are read from the database. The
   caller frees the delivery. */
struct delivery *delivery_start(struct service *service, const struct store_outbox_claim *claim,
    const struct store_outbox_entry *entries, guint count, struct store_email *email);

/* Composes and records until the session is over, or until deadline (on base_clock_boot; 0: none).
   At the deadline the session is interrupted, and a message that the relay has left without an
   answer is deferred, unless a reply to a final dot is awaited: leaving then would send that
   message twice. True when all is recorded. False while that reply is awaited:
   answer the client, then wait again with deadline 0. */
bool delivery_wait(struct delivery *delivery, gint64 deadline);

/* A delivery may go on so far. Entries that it does not reach are due again at once. */
enum delivery_pace {
	DELIVER_GO_ON,
	DELIVER_BEGIN_NONE, /* finish the message in hand, begin no other */
	DELIVER_LEAVE,	    /* end the session now, unless a reply to a final dot is awaited */
};

/* Composes and records until all is done. Calls pace now and then; its result may only become
   stricter. Entries that LIMIT_DEATHS processes died of come last, one at a time: each is composed
   in a child process (process/isolate.h), and fails for good if the child dies too.
   delivery_wait does not try these; they become due again. */
void delivery_work(struct delivery *delivery, enum delivery_pace (*pace)(const void *context),
    const void *context);

/* The error of the journal, or the last one of recording, for the log, which knows already of
   relays that took no session. NULL when there was none. The delivery owns it. */
const GError *delivery_trouble(const struct delivery *delivery);

/* The broadcasts whose messages the delivery has sent, as email/watched.h says. The delivery owns
   it. */
const struct email_watch *delivery_watch(const struct delivery *delivery);

/* The time (on base_clock_now) until which messages of the delivery wait for their turns; 0: none
   does. To be called when it is over. */
gint64 delivery_waits(const struct delivery *delivery);

/* Waits until the delivery is over, then frees it. */
void delivery_free(struct delivery *delivery);

#endif
