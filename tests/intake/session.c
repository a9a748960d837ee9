/* SPDX-License-Identifier: MIT */
/* Tests sessions: what the client sends, the replies, and the messages that are taken. */
#include <criterion/criterion.h>
#include <string.h>

#include "intake/input.h"
#include "intake/session.h"

#define SIZE 200

/* A client whose bytes come in pieces, and what the server does. */
struct client {
	const char *bytes;
	gsize left, piece; /* bytes of a piece */
	gssize end;	   /* what reading gives behind them */
	GString *out, *taken;
	guint writes;
	bool waits, crowded; /* more has come; there is no room for large messages */
};

static gssize
session_read_bytes(void *context, void *bytes, gsize size, const struct intake_place *place)
{
	struct client *client = context;
	gsize count = MIN(MIN(size, client->piece), client->left);

	if (count == 0)
		return client->end == INTAKE_READ_STOP && !place->is_between ? INTAKE_READ_END
									     : client->end;
	memcpy(bytes, client->bytes, count);
	client->bytes += count;
	client->left -= count;
	return (gssize)count;
}

static bool
session_write_bytes(void *context, const char *bytes, gsize size)
{
	struct client *client = context;

	g_string_append_len(client->out, bytes, (gssize)size);
	client->writes++;
	return true;
}

/* "sender>recipient,recipient:data|" */
static void
intake_session_take(void *context, const struct intake_message *message, GString *reply)
{
	struct client *client = context;
	g_autofree char *recipients = g_strjoinv(",", (char **)message->recipients);

	g_string_append_printf(client->taken, "%s%s>%s:", message->is_submission ? "" : "stranger ",
	    message->sender, recipients);
	g_string_append_len(client->taken, message->data, (gssize)message->size);
	g_string_append_c(client->taken, '|');
	g_string_append(reply, strstr(recipients, "bad") ? "554 5.6.0 Bad" : "250 2.0.0 queued");
}

static bool
session_waits(void *context)
{
	return ((struct client *)context)->waits;
}

static bool
session_start_tls(void *context)
{
	g_string_append(((struct client *)context)->out, "(TLS)");
	return true;
}

static void
session_login(void *context, const char *password, GString *reply)
{
	g_string_append(reply,
	    strcmp(password, "key") == 0 ? "235 2.7.0 Authenticated" : "535 5.7.8 Invalid API key");
}

static void
session_recipient(void *context, const char *address, GString *reply)
{
	bool known =
	    g_str_has_prefix(address, "b+") || strcmp(address, "postmaster@mail.example") == 0;

	g_string_append(reply, known ? "250 2.1.5 OK" : "550 5.7.1 Relaying denied");
}

static bool
session_enter_large(void *context)
{
	return !((struct client *)context)->crowded;
}

static const struct intake_rules trusting = {
    .hostname = "mail.example", .size = SIZE, .recipients = 3, .errors = 4, .is_trusted = true};

static void
session_speak(const struct intake_rules *rules, struct client *client)
{
	const struct intake_host host = {
	    .read = session_read_bytes,
	    .write = session_write_bytes,
	    .take = intake_session_take,
	    .context = client,
	    .waits = session_waits,
	    .start_tls = session_start_tls,
	    .login = session_login,
	    .recipient = session_recipient,
	    .enter_large = session_enter_large,
	};

	intake_session_run(rules, &host);
}

static struct client
client_run(const struct intake_rules *rules, const char *bytes, gsize size, gsize piece, gssize end)
{
	struct client client = {
	    bytes, size, piece, end, g_string_new(NULL), g_string_new(NULL), 0, false, false};

	session_speak(rules, &client);
	return client;
}

static void
client_clear(struct client *client)
{
	g_string_free(client->out, TRUE);
	g_string_free(client->taken, TRUE);
}

#define HI "220 mail.example ESMTP Posthouse\r\n"
#define E "EHLO x\r\n"
#define OFFERS                                                                                     \
	"250-mail.example\r\n250-PIPELINING\r\n250-SIZE 200\r\n250-8BITMIME\r\n"                   \
	"250 ENHANCEDSTATUSCODES\r\n"
