/* SPDX-License-Identifier: MIT */
/* Runs SMTP sessions over libesmtp. */
#include "smtp/session.h"

#include <errno.h>
#include <signal.h>

#include <openssl/err.h>

#include "smtp/envelope.h"
#include "smtp/exchange.h"
#include "smtp/failure.h"
#include "smtp/tls.h"

#define CONNECT_TIMEOUT_S 5
#define TIMEOUT_S 60
#define DOT_TIMEOUT_S 600

struct smtp_session {
	struct smtp_relay relay; /* with the defaults filled in; the strings are the caller's */
	struct smtp_queue queue;
	struct smtp_gate gate;
	struct smtp_wire wire;
	struct smtp_dialogue dialogue;
	struct smtp_exchange exchange;
};

static void
forget_home(void)
{
	static gsize once;

	/* libesmtp searches the home directory for keys. It frees a client certificate twice, and
	   reports a home that cannot be searched as a failure of TLS. */
	if (g_once_init_enter(&once)) {
		g_setenv("XDG_CONFIG_DIR", "/nonexistent", TRUE);
		g_once_init_leave(&once, 1);
	}
}

struct smtp_session *
smtp_session_new(
    const struct smtp_relay *relay, const struct smtp_callbacks *callbacks, void *context)
{
	struct smtp_session *session = g_new0(struct smtp_session, 1);

	forget_home();
	session->relay = *relay;
	if (relay->enforced_for) {
		session->relay.tls = MAX(relay->tls, TLS_REQUIRED);
		session->relay.verifies = true;
	}
	if (!relay->connect_timeout_s)
		session->relay.connect_timeout_s = CONNECT_TIMEOUT_S;
	if (!relay->timeout_s)
		session->relay.timeout_s = TIMEOUT_S;
	if (!relay->dot_timeout_s)
		session->relay.dot_timeout_s = DOT_TIMEOUT_S;
	if (!relay->helo[0])
		session->relay.helo =
		    smtp_envelope_is_host(g_get_host_name()) ? g_get_host_name() : "localhost";
	session->queue =
	    (struct smtp_queue){.callbacks = callbacks, .context = context, .wire = &session->wire};
	smtp_gate_init(&session->gate);
	session->wire = (struct smtp_wire){
	    .port = (guint16)relay->port,
	    .connect_us = session->relay.connect_timeout_s * G_USEC_PER_SEC,
	    .source = relay->source,
	    .implicit = relay->tls == TLS_IMPLICIT,
	    .wake = session->gate.wake,
	    .fd = -1,
	    .relay = -1,
	    .prelude = -1,
	};
	session->dialogue.wants_auth = relay->user[0] != '\0';
	session->dialogue.wants_tls =
	    session->relay.tls >= TLS_REQUIRED || (relay->tls != TLS_NONE && relay->user[0]);
	smtp_dialogue_init(&session->dialogue);
	session->exchange = (struct smtp_exchange){.relay = &session->relay,
	    .queue = &session->queue,
	    .gate = &session->gate,
	    .wire = &session->wire,
	    .dialogue = &session->dialogue};
	smtp_exchange_init(&session->exchange);
	return session;
}

void
smtp_session_free(struct smtp_session *session)
{
	smtp_wire_end(&session->wire);
	smtp_exchange_clear(&session->exchange);
	smtp_dialogue_clear(&session->dialogue);
	smtp_gate_clear(&session->gate);
	g_free(session);
}

const char *
smtp_session_enhanced(const struct smtp_session *session)
{
	return session->dialogue.enhanced;
}

const char *
smtp_session_stage(const struct smtp_session *session)
{
	return smtp_failure_stage(&session->dialogue);
}

gint64
smtp_session_certificate_end(const struct smtp_session *session)
{
	return session->dialogue.certificate_end;
}

bool
smtp_session_interrupt(struct smtp_session *session)
{
	return smtp_gate_shut(&session->gate, false);
}

bool
smtp_session_give_up(struct smtp_session *session)
{
	return smtp_gate_shut(&session->gate, true);
}

static bool
session_send_all(struct smtp_session *session, GError **error)
{
	struct smtp_exchange *exchange = &session->exchange;

	do {
		/* Once a session was had, the outcomes of the messages tell how it ended. */
		GError **cause = exchange->had ? NULL : error;
		SSL_CTX *tls = NULL;
		if (session->relay.tls != TLS_NONE &&
		    !(tls = smtp_tls_new(
			  &session->relay, &session->dialogue, &session->wire, cause)))
			return exchange->had;
		bool had = smtp_exchange_run(exchange, tls, cause);
		SSL_CTX_free(tls);
		if (!had)
			return exchange->had;
	} while (exchange->reopen && !exchange->ended);
	return true;
}

bool
smtp_session_run(
    struct smtp_session *session, struct smtp_message *messages, guint count, GError **error)
{
	sigset_t pipe, before, pending;
	const struct timespec at_once = {0};

	for (guint i = 0; i < count; i++)
		smtp_message_clear(&messages[i]);
	if (!smtp_relay_check(&session->relay, error))
		return false;
	session->queue.messages = messages;
	session->queue.count = count;
	/* libesmtp writes to closed connections: block the SIGPIPE that this thread then gets. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	smtp_wire_enter(&session->wire);
	ERR_clear_error();
	bool had = session_send_all(session, error);
	smtp_wire_leave();
	sigpending(&pending);
	if (sigismember(&pending, SIGPIPE) && !sigismember(&before, SIGPIPE))
		while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return had;
}

/* No relay sees the message, but libesmtp wants one. */
static GBytes *
give_content(struct smtp_message *message, void *context)
{
	static const char text[] = "Date: Thu, 1 Jan 1970 00:00:00 +0000\r\nFrom: a@example.org\r\n"
				   "Message-Id: <a@example.org>\r\n\r\n\r\n";

	return g_bytes_new_static(text, sizeof(text) - 1);
}

static bool
refuse_dot(struct smtp_message *message, void *context)
{
	return false;
}

static void
smtp_session_forget(struct smtp_message *message, void *context)
{
}

static const struct smtp_callbacks callbacks = {give_content, refuse_dot, smtp_session_forget};

bool
smtp_session_probe(const struct smtp_relay *relay, struct smtp_probe *probe, GError **error)
{
	struct smtp_recipient recipient = {.address = "postmaster@example.org"};
	struct smtp_message message = {
	    .sender = probe->sender, .recipients = &recipient, .count = 1};
	AUTO(smtp_session) session = smtp_session_new(relay, &callbacks, NULL);

	if (probe->recipient)
		recipient.address = probe->recipient;
	session->exchange.probe = probe;
	bool had = smtp_session_run(session, &message, 1, error);
	if (had && !probe->refused && recipient.outcome == SMTP_PERMANENT)
		probe->refused = g_strdup(recipient.text);
	else if (had && !probe->refused && probe->step < DIALOGUE_RESET)
		probe->refused = g_strdup_printf(
		    "relay %s (%s:%u) ended the session before it had answered MAIL and RCPT",
		    relay->name, relay->host, relay->port);
	g_strlcpy(probe->enhanced, session->dialogue.enhanced, sizeof(probe->enhanced));
	smtp_message_clear(&message);
	return had;
}
