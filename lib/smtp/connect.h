/* SPDX-License-Identifier: MIT */
/* Replaces three system calls of libesmtp, connect, poll and write, in the thread that runs a
   session. An executable that links this file defines them, and the dynamic linker gives them to
   libesmtp. For all other callers they pass the call on.

   connect gets a time limit, which libesmtp lacks, and TCP_NODELAY, without which Nagle's algorithm
   and the relay's delayed ACK cost 40 ms for each message.

   poll gets three changes:
   - The time limit runs from the last progress. libesmtp starts it again after each signal, and
   waits for the replies to RSET and QUIT as long as for the reply to the final dot.
   - The wait ends when another thread interrupts.
   - Writable comes before readable. libesmtp reads first: when the session tickets of TLS 1.3
   arrive at that moment, it waits for the reply to a command that it has not sent.

   write gathers, from the first MAIL to QUIT, until libesmtp waits for a reply: libesmtp writes 2
   KiB at a time. So the commands and each message take few system calls and packets, and the final
   dot leaves together with the end of its message. */
#ifndef SMTP_CONNECT_H
#define SMTP_CONNECT_H

#include <glib.h>
#include <stdbool.h>

struct smtp_wire {
	guint16 port;	    /* of the relay; connections to other ports are passed on */
	const char *source; /* IPv4 address to connect from; "": any */
	bool implicit;	    /* TLS from the first byte, see below */
	gint64 connect_us;  /* time limit of connect */
	gint64 limit_us;    /* time limit of the wait for the next reply or write */
	int wake;	    /* an eventfd: readable when the session is to be interrupted */
	int fd;		    /* of the connection; -1 before */
	gint64 deadline_us; /* monotonic; 0 when nothing is awaited */
	gint64 since_us;    /* monotonic: when the last wait began; 0: there was none */
	int fault;	    /* errno of the last connect or poll that failed here; 0: none */
	bool gathers;	    /* bytes that are written wait in output */
	GByteArray *output; /* NULL: none */
	int relay;	    /* implicit, before TLS: the connection; else -1 */
	int prelude; /* implicit, before TLS: our end of the pair that libesmtp has; else -1 */
};

/* Between enter and leave, connect, poll and write of this thread serve wire. */
void smtp_wire_enter(struct smtp_wire *wire);
void smtp_wire_leave(void);

/* libesmtp knows STARTTLS alone. With implicit, connect gives it one end of a pair of sockets, and
   poll answers it on the other end as a relay that offers STARTTLS. When its handshake begins, this
   puts the connection in the pair's place. */
void smtp_wire_begin_tls(struct smtp_wire *wire);

/* The connection is over: closes what remains of the pair, and drops what was gathered. */
void smtp_wire_end(struct smtp_wire *wire);

/* Gathers what is written from now on, or sends what was gathered and gathers no more. False when
   it could not be sent; the connection is then shut. */
bool smtp_wire_gather(struct smtp_wire *wire, bool gathers);

/* Waits until the connection is ready for events of poll(2), within the time limit. False when it
   will not be; the connection is then shut. */
bool smtp_wire_await(struct smtp_wire *wire, short events);

/* Starts the time limit again, after something was sent or answered. */
void smtp_wire_progress(struct smtp_wire *wire);

/* After a part of a reply that goes on: shuts the connection when its time is over. libesmtp does
   not poll while there are bytes to read. */
void smtp_wire_check(struct smtp_wire *wire);

/* The seconds, rounded, for which the last wait had lasted when another thread interrupted it; 0:
   none did, or the wait was shorter than half a second. */
guint smtp_wire_interrupted_s(const struct smtp_wire *wire);

/* Whether the relay is known to have closed or reset the connection. */
bool smtp_wire_gone(const struct smtp_wire *wire);

/* Shuts the connection in both directions. */
void smtp_wire_shut(struct smtp_wire *wire);
/* Shuts the connection towards the relay; bytes from the relay can still be read. */
void smtp_wire_mute(struct smtp_wire *wire);

#endif