#define M "MAIL FROM:<a@x.org>\r\n"
#define R "RCPT TO:<b@x.org>\r\n"
#define OKM "250 2.1.0 OK\r\n"
#define OKR "250 2.1.5 OK\r\n"
#define D "DATA\r\n"
#define GO "354 End data with <CRLF>.<CRLF>\r\n"
#define QUEUED "250 2.0.0 queued\r\n"
#define OK "250 2.0.0 OK\r\n"
#define Q "QUIT\r\n"
#define BYE "221 2.0.0 Bye\r\n"

static const struct {
	const char *name, *given, *want, *taken;
} cases[] = {
    {"a message", E M R D "A: b\r\n\r\nHi\r\n.\r\n" Q, OFFERS OKM OKR GO QUEUED BYE,
	"a@x.org>b@x.org:A: b\r\n\r\nHi\r\n|"},
    {"HELO", "HELO x\r\n" Q, "250 mail.example\r\n" BYE, ""},
    {"any case", "ehlo x\r\nmail from:<a@x.org>\r\nrcpt to:<B@X.org>\r\ndata\r\n.\r\nquit\r\n",
	OFFERS OKM OKR GO QUEUED BYE, "a@x.org>B@x.org:|"},
    {"no brackets, blanks",
	E "MAIL FROM: a@x.org SIZE=200  BODY=8BITMIME AUTH=<>\r\nRCPT TO: <b@x.org> \r\n" Q,
	OFFERS OKM OKR BYE, ""},
    {"no sender", E "MAIL FROM:<>\r\n" R D "x\r\n.\r\n" Q, OFFERS OKM OKR GO QUEUED BYE,
	">b@x.org:x\r\n|"},
    {"a route", E M "RCPT TO:<@c.org,@d.org:b@x.org>\r\n" Q, OFFERS OKM OKR BYE, ""},
    {"two messages", E M R D "1\r\n.\r\n" M "RCPT TO:<c@x.org>\r\n" R D "2\r\n.\r\n" Q,
	OFFERS OKM OKR GO QUEUED OKM OKR OKR GO QUEUED BYE,
	"a@x.org>b@x.org:1\r\n|a@x.org>c@x.org,b@x.org:2\r\n|"},
    {"dots", E M R D "..\r\n.a\r\nb.\r\n...\r\n.\r\n" Q, OFFERS OKM OKR GO QUEUED BYE,
	"a@x.org>b@x.org:.\r\na\r\nb.\r\n..\r\n|"},
    {"bare ends in data end nothing", E M R D "a\n.\nb\r.\rc\n.\r\nd\r\n.\ne\r\n.\r\n" Q,
	OFFERS OKM OKR GO QUEUED BYE, "a@x.org>b@x.org:a\n.\nb\r.\rc\n.\r\nd\r\n\ne\r\n|"},
    {"no last line end", E M R D "a\n.\r\n\r\n.\r\n" Q, OFFERS OKM OKR GO QUEUED BYE,
	"a@x.org>b@x.org:a\n.\r\n\r\n|"},
    {"RSET, NOOP, VRFY", "NOOP\r\nRSET\r\nVRFY b\r\n" E M R "RSET\r\n" D Q,
	OK OK "252 2.1.5 Send mail and see\r\n" OFFERS OKM OKR OK
	      "503 5.5.1 Send MAIL first\r\n" BYE,
	""},
    {"no EHLO", M R "DATA\r\n" Q,
	"503 5.5.1 Send EHLO first\r\n503 5.5.1 Send EHLO first\r\n503 5.5.1 Send EHLO "
	"first\r\n" BYE,
	""},
    {"out of order", E R M M D Q,
	OFFERS "503 5.5.1 Send MAIL first\r\n" OKM
	       "503 5.5.1 MAIL was sent already\r\n503 5.5.1 Send RCPT first\r\n" BYE,
	""},
    {"EHLO again", E M R E D Q, OFFERS OKM OKR OFFERS "503 5.5.1 Send MAIL first\r\n" BYE, ""},
    {"unknown", "HELP\r\nBDAT 1 LAST\r\nSTARTTLS\r\nAUTH PLAIN\r\n",
	"500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n"
	"500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n",
	""},
    {"too many errors", "EXPN\r\nETRN\r\nx\r\n\r\ny\r\n" Q,
	"500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n"
	"500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n"
	"421 4.7.0 Too many errors\r\n",
	""},
    {"parameters", E "MAIL FROM:<a@x.org> RET=HDRS\r\n" M "RCPT TO:<b@x.org> NOTIFY=NEVER\r\n" Q,
	OFFERS "555 5.5.4 Parameter RET is not known\r\n" OKM
	       "555 5.5.4 Parameter NOTIFY is not known\r\n" BYE,
	""},
    {"SIZE",
	E "MAIL FROM:<a@x.org> SIZE=201\r\nMAIL FROM:<a@x.org> SIZE=x\r\n"
	  "MAIL FROM:<a@x.org> BODY=BINARYMIME\r\n" Q,
	OFFERS "552 5.3.4 Message is too large: at most 200 bytes\r\n"
	       "501 5.5.4 SIZE must be a number\r\n501 5.5.4 BODY must be 7BIT or 8BITMIME\r\n" BYE,
	""},
    {"addresses", E "MAIL FROM:<a>\r\n" M "RCPT TO:<>\r\nRCPT TO:<b@\xc3\xa4.org>\r\n" Q,
	OFFERS "501 5.1.7 from must be a valid email address: \"a\" has no domain\r\n" OKM
	       "501 5.1.3 to must be a valid email address: \"\" has no domain\r\n"
	       "553 5.6.7 Addresses must be ASCII\r\n" BYE,
	""},
    {"no address", E "MAIL\r\nMAIL FROM\r\nMAIL TO:<a@x.org>\r\nMAIL FROM:<a@x.org\r\n" Q,
	OFFERS "501 5.5.4 It must be FROM:<address>\r\n501 5.5.4 It must be FROM:<address>\r\n"
	       "501 5.5.4 It must be FROM:<address>\r\n501 5.5.4 It must be FROM:<address>\r\n" BYE,
	""},
    {"recipients", E M R R R R D "x\r\n.\r\n" Q,
	OFFERS OKM OKR OKR OKR "452 4.5.3 Too many recipients\r\n" GO QUEUED BYE,
	"a@x.org>b@x.org,b@x.org,b@x.org:x\r\n|"},
    {"refused", E M "RCPT TO:<bad@x.org>\r\n" D "x\r\n.\r\n" M Q,
	OFFERS OKM OKR GO "554 5.6.0 Bad\r\n" OKM BYE, "a@x.org>bad@x.org:x\r\n|"},
    {"LF", E "NOOP\nNOOP\r\n", OFFERS "500 5.5.2 Lines must end in CRLF\r\n", ""},
    {"CR", "NO\rOP\r\nNOOP\r\n", "500 5.5.2 Lines must end in CRLF\r\n", ""},
    {"gone", E M R D "x\r\n", OFFERS OKM OKR GO, ""},
    {"half a line", E "NOO", OFFERS, ""},
};

