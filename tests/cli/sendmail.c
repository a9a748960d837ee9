/* SPDX-License-Identifier: MIT */
/* Tests posthouse sendmail as programs run it: the message as it arrives, and as it is shown. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits/email.h"
#include "store/workspace/workspace.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/mariadb.h"
#include "tests/support/program.h"

static const struct smtp_script good = {.extensions = "8BITMIME\nPIPELINING\nSIZE"};
static struct fixture *fixture;
static char *config;

static void
sendmail_begin(void)
{
	/* These look at what the program makes of its input, without the fields that each message
	 * gets. */
	fixture = fixture_open(&good, "cfbl = no\n");
	config = g_strdup_printf("%s/core_%d.conf", test_mariadb_dir(NULL), (int)getpid());
	test_db_plain(
	    fixture->db, "UPDATE workspace SET default_sender = 'Shop <shop@example.com>'");
}

static void
end(void)
{
	g_free(config);
	fixture_close(fixture);
}

TestSuite(sendmail, .init = sendmail_begin, .fini = end, .timeout = 900);

#define ARGUMENTS 40 /* of a command line, with its end */

/* Returns an open file with this content, at its beginning. */
static int
sendmail_input_of(const char *text, gsize size)
{
	char path[] = "/tmp/sendmail-XXXXXX";
	int file = g_mkstemp(path);

	cr_assert(file >= 0);
	unlink(path);
	cr_assert_eq(write(file, text, size), (gssize)size);
	lseek(file, 0, SEEK_SET);
	return file;
}

/* Runs a line of words with a message. Expects the status, and that the program says something only
   where it fails: a text with says in it. */
static void
expect_run(
    const char *name, const char *line, const char *message, gsize size, int want, const char *says)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	const char *argv[ARGUMENTS] = {"posthouse", "--config", config};
	int input = sendmail_input_of(message, size);
	guint count = 3;

	cr_assert_lt(count + g_strv_length(words), ARGUMENTS);
	for (guint i = 0; words[i] && *line; i++)
		argv[count++] = words[i];
	AUTO(test_program) program = test_program_start(argv, NULL, input, -1);
	int got = test_program_wait(program, 240000);
	g_autofree char *output = test_program_output(program);
	g_autofree char *log = test_program_log(program);
	close(input);
	cr_expect_eq(got, want, "%s: status %d, want %d: %s", name, got, want, log);
	cr_expect_str_eq(output, "", "%s: %s", name, output);
	cr_expect(want == 0 ? !*log : strstr(log, says) != NULL, "%s: says %s", name, log);
}

static gint64
sendmail_count_emails(void)
{
	return test_db_number(fixture->db, "SELECT COUNT(*) FROM email");
}

/* Sends all that is stored. */
static void
sendmail_deliver(void)
{
	posting_deliver(fixture);
	smtp_server_stop(fixture->relay);
}

/* The message without our signatures. */
static const char *
sendmail_unsigned_part(const struct smtp_mail *mail)
{
	const char *message = mail->bytes->str, *end;

	while (g_str_has_prefix(message, "DKIM-Signature:")) {
		do {
			end = strstr(message, "\r\n");
			cr_assert(end);
			message = end + 2;
		} while (*message == ' ' || *message == '\t');
	}
	return message;
}

static char *
recipients_of(const struct smtp_mail *mail)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < mail->recipients->len; i++) {
		const char *command = mail->recipients->pdata[i];
		const char *open = strchr(command, '<'), *close = strchr(command, '>');

		g_string_append_printf(
		    text, "%s%.*s", i ? " " : "", (int)(close - open - 1), open + 1);
	}
	return g_string_free(text, FALSE);
}

#define REST "Date: Sun, 22 Nov 2026 08:00:00 +0000\nMessage-ID: <1@x>\nMIME-Version: 1.0\n"
#define REST_CRLF                                                                                  \
	"Date: Sun, 22 Nov 2026 08:00:00 +0000\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n"
#define FROM "From: Ann <ann@example.com>\n"
#define FROM_CRLF "From: Ann <ann@example.com>\r\n"

