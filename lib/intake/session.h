/* SPDX-License-Identifier: MIT */
/* A session with an SMTP client (RFC 5321), as the server speaks it. The caller reads and writes
   the bytes, and takes the messages. It knows no socket, no clock and no database. */
#ifndef INTAKE_SESSION_H
#define INTAKE_SESSION_H

#include <glib.h>

#include "intake/host.h"

/* The limits and settings of a session. */
struct intake_rules {
	const char *hostname; /* of the server */
	gsize size;	      /* the largest message, in bytes */
	guint recipients;     /* the most of a message */
	guint errors; /* so many commands may be refused; the next that is ends the session */
};

/* Speaks with the client until it leaves, or a reply of 421 or a bare line end ends the session. */
void intake_session_run(const struct intake_rules *rules, const struct intake_host *host);

#endif