/* Whatever the pieces in which the bytes come. */
Test(intake_session, speaks)
{
	static const gsize pieces[] = {1, 2, 7, 65536};

	for (guint p = 0; p < G_N_ELEMENTS(pieces); p++)
		for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
			struct client client = client_run(
			    &trusting, cases[i].given, strlen(cases[i].given), pieces[p], 0);

			cr_expect(g_str_has_prefix(client.out->str, HI), "%s", cases[i].name);
			cr_expect_str_eq(client.out->str + strlen(HI), cases[i].want,
			    "%s, pieces of %zu: got\n%s", cases[i].name, pieces[p],
			    client.out->str);
			cr_expect_str_eq(client.taken->str, cases[i].taken, "%s: took\n%s",
			    cases[i].name, client.taken->str);
			client_clear(&client);
		}
}

/* Replies to commands that came together go out together, but for those up to DATA. */
Test(intake_session, pipelines)
{
	static const char given[] = E M R D "x\r\n.\r\n" M R Q;
	struct client client = client_run(&trusting, given, strlen(given), 65536, 0);

	cr_expect_eq(client.writes, 3, "got %u", client.writes);
	client_clear(&client);
}

static void
expect_end(gssize end, const char *given, const char *want)
{
	struct client client = client_run(&trusting, given, strlen(given), 65536, end);

	cr_expect(g_str_has_suffix(client.out->str, want), "got %s", client.out->str);
	client_clear(&client);
}

