/* SPDX-License-Identifier: MIT */
/* Tests whole dialogues with posthouse-smtpd over a socket. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "tests/smtpd/door.h"
#include "tests/support/db.h"

TestSuite(dialogues, .timeout = 600);

#define E "EHLO client\r\n"
#define OFFERS                                                                                     \
	"250-mail.example.net\r\n250-PIPELINING\r\n250-SIZE 41943040\r\n250-8BITMIME\r\n"          \
	"250-ENHANCEDSTATUSCODES\r\n250 AUTH PLAIN LOGIN\r\n"
#define M "MAIL FROM:<a@example.net>\r\n"
#define OKM "250 2.1.0 OK\r\n"
#define Q "QUIT\r\n"
#define BYE "221 2.0.0 Bye\r\n"

static const struct {
	const char *name, *given, *want;
} cases[] = {
    {"words", "noop\r\n" E "HELP\r\nEXPN x\r\nBDAT 1\r\nETRN x\r\nSTARTTLS\r\nVRFY x\r\nRSET\r\n" Q,
	"250 2.0.0 OK\r\n" OFFERS
	"500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n"
	"500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n252 2.1.5 Send mail and see\r\n"
	"250 2.0.0 OK\r\n" BYE},
    {"relaying", E M "RCPT TO:<b@example.com>\r\nRCPT TO:<b@example.org>\r\n" Q,
	OFFERS OKM "550 5.7.1 Relaying denied\r\n550 5.7.1 Relaying denied\r\n" BYE},
    {"hosts of ours",
	E M "RCPT TO:<b@send.example.org>\r\nRCPT TO:<b+0@send.example.org>\r\n"
	    "RCPT TO:<postmaster@mail.example.net>\r\nRCPT TO:<b@send.example.com>\r\n" Q,
	OFFERS OKM "550 5.1.1 No such address here\r\n550 5.1.1 No such address here\r\n"
		   "550 5.1.1 No such address here\r\n550 5.7.1 Relaying denied\r\n" BYE},
    {"keys",
	E "AUTH PLAIN AHVzZXIAcGhfYmFk\r\nAUTH PLAIN AHVzZXIAcGhfcmVhZA==\r\n"
	  "AUTH PLAIN AHVzZXIAcGhfc2VuZA==\r\n" Q,
	OFFERS "535 5.7.8 Invalid API key\r\n535 5.7.8 This API key may not send\r\n"
	       "235 2.7.0 Authenticated\r\n" BYE},
    {"a NUL in a key", E "AUTH PLAIN AHVzZXIAcGhfc2VuZAA=\r\nAUTH PLAIN AHVzZXI=\r\n" Q,
	OFFERS "501 5.5.2 PLAIN takes a user and a password\r\n"
	       "501 5.5.2 PLAIN takes a user and a password\r\n" BYE},
    {"a NUL in a key by LOGIN", E "AUTH LOGIN\r\ndXNlcg==\r\ncGhfc2VuZAA=\r\n" Q,
	OFFERS "334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6\r\n"
	       "501 5.5.2 LOGIN takes a user and a password\r\n" BYE},
    {"a key as Resend's", E "AUTH LOGIN\r\n\r\ncmVfcGhfZnVsbA==\r\n" Q,
	OFFERS "334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6\r\n235 2.7.0 Authenticated\r\n" BYE},
    {"a bare LF ends the session", E "NOOP\nNOOP\r\nNOOP\r\n",
	OFFERS "500 5.5.2 Lines must end in CRLF\r\n"},
};

Test(dialogues, are_as_documented)
{
	AUTO(door) door = door_open(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = door_talk(door, cases[i].given, strlen(cases[i].given));

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got\n%s\nwant\n%s", cases[i].name, got, cases[i].want);
	}
}

/* Places at which a server that is less strict than the one behind it would see a second message.
 */
