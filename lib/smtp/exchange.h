/* SPDX-License-Identifier: MIT */
/* One connection of a session: libesmtp sends messages through it, and their outcomes are set as
   its events come. */
#ifndef SMTP_EXCHANGE_H
#define SMTP_EXCHANGE_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"
#include "smtp/esmtp.h"
#include "smtp/gate.h"
#include "smtp/message.h"
#include "smtp/probe.h"
#include "smtp/relay.h"

/* The caller's side of a session: its messages in order, and its callbacks. */
struct smtp_queue {
	const struct smtp_callbacks *callbacks;
	void *context;
	struct smtp_wire *wire;
	struct smtp_message *messages;
	guint count, next;
};

struct smtp_exchange {
	const struct smtp_relay *relay;
	struct smtp_queue *queue;
	struct smtp_gate *gate;
	struct smtp_wire *wire;
	struct smtp_dialogue *dialogue;
	struct smtp_probe *probe; /* in place of sending; or NULL */

	/* The state of the whole session: */
	bool had;      /* the relay has answered a MAIL */
	bool ended;    /* no more messages */
	bool unwanted; /* the first MAIL was refused for lack of AUTH or TLS */

	/* The state of this connection: */
	smtp_session_t esmtp;
	SSL *ssl; /* NULL: without TLS; libesmtp owns it */
	GPtrArray *transfers;
	guint at;    /* the transfer whose replies come in */
	bool reopen; /* libesmtp cannot go on, though the relay could: connect again */
};

/* Makes the list of an exchange whose other members are set. The caller clears it. */
void smtp_exchange_init(struct smtp_exchange *exchange);
void smtp_exchange_clear(struct smtp_exchange *exchange);

/* Connects, and sends messages until the queue is empty or the connection ends. tls NULL: without
   STARTTLS. False when the session did not get as far as MAIL; the first message was then not
   tried. Errors of smtp/failure.h. */
bool smtp_exchange_run(struct smtp_exchange *exchange, SSL_CTX *tls, GError **error);

#endif
