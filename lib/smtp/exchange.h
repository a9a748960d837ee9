/* SPDX-License-Identifier: MIT */
/* One connection: libesmtp carries messages through it, and we draw the conclusions as it goes. */
#ifndef SMTP_EXCHANGE_H
#define SMTP_EXCHANGE_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"
#include "smtp/esmtp.h"
#include "smtp/gate.h"
#include "smtp/queue.h"
#include "smtp/relay.h"

struct smtp_exchange {
	const struct smtp_relay *relay;
	struct smtp_queue *queue;
	struct smtp_gate *gate;
	struct smtp_wire *wire;
	struct smtp_dialogue *dialogue;

	/* Of the session as a whole: */
	bool had;      /* a relay has answered a MAIL */
	bool ended;    /* no more messages */
	bool unwanted; /* the first MAIL was refused for want of AUTH or TLS */

	/* Of this connection: */
	smtp_session_t esmtp;
	GPtrArray *transfers;
	guint at;    /* the one whose replies come in */
	bool reopen; /* it ends, but for no reason of the relay's: the rest wants another */
};

void smtp_exchange_init(struct smtp_exchange *exchange);
void smtp_exchange_clear(struct smtp_exchange *exchange);

/* tls NULL: without STARTTLS. Connects and sends from the queue until that is empty or the
   connection ends. False when the relay did not come as far as MAIL: the first message was then not
   tried. */
bool smtp_exchange_run(struct smtp_exchange *exchange, SSL_CTX *tls, GError **error);

#endif
