/* SPDX-License-Identifier: MIT */
#include "tests/smtp/sending.h"

#include <criterion/criterion.h>
#include <string.h>

char *
sending_content(guint number)
{
	return g_strdup_printf("Date: Thu, 1 Jan 2026 00:00:00 +0000\r\n"
			       "From: <from@send.example>\r\n"
			       "Message-Id: <%u@send.example>\r\n"
			       "Subject: a\r\n folded  one\r\n"
			       "\r\n"
			       "Message %u\r\n"
			       ".\r\n"
			       "..two dots\r\n",
	    number, number);
}

char *
sending_large_content(gsize size)
{
	g_autofree char *head = sending_content(0);
	GString *bytes = g_string_new(head);

	while (bytes->len < size)
		g_string_append(bytes, "0123456789012345678901234567890123456789\r\n");
	return g_string_free(bytes, FALSE);
}

static void
sending_call(struct sending *sending, const char *what, const struct smtp_message *message)
{
	g_autofree char *event = g_strdup_printf("%s %d", what, GPOINTER_TO_INT(message->context));

	g_string_append_printf(sending->calls, "%s\n", event);
	if (sending->hook)
		sending->hook(sending, event);
}

static GBytes *
smtp_sending_content(struct smtp_message *message, void *context)
{
	struct sending *sending = context;
	int number = GPOINTER_TO_INT(message->context);

	sending_call(sending, "content", message);
	if (number == sending->without_content)
		return NULL;
	char *bytes = sending->bytes ? g_strdup(sending->bytes) : sending_content((guint)number);
	return g_bytes_new_take(bytes, strlen(bytes));
}

static bool
before_dot(struct smtp_message *message, void *context)
{
	struct sending *sending = context;

	sending_call(sending, "before_dot", message);
	return GPOINTER_TO_INT(message->context) != sending->without_dot;
}

static void
done(struct smtp_message *message, void *context)
{
	sending_call(context, "done", message);
}

static const struct smtp_callbacks callbacks = {smtp_sending_content, before_dot, done};

static void
sending_add_message(struct sending *sending, const char *recipients)
{
	struct smtp_message *message = &sending->messages[sending->count];
	g_auto(GStrv) addresses = g_strsplit(recipients, " ", -1);

	message->sender = "b+1@send.example";
	message->context = GINT_TO_POINTER(sending->count);
	message->count = g_strv_length(addresses);
	message->recipients = g_new0(struct smtp_recipient, message->count);
	for (guint i = 0; i < message->count; i++)
		message->recipients[i].address = g_strdup(addresses[i]);
	sending->count++;
}

/* The limit of each answer: short only where the server is to exceed it. */
static guint
sending_limit_of(const struct smtp_script *script)
{
	for (gsize i = 0; i < G_N_ELEMENTS(script->rules) && script->rules[i].at; i++)
		if (script->rules[i].then == THEN_HANG || script->rules[i].then == THEN_BABBLE)
			return 1;
	return 60;
}

void
sending_start(
    struct sending *sending, const struct smtp_script *script, const char *const *messages)
{
	*sending = (struct sending){.without_content = -1, .without_dot = -1};
	sending->server = smtp_server_start(script);
	sending->relay = (struct smtp_relay){
	    .name = "test",
	    .host = "127.0.0.1",
	    .port = smtp_server_port(sending->server),
	    .tls = TLS_NONE,
	    .tls_ca = "",
	    .tls_name = "",
	    .tls_cert = "",
	    .tls_key = "",
	    .token_command = "",
	    .source = "",
	    .user = "",
	    .password = "",
	    .helo = "client.example",
	    .connect_timeout_s = 60,
	    .timeout_s = sending_limit_of(script),
	    .dot_timeout_s = sending_limit_of(script),
	    .dsn = true,
	};
	sending->calls = g_string_new(NULL);
	for (; *messages; messages++) {
		cr_assert(sending->count < SENDING_MESSAGES);
		sending_add_message(sending, *messages);
	}
}

void
sending_prepare(struct sending *sending)
{
	sending->session = smtp_session_new(&sending->relay, &callbacks, sending);
}

void
sending_run(struct sending *sending)
{
	if (!sending->session)
		sending_prepare(sending);
	sending->had =
	    smtp_session_run(sending->session, sending->messages, sending->count, &sending->error);
	cr_expect_eq(sending->had, !sending->error);
}

void
sending_stop(struct sending *sending)
{
	smtp_server_stop(sending->server);
}

void
sending_free(struct sending *sending)
{
	for (guint i = 0; i < sending->count; i++) {
		for (guint j = 0; j < sending->messages[i].count; j++) {
			g_free((char *)sending->messages[i].recipients[j].address);
			g_free(sending->messages[i].recipients[j].text);
		}
		g_free(sending->messages[i].recipients);
	}
	g_clear_pointer(&sending->session, smtp_session_free);
	smtp_server_free(sending->server);
	g_clear_error(&sending->error);
	g_string_free(sending->calls, TRUE);
}

char *
sending_outcomes(const struct sending *sending)
{
	static const char *const outcomes[] = {
	    "not-tried", "sent", "permanent", "temporary", "uncertain"};
	static const char *const stages[] = {"session", "mail", "rcpt", "data"};
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < sending->count; i++) {
		for (guint j = 0; j < sending->messages[i].count; j++) {
			const struct smtp_recipient *to = &sending->messages[i].recipients[j];
			g_string_append_printf(lines, "%u %s %s %s %d %s %s\n", i, to->address,
			    outcomes[to->outcome], stages[to->stage], to->code,
			    to->enhanced[0] ? to->enhanced : "-", to->text ? to->text : "");
		}
	}
	return g_string_free(lines, FALSE);
}
