/* SPDX-License-Identifier: MIT */
/* A session with an SMTP client (RFC 5321), as the server speaks it. The caller reads and writes
   the bytes, knows keys and recipients, and takes the messages. It knows no socket, no clock and no
   database. */
#ifndef INTAKE_SESSION_H
#define INTAKE_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "intake/host.h"

/* The limits and settings of a session. */
struct intake_rules {
	const char *hostname; /* of the server */
	gsize size;	      /* the largest message, in bytes */
	guint recipients;     /* the most of a message of a client that has logged in */
	guint strangers;      /* and of another */
	guint errors;	   /* so many commands may be refused; the next that is ends the session */
	bool is_trusted;   /* the client need not log in: each message is a submission */
	bool logs_in;	   /* AUTH is there */
	bool plain_auth;   /* without TLS, too */
	bool takes_others; /* clients that have not logged in may send to what recipient takes */
	bool has_tls;	   /* STARTTLS is there */
	bool is_tls;	   /* TLS began with the first byte */
};

/* Speaks with the client until it leaves, or a reply of 421 or a bare line end ends the session. */
void intake_session_run(const struct intake_rules *rules, const struct intake_host *host);

/* Writes the reply to a message that could not be stored. error: of PH_ERROR, as from
   submit_sendmail_check or service_once_store_one. */
void intake_failure_write(GString *reply, const GError *error);

#endif