Test(dialogues, smuggle_nothing)
{
	static const char *const ends[] = {"\n.\n", "\n.\r\n", "\r.\r", "\r.\r\n", "\r\n.\n",
	    "\r\n.\r", "\n.\r", "\r\r\n.\r\r\n", "\r\n\0.\r\n", "\r\n.\0\r\n", "\r\n..\r\n",
	    "\r\n. \r\n"};
	AUTO(door) door = door_open(NULL);
	g_autofree char *plain = door_plain(FULL);

	for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
		g_autofree char *text = g_strdup_printf(E
		    "AUTH PLAIN %s\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.net>\r\n"
		    "DATA\r\nFrom: a@example.org\r\n\r\nHi%sMAIL FROM:<admin@example.org>\r\n"
		    "RCPT TO:<c@example.net>\r\nDATA\r\nFrom: "
		    "admin@example.org\r\n\r\n2\r\n.\r\n" Q,
		    plain, ends[i]);
		g_autofree char *got = door_talk(door, text, strlen(text));
		const char *data = strstr(got, "354 ");
		g_autofree char *want = g_strconcat("250 2.0.0 queued as ", NULL);

		cr_assert(data, "end %u: got %s", i, got);
		cr_expect(strstr(data, want) && !strstr(strstr(data, want) + 1, want) &&
			      g_str_has_suffix(data, BYE),
		    "end %u: got %s", i, data);
	}
	cr_expect_eq(test_db_number(door->house->db, "SELECT COUNT(*) FROM email"),
	    (gint64)G_N_ELEMENTS(ends));
	cr_expect_eq(test_db_number(door->house->db,
			 "SELECT COUNT(*) FROM recipient WHERE address <> 'b@example.net'"),
	    0);
}

/* Each piece of a command and of a message may come by itself. */
Test(dialogues, take_slow_clients)
{
	AUTO(door) door = door_open(NULL);
	g_autofree char *plain = door_plain(FULL);
	g_autofree char *text = g_strdup_printf(E
	    "AUTH PLAIN %s\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n"
	    "From: a@example.org\r\n\r\n..\r\n.\r\n" Q,
	    plain);
	int fd = door_connect(door);

	for (const char *p = text; *p; p++) {
		char one[] = {*p, '\0'};
		door_send(fd, one);
	}
	g_autofree char *got = door_read(fd, NULL);
	close(fd);
	cr_expect(strstr(got, "250 2.0.0 queued as ") && g_str_has_suffix(got, BYE), "got %s", got);
}

Test(dialogues, time_out)
{
	AUTO(door) door = door_open("[smtpd]\ntimeout = 5\nhostname = mail.example.net\n");
	int fd = door_connect(door);

	door_send(fd, E);
	g_autofree char *got = door_read(fd, NULL);
	close(fd);
	cr_expect(g_str_has_suffix(got, OFFERS "421 4.4.2 Timeout\r\n"), "got %s", got);
}

Test(dialogues, count_errors)
{
	AUTO(door) door = door_open("[smtpd]\nerrors = 2\n");
	g_autofree char *got = door_talk(door, "A\r\nB\r\nC\r\nD\r\n", 12);

	cr_expect_str_eq(got, "500 5.5.1 Unknown command\r\n500 5.5.1 Unknown command\r\n"
			      "421 4.7.0 Too many errors\r\n");
}

Test(dialogues, have_a_largest_message)
{
	AUTO(door) door = door_open("[smtpd]\nsize = 1024\n");
	static const char header[] = "From: a@example.org\r\n\r\n";

	for (guint past = 0; past <= 1; past++) {
		g_autofree char *body = g_strnfill(1024 - strlen(header) - 2 + past, 'x');
		g_autofree char *message = g_strconcat(header, body, NULL);
		g_autofree char *got = door_submit(door, "a@example.org", "b@example.net", message);

		cr_expect(g_str_has_prefix(
			      got, past ? "552 5.3.4 Message is too large: at most 1024 bytes"
					: "250 2.0.0 queued as "),
		    "got %s", got);
	}
}

Test(dialogues, have_switches)
{
	AUTO(door) door = door_open("[smtpd]\nsubmission = no\nhostname = h.example\n");
	g_autofree char *got =
	    door_talk(door, E "AUTH PLAIN x\r\n" M Q, strlen(E "AUTH PLAIN x\r\n" M Q));

	cr_expect_str_eq(got,
	    "250-h.example\r\n250-PIPELINING\r\n250-SIZE 41943040\r\n250-8BITMIME\r\n"
	    "250 ENHANCEDSTATUSCODES\r\n500 5.5.1 Unknown command\r\n" OKM BYE);
}

Test(dialogues, need_a_login_without_incoming)
{
	AUTO(door) door = door_open("[smtpd]\nincoming = no\nplain_auth =\nhostname = h.example\n");
	static const char given[] = E "AUTH PLAIN x\r\n" M Q;
	g_autofree char *got = door_talk(door, given, strlen(given));

	cr_expect(g_str_has_suffix(got, "250 ENHANCEDSTATUSCODES\r\n538 5.7.11 AUTH needs TLS\r\n"
					"530 5.7.0 AUTH is required\r\n" BYE),
	    "got %s", got);
}
