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
};

static gssize
session_read_bytes(void *context, void *bytes, gsize size)
{
	struct client *client = context;
	gsize count = MIN(MIN(size, client->piece), client->left);

	if (count == 0)
		return client->end;
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

	g_string_append_printf(client->taken, "%s>%s:", message->sender, recipients);
	g_string_append_len(client->taken, message->data, (gssize)message->size);
	g_string_append_c(client->taken, '|');
	g_string_append(reply, strstr(recipients, "bad") ? "554 5.6.0 Bad" : "250 2.0.0 queued");
}

static const struct intake_rules rules = {"mail.example", SIZE, 3, 4};

static struct client
client_run(const char *bytes, gsize size, gsize piece, gssize end)
{
	struct client client = {bytes, size, piece, end, g_string_new(NULL), g_string_new(NULL), 0};
	const struct intake_host host = {
	    session_read_bytes, session_write_bytes, intake_session_take, &client};

	intake_session_run(&rules, &host);
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
			struct client client =
			    client_run(cases[i].given, strlen(cases[i].given), pieces[p], 0);

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
	struct client client = client_run(given, strlen(given), 65536, 0);

	cr_expect_eq(client.writes, 3, "got %u", client.writes);
	client_clear(&client);
}

static void
expect_end(gssize end, const char *given, const char *want)
{
	struct client client = client_run(given, strlen(given), 65536, end);

	cr_expect(g_str_has_suffix(client.out->str, want), "got %s", client.out->str);
	client_clear(&client);
}

Test(intake_session, ends_with_time)
{
	expect_end(INTAKE_READ_SILENT, E, "421 4.4.2 Timeout\r\n");
	expect_end(INTAKE_READ_SILENT, E M R D "x\r\n", "421 4.4.2 Timeout\r\n");
	expect_end(INTAKE_READ_TOO_LONG, E, "421 4.4.2 Session is too long\r\n");
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
		struct client client = client_run(given->str, given->len, piece, 0);
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
		static const struct intake_rules wide = {"mail.example", 10000, 3, 4};
		g_autoptr(GString) given = g_string_new(E M R D);
		struct client client = {
		    NULL, 0, 65536, 0, g_string_new(NULL), g_string_new(NULL), 0};
		const struct intake_host host = {
		    session_read_bytes, session_write_bytes, intake_session_take, &client};

		for (guint i = 0; i < 50 + past; i++)
			g_string_append(given, "received: from x\r\n by y\r\n");
		g_string_append(given, "\r\nReceived: no field\r\n.\r\n");
		client.bytes = given->str;
		client.left = given->len;
		intake_session_run(&wide, &host);
		cr_expect(g_str_has_suffix(
			      client.out->str, past ? "554 5.4.6 Too many hops\r\n" : QUEUED),
		    "got %s", client.out->str);
		client_clear(&client);
	}
}
