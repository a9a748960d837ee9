/* SPDX-License-Identifier: MIT */
/* One message on its way through libesmtp: given to it, fed to it, judged from what it knows. */
#ifndef SMTP_TRANSFER_H
#define SMTP_TRANSFER_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/esmtp.h"
#include "smtp/message.h"
#include "smtp/relay.h"

enum smtp_transfer_hold {
	TRANSFER_FREE,
	TRANSFER_STOPPED, /* we let go of it before its final dot: no attempt */
	TRANSFER_GONE,	  /* the relay had closed the connection before the final dot */
	TRANSFER_CHANGED, /* libesmtp would have changed it */
};

struct smtp_transfer {
	struct smtp_message *message;
	GBytes *content; /* NULL once it is not needed any more */
	smtp_message_t esmtp;
	smtp_recipient_t *recipients; /* of the message, in order; NULL for those not shown */
	guint shown;
	bool mail_answered;
	guint answered; /* RCPT commands, of those shown */
	guint accepted; /* RCPT commands answered 2xx */
	gsize passed;	/* bytes that libesmtp has passed on, but for the empty line */
	gsize given;	/* bytes that libesmtp was given */
	bool followed;	/* the next message was added before this one was over */
	bool ended;	/* libesmtp has asked for more than there is */
	bool dot;	/* the final dot may have gone out */
	bool replied;	/* the transaction is over: DATA or the dot was answered */
	enum smtp_transfer_hold hold;
};

/* Judges the envelope: recipients whose address cannot be shown, or all when the sender cannot, are
   SMTP_PERMANENT. Returns how many are left. */
guint smtp_transfer_screen(struct smtp_message *message);

/* Judges the content: when it cannot be sent, those recipients that were left are SMTP_PERMANENT
   and false comes back. */
bool smtp_transfer_accepts(struct smtp_message *message, GBytes *content);

/* Adds the message to session. */
struct smtp_transfer *smtp_transfer_new(smtp_session_t session, struct smtp_message *message,
    GBytes *content, const struct smtp_relay *relay);
void smtp_transfer_free(struct smtp_transfer *transfer);

/* Every byte was passed on as it was given. */
bool smtp_transfer_is_whole(const struct smtp_transfer *transfer);

/* Sets the outcome of every recipient from what is known when nothing more will come. is_ours: it
   is not this message's fault that something is open, which is then SMTP_NOT_TRIED. True when at
   least one is not SMTP_NOT_TRIED. */
bool smtp_transfer_judge(struct smtp_transfer *transfer, bool is_ours);

#endif
