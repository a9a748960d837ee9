/* SPDX-License-Identifier: MIT */
/* A message to send: a claimed outbox entry with its email, and how far it has come. */
#ifndef DELIVERY_MESSAGE_H
#define DELIVERY_MESSAGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "delivery/part.h"
#include "link/return_path.h"
#include "relay/pace.h"
#include "relay/relay.h"
#include "relay/source.h"
#include "smtp/session.h"
#include "store/outbox/outbox.h"

struct service;
struct store_email;

#define MESSAGE_HELD_SIZE 400

/* A recipient that a rule of sending keeps back, and why. */
struct delivery_back {
	guint16 number;
	gint64 until; /* when it is looked at again, epoch ms; 0: it is skipped */
	char *why;
};

/* One message to send: a claimed outbox entry with its email. */
struct delivery_message {
	struct store_outbox_entry entry;
	guint place;		   /* among the messages of a delivery_sender */
	struct store_email *email; /* NULL when it could not be read */
	struct smtp_message smtp;  /* its recipients are those of the entry, in that order */
	char *return_path;
	char envid[RETURN_PATH_ENVID_SIZE];
	GBytes *content;   /* set when composed, until the session has taken it */
	GBytes *seven_bit; /* the same for a relay without 8BITMIME; NULL: content is, or there is
			      none */
	GError *fault;	   /* why it cannot be sent, whatever the relay would say; NULL: it can */
	gint64 finished;   /* epoch ms at which the outcomes were set in smtp; 0: not yet */
	gint64 handed;	   /* epoch ms just before its final dot was sent; 0: it was not, or another
			      process did */
	gint64 begun;	   /* when the session took it, microseconds since boot */
	gint64 took_us;	   /* from then to its outcomes, microseconds */
	bool gave_up;	   /* its last retry is over: what was temporary has failed */
	int relay;	   /* index of the relay that it goes to or went to; RELAY_NONE: none */
	struct relay_refusal refusal; /* why no relay took it; text "": none has refused it */
	struct relay_pace_wait wait;  /* why it, or some of its recipients, waits for its turn */
	struct relay_source source;   /* the address that it goes from or went from */
	bool is_held;		      /* all of it does; guarded by the sender's mutex */
	bool is_slowed; /* a destination of it defers mail, so that it probably waits */
	bool is_passed; /* it is not tried any more in this delivery */
	bool is_busy;	/* its relays have all their sessions */
	guint16 *held;	/* recipients that delivery_message_hold took out of entry */
	guint held_count;
	gint64 held_until; /* epoch ms */
	char held_why[MESSAGE_HELD_SIZE];
	bool held_quietly;   /* no event tells of it */
	guint paced;	     /* recipients that are counted in paced_hour of its stream */
	gint64 paced_hour;   /* since 1970 */
	guint16 *suppressed; /* recipients that delivery_message_suppress took out of entry */
	gint64 *snoozed; /* for each of them: until when it has snoozed, epoch ms; 0: not that */
	guint suppressed_count;
	GArray *back; /* struct delivery_back: recipients that rules of sending (delivery/sending.h)
			 took out of entry; NULL: none */
	const char *suppressed_why; /* what their events say; NULL: nothing */
	struct delivery_part_recipient broadcast;
};

/* Makes a message of a claimed entry and its email, and takes the email. An email that was removed
   (NULL), or whose domain was, is the message's fault. The caller frees it. */
struct delivery_message *delivery_message_new(
    struct service *service, const struct store_outbox_entry *entry, struct store_email *email);
void delivery_message_free(struct delivery_message *message);
DEFINE_AUTO(delivery_message, delivery_message_free)

/* Reads the emails of claimed entries, a batch in a few statements, and adds a message for each
   entry to messages. An email that cannot be read is the fault of its message. */
void delivery_message_read(struct service *service, const struct store_outbox_entry *entries,
    guint count, GPtrArray *messages);

/* Removes recipients that were suppressed meanwhile, or do not want the mailing any more, and those
   of a mailing whose execution was ended by a goal or an exit, from messages that were just read.
   Holds messages of a broadcast that is paused, and drops those of one that is cancelled. Some
   messages may have no recipient left. If the suppression list cannot be read, the error is the
   fault of the messages concerned. */
void delivery_message_suppress(struct service *service, GPtrArray *messages);

/* Leaves the message its first recipients, so many, and holds the others back, which stay in the
   outbox with those that were held before. */
void delivery_message_hold(
    const struct service *service, struct delivery_message *message, guint recipients);

/* Takes the marked recipients out of the message; marked is in their order. */
void delivery_message_take_out(
    const struct service *service, struct delivery_message *message, const bool *marked);
/* Whether the address of a message may not reach the recipient at a place today, and the wait for
   it; until is 0 where it may reach all. */
bool delivery_message_lacks_source(const struct delivery_message *message, guint place);
struct relay_pace_wait delivery_message_source_wait(const struct delivery_message *message);

/* Composes and signs a message without fault; reads the email's contents. *seven_bit_r: of
   email_compose_7bit. lacked_link_r: as of email_compose. Errors of email_compose and
   db/statement.h. The caller owns the results. */
GBytes *delivery_message_compose(struct service *service, const struct delivery_message *message,
    GBytes **seven_bit_r, bool *lacked_link_r, GError **error);

/* Does the same, in 7 bit where that is possible, in a child process (process_isolate, whose errors
   are added). tick runs meanwhile, in this process. */
GBytes *delivery_message_compose_apart(struct service *service,
    const struct delivery_message *message, void (*tick)(void *context), void *context,
    GError **error);

/* The reply of a recipient in one line, with its codes. The caller owns it. */
char *delivery_message_reply(const struct smtp_recipient *recipient);

#endif
