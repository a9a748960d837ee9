/* SPDX-License-Identifier: MIT */
/* The commands of SMTP, and when each may come. */
#include "intake/session.h"

#include <string.h>

#include "intake/command.h"
#include "intake/input.h"

#define HOPS_MAX 50 /* Received fields of a message */

/* Each stage follows from the one before. */
enum stage { STAGE_BEGUN, STAGE_GREETED, STAGE_SENDER, STAGE_RECIPIENTS };

/* The command that leads from a stage to the next. */
static const char *const next_commands[] = {
    [STAGE_BEGUN] = "EHLO", [STAGE_GREETED] = "MAIL", [STAGE_SENDER] = "RCPT"};

struct session {
	const struct intake_rules *rules;
	const struct intake_host *host;
	struct intake_input *input;
	GString *out; /* replies that wait for the client to have nothing more to say */
	enum stage stage;
	char *sender;
	GPtrArray *recipients; /* of char * */
	guint refused;	       /* commands */
	bool is_over;
};

static void
session_flush(struct session *s)
{
	if (s->out->len > 0 && !s->host->write(s->host->context, s->out->str, s->out->len))
		s->is_over = true;
	g_string_truncate(s->out, 0);
}

static void
session_end(struct session *s, const char *reply)
{
	g_string_append_printf(s->out, "%s\r\n", reply);
	s->is_over = true;
}

/* Counts a reply that refuses: the last one is another. */
static void
session_reply(struct session *s, const char *reply)
{
	if (*reply >= '4' && ++s->refused > s->rules->errors)
		session_end(s, "421 4.7.0 Too many errors");
	else
		g_string_append_printf(s->out, "%s\r\n", reply);
}

/* Takes the reply. */
static void
session_reply_take(struct session *s, char *reply)
{
	session_reply(s, reply);
	g_free(reply);
}

static void
session_forget(struct session *s)
{
	g_clear_pointer(&s->sender, g_free);
	g_ptr_array_set_size(s->recipients, 0);
	s->stage = MIN(s->stage, STAGE_GREETED);
}

static void
run_ehlo(struct session *s, char *text)
{
	s->stage = STAGE_GREETED;
	session_forget(s);
	g_string_append_printf(s->out,
	    "250-%s\r\n250-PIPELINING\r\n250-SIZE %" G_GSIZE_FORMAT "\r\n250-8BITMIME\r\n"
	    "250 ENHANCEDSTATUSCODES\r\n",
	    s->rules->hostname, s->rules->size);
}

static void
run_helo(struct session *s, char *text)
{
	g_autofree char *reply = g_strconcat("250 ", s->rules->hostname, NULL);

	s->stage = STAGE_GREETED;
	session_forget(s);
	session_reply(s, reply);
}

static void
run_mail(struct session *s, char *text)
{
	char *rest, *reply = NULL;
	g_autofree char *sender = NULL;

	if (s->stage > STAGE_GREETED) {
		session_reply(s, "503 5.5.1 MAIL was sent already");
	} else if (!intake_path_read(&intake_reverse_path, text, &sender, &rest, &reply) ||
		   !intake_mail_parameters(rest, s->rules->size, &reply)) {
		session_reply_take(s, reply);
	} else {
		s->sender = g_steal_pointer(&sender);
		s->stage = STAGE_SENDER;
		session_reply(s, "250 2.1.0 OK");
	}
}

static void
run_rcpt(struct session *s, char *text)
{
	char *rest, *reply = NULL;
	g_autofree char *recipient = NULL;

	if (!intake_path_read(&intake_forward_path, text, &recipient, &rest, &reply) ||
	    !intake_rcpt_parameters(rest, &reply)) {
		session_reply_take(s, reply);
	} else if (s->recipients->len >= s->rules->recipients) {
		session_reply(s, "452 4.5.3 Too many recipients");
	} else {
		g_ptr_array_add(s->recipients, g_steal_pointer(&recipient));
		s->stage = STAGE_RECIPIENTS;
		session_reply(s, "250 2.1.5 OK");
	}
}

/* The number of Received fields in the header. */
static guint
count_hops(const GByteArray *data)
{
	static const char name[] = "Received:";
	const char *line = (const char *)data->data, *end = line + data->len;
	guint hops = 0;

	while (line < end && *line != '\r' && *line != '\n') {
		const char *after = memchr(line, '\n', (gsize)(end - line));

		hops += (gsize)(end - line) >= strlen(name) &&
			g_ascii_strncasecmp(line, name, strlen(name)) == 0;
		line = after ? after + 1 : end;
	}
	return hops;
}

