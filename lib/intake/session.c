/* SPDX-License-Identifier: MIT */
/* The commands of SMTP, and when each may come. */
#include "intake/session.h"

#include <string.h>

#include "intake/auth.h"
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
	char *hello, *sender;
	GPtrArray *recipients; /* of char * */
	char *refusal;	       /* the first of a recipient, which is not logged yet */
	guint refused;	       /* commands */
	bool is_plain;	       /* hello came by HELO */
	bool is_tls, has_logged_in, is_over;
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

static bool
session_submits(const struct session *s)
{
	return s->rules->is_trusted || s->has_logged_in;
}

/* Has a refused transaction logged. */
static void
session_tell_refused(const struct session *s, const char *reply)
{
	if (s->host->refused)
		s->host->refused(
		    s->host->context, s->sender ? s->sender : "", s->recipients->len, reply);
}

/* A transaction that ends without its message is logged if a recipient was refused: once, whatever
   their number. */
static void
session_forget(struct session *s)
{
	if (s->refusal)
		session_tell_refused(s, s->refusal);
	g_clear_pointer(&s->refusal, g_free);
	g_clear_pointer(&s->sender, g_free);
	g_ptr_array_set_size(s->recipients, 0);
	s->stage = MIN(s->stage, STAGE_GREETED);
	if (s->host->forget)
		s->host->forget(s->host->context);
}

/* Refuses a transaction, and has that logged. */
static void
session_refuse(struct session *s, const char *reply)
{
	session_tell_refused(s, reply);
	session_reply(s, reply);
}

static void
session_greet(struct session *s, const char *name)
{
	session_forget(s);
	g_free(s->hello);
	s->hello = g_strdup(name);
	s->stage = STAGE_GREETED;
}

static bool
session_has_starttls(const struct session *s)
{
	return s->rules->has_tls && !s->is_tls;
}

static bool
session_may_log_in(const struct session *s)
{
	return s->rules->logs_in && (s->is_tls || s->rules->plain_auth);
}

static void
run_ehlo(struct session *s, char *text)
{
	g_autoptr(GPtrArray) offers = g_ptr_array_new_with_free_func(g_free);

	session_greet(s, text);
	s->is_plain = false;
	g_ptr_array_add(offers, g_strdup(s->rules->hostname));
	g_ptr_array_add(offers, g_strdup("PIPELINING"));
	g_ptr_array_add(offers, g_strdup_printf("SIZE %" G_GSIZE_FORMAT, s->rules->size));
	g_ptr_array_add(offers, g_strdup("8BITMIME"));
	g_ptr_array_add(offers, g_strdup("ENHANCEDSTATUSCODES"));
	if (session_has_starttls(s))
		g_ptr_array_add(offers, g_strdup("STARTTLS"));
	if (session_may_log_in(s))
		g_ptr_array_add(offers, g_strdup("AUTH PLAIN LOGIN"));
	for (guint i = 0; i < offers->len; i++)
		g_string_append_printf(s->out, "250%c%s\r\n", i + 1 < offers->len ? '-' : ' ',
		    (const char *)offers->pdata[i]);
}

static void
run_helo(struct session *s, char *text)
{
	g_autofree char *reply = g_strconcat("250 ", s->rules->hostname, NULL);

	session_greet(s, text);
	s->is_plain = true;
	session_reply(s, reply);
}

/* Ends the session where the client is gone or late, or the service stops. */
static bool
session_got(struct session *s, enum intake_got got)
{
	static const char *const ends[] = {
	    [INTAKE_GOT_SILENCE] = "421 4.4.2 Timeout",
	    [INTAKE_GOT_TIME] = "421 4.4.2 Session is too long",
	    [INTAKE_GOT_STOP] = "421 4.3.2 Service is shutting down",
	};

	if (got < G_N_ELEMENTS(ends) && ends[got])
		session_end(s, ends[got]);
	else if (got == INTAKE_GOT_END)
		s->is_over = true;
	return !s->is_over;
}

/* Reads a line once the client has all replies, unless it has sent the line already (RFC 2920). */
static enum intake_got
session_line(struct session *s, bool is_auth, char **line_r)
{
	if (!intake_input_waits(s->input))
		session_flush(s);
	return s->is_over ? INTAKE_GOT_END
			  : intake_input_line(
				s->input, is_auth, !is_auth && s->stage <= STAGE_GREETED, line_r);
}

