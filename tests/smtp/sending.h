/* SPDX-License-Identifier: MIT */
/* One session with a scripted server, and its results as text. */
#ifndef TESTS_SMTP_SENDING_H
#define TESTS_SMTP_SENDING_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/session.h"
#include "tests/support/smtp_server.h"

#define SENDING_MESSAGES 40

struct sending {
	struct smtp_relay relay;
	struct smtp_server *server;
	struct smtp_session *session;
	struct smtp_message messages[SENDING_MESSAGES];
	guint count;

	/* The numbers of the messages that the callbacks refuse; -1: none. */
	int without_content, without_dot;
	const char
	    *bytes; /* the content of each message; NULL: a small one with its number in it */
	void (*hook)(struct sending *sending, const char *event);

	/* The results. */
	bool had;
	GError *error;
	GString *calls; /* "content 0\nbefore_dot 0\ndone 0\n" */
};

/* Starts the server and a session with it: tls none, no user, timeouts of 1 s, dsn. messages: for
   each its recipients, separated by blanks; a NULL ends them. */
void sending_start(
    struct sending *sending, const struct smtp_script *script, const char *const *messages);
/* Makes the session before the run; optional. */
void sending_prepare(struct sending *sending);
void sending_run(struct sending *sending);
/* Waits for the server to be done, so that its log and mails can be read. */
void sending_stop(struct sending *sending);
void sending_free(struct sending *sending);

/* The content of message number. The caller owns it. */
char *sending_content(guint number);
/* Message 0 with a body that makes it at least size bytes. */
char *sending_large_content(gsize size);

/* A line for each recipient: "0 a@x.org sent data 250 2.0.0 taken". The caller owns it. */
char *sending_outcomes(const struct sending *sending);

#endif