static void
session_take(struct session *s, const GByteArray *data)
{
	g_autoptr(GString) reply = g_string_new(NULL);

	if (count_hops(data) > HOPS_MAX) {
		session_reply(s, "554 5.4.6 Too many hops");
		return;
	}
	g_ptr_array_add(s->recipients, NULL);
	const struct intake_message message = {s->sender, (char *const *)s->recipients->pdata,
	    data->len ? (const void *)data->data : "", data->len};
	s->host->take(s->host->context, &message, reply);
	session_reply(s, reply->str);
}

/* Ends the session where the client is gone or late. */
static bool
session_got(struct session *s, enum intake_got got)
{
	if (got == INTAKE_GOT_SILENCE)
		session_end(s, "421 4.4.2 Timeout");
	else if (got == INTAKE_GOT_TIME)
		session_end(s, "421 4.4.2 Session is too long");
	else if (got == INTAKE_GOT_END)
		s->is_over = true;
	return !s->is_over;
}

static void
run_data(struct session *s, char *text)
{
	g_autoptr(GByteArray) data = NULL;

	g_string_append(s->out, "354 End data with <CRLF>.<CRLF>\r\n");
	session_flush(s);
	enum intake_got got =
	    s->is_over ? INTAKE_GOT_END : intake_input_data(s->input, s->rules->size, &data);
	if (!session_got(s, got))
		return;
	if (got == INTAKE_GOT_LONG)
		session_reply_take(s, intake_too_large(s->rules->size));
	else
		session_take(s, data);
	session_forget(s);
}

static void
run_rset(struct session *s, char *text)
{
	session_forget(s);
	session_reply(s, "250 2.0.0 OK");
}

static void
run_noop(struct session *s, char *text)
{
	session_reply(s, "250 2.0.0 OK");
}

static void
run_vrfy(struct session *s, char *text)
{
	session_reply(s, "252 2.1.5 Send mail and see");
}

static void
run_quit(struct session *s, char *text)
{
	session_end(s, "221 2.0.0 Bye");
}

static const struct command {
	const char *word;
	enum stage needs; /* it may come from this stage on */
	void (*run)(struct session *s, char *text);
} commands[] = {
    {"EHLO", STAGE_BEGUN, run_ehlo},
    {"HELO", STAGE_BEGUN, run_helo},
    {"MAIL", STAGE_GREETED, run_mail},
    {"RCPT", STAGE_SENDER, run_rcpt},
    {"DATA", STAGE_RECIPIENTS, run_data},
    {"RSET", STAGE_BEGUN, run_rset},
    {"NOOP", STAGE_BEGUN, run_noop},
    {"VRFY", STAGE_BEGUN, run_vrfy},
    {"QUIT", STAGE_BEGUN, run_quit},
};

static const struct command *
find_command(const char *line, gsize size)
{
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
		if (size == strlen(commands[i].word) &&
		    g_ascii_strncasecmp(line, commands[i].word, size) == 0)
			return &commands[i];
	return NULL;
}

static void
session_run_line(struct session *s, char *line)
{
	gsize size = strcspn(line, " \t");
	const struct command *command = find_command(line, size);

	if (!command) {
		session_reply(s, "500 5.5.1 Unknown command");
	} else if (s->stage < command->needs) {
		session_reply_take(
		    s, g_strdup_printf("503 5.5.1 Send %s first", next_commands[s->stage]));
	} else {
		line += size;
		command->run(s, line + strspn(line, " \t"));
	}
}

/* Replies wait as long as the client has more to say (RFC 2920). */
static void
session_step(struct session *s)
{
	char *line;

	if (!intake_input_waits(s->input))
		session_flush(s);
	enum intake_got got = s->is_over ? INTAKE_GOT_END : intake_input_line(s->input, &line);
	if (!session_got(s, got))
		return;
	if (got == INTAKE_GOT_LONG)
		session_reply(s, "500 5.5.2 Line too long");
	else if (got == INTAKE_GOT_BARE)
		session_end(s, "500 5.5.2 Lines must end in CRLF");
	else
		session_run_line(s, line);
}

void
intake_session_run(const struct intake_rules *rules, const struct intake_host *host)
{
	AUTO(intake_input) input = intake_input_new(host);
	g_autoptr(GPtrArray) recipients = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) out = g_string_new(NULL);
	struct session session = {
	    .rules = rules, .host = host, .input = input, .out = out, .recipients = recipients};

	g_string_append_printf(out, "220 %s ESMTP Posthouse\r\n", rules->hostname);
	while (!session.is_over)
		session_step(&session);
	session_flush(&session);
	g_free(session.sender);
}
