/* SPDX-License-Identifier: MIT */
/* Asks a relay whether it would take mail: a session as any other, up to the reply to RCPT, which
   RSET and QUIT follow in place of a message. */
#ifndef SMTP_PROBE_H
#define SMTP_PROBE_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/dialogue.h"
#include "smtp/message.h"

struct smtp_line;

struct smtp_probe {
	const char *sender;    /* of MAIL; "" is <> */
	const char *recipient; /* of RCPT; NULL: none is sent */

	/* The findings: */
	bool secured;			   /* TLS was up */
	bool silent;			   /* it sent no greeting in time */
	bool dsn;			   /* it offers delivery reports (RFC 3461) */
	gint64 certificate_end;		   /* epoch ms; 0: it showed none */
	enum smtp_dialogue_step step;	   /* as far as it came */
	char enhanced[SMTP_ENHANCED_SIZE]; /* of a session that could not be had, or "" */
	int refusal;   /* the code of the reply that refused MAIL or RCPT, or 0 */
	char *refused; /* a sentence like that of an error: MAIL or RCPT was refused; or NULL */
};

/* Frees the members; the struct is the caller's. */
void smtp_probe_clear(struct smtp_probe *probe);

/* For the exchange that carries a probe (smtp/exchange.h): notes what the session shows once MAIL
   was answered; and ends the session with RSET and QUIT, while libesmtp waits for nothing. */
void smtp_probe_note(struct smtp_probe *probe, const struct smtp_line *line);
void smtp_probe_end(const struct smtp_line *line);

#endif
