/* SPDX-License-Identifier: MIT */
/* An SMTP server on 127.0.0.1 that does what a script says, in threads of the test's own process.
 */
#ifndef SUPPORT_SMTP_SERVER_H
#define SUPPORT_SMTP_SERVER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

enum smtp_then {
	THEN_GO_ON,
	THEN_DROP,   /* close the connection */
	THEN_RESET,  /* close it with a TCP reset */
	THEN_HANG,   /* never answer again, until the client is gone */
	THEN_BABBLE, /* say the reply again and again, until the client is gone */
};

/* A reaction to a command or an event. The first matching rule applies. */
struct smtp_rule {
	const char *at; /* a pattern with * and ? for a command line ("RCPT TO:<bad@*"); "CONNECT"
			   is a new connection, "." the end of a message, "DATA+N" the Nth byte of
			   one. Case is ignored */
	guint nth;	/* only the nth time that at fits; 0 is each time */
	const char *reply;   /* without its last CR LF; NULL is the usual one, "" none */
	enum smtp_then then; /* after the reply; with reply NULL and not THEN_GO_ON there is none */
	guint delay_ms;	     /* before the reply; smtp_server_release ends it */
};

/* Rules as tables write them. */
#define REPLY(at, nth, reply)                                                                      \
	{                                                                                          \
		at, nth, reply, THEN_GO_ON, 0                                                      \
	}
#define THEN(then, at, nth, reply)                                                                 \
	{                                                                                          \
		at, nth, reply, THEN_##then, 0                                                     \
	}

/* Self-signed, but for PRIVATE, which "Posthouse CA" has issued. */
enum smtp_certificate {
	CERTIFICATE_LOCALHOST,
	CERTIFICATE_OTHER_NAME, /* other.example, mx.other.example */
	CERTIFICATE_EXPIRED,	/* ended on 2001-02-03 */
	CERTIFICATE_FUTURE,	/* valid from 2095-02-03 */
	CERTIFICATE_SOON,	/* ends in ten days */
	CERTIFICATE_PRIVATE,
	CERTIFICATE_PRIVATE_EXPIRED, /* and for another name */
};

struct smtp_script {
	const char *extensions;	    /* of EHLO, with a line feed between each two; NULL is none.
				       STARTTLS and AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2, whose token
				       is the password, work when they stand there */
	const char *extensions_tls; /* the same once TLS is up; NULL: as before, less STARTTLS */
	struct smtp_rule rules[8];
	enum smtp_certificate certificate;
	bool implicit;		/* TLS from the first byte */
	bool wants_certificate; /* of the client */
	const char *user, *password;
};

/* A message whose final dot came in. */
struct smtp_mail {
	guint connection; /* from 1 */
	bool tls;
	char *user;	       /* authenticated as; NULL for nobody */
	char *sender;	       /* the whole MAIL command */
	GPtrArray *recipients; /* the whole RCPT commands that were answered 2xx */
	GString *bytes;	       /* without the doubled dots */
};

struct smtp_server;

/* Listens on a free port. The texts in script outlive the server. */
struct smtp_server *smtp_server_start(const struct smtp_script *script);
guint smtp_server_port(const struct smtp_server *server);
/* A PEM file that makes its certificate trusted. Its certificate and key stand in it too. */
const char *smtp_server_ca(const struct smtp_server *server);

/* Waits until a line of the log begins with text, for two minutes at most: false then. */
bool smtp_server_wait(struct smtp_server *server, const char *text);

/* Ends one delay of a rule: that of the moment, or the next one. */
void smtp_server_release(struct smtp_server *server);

/* The messages so far, which do not change any more. NULL: there are fewer. */
guint smtp_server_count(struct smtp_server *server);
const struct smtp_mail *smtp_server_mail(struct smtp_server *server, guint index);

/* Accepts no more, and waits until every client has gone. Only after it may be read: */
void smtp_server_stop(struct smtp_server *server);
guint smtp_server_connections(const struct smtp_server *server);
/* Every command line, and "." for the end of a message, each with a line feed; "[tls NAME]" where
   TLS came up, with the name that the client asked for. */
const char *smtp_server_log(const struct smtp_server *server);

/* Stops it if need be. */
void smtp_server_free(struct smtp_server *server);
DEFINE_AUTO(smtp_server, smtp_server_free)

#endif