Test(intake_session, ends_with_time)
{
	expect_end(INTAKE_READ_SILENT, E, "421 4.4.2 Timeout\r\n");
	expect_end(INTAKE_READ_SILENT, E M R D "x\r\n", "421 4.4.2 Timeout\r\n");
	expect_end(INTAKE_READ_TOO_LONG, E, "421 4.4.2 Session is too long\r\n");
	expect_end(INTAKE_READ_STOP, E, "421 4.3.2 Service is shutting down\r\n");
	expect_end(
	    INTAKE_READ_STOP, E M R D "x\r\n.\r\n", "421 4.3.2 Service is shutting down\r\n");
	expect_end(INTAKE_READ_STOP, E M, OKM);
}

/* A message of this size in lines of one character, a dot where dots is set. */
static void
session_expect_size(gsize size, bool dots, const char *want)
{
	g_autoptr(GString) given = g_string_new(E M R D);

	for (gsize i = 0; i < size / 3 - 1; i++)
		g_string_append(given, dots ? "..\r\n" : "x\r\n");
	g_string_append(given, &"xxx\r\n.\r\nNOOP\r\n"[2 - size % 3]);
	for (gsize piece = 1; piece < 70000; piece *= 41) {
		struct client client = client_run(&trusting, given->str, given->len, piece, 0);
		g_autofree char *end = g_strconcat(want, "\r\n" OK, NULL);

		cr_expect(g_str_has_suffix(client.out->str, end), "%zu, pieces of %zu: got %s",
		    size, piece, client.out->str);
		client_clear(&client);
	}
}

Test(intake_session, has_limits)
{
	static const char large[] = "552 5.3.4 Message is too large: at most 200 bytes";
	static const char queued[] = "250 2.0.0 queued";

	for (guint dots = 0; dots <= 1; dots++) {
		session_expect_size(SIZE, dots, queued);
		session_expect_size(SIZE + 1, dots, large);
		session_expect_size(3000, dots, large);
		session_expect_size(300000, dots, large);
	}
	for (guint past = 0; past <= 1; past++) {
		g_autofree char *rest = g_strnfill(INTAKE_LINE_MAX - 7 + past, 'x');
		g_autofree char *given = g_strdup_printf("NOOP %s\r\nNOOP\r\n", rest);

		expect_end(
		    INTAKE_READ_END, given, past ? HI "500 5.5.2 Line too long\r\n" OK : HI OK OK);
	}
	g_autofree char *longer = g_strnfill(200000, 'x');
	g_autofree char *given = g_strdup_printf("%s\r\nNOOP\r\n", longer);
	expect_end(INTAKE_READ_END, given, HI "500 5.5.2 Line too long\r\n" OK);
}

Test(intake_session, counts_hops)
{
	for (guint past = 0; past <= 1; past++) {
		static const struct intake_rules wide = {.hostname = "mail.example",
		    .size = 10000,
		    .recipients = 3,
		    .errors = 4,
		    .is_trusted = true};
		g_autoptr(GString) given = g_string_new(E M R D);
		struct client client = {
		    NULL, 0, 65536, 0, g_string_new(NULL), g_string_new(NULL), 0, false, false};

		for (guint i = 0; i < 50 + past; i++)
			g_string_append(given, "received: from x\r\n by y\r\n");
		g_string_append(given, "\r\nReceived: no field\r\n.\r\n");
		client.bytes = given->str;
		client.left = given->len;
		session_speak(&wide, &client);
		cr_expect(g_str_has_suffix(
			      client.out->str, past ? "554 5.4.6 Too many hops\r\n" : QUEUED),
		    "got %s", client.out->str);
		client_clear(&client);
	}
}

/* As mail servers and applications meet it. */
#define SERVER                                                                                     \
	.hostname = "mail.example", .size = SIZE, .recipients = 3, .strangers = 4, .errors = 4
static const struct intake_rules plain = {SERVER, .logs_in = true, .plain_auth = true,
				     .takes_others = true},
				 with_tls = {SERVER, .logs_in = true, .takes_others = true,
				     .has_tls = true},
				 all_tls = {SERVER, .logs_in = true, .has_tls = true,
				     .is_tls = true},
				 incoming = {SERVER, .takes_others = true};