/* Messages as programs give them, with their words, and what arrives. */
static const struct {
	const char *name, *line, *given, *want, *want_recipients;
} arrivals[] = {
    {"plain", "sendmail a@x.org", FROM "To: a@x.org\n" REST "\nHello\n.\nnot any more\n",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nHello\r\n", "a@x.org"},
    {"PHP mail()", "sendmail -t -i",
	"To: a@x.org\nSubject: Hi\nX-PHP-Originating-Script: 0:a.php\n" FROM "Bcc: b@x.org\n" REST
	"\nHello\n.\n..\nthe end",
	"To: a@x.org\r\nSubject: Hi\r\nX-PHP-Originating-Script: 0:a.php\r\n" FROM_CRLF REST_CRLF
	"\r\nHello\r\n.\r\n..\r\nthe end\r\n",
	"a@x.org b@x.org"},
    {"PHP mail() with CRLF and a second To", "sendmail -ti -fwww-data@host",
	"To: a@x.org\r\nTo: b@x.org\r\n" FROM_CRLF REST_CRLF "\r\nHello\r\n",
	"To: a@x.org,\r\n\tb@x.org\r\n" FROM_CRLF REST_CRLF "\r\nHello\r\n", "a@x.org b@x.org"},
    {"cron", "sendmail -i -FCronDaemon -B8BITMIME -oem a@x.org",
	"From: root (Cron Daemon)\nTo: a@x.org\nSubject: Cron\n" REST "\n.\nout\n",
	"To: a@x.org\r\nSubject: Cron\r\n" REST_CRLF
	"From: Shop <shop@example.com>\r\n\r\n.\r\nout\r\n",
	"a@x.org"},
    {"cronie", "sendmail -F CronDaemon -i -odi -oem -oi -t -f cron@example.com",
	"From: \"(Cron Daemon)\" <root>\nTo: a@x.org\n" REST "\nout\n",
	"To: a@x.org\r\n" REST_CRLF "From: CronDaemon <cron@example.com>\r\n\r\nout\r\n",
	"a@x.org"},
    {"mutt",
	"sendmail -oem -oi -N failure,delay -R hdrs -U -v -bm -f me@here -- a@x.org b@x.org "
	"c@x.org",
	FROM "To: a@x.org\nCc: C <C@x.org>\n" REST "User-Agent: Mutt\n\nHello\n.\n",
	FROM_CRLF "To: a@x.org\r\nCc: C <C@x.org>\r\n" REST_CRLF
		  "User-Agent: Mutt\r\n\r\nHello\r\n.\r\n",
	"a@x.org c@x.org b@x.org"},
    {"all that means nothing",
	"sendmail -n -G -nG -em -e -h5 -h -O DeliveryMode=b -OTimeout=1 -V id -Vid -X /tmp/x "
	"-X/tmp/x -Am -Ac -C /etc/mail/submit.cf -L tag -nGi a@x.org",
	FROM "To: a@x.org\n" REST "\nHello\n.\n",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nHello\r\n.\r\n", "a@x.org"},
    {"what means nothing, with its values apart",
	"sendmail -h 5 -e m -A c -ih 12 -m -c -s -T -p UUCP:here -pSMTP -mvnG a@x.org",
	FROM "To: a@x.org\n" REST "\nHello\n.\n",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nHello\r\n.\r\n", "a@x.org"},
    {"the same letters without a value", "sendmail -i -h a@x.org -e b@x.org -A c@x.org",
	FROM "To: a@x.org\n" REST "\nx\n", FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nx\r\n",
	"a@x.org b@x.org c@x.org"},
    {"mailx with metoo", "sendmail -i -t -m -v", FROM "To: a@x.org\n" REST "\nx\n",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nx\r\n", "a@x.org"},
    {"a sender in brackets", "sendmail -F Ann -f <me@example.com> a@x.org",
	REST "To: a@x.org\n\nx\n",
	REST_CRLF "To: a@x.org\r\nFrom: Ann <me@example.com>\r\n\r\nx\r\n", "a@x.org"},
    {"the null sender", "sendmail -i -f <> -- a@x.org", REST "To: a@x.org\n\nx\n",
	REST_CRLF "To: a@x.org\r\nFrom: Shop <shop@example.com>\r\n\r\nx\r\n", "a@x.org"},
    {"letters that are not ASCII in encoded words", "sendmail -t",
	"From: =?utf-8?q?J\xc3\xb6rg?= <j@example.com>\nTo: a@x.org\n"
	"Subject: =?utf-8?b?\xc3\xbc?=\n" REST "\nx\n",
	"From: =?utf-8?q?J=C3=B6rg?= <j@example.com>\r\nTo: a@x.org\r\n"
	"Subject: =?utf-8?b?w7w=?=\r\n" REST_CRLF "\r\nx\r\n",
	"a@x.org"},
    {"a Postfix pipe", "sendmail -i a@x.org",
	"From b@y Sun Nov 22\nReturn-Path: <b@y>\nDelivered-To: a@here\nReceived: from x\n\tby y\n"
	"Received: from z\nDKIM-Signature: v=1;\n\tb=\n" FROM "To: list@x.org\n" REST "\nHello\n",
	"Delivered-To: a@here\r\nReceived: from x\r\n\tby y\r\nReceived: from z\r\n" FROM_CRLF
	"To: list@x.org\r\n" REST_CRLF "\r\nHello\r\n",
	"a@x.org"},
    {"8 bit, odd fields and spaces", "sendmail -i a@x.org",
	FROM "to :A <a@x.org>\nSubject:  \xe4\n \n\tx\nSubject: y\nX-A: \nx-a:\t b \nX-A: "
	     "=?utf-8?q?=C3?=\n" REST
	     "Content-Type: text/plain; charset=iso-8859-1\n\n\xe4\xff \n \n\n\n",
	FROM_CRLF "to:A <a@x.org>\r\nSubject: =?utf-8?q?=C3=A4_x?=\r\nX-A: \r\nx-a:\t b \r\nX-A: "
		  "=?utf-8?q?=C3?=\r\n" REST_CRLF
		  "Content-Type: text/plain; charset=iso-8859-1\r\n\r\n\xe4\xff \r\n \r\n\r\n\r\n",
	"a@x.org"},
    {"no body", "sendmail a@x.org", FROM "To: a@x.org\n" REST,
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\n", "a@x.org"},
    {"nothing but Bcc", "sendmail -t", FROM REST "Bcc: a@x.org\n\nx\n",
	FROM_CRLF REST_CRLF "To: undisclosed-recipients:;\r\n\r\nx\r\n", "a@x.org"},
    {"no To", "sendmail -f me@example.com a@x.org b@x.org", REST "\nx\n",
	REST_CRLF "From: me@example.com\r\nTo: undisclosed-recipients:;\r\n\r\nx\r\n",
	"a@x.org b@x.org"},
    {"mailx, with a sender", "sendmail -i -r me@example.com a@x.org", REST "\nx\n",
	REST_CRLF "From: me@example.com\r\nTo: undisclosed-recipients:;\r\n\r\nx\r\n", "a@x.org"},
    {"brackets around the sender", "sendmail -f <me@example.com> -F Me a@x.org", REST "\nx\n",
	REST_CRLF "From: Me <me@example.com>\r\nTo: undisclosed-recipients:;\r\n\r\nx\r\n",
	"a@x.org"},
    {"no To, but Cc", "sendmail -t b@x.org", FROM "Cc: a@x.org\n" REST "\nx\n",
	FROM_CRLF "Cc: a@x.org\r\n" REST_CRLF "To: undisclosed-recipients:;\r\n\r\nx\r\n",
	"a@x.org b@x.org"},
    {"names of more than ASCII in the header", "sendmail -t",
	"From: J\xc3\xb6rg <j@example.com>\nTo: \"\xc3\x84\" <a@b\xc3\xbc"
	"cher.example>\n" REST "\nx\n",
	"From: =?utf-8?q?J=C3=B6rg?= <j@example.com>\r\n"
	"To: =?utf-8?q?=C3=84?= <a@xn--bcher-kva.example>\r\n" REST_CRLF "\r\nx\r\n",
	"a@xn--bcher-kva.example"},
    {"a name of more than ASCII", "sendmail -f me@example.com -F J\xc3\xb6rg a@x.org",
	REST "To: a@x.org\n\nx\n",
	REST_CRLF "To: a@x.org\r\nFrom: =?utf-8?b?SsO2cmc=?= <me@example.com>\r\n\r\nx\r\n",
	"a@x.org"},
    {"each recipient once", "sendmail -t A@x.org",
	FROM "To: a@x.org, staff: b@x.org;\nCc: B@X.org\n" REST "\nx\n",
	FROM_CRLF "To: a@x.org, staff: b@x.org;\r\nCc: B@X.org\r\n" REST_CRLF "\r\nx\r\n",
	"a@x.org b@x.org"},
    {"a dot with CRLF, and one line more", "sendmail a@x.org",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nx\r\n.\r\ny\r\n",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nx\r\n", "a@x.org"},
    {"a dot at the end", "sendmail a@x.org", FROM "To: a@x.org\n" REST "\nx\n.y\ny.\n.",
	FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nx\r\n.y\r\ny.\r\n", "a@x.org"},
};

Test(sendmail, keeps_a_message_as_it_is)
{
	for (gsize i = 0; i < G_N_ELEMENTS(arrivals); i++)
		expect_run(arrivals[i].name, arrivals[i].line, arrivals[i].given,
		    strlen(arrivals[i].given), 0, NULL);
	cr_assert_eq(sendmail_count_emails(), (gint64)G_N_ELEMENTS(arrivals));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 0, "only stored");
	sendmail_deliver();
	cr_assert_eq(smtp_server_count(fixture->relay), G_N_ELEMENTS(arrivals));
	for (guint i = 0; i < G_N_ELEMENTS(arrivals); i++) {
		const struct smtp_mail *mail = smtp_server_mail(fixture->relay, i);
		g_autofree char *recipients = recipients_of(mail);
		const char *got = sendmail_unsigned_part(mail);

		cr_expect_str_eq(got, arrivals[i].want, "%s: got\n%s", arrivals[i].name, got);
		cr_expect_str_eq(recipients, arrivals[i].want_recipients, "%s: got %s",
		    arrivals[i].name, recipients);
		cr_expect_eq(strstr(mail->sender, "BODY=8BITMIME") != NULL,
		    strstr(arrivals[i].given, "\xff") != NULL, "%s: %s", arrivals[i].name,
		    mail->sender);
		posting_expect_signed(fixture, mail->bytes->str, mail->bytes->len);
	}
}

/* Runs a session, and expects what the server says behind its greeting. Ids of emails are ID. */
static void
expect_session(const char *name, const char *line, const char *given, const char *want)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	const char *argv[ARGUMENTS] = {"posthouse", "--config", config};
	g_autoptr(GRegex) ids = g_regex_new("[0-9a-f-]{36}", 0, 0, NULL);
	g_autofree char *greeting =
	    g_strdup_printf("220 %s ESMTP Posthouse\r\n", g_get_host_name());
	int input = sendmail_input_of(given, strlen(given));
	guint count = 3;

	for (guint i = 0; words[i]; i++)
		argv[count++] = words[i];
	AUTO(test_program) program = test_program_start(argv, NULL, input, -1);
	int status = test_program_wait(program, 240000);
	g_autofree char *output = test_program_output(program);
	g_autofree char *log = test_program_log(program);
	g_autofree char *got = g_regex_replace_literal(ids, output, -1, 0, "ID", 0, NULL);
	close(input);
	cr_expect_eq(status, 0, "%s: %d", name, status);
	cr_expect_str_eq(log, "", "%s: %s", name, log);
	cr_assert(g_str_has_prefix(got, greeting), "%s: %s", name, got);
	cr_expect_str_eq(got + strlen(greeting), want, "%s: got\n%s", name, got);
}

#define HELO "HELO x\r\n"
#define MAIL(from) "MAIL FROM:<" from ">\r\n"
#define RCPT(to) "RCPT TO:<" to ">\r\n"
#define DATA "DATA\r\n"
#define QUIT "QUIT\r\n"
#define GO "354 End data with <CRLF>.<CRLF>\r\n"
#define QUEUED "250 2.0.0 queued as ID\r\n"
#define OK_MAIL "250 2.1.0 OK\r\n"
#define OK_RCPT "250 2.1.5 OK\r\n"
#define BYE "221 2.0.0 Bye\r\n"

Test(sendmail, takes_messages_in_a_session)
{
	g_autofree char *hello = g_strdup_printf("250 %s\r\n", g_get_host_name());
	static const struct {
		const char *name, *line, *given, *want;
	} cases[] = {
	    {"one", "sendmail -bs",
		MAIL("x@example.com") RCPT("a@x.org") RCPT("b@x.org") DATA FROM_CRLF
		"To: a@x.org\r\n" REST_CRLF "\r\nHello\r\n..\r\n.\r\n" QUIT,
		OK_MAIL OK_RCPT OK_RCPT GO QUEUED BYE},
	    {"two, and words that mean nothing", "sendmail -bs -i -t -oem",
		MAIL("") RCPT("a@x.org") DATA FROM_CRLF
		"To: a@x.org\r\n" REST_CRLF "\r\n1\n.\n2\r\n.\r\n" MAIL("me@example.com")
		    RCPT("a@x.org") DATA REST_CRLF "To: a@x.org\r\n\r\n3\r\n.\r\n" QUIT,
		OK_MAIL OK_RCPT GO QUEUED OK_MAIL OK_RCPT GO QUEUED BYE},
	    {"refused", "sendmail -bs",
		MAIL("x@example.com") RCPT("a@x.org") DATA "Hello\r\n.\r\n" MAIL("x@example.net")
		    RCPT("a@x.org") DATA "A: b\r\n\r\nx\r\n.\r\n" QUIT,
		OK_MAIL OK_RCPT GO
		"554 5.6.0 the message has no header: its first line is no header field\r\n" OK_MAIL
		    OK_RCPT GO "550 5.7.1 Domain example.net is not registered\r\n" BYE},
	    {"nothing", "sendmail -b s", "", ""},
	    {"-F", "sendmail -bs -F Ann",
		MAIL("ann@example.com") RCPT("a@x.org") DATA REST_CRLF
		"To: a@x.org\r\n\r\n4\r\n.\r\n" QUIT,
		OK_MAIL OK_RCPT GO QUEUED BYE},
	};
	static const struct {
		const char *message, *recipients;
	} wants[] = {
	    {FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\nHello\r\n.\r\n", "a@x.org b@x.org"},
	    {FROM_CRLF "To: a@x.org\r\n" REST_CRLF "\r\n1\r\n.\r\n2\r\n", "a@x.org"},
	    {REST_CRLF "To: a@x.org\r\nFrom: me@example.com\r\n\r\n3\r\n", "a@x.org"},
	    {REST_CRLF "To: a@x.org\r\nFrom: Ann <ann@example.com>\r\n\r\n4\r\n", "a@x.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *given = g_strconcat(HELO, cases[i].given, NULL);
		g_autofree char *want = g_strconcat(hello, cases[i].want, NULL);

		expect_session(cases[i].name, cases[i].line, given, want);
	}
	cr_expect_eq(sendmail_count_emails(), (gint64)G_N_ELEMENTS(wants));
	sendmail_deliver();
	cr_assert_eq(smtp_server_count(fixture->relay), G_N_ELEMENTS(wants));
	for (guint i = 0; i < G_N_ELEMENTS(wants); i++) {
		const struct smtp_mail *mail = smtp_server_mail(fixture->relay, i);
		g_autofree char *recipients = recipients_of(mail);

		cr_expect_str_eq(sendmail_unsigned_part(mail), wants[i].message, "%u: got\n%s", i,
		    sendmail_unsigned_part(mail));
		cr_expect_str_eq(recipients, wants[i].recipients, "%u: got %s", i, recipients);
		posting_expect_signed(fixture, mail->bytes->str, mail->bytes->len);
	}
}

/* Fields that steer the relay's provider go, with a warning. */
Test(sendmail, takes_out_what_steers_a_provider)
{
	const char *given =
	    "X-SMTPAPI: {}\n" FROM "x-ses-configuration-set: a\n b\nTo: a@x.org\nX-smtpapi: c\n"
	    "Original-Recipient: rfc822;b@x.org\nX-Mailer: m\n" REST "\nX-SMTPAPI: body\n";
	int input = sendmail_input_of(given, strlen(given));
	const char *argv[] = {"posthouse", "--config", config, "sendmail", "-t", NULL};
	AUTO(test_program) program = test_program_start(argv, NULL, input, -1);

	cr_expect_eq(test_program_wait(program, 240000), 0);
	g_autofree char *log = test_program_log(program);
	close(input);
	cr_expect_str_eq(log,
	    "posthouse: warning: taken out of the header, since they steer the relay's provider: "
	    "X-SMTPAPI, x-ses-configuration-set\n",
	    "got %s", log);
	sendmail_deliver();
	cr_assert_eq(smtp_server_count(fixture->relay), 1);
	cr_expect_str_eq(sendmail_unsigned_part(smtp_server_mail(fixture->relay, 0)),
	    FROM_CRLF "To: a@x.org\r\nX-Mailer: m\r\n" REST_CRLF "\r\nX-SMTPAPI: body\r\n");
}

Test(sendmail, leaves_it_where_the_relay_takes_it)
{
	const char *given = FROM "To: a@x.org\nX-SMTPAPI: {}\n" REST "\nHello\n";

	fixture_renew(fixture, &good, "cfbl = no\nallow_provider_headers = yes\n");
	expect_run("allowed", "sendmail -t", given, strlen(given), 0, NULL);
	sendmail_deliver();
	cr_assert_eq(smtp_server_count(fixture->relay), 1);
	cr_expect_str_eq(sendmail_unsigned_part(smtp_server_mail(fixture->relay, 0)),
	    FROM_CRLF "To: a@x.org\r\nX-SMTPAPI: {}\r\n" REST_CRLF "\r\nHello\r\n");
}

/* The first message of a session is added before the relay has said what it offers. */
Test(sendmail, declares_8_bit_where_the_relay_knows_of_it)
{
	static const struct smtp_script scripts[] = {
	    {.extensions = "8BITMIME"}, {.extensions = "SIZE"}, {.extensions = NULL}};
	const char *given = FROM "To: a@x.org\n" REST "\n\xff\n";
	const char *seven_bit = "Content-Transfer-Encoding: quoted-printable\r\n"
				"Content-Type: text/plain; charset=unknown-8bit\r\n\r\n=FF\r\n";

	for (guint i = 0; i < G_N_ELEMENTS(scripts); i++) {
		fixture_renew(fixture, &scripts[i], NULL);
		expect_run("8 bit", "sendmail -t", given, strlen(given), 0, NULL);
		expect_run("8 bit again", "sendmail -t", given, strlen(given), 0, NULL);
		sendmail_deliver();
		cr_assert_eq(smtp_server_count(fixture->relay), 2, "%u", i);
		cr_expect_eq(smtp_server_connections(fixture->relay), 1);
		for (guint m = 0; m < 2; m++) {
			const struct smtp_mail *mail = smtp_server_mail(fixture->relay, m);

			cr_expect_eq(strstr(mail->sender, "BODY=8BITMIME") != NULL, i == 0,
			    "%u: %s", i, mail->sender);
			cr_expect(g_str_has_suffix(sendmail_unsigned_part(mail),
				      i == 0 ? REST_CRLF "\r\n\xff\r\n" : seven_bit),
			    "%u: %s", i, sendmail_unsigned_part(mail));
			posting_expect_signed(fixture, mail->bytes->str, mail->bytes->len);
		}
	}
}

/* Each message names where complaints about it go. */
Test(sendmail, names_where_complaints_go)
{
	const char *given = FROM "To: a@x.org\n" REST "\nHello\n";

	fixture_renew(fixture, &good, "");
	expect_run("complaints", "sendmail -t", given, strlen(given), 0, NULL);
	sendmail_deliver();
	const char *got = sendmail_unsigned_part(smtp_server_mail(fixture->relay, 0));
	cr_expect(g_pattern_match_simple("CFBL-Address: c+*@send.example.com; report=arf\r\n"
					 "CFBL-Feedback-ID: *\r\n" FROM_CRLF "*",
		      got),
	    "got\n%s", got);
}

Test(sendmail, adds_what_is_missing)
{
	const char *given = "Subject: x\n\ny\n";

	expect_run("bare", "sendmail a@x.org", given, strlen(given), 0, NULL);
	sendmail_deliver();
	const char *got = sendmail_unsigned_part(smtp_server_mail(fixture->relay, 0));
	cr_expect(g_pattern_match_simple(
		      "Subject: x\r\nDate: *, * +0000\r\nFrom: Shop <shop@example.com>\r\n"
		      "To: undisclosed-recipients:;\r\nMessage-ID: <*-*@example.com>\r\n"
		      "MIME-Version: 1.0\r\n\r\ny\r\n",
		      got),
	    "got\n%s", got);
}

/* Such a message goes to a relay with 8BITMIME alone. The session goes on after it. */
Test(sendmail, does_not_send_signed_8_bit_to_a_relay_without_it)
{
	static const struct smtp_script scripts[] = {
	    {.extensions = "8BITMIME"}, {.extensions = "SIZE"}};
	const char *head = FROM "To: a@x.org\n" REST;
	const char *body =
	    "Content-Type: multipart/signed; boundary=b\n\n--b\n\n\xff\n--b\n\nx\n--b--\n";
	g_autofree char *given = g_strconcat(head, body, NULL);
	g_autofree char *plain = g_strconcat(head, "\nx\n", NULL);

	for (guint i = 0; i < G_N_ELEMENTS(scripts); i++) {
		fixture_renew(fixture, &scripts[i], NULL);
		expect_run("plain", "sendmail -t", plain, strlen(plain), 0, NULL);
		expect_run("8 bit", "sendmail -t", given, strlen(given), 0, NULL);
		expect_run("plain", "sendmail -t", plain, strlen(plain), 0, NULL);
		sendmail_deliver();
		cr_expect_eq(smtp_server_count(fixture->relay), i == 0 ? 3 : 2, "%u", i);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE "
						"status >= 9 AND smtp_response LIKE '%8 bit%'"),
		    i, "%u", i);
	}
}

Test(sendmail, breaks_long_lines_of_a_huge_header)
{
	g_autofree char *line = g_strnfill(5000, 'x');
	g_autofree char *broken = g_strnfill(75, 'x');
	g_autoptr(GString) given = g_string_new(FROM REST "To: a@x.org\n");
	g_autoptr(GString) want = g_string_new(FROM_CRLF REST_CRLF "To: a@x.org\r\n");
	g_autoptr(GString) body = g_string_new(NULL);

	for (guint i = 0; i < 20000; i++) {
		g_string_append_printf(given, "X-%u: %.100s\n", i, line);
		g_string_append_printf(want, "X-%u: %.100s\r\n", i, line);
	}
	g_string_append_printf(given, "\n%s\n.%s\n", line, line + 5);
	for (guint i = 0; i < 66; i++)
		g_string_append_printf(body, "%s=\r\n", broken);
	g_string_append_printf(want,
	    "Content-Transfer-Encoding: quoted-printable\r\n\r\n%s%.50s\r\n.%.*s%.46s\r\n",
	    body->str, broken, (int)body->len - 1, body->str + 1, broken);
	expect_run("huge", "sendmail -i a@x.org", given->str, given->len, 0, NULL);
	sendmail_deliver();
	cr_assert_eq(smtp_server_count(fixture->relay), 1);
	const struct smtp_mail *mail = smtp_server_mail(fixture->relay, 0);
	cr_expect_str_eq(sendmail_unsigned_part(mail), want->str);
	posting_expect_signed(fixture, mail->bytes->str, mail->bytes->len);
}

static const struct {
	const char *name, *line, *given;
	int want;
	const char *says;
} refusals[] = {
    {"no recipient", "sendmail", FROM "To: a@x.org\n\n", 65, "no recipient"},
    {"no recipient in the header", "sendmail -t", FROM "To: undisclosed-recipients:;\n\n", 65,
	"no recipient"},
    {"a local recipient", "sendmail root", FROM "\n", 65, "must be a valid email address"},
    {"a bad recipient", "sendmail a@x.org -- -b@", FROM "\n", 65, "must be a valid email address"},
    {"a bad recipient in the header", "sendmail -t", FROM "Cc: a b\n\n", 65,
	"cc must be a valid email address"},
    {"a bad From", "sendmail a@x.org", "From: a@b@c\n\n", 65, "from must be"},
    {"two Froms", "sendmail a@x.org", FROM FROM "\n", 65, "from must be"},
    {"a bad -f", "sendmail -f root a@x.org", "A: b\n\n", 65, "from must be"},
    {"no header", "sendmail a@x.org", "Hello\n", 65, "no header"},
    {"nothing", "sendmail a@x.org", "", 65, "no header"},
    {"a domain that is not registered", "sendmail a@x.org", "From: a@example.net\n\n", 77,
	"Domain example.net is not registered"},
    {"-b", "sendmail -b", FROM "\n", 64, "-b"},
    {"-bp", "sendmail -bp", FROM "\n", 64, "-b"},
    {"-b i", "sendmail -b i", FROM "\n", 64, "-b"},
    {"an unknown option", "sendmail -x a@x.org", FROM "\n", 64, "-x"},
    {"an unknown option among others", "sendmail -tix", FROM "\n", 64, "-x"},
    {"-f without a value", "sendmail -f", FROM "\n", 64, "-f"},
    {"-o without a value", "sendmail -o", FROM "\n", 64, "-o"},
    {"-O without a value", "sendmail -O", FROM "\n", 64, "-O"},
    {"-V without a value", "sendmail -V", FROM "\n", 64, "-V"},
    {"-X without a value", "sendmail -nX", FROM "\n", 64, "-X"},
    {"an unknown long option", "sendmail --x a@x.org", FROM "\n", 64, "--x"},
};

/* Settings of a database that is not there. The caller owns the path. */
static char *
write_away(void)
{
	g_autofree char *text = NULL;
	char *path = g_strconcat(config, ".away", NULL);

	cr_assert(g_file_get_contents(config, &text, NULL, NULL));
	g_autoptr(GString) away = g_string_new(text);
	g_string_replace(away, "socket = ", "socket = /nowhere", 1);
	cr_assert(
	    g_file_set_contents_full(path, away->str, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	return path;
}

Test(sendmail, refuses_with_the_status_of_the_reason)
{
	for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++)
		expect_run(refusals[i].name, refusals[i].line, refusals[i].given,
		    strlen(refusals[i].given), refusals[i].want, refusals[i].says);
	expect_run("NUL", "sendmail a@x.org", FROM "\n\0", strlen(FROM) + 2, 65, "NUL");
	test_db_plain(fixture->db, "UPDATE workspace SET default_sender = NULL");
	expect_run("no sender", "sendmail a@x.org", "A: b\n\n", 6, 65, "no default sender");
	expect_run(
	    "empty sender", "sendmail -f <> a@x.org", "A: b\n\n", 6, 65, "no default sender");
	test_db_plain(fixture->db, "UPDATE domain SET trusted = 0, status = 1");
	expect_run("not verified", "sendmail a@x.org", FROM "\n", strlen(FROM) + 1, 77,
	    "Domain example.com is not verified");
	cr_expect_eq(sendmail_count_emails(), 0);
	test_db_plain(fixture->db, "UPDATE schema_version SET version = version + 1000");
	expect_run("schema", "sendmail a@x.org", FROM "\n", strlen(FROM) + 1, 75, "schema");
	g_autofree char *path = write_away();
	char *usual = config;
	config = path;
	expect_run("database", "sendmail a@x.org", FROM "\n", strlen(FROM) + 1, 75, "database");
	unlink(path);
	config = usual;
	g_free(config);
	config = g_strdup("/nowhere/posthouse.conf");
	expect_run("settings", "sendmail a@x.org", FROM "\n", strlen(FROM) + 1, 78, "nowhere");
}

static gint64
count_emails_of(const char *workspace)
{
	g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM email e JOIN workspace w ON "
					       "w.id = e.workspace_id WHERE w.name = '%s'",
	    workspace);

	return test_db_number(fixture->db, sql);
}

static void
sendmail_add_domain(const char *name, const char *workspace)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO domain (id, workspace_id, name, status, trusted, created) SELECT "
	    "RANDOM_BYTES(16), id, '%s', 3, 1, 0 FROM workspace WHERE name = '%s'",
	    name, workspace);

	test_db_plain(fixture->db, sql);
}

/* example.com belongs to the first workspace alone, second.example to the second, both.example to
   both; a part of example.com that is registered belongs to the second. */
Test(sendmail, chooses_the_workspace_by_the_domain_of_from)
{
	static const struct {
		const char *name, *line, *given;
		int want;
		bool second;
	} cases[] = {
	    {"the first", "sendmail a@x.org", "From: a@example.com\n\n", 0, false},
	    {"a name, another case", "sendmail a@x.org", "From: A <a@EXAMPLE.com>\n\n", 0, false},
	    {"a sub-domain", "sendmail a@x.org", "From: a@a.b.example.com\n\n", 0, false},
	    {"a registered sub-domain", "sendmail a@x.org", "From: a@news.example.com\n\n", 0,
		true},
	    {"its sub-domain", "sendmail a@x.org", "From: a@a.news.example.com\n\n", 0, true},
	    {"the second", "sendmail a@x.org", "From: a@second.example\n\n", 0, true},
	    {"-f", "sendmail -f a@second.example a@x.org", "A: b\n\n", 0, true},
	    {"-f and a local From", "sendmail -f a@second.example a@x.org", "From: root\n\n", 0,
		true},
	    {"a From that counts", "sendmail -f a@second.example a@x.org",
		"From: a@example.com\n\n", 0, false},
	    {"both have it", "sendmail a@x.org", "From: a@both.example\n\n", 64, false},
	    {"none has it", "sendmail a@x.org", "From: a@nobody.example\n\n", 64, false},
	    {"no From", "sendmail a@x.org", "A: b\n\n", 64, false},
	    {"two Froms", "sendmail a@x.org", "From: a@example.com, b@example.com\n\n", 64, false},
	    {"no header", "sendmail a@x.org", "Hello\n", 64, false},
	    {"named", "sendmail a@x.org --workspace second", "From: a@both.example\n\n", 0, true},
	};
	struct base_id id;

	cr_assert(store_workspace_create(fixture->db, "second", NULL, &id, NULL));
	test_db_plain(fixture->db, "UPDATE workspace SET name = 'first' WHERE name <> 'second'");
	sendmail_add_domain("second.example", "second");
	sendmail_add_domain("news.example.com", "second");
	sendmail_add_domain("both.example", "first");
	sendmail_add_domain("both.example", "second");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 first = count_emails_of("first"), second = count_emails_of("second");

		expect_run(cases[i].name, cases[i].line, cases[i].given, strlen(cases[i].given),
		    cases[i].want, "there are several workspaces: say which with --workspace");
		cr_expect_eq(count_emails_of("first") - first,
		    cases[i].want == 0 && !cases[i].second, "%s", cases[i].name);
		cr_expect_eq(count_emails_of("second") - second,
		    cases[i].want == 0 && cases[i].second, "%s", cases[i].name);
	}
}

/* Each message of a session chooses anew. */
Test(sendmail, chooses_the_workspace_of_each_message_of_a_session)
{
	g_autofree char *hello = g_strdup_printf("250 %s\r\n", g_get_host_name());
	static const char given[] = HELO MAIL("") RCPT("a@x.org") DATA
	    "From: a@example.com\r\n\r\n.\r\n" MAIL("a@second.example") RCPT("a@x.org") DATA
	    "A: b\r\n\r\n.\r\n" MAIL("") RCPT("a@x.org") DATA
	    "From: a@nobody.example\r\n\r\n.\r\n" QUIT;
	g_autofree char *want = g_strconcat(hello,
	    OK_MAIL OK_RCPT GO QUEUED OK_MAIL OK_RCPT GO QUEUED OK_MAIL OK_RCPT GO
	    "554 5.6.0 there are several workspaces: say which with --workspace\r\n" BYE,
	    NULL);
	g_autofree char *named = g_strconcat(hello,
	    OK_MAIL OK_RCPT GO "550 5.7.1 Domain example.com is not registered\r\n" OK_MAIL OK_RCPT
		GO QUEUED OK_MAIL OK_RCPT GO
			       "550 5.7.1 Domain nobody.example is not registered\r\n" BYE,
	    NULL);
	struct base_id id;

	cr_assert(store_workspace_create(fixture->db, "second", NULL, &id, NULL));
	test_db_plain(fixture->db, "UPDATE workspace SET name = 'first' WHERE name <> 'second'");
	sendmail_add_domain("second.example", "second");
	expect_session("by domain", "sendmail -bs", given, want);
	cr_expect_eq(count_emails_of("first"), 1);
	cr_expect_eq(count_emails_of("second"), 1);
	expect_session("named", "sendmail -bs --workspace second", given, named);
	cr_expect_eq(count_emails_of("second"), 2);
}

static void
sendmail_expect_recipients(guint count, int want)
{
	g_autoptr(GString) text = g_string_new(FROM "To: a0@x.org");

	for (guint i = 1; i < count; i++)
		g_string_append_printf(text, ",\n a%u@x.org", i);
	g_string_append(text, "\n\n");
	expect_run("recipients", "sendmail -t", text->str, text->len, want, "50");
}

static void
sendmail_expect_size(gsize size, int want)
{
	g_autofree char *text = g_strnfill(size, 'x');

	memcpy(text, FROM "\n", strlen(FROM) + 1);
	for (gsize i = 1000; i < size; i += 1000)
		text[i] = '\n';
	expect_run("size", "sendmail -i a@x.org", text, size, want, "larger than 40 MiB");
}

Test(sendmail, has_limits)
{
	sendmail_expect_recipients(LIMIT_RECIPIENTS, 0);
	sendmail_expect_recipients(LIMIT_RECIPIENTS + 1, 65);
	cr_expect_eq(sendmail_count_emails(), 1);
	sendmail_expect_size(LIMIT_RAW_BYTES, 0);
	sendmail_expect_size(LIMIT_RAW_BYTES + 1, 65);
	cr_expect_eq(sendmail_count_emails(), 2);
	sendmail_deliver();
	cr_assert_eq(smtp_server_count(fixture->relay), 2);
	cr_expect(smtp_server_mail(fixture->relay, 1)->bytes->len > LIMIT_RAW_BYTES);
}

Test(sendmail, is_called_by_a_link_and_answers_in_json)
{
	g_autofree char *folder = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	g_autofree char *link = g_build_filename(folder, "sendmail", NULL);
	const char *builddir = g_getenv("builddir");
	g_autofree char *here = g_canonicalize_filename(builddir ? builddir : ".", NULL);
	g_autofree char *program = g_build_filename(here, "posthouse", NULL);
	g_autofree char *line =
	    g_strdup_printf("printf 'From: ann@example.com\\nTo: a@x.org\\n\\nx\\n' | "
			    "POSTHOUSE_CONFIG=%s %s -ti --json",
		config, link);
	g_autofree char *output = NULL, *errors = NULL;
	const char *argv[] = {"/bin/sh", "-c", line, NULL};
	int status;

	cr_assert_eq(symlink(program, link), 0);
	cr_assert(g_spawn_sync(
	    NULL, (char **)argv, NULL, 0, NULL, NULL, &output, &errors, &status, NULL));
	unlink(link);
	rmdir(folder);
	cr_expect_eq(status, 0);
	cr_expect(g_regex_match_simple("^\\{\"id\": ?\"[0-9a-f-]{36}\"\\}\\n$", output, 0, 0),
	    "got %s%s", output, errors);
	cr_expect_eq(sendmail_count_emails(), 1);
}

Test(sendmail, takes_test_addresses)
{
	const char *given = FROM "To: a@x.org, bounced+1@test.posthouse.invalid\n\nx\n";

	expect_run("test", "sendmail -t", given, strlen(given), 0, NULL);
	sendmail_deliver();
	cr_expect_eq(smtp_server_count(fixture->relay), 1);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM event WHERE status = 9 AND relay = 'test'"),
	    1);
}
