/* SPDX-License-Identifier: MIT */
/* One client of the scripted SMTP server: lines in, lines out, and what the script says of them. */
#ifndef TESTS_SUPPORT_SMTP_PEER_H
#define TESTS_SUPPORT_SMTP_PEER_H

#include <glib.h>
#include <openssl/ssl.h>
#include <stdbool.h>

#include "tests/support/smtp_server.h"

/* The time to wait for the other side. */
#define PATIENCE_S 120

/* Data that all clients of a server share. */
struct smtp_shared {
	const struct smtp_script *script;
	SSL_CTX *tls;
	int end;     /* an eventfd: readable once the server is to stop, */
	int release; /* or as many times as delays are to end */

	GMutex lock;
	GCond changed;
	guint matches[G_N_ELEMENTS(((struct smtp_script *)0)->rules)];
	GPtrArray *mails;
	GString *log;
};

struct smtp_peer {
	struct smtp_shared *shared;
	guint number;
	int fd;
	SSL *ssl;
	GString *input; /* read and not yet looked at */
	bool gone;
	char *user;
	struct smtp_mail *mail; /* begun with MAIL */
};

/* The next line without its end, which the caller owns; NULL when the client is gone. */
char *smtp_peer_read_line(struct smtp_peer *peer);

/* Writes a line. */
void smtp_peer_put(struct smtp_peer *peer, const char *text);

/* Puts a line into the log. */
void smtp_peer_note(struct smtp_peer *peer, const char *line);

/* Answers by the rule for event, or as usual; the first digit of what was answered, 0 for none. */
int smtp_peer_answer(struct smtp_peer *peer, const char *event, const char *usual);

/* Serves a client, a struct smtp_peer that was made with g_new0, to its end, and frees it. Gives
   NULL: it is for g_thread_new. */
gpointer smtp_dialogue_serve(gpointer peer);

/* Frees a struct smtp_mail, or NULL. */
void smtp_mail_free(gpointer mail);

#endif