#define HAS(more)                                                                                  \
	"250-mail.example\r\n250-PIPELINING\r\n250-SIZE 200\r\n250-8BITMIME\r\n"                   \
	"250-ENHANCEDSTATUSCODES\r\n" more
#define PLAIN HAS("250 AUTH PLAIN LOGIN\r\n")
#define TLS HAS("250 STARTTLS\r\n")
#define DENIED "550 5.7.1 Relaying denied\r\n"
#define IN "235 2.7.0 Authenticated\r\n"
#define KEY "AHVzZXIAa2V5" /* NUL user NUL key */
#define BAD "AHVzZXIAa2F5" /* NUL user NUL kay */
#define B "RCPT TO:<b+1@send.x.org>\r\n"

static const struct {
	const char *name;
	const struct intake_rules *rules;
	const char *given, *want, *taken;
} servers[] = {
    {"strangers", &plain, E M R B D "x\r\n.\r\n" Q, PLAIN OKM DENIED OKR GO QUEUED BYE,
	"stranger a@x.org>b+1@send.x.org:x\r\n|"},
    {"the postmaster of this host", &plain, E M "RCPT TO:<Postmaster>\r\n" D "x\r\n.\r\n" Q,
	PLAIN OKM OKR GO QUEUED BYE, "stranger a@x.org>postmaster@mail.example:x\r\n|"},
    {"PLAIN", &plain, E "AUTH PLAIN " KEY "\r\n" M R D "x\r\n.\r\n" Q,
	PLAIN IN OKM OKR GO QUEUED BYE, "a@x.org>b@x.org:x\r\n|"},
    {"PLAIN in two steps", &plain, E "auth plain\r\n" KEY "\r\n" Q, PLAIN "334 \r\n" IN BYE, ""},
    {"LOGIN", &plain, E "AUTH LOGIN\r\ndXNlcg==\r\na2V5\r\n" Q,
	PLAIN "334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6\r\n" IN BYE, ""},
    {"LOGIN with its user", &plain, E "AUTH LOGIN dXNlcg==\r\na2V5\r\n" Q,
	PLAIN "334 UGFzc3dvcmQ6\r\n" IN BYE, ""},
    {"a wrong key", &plain, E "AUTH PLAIN " BAD "\r\n" M R Q,
	PLAIN "535 5.7.8 Invalid API key\r\n" OKM DENIED BYE, ""},
    {"cancelled", &plain, E "AUTH PLAIN\r\n*\r\nAUTH LOGIN\r\ndXNlcg==\r\n*\r\n" Q,
	PLAIN "334 \r\n501 5.7.0 Cancelled\r\n334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6\r\n"
	      "501 5.7.0 Cancelled\r\n" BYE,
	""},
    {"no base64", &plain, E "AUTH PLAIN a=b\r\nAUTH PLAIN\r\na2V\r\nAUTH LOGIN ?\r\n" Q,
	PLAIN
	"501 5.5.2 Not base64\r\n334 \r\n501 5.5.2 Not base64\r\n501 5.5.2 Not base64\r\n" BYE,
	""},
    {"no password", &plain, E "AUTH PLAIN a2V5\r\nAUTH PLAIN =\r\n" Q,
	PLAIN "501 5.5.2 PLAIN takes a user and a password\r\n"
	      "501 5.5.2 PLAIN takes a user and a password\r\n" BYE,
	""},
    {"AUTH out of order", &plain,
	"AUTH PLAIN " KEY "\r\n" E "AUTH CRAM-MD5\r\nAUTH PLAIN " KEY "\r\nAUTH PLAIN " KEY
	"\r\n" Q,
	"503 5.5.1 Send EHLO first\r\n" PLAIN "504 5.5.4 AUTH takes PLAIN and LOGIN\r\n" IN
	"503 5.5.1 AUTH was done already\r\n" BYE,
	""},
    {"AUTH in a transaction", &plain, E M "AUTH PLAIN " KEY "\r\n" Q,
	PLAIN OKM "503 5.5.1 MAIL was sent already\r\n" BYE, ""},
    {"a line end in AUTH", &plain, E "AUTH PLAIN\r\na\n" Q,
	PLAIN "334 \r\n500 5.5.2 Lines must end in CRLF\r\n", ""},
    {"AUTH needs TLS", &with_tls, E "AUTH PLAIN " KEY "\r\n" Q,
	TLS "538 5.7.11 AUTH needs TLS\r\n" BYE, ""},
    {"no AUTH", &incoming, E "AUTH PLAIN " KEY "\r\nSTARTTLS\r\n" Q,
	OFFERS "500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n" BYE, ""},
    {"data behind STARTTLS", &with_tls, E "STARTTLS\r\nNOOP\r\n",
	TLS "421 4.7.0 Data behind STARTTLS\r\n", ""},
    {"STARTTLS with a parameter", &with_tls, "STARTTLS\r\n" E "STARTTLS x\r\n" Q,
	"503 5.5.1 Send EHLO first\r\n" TLS "501 5.5.4 STARTTLS takes no parameter\r\n" BYE, ""},
    {"TLS from the first byte", &all_tls, E "STARTTLS\r\n" M "AUTH PLAIN " KEY "\r\n" M R Q,
	PLAIN "503 5.5.1 TLS is on already\r\n530 5.7.0 AUTH is required\r\n" IN OKM OKR BYE, ""},
    {"strangers' recipients", &incoming, E M B B B B B Q,
	OFFERS OKM OKR OKR OKR OKR "452 4.5.3 Too many recipients\r\n" BYE, ""},
    {"bare ends of strangers", &incoming,
	E M B D "a\nb\r\n.\r\n" M B D "a\rb\r\n.\r\n" M B D "\n.\n\r\n.\r\n" M B D
		"a\r\r\n.\r\n" M B D ".\r\n" Q,
	OFFERS OKM OKR GO "550 5.6.11 Lines must end in CRLF\r\n" OKM OKR GO
			  "550 5.6.11 Lines must end in CRLF\r\n" OKM OKR GO
			  "550 5.6.11 Lines must end in CRLF\r\n" OKM OKR GO
			  "550 5.6.11 Lines must end in CRLF\r\n" OKM OKR GO QUEUED BYE,
	"stranger a@x.org>b+1@send.x.org:|"},
};

