/* SPDX-License-Identifier: MIT */
/* One message in libesmtp: adds it to a session, and decides its outcomes. */
#ifndef SMTP_TRANSFER_H
#define SMTP_TRANSFER_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/esmtp.h"
#include "smtp/message.h"
#include "smtp/relay.h"

enum smtp_transfer_hold {
	TRANSFER_FREE,
	TRANSFER_STOPPED, /* we stopped before its final dot: no attempt */
	TRANSFER_GONE,	  /* the relay had closed the connection before the final dot */
	TRANSFER_CHANGED, /* libesmtp would have changed the message */
	TRANSFER_8BIT,	  /* the message is 8 bit, and the relay takes only 7 bit */
};

struct smtp_transfer {
	struct smtp_message *message;
	GBytes *content;   /* to be sent; NULL: it is 8 bit and has no other form, or it is not
			      needed any more */
	GBytes *eight_bit; /* for a relay with 8BITMIME; NULL: content is for every relay */
	smtp_message_t esmtp;
	smtp_recipient_t *recipients; /* of the message, in order; NULL: not given to the relay */
	guint shown;		      /* recipients given to the relay */
	bool mail_answered;
	guint answered; /* RCPT commands answered */
	guint accepted; /* RCPT commands answered 2xx */
	gsize passed;	/* bytes that libesmtp has sent, without the empty line */
	gsize given;	/* bytes that libesmtp was given */
	bool followed;	/* the next message was added before this one was over */
	bool ended;	/* libesmtp has read the whole message */
	bool dot;	/* the final dot may have gone out */
	bool replied;	/* the transaction is over: DATA or the dot was answered */
	enum smtp_transfer_hold hold;
};

/* Checks the envelope: recipients whose address cannot be sent are SMTP_PERMANENT; all are, if the
   sender cannot be sent. Returns the number of the others. */
guint smtp_transfer_screen(struct smtp_message *message);

/* Checks the content. False when it cannot be sent; the remaining recipients are then
 * SMTP_PERMANENT. */
bool smtp_transfer_accepts(struct smtp_message *message, GBytes *content);

/* Adds the message to session, and takes its seven_bit. The caller frees the transfer after the
   session. */
struct smtp_transfer *smtp_transfer_new(smtp_session_t session, struct smtp_message *message,
    GBytes *content, const struct smtp_relay *relay);
void smtp_transfer_free(struct smtp_transfer *transfer);

/* Frees the content, which is not needed any more. */
void smtp_transfer_drop(struct smtp_transfer *transfer);

/* Sends the message in 8 bit, if it is that, and says BODY=8BITMIME (RFC 6152). To be called before
   MAIL, and only when the relay offers it: libesmtp would else end the session. */
void smtp_transfer_declare(struct smtp_transfer *transfer);

/* Whether libesmtp has sent every byte unchanged. */
bool smtp_transfer_is_whole(const struct smtp_transfer *transfer);

/* Sets the outcome of every recipient, when no further reply will come. is_ours: missing replies
   are not the message's fault, so those recipients are SMTP_NOT_TRIED. True when at least one
   recipient is not SMTP_NOT_TRIED. */
bool smtp_transfer_judge(struct smtp_transfer *transfer, bool is_ours);

#endif
