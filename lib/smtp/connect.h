/* SPDX-License-Identifier: MIT */
/* The two system calls in which libesmtp waits, connect and poll, taken over for the thread that
   runs a session: an executable that links this file defines both, the dynamic linker gives them to
   libesmtp, and for every other caller they pass the call on.

   connect: a time limit (libesmtp has none), and TCP_NODELAY (without it Nagle's algorithm and the
   relay's delayed ACK cost 40 ms for each message).
   poll: a time limit that runs from the last progress whatever signals arrive (libesmtp starts
   again after each, and waits for the replies to RSET and QUIT as long as for that to the final
   dot), the end of the wait when another thread interrupts, and what can be written comes before
   what can be read: libesmtp would do it the other way round, and wait for the reply to a command
   that it has not sent, when the session tickets of TLS 1.3 come in time. */
#ifndef SMTP_CONNECT_H
#define SMTP_CONNECT_H

#include <glib.h>
#include <stdbool.h>

struct smtp_wire {
	guint16 port;	    /* of the relay: other connections are not ours */
	gint64 connect_us;  /* time limit of connect */
	gint64 limit_us;    /* time limit of the wait for the next reply or write */
	int wake;	    /* an eventfd: readable when the session is to be interrupted */
	int fd;		    /* of the connection; -1 before */
	gint64 deadline_us; /* monotonic; 0 when nothing is awaited */
	int fault; /* errno of the last connect or poll that failed here; 0 when none has */
};

/* From here to leave, connect and poll of this thread serve wire. */
void smtp_wire_enter(struct smtp_wire *wire);
void smtp_wire_leave(void);

/* Something was sent or answered: the time limit starts again. */
void smtp_wire_progress(struct smtp_wire *wire);

/* A part of a reply has come, and the reply goes on: shuts the connection when its time is over.
   libesmtp does not poll while there is something to read. */
void smtp_wire_check(struct smtp_wire *wire);

/* The relay has closed or reset the connection, as far as is known here. */
bool smtp_wire_gone(const struct smtp_wire *wire);

/* No byte passes any more. */
void smtp_wire_shut(struct smtp_wire *wire);
/* No byte passes to the relay any more; what it has said can still be read. */
void smtp_wire_mute(struct smtp_wire *wire);

#endif