/* Whatever the pieces, except where the client must not send ahead. */
/* The name of a machine may have no dot. */
Test(intake_session, knows_the_postmaster_of_a_short_name)
{
	static const struct intake_rules rules = {
	    .hostname = "mail", .size = SIZE, .strangers = 4, .errors = 4, .takes_others = true};
	static const char given[] = "HELO x\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\n"
				    "RCPT TO:<Abuse@MAIL>\r\nRCPT TO:<postmaster@box>\r\n" Q;
	struct client client = client_run(&rules, given, strlen(given), 65536, 0);

	cr_expect_str_eq(client.out->str,
	    "220 mail ESMTP Posthouse\r\n250 mail\r\n" OKM DENIED DENIED
	    "501 5.1.3 to must be a valid email address: \"postmaster@box\" has no valid "
	    "domain\r\n" BYE,
	    "got %s", client.out->str);
	client_clear(&client);
}

Test(intake_session, serves)
{
	for (guint i = 0; i < G_N_ELEMENTS(servers); i++) {
		struct client client = client_run(
		    servers[i].rules, servers[i].given, strlen(servers[i].given), 65536, 0);

		cr_expect_str_eq(client.out->str, g_strconcat(HI, servers[i].want, NULL),
		    "%s: got\n%s", servers[i].name, client.out->str);
		cr_expect_str_eq(client.taken->str, servers[i].taken, "%s: took\n%s",
		    servers[i].name, client.taken->str);
		client_clear(&client);
	}
}

/* "refused SENDER RECIPIENTS REPLY|" */
static void
session_refused(void *context, const char *sender, guint recipients, const char *reply)
{
	struct client *client = context;

	g_string_append_printf(client->taken, "refused %s %u %s|", sender, recipients, reply);
}

/* A transaction is logged once, whatever the number of its recipients that are refused; one that is
   taken is logged by the host. */