/* Asks for a line of AUTH. NULL: there is none that counts. The caller owns it. */
static char *
session_ask(struct session *s, const char *challenge)
{
	char *line = NULL;

	g_string_append_printf(s->out, "334 %s\r\n", challenge);
	enum intake_got got = session_line(s, true, &line);
	if (!session_got(s, got))
		return NULL;
	if (got == INTAKE_GOT_BARE) {
		session_end(s, "500 5.5.2 Lines must end in CRLF");
		return NULL;
	}
	if (got == INTAKE_GOT_LONG) {
		session_reply(s, "500 5.5.2 Line too long");
		return NULL;
	}
	return g_strdup(line);
}

/* Reads the password by the steps of a mechanism. The caller frees it with
   intake_auth_forget. False where a reply was written, or the session ends. */
static bool
session_password(struct session *s, const struct intake_mechanism *mechanism, const char *initial,
    char **password_r)
{
	char *given = *initial ? g_strdup(initial) : NULL;
	const char *fault = NULL;

	*password_r = NULL;
	for (guint step = 0; mechanism->challenges[step] && !fault; step++) {
		if (!given && !(given = session_ask(s, mechanism->challenges[step])))
			return false;
		if (!mechanism->challenges[step + 1])
			fault = mechanism->read(given, password_r);
		else
			fault = intake_auth_check(given);
		intake_auth_forget(given);
		given = NULL;
	}
	if (fault)
		session_reply(s, fault);
	return !fault;
}

static void
run_auth(struct session *s, char *text)
{
	g_autoptr(GString) reply = g_string_new(NULL);
	gsize size = strcspn(text, " ");
	char *initial = text + size + strspn(text + size, " "), *password;
	const struct intake_mechanism *mechanism = intake_mechanism_find(text, size);

	if (s->has_logged_in)
		session_reply(s, "503 5.5.1 AUTH was done already");
	else if (s->stage > STAGE_GREETED)
		session_reply(s, "503 5.5.1 MAIL was sent already");
	else if (!session_may_log_in(s))
		session_reply(s, "538 5.7.11 AUTH needs TLS");
	else if (!mechanism)
		session_reply(s, "504 5.5.4 AUTH takes PLAIN and LOGIN");
	else if (session_password(s, mechanism, initial, &password)) {
		s->host->login(s->host->context, password, reply);
		intake_auth_forget(password);
		s->has_logged_in = *reply->str == '2';
		session_reply(s, reply->str);
	}
}

/* All but the address of the client is forgotten (RFC 3207 section 4.2). */
static void
run_starttls(struct session *s, char *text)
{
	if (s->is_tls) {
		session_reply(s, "503 5.5.1 TLS is on already");
		return;
	}
	if (*text) {
		session_reply(s, "501 5.5.4 STARTTLS takes no parameter");
		return;
	}
	if (intake_input_has_more(s->input) || s->host->waits(s->host->context)) {
		session_end(s, "421 4.7.0 Data behind STARTTLS");
		return;
	}
	g_string_append(s->out, "220 2.0.0 Ready to start TLS\r\n");
	session_flush(s);
	if (s->is_over || !s->host->start_tls(s->host->context)) {
		s->is_over = true;
		return;
	}
	session_forget(s);
	g_clear_pointer(&s->hello, g_free);
	s->stage = STAGE_BEGUN;
	s->has_logged_in = false;
	s->is_tls = true;
}