Test(intake_session, tells_a_refused_transaction_once)
{
#define X "RCPT TO:<x@x.org>\r\n"
#define REFUSED(count) "refused a@x.org " count " 550 5.7.1 Relaying denied|"
	static const struct {
		const char *name, *given, *taken;
	} logs[] = {
	    {"quits", E M X X Q, REFUSED("0")},
	    {"gone", E M X, REFUSED("0")},
	    {"one is taken", E M B X "RSET\r\n" Q, REFUSED("1")},
	    {"two transactions", E M X "RSET\r\n" M X E Q, REFUSED("0") REFUSED("0")},
	    {"the message comes", E M X B D "x\r\n.\r\n" Q,
		"stranger a@x.org>b+1@send.x.org:x\r\n|"},
	    {"the message is refused", E M X B D "x\n.\r\n.\r\n" Q,
		"refused a@x.org 1 550 5.6.11 Lines must end in CRLF|"},
	    {"nothing is refused", E M B "RSET\r\n" Q, ""},
	};
#undef X
#undef REFUSED

	for (guint i = 0; i < G_N_ELEMENTS(logs); i++) {
		struct client client = {logs[i].given, strlen(logs[i].given), 65536, 0,
		    g_string_new(NULL), g_string_new(NULL), 0, false, false};
		const struct intake_host host = {
		    .read = session_read_bytes,
		    .write = session_write_bytes,
		    .take = intake_session_take,
		    .context = &client,
		    .recipient = session_recipient,
		    .refused = session_refused,
		};

		intake_session_run(&incoming, &host);
		cr_expect_str_eq(client.taken->str, logs[i].taken, "%s: got %s", logs[i].name,
		    client.taken->str);
		client_clear(&client);
	}
}

/* After STARTTLS all but the address is forgotten. */
Test(intake_session, starts_tls)
{
	static const char given[] = E M B "STARTTLS\r\n" M E "AUTH PLAIN " KEY "\r\n" M R Q;
	gsize first = (gsize)(strstr(given, "STARTTLS") - given) + strlen("STARTTLS\r\n");
	/* The bytes behind STARTTLS come in pieces of their own. */
	struct client client = client_run(&with_tls, given, strlen(given), first, 0);

	cr_expect_str_eq(client.out->str,
	    HI TLS OKM OKR
	    "220 2.0.0 Ready to start TLS\r\n(TLS)503 5.5.1 Send EHLO first\r\n" PLAIN IN OKM OKR
		BYE,
	    "got %s", client.out->str);
	client_clear(&client);
	client = (struct client){"EHLO x\r\nSTARTTLS\r\n", 18, 65536, 0, g_string_new(NULL),
	    g_string_new(NULL), 0, true, false};
	session_speak(&with_tls, &client);
	cr_expect_str_eq(client.out->str, HI TLS "421 4.7.0 Data behind STARTTLS\r\n", "got %s",
	    client.out->str);
	client_clear(&client);
}

Test(intake_session, has_longer_lines_in_auth)
{
	for (guint past = 0; past <= 1; past++) {
		g_autofree char *rest = g_strnfill(INTAKE_AUTH_LINE_MAX - 2 + past, 'a');
		g_autofree char *given = g_strdup_printf(E "AUTH LOGIN\r\n%s\r\n*\r\n", rest);
		struct client client = client_run(&plain, given, strlen(given), 65536, 0);

		cr_expect(g_str_has_suffix(client.out->str,
			      past ? "500 5.5.2 Line too long\r\n500 "
				     "5.5.1 Unknown command\r\n"
				   : "501 5.5.2 Not base64\r\n500 5.5.1 Unknown command\r\n"),
		    "got %s", client.out->str);
		client_clear(&client);
	}
}

Test(intake_session, asks_for_room)
{
	static const struct intake_rules wide = {SERVER, .is_trusted = true};
	struct intake_rules large = wide;
	g_autofree char *body = g_strnfill(INTAKE_LARGE + 100, 'x');
	g_autofree char *given = g_strdup_printf(E M R D "%s\r\n.\r\n" Q, body);

	large.size = 2 * INTAKE_LARGE;
	for (guint crowded = 0; crowded <= 1; crowded++) {
		struct client client = {given, strlen(given), 65536, 0, g_string_new(NULL),
		    g_string_new(NULL), 0, false, crowded};

		session_speak(&large, &client);
		cr_expect(
		    g_str_has_suffix(client.out->str,
			crowded ? GO "452 4.3.1 Too many large messages\r\n" BYE : GO QUEUED BYE),
		    "got %s", client.out->str);
		client_clear(&client);
	}
}