static void
run_mail(struct session *s, char *text)
{
	char *rest, *reply = NULL;
	g_autofree char *sender = NULL;

	if (s->stage > STAGE_GREETED) {
		session_reply(s, "503 5.5.1 MAIL was sent already");
	} else if (!session_submits(s) && !s->rules->takes_others) {
		session_reply(s, "530 5.7.0 AUTH is required");
	} else if (!intake_path_read(&intake_reverse_path, NULL, text, &sender, &rest, &reply) ||
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
	g_autoptr(GString) answer = g_string_new("250 2.1.5 OK");
	g_autofree char *recipient = NULL;
	bool submits = session_submits(s);
	char *rest, *reply = NULL;

	if (!intake_path_read(&intake_forward_path, submits ? NULL : s->rules->hostname, text,
		&recipient, &rest, &reply) ||
	    !intake_rcpt_parameters(rest, &reply)) {
		session_reply_take(s, reply);
		return;
	}
	if (s->recipients->len >= (submits ? s->rules->recipients : s->rules->strangers)) {
		session_reply(s, "452 4.5.3 Too many recipients");
		return;
	}
	if (!submits) {
		g_string_truncate(answer, 0);
		s->host->recipient(s->host->context, recipient, answer);
	}
	if (*answer->str != '2') {
		if (!s->refusal)
			s->refusal = g_strdup(answer->str);
		session_reply(s, answer->str);
		return;
	}
	g_ptr_array_add(s->recipients, g_steal_pointer(&recipient));
	s->stage = STAGE_RECIPIENTS;
	session_reply(s, answer->str);
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

/* Whether each CR is followed by LF, and each LF follows CR. */
static bool
data_is_clean(const GByteArray *data)
{
	const guint8 *p = data->data, *end = p + data->len;

	while (p < end) {
		const guint8 *feed = memchr(p, '\n', (gsize)(end - p));
		const guint8 *line_end = feed ? feed : end;

		if (memchr(p, '\r', (gsize)(line_end - p)) !=
		    (feed && feed > p && feed[-1] == '\r' ? feed - 1 : NULL))
			return false;
		if (feed && (feed == p || feed[-1] != '\r'))
			return false;
		p = line_end + 1;
	}
	return true;
}

static void
session_take(struct session *s, const GByteArray *data)
{
	g_autoptr(GString) reply = g_string_new(NULL);

	if (!session_submits(s) && !data_is_clean(data)) {
		session_refuse(s, "550 5.6.11 Lines must end in CRLF");
		return;
	}
	if (count_hops(data) > HOPS_MAX) {
		session_refuse(s, "554 5.4.6 Too many hops");
		return;
	}
	g_ptr_array_add(s->recipients, NULL);
	const struct intake_message message = {
	    .sender = s->sender,
	    .recipients = (char *const *)s->recipients->pdata,
	    .data = data->len ? (const void *)data->data : "",
	    .size = data->len,
	    .hello = s->hello,
	    .is_plain = s->is_plain,
	    .is_submission = session_submits(s),
	};
	s->host->take(s->host->context, &message, reply);
	session_reply(s, reply->str);
}

static void
session_data(struct session *s)
{
	g_autoptr(GByteArray) data = NULL;
	g_autofree char *too_large = intake_too_large(s->rules->size);
	enum intake_got got =
	    s->is_over ? INTAKE_GOT_END : intake_input_data(s->input, s->rules->size, &data);

	if (!session_got(s, got))
		return;
	if (got == INTAKE_GOT_LONG)
		session_refuse(s, too_large);
	else if (got == INTAKE_GOT_CROWDED)
		session_refuse(s, "452 4.3.1 Too many large messages");
	else
		session_take(s, data);
}

static void
run_data(struct session *s, char *text)
{
	g_string_append(s->out, "354 End data with <CRLF>.<CRLF>\r\n");
	session_flush(s);
	g_clear_pointer(&s->refusal, g_free);
	session_data(s);
	session_forget(s);
	if (s->host->leave_large)
		s->host->leave_large(s->host->context);
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

static bool
rules_log_in(const struct intake_rules *rules)
{
	return rules->logs_in;
}

static bool
rules_have_tls(const struct intake_rules *rules)
{
	return rules->has_tls || rules->is_tls;
}

static const struct command {
	const char *word;
	enum stage needs; /* it may come from this stage on */
	void (*run)(struct session *s, char *text);
	bool (*is_known)(const struct intake_rules *rules); /* NULL: always */
} commands[] = {
    {"EHLO", STAGE_BEGUN, run_ehlo},
    {"HELO", STAGE_BEGUN, run_helo},
    {"STARTTLS", STAGE_GREETED, run_starttls, rules_have_tls},
    {"AUTH", STAGE_GREETED, run_auth, rules_log_in},
    {"MAIL", STAGE_GREETED, run_mail},
    {"RCPT", STAGE_SENDER, run_rcpt},
    {"DATA", STAGE_RECIPIENTS, run_data},
    {"RSET", STAGE_BEGUN, run_rset},
    {"NOOP", STAGE_BEGUN, run_noop},
    {"VRFY", STAGE_BEGUN, run_vrfy},
    {"QUIT", STAGE_BEGUN, run_quit},
};

static const struct command *
find_command(const struct intake_rules *rules, const char *line, gsize size)
{
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
		if (size == strlen(commands[i].word) &&
		    g_ascii_strncasecmp(line, commands[i].word, size) == 0 &&
		    (!commands[i].is_known || commands[i].is_known(rules)))
			return &commands[i];
	return NULL;
}

/* The command that is lacking comes in its order: EHLO, MAIL, RCPT. */
static void
session_run_line(struct session *s, char *line)
{
	gsize size = strcspn(line, " \t");
	const struct command *command = find_command(s->rules, line, size);

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

static void
session_step(struct session *s)
{
	char *line;
	enum intake_got got = session_line(s, false, &line);

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
	struct session session = {.rules = rules,
	    .host = host,
	    .input = input,
	    .out = out,
	    .recipients = recipients,
	    .is_tls = rules->is_tls};

	g_string_append_printf(out, "220 %s ESMTP Posthouse\r\n", rules->hostname);
	while (!session.is_over)
		session_step(&session);
	session_flush(&session);
	session_forget(&session);
	g_free(session.hello);
}
