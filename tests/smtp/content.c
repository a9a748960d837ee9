/* SPDX-License-Identifier: MIT */
/* The bytes on the wire, and the moments of the callbacks. */
#include "smtp/session.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <openssl/err.h>
#include <string.h>

#include "tests/smtp/sending.h"

static const char *const two[] = {"a@x.org b@x.org", "c@x.org", NULL};
static const char *const three[] = {"a@x.org", "b@x.org", "c@x.org", NULL};

Test(content, arrives_as_it_was_given)
{
	static const char *const extensions[] = {
	    NULL, "PIPELINING", "CHUNKING", "chunking\nPIPELINING", "XUSR", "XEXCH50"};

	for (gsize i = 0; i < G_N_ELEMENTS(extensions); i++) {
		struct smtp_script script = {.extensions = extensions[i]};
		struct sending sending;
		sending_start(&sending, &script, three);
		sending_run(&sending);
		sending_stop(&sending);
		cr_expect_eq(smtp_server_count(sending.server), 3, "%s: got %u mails",
		    extensions[i], smtp_server_count(sending.server));
		for (guint j = 0; j < smtp_server_count(sending.server); j++) {
			const char *got = smtp_server_mail(sending.server, j)->bytes->str;
			g_autofree char *want = sending_content(j);
			cr_expect_str_eq(
			    got, want, "%s: got\n%s\nwant\n%s", extensions[i], got, want);
		}
		cr_expect_null(
		    strstr(smtp_server_log(sending.server), "BDAT"), "%s", extensions[i]);
		cr_expect_null(
		    strstr(smtp_server_log(sending.server), "XUSR"), "%s", extensions[i]);
		cr_expect_str_eq(sending.calls->str,
		    "content 0\nbefore_dot 0\ndone 0\ncontent 1\nbefore_dot 1\ndone 1\n"
		    "content 2\nbefore_dot 2\ndone 2\n",
		    "%s: got\n%s", extensions[i], sending.calls->str);
		sending_free(&sending);
	}
}

/* A message that libesmtp would change is not sent, since its signature would break. */
Test(content, is_not_sent_changed)
{
#define DATE "Date: Thu, 1 Jan 2026 00:00:00 +0000\r\n"
#define FROM "From: <a@x.org>\r\n"
#define ID "Message-Id: <1@x.org>\r\n"
	static const struct {
		const char *name, *bytes;
		bool want;
	} cases[] = {
	    {"complete", DATE FROM ID "\r\nbody\r\n", true},
	    {"without a body", DATE FROM ID "\r\n", true},
	    {"in another order and case", "message-ID: <1@x.org>\r\nFROM:a@x.org\r\n" DATE "\r\n",
		true},
	    {"with doubled signatures",
		"DKIM-Signature: a\r\nDKIM-Signature: b\r\n" DATE FROM ID "\r\n", true},
	    {"with Bcc", "Bcc: b@x.org\r\n" DATE FROM ID "\r\n", true},
	    {"without Date", FROM ID "\r\nbody\r\n", false},
	    {"without From", DATE ID "\r\nbody\r\n", false},
	    {"without Message-Id", DATE FROM "\r\nbody\r\n", false},
	    {"with Return-Path", "Return-Path: <a@x.org>\r\n" DATE FROM ID "\r\n", false},
	    {"with two To", "To: a@x.org\r\nTo: b@x.org\r\n" DATE FROM ID "\r\n", false},
	    {"with a bare LF", DATE FROM ID "\r\na\n.\nMAIL FROM:<>\r\n", false},
	};

	for (gsize c = 0; c < G_N_ELEMENTS(cases); c++) {
		struct smtp_script script = {.extensions = "PIPELINING"};
		struct sending sending;
		sending_start(&sending, &script, two);
		sending.bytes = cases[c].bytes;
		sending_run(&sending);
		sending_stop(&sending);
		enum smtp_outcome want = cases[c].want ? SMTP_SENT : SMTP_PERMANENT;
		for (guint j = 0; j < 2; j++) {
			const struct smtp_recipient *got = &sending.messages[j].recipients[0];
			cr_expect_eq(got->outcome, want, "%s, message %u: got %d (%s), want %d",
			    cases[c].name, j, got->outcome, got->text, want);
		}
		cr_expect_eq(smtp_server_count(sending.server), cases[c].want ? 2 : 0,
		    "%s: got %u mails", cases[c].name, smtp_server_count(sending.server));
		sending_free(&sending);
	}
}

Test(content, that_is_not_given_leaves_no_trace)
{
	for (int without = 0; without < 3; without++) {
		struct smtp_script script = {.extensions = "PIPELINING"};
		struct sending sending;
		sending_start(&sending, &script, three);
		sending.without_content = without;
		sending_run(&sending);
		sending_stop(&sending);
		for (int i = 0; i < 3; i++) {
			enum smtp_outcome got = sending.messages[i].recipients[0].outcome;
			cr_expect_eq(got, i == without ? SMTP_NOT_TRIED : SMTP_SENT,
			    "without %d: message %d: got %d", without, i, got);
		}
		g_autofree char *address = g_strdup_printf("RCPT TO:<%c@x.org>", 'a' + without);
		cr_expect_null(strstr(smtp_server_log(sending.server), address));
		cr_expect_eq(smtp_server_connections(sending.server), 1);
		sending_free(&sending);
	}
}

Test(content, none_for_any_message_calls_no_relay)
{
	static const char *const one[] = {"a@x.org", NULL};
	static const char *const bad[] = {"a\r\n@x.org", NULL};
	static const struct {
		const char *const *messages;
		int without_content;
		const char *want_calls;
	} cases[] = {
	    {one, 0, "content 0\n"},
	    {bad, -1, "done 0\n"},
	    {one + 1, -1, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {0};
		struct sending sending;
		sending_start(&sending, &script, cases[i].messages);
		sending.without_content = cases[i].without_content;
		sending_run(&sending);
		sending_stop(&sending);
		cr_expect(sending.had);
		cr_expect_eq(smtp_server_connections(sending.server), 0);
		cr_expect_str_eq(sending.calls->str, cases[i].want_calls);
		sending_free(&sending);
	}
}

Test(content, stops_before_the_dot_when_told_so)
{
	static const char *const extensions[] = {NULL, "PIPELINING"};

	for (gsize i = 0; i < G_N_ELEMENTS(extensions); i++) {
		struct smtp_script script = {
		    .extensions = extensions[i], .rules = {REPLY("RCPT*b@x*", 0, "550 5.1.1 no")}};
		struct sending sending;
		static const char *const messages[] = {
		    "a@x.org", "b@x.org c@x.org", "d@x.org", NULL};
		sending_start(&sending, &script, messages);
		sending.without_dot = 1;
		sending_run(&sending);
		sending_stop(&sending);
		g_autofree char *got = sending_outcomes(&sending);
		cr_expect_str_eq(got,
		    "0 a@x.org sent data 250 2.0.0 taken\n1 b@x.org permanent rcpt 550 5.1.1 no\n"
		    "1 c@x.org not-tried session 0 - \n2 d@x.org not-tried session 0 - \n",
		    "%s: got\n%s", extensions[i], got);
		cr_expect_eq(smtp_server_count(sending.server), 1, "%s: got %u mails",
		    extensions[i], smtp_server_count(sending.server));
		cr_expect_str_eq(sending.calls->str,
		    "content 0\nbefore_dot 0\ndone 0\ncontent 1\nbefore_dot 1\ndone 1\n",
		    "%s: got\n%s", extensions[i], sending.calls->str);
		sending_free(&sending);
	}
}

/* A large message, whose relay gives up in the middle: it has not seen the dot. */
Test(content, lost_on_the_way_is_not_uncertain)
{
	static const struct {
		const char *extensions;
		struct smtp_rule rule;
	} cases[] = {
	    {"", THEN(DROP, "DATA+100000", 0, NULL)},
	    {"PIPELINING", THEN(DROP, "DATA+100000", 0, NULL)},
	    {"PIPELINING", THEN(RESET, "DATA+100000", 0, NULL)},
	    {"PIPELINING", THEN(HANG, "DATA+100000", 0, NULL)},
	};
	g_autofree char *bytes = sending_large_content(20 * 1024 * 1024);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {
		    .extensions = cases[i].extensions, .rules = {cases[i].rule}};
		static const char *const messages[] = {"a@x.org", "b@x.org", NULL};
		struct sending sending;
		sending_start(&sending, &script, messages);
		sending.bytes = bytes;
		sending_run(&sending);
		sending_stop(&sending);
		g_autofree char *got = sending_outcomes(&sending);
		cr_expect(g_pattern_match_simple("0 a@x.org temporary * 0 - The connection ended "
						 "before *.\n1 b@x.org not-tried session 0 - \n",
			      got),
		    "case %zu: got\n%s", i, got);
		bool dot = strstr(sending.calls->str, "before_dot") != NULL;
		cr_expect(!dot, "case %zu: got\n%s", i, sending.calls->str);
		sending_free(&sending);
	}
}

Test(content, refused_on_the_way_keeps_the_relays_word)
{
	struct smtp_script script = {.rules = {THEN(DROP, "DATA+100", 0, "552 5.3.4 too big")}};
	struct sending sending;

	sending_start(&sending, &script, three);
	sending_run(&sending);
	sending_stop(&sending);
	g_autofree char *got = sending_outcomes(&sending);
	cr_expect(strstr(got, "0 a@x.org permanent data 552 5.3.4 too big\n") ||
		      strstr(got, "0 a@x.org uncertain data 0"),
	    "got\n%s", got);
	sending_free(&sending);
}

Test(content, asks_for_reports_where_they_are_offered)
{
	static const struct {
		const char *name, *extensions;
		bool dsn;
		const char *envid, *recipient, *want_mail, *want_rcpt;
	} cases[] = {
	    {"all", "DSN\nSIZE 1000000\n8BITMIME", true, "e1", "a@x.org",
		"MAIL FROM:<b+1@send.example> SIZE=149 RET=HDRS ENVID=e1",
		"RCPT TO:<a@x.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;a@x.org"},
	    {"not offered", "PIPELINING", true, "e1", "a@x.org", "MAIL FROM:<b+1@send.example>",
		"RCPT TO:<a@x.org>"},
	    {"not wanted", "DSN", false, "e1", "a@x.org", "MAIL FROM:<b+1@send.example>",
		"RCPT TO:<a@x.org>"},
	    {"xtext", "DSN", true, "e+1=\x01", "a+b=c@x.org",
		"MAIL FROM:<b+1@send.example> RET=HDRS ENVID=e+2B1+3D+01",
		"RCPT TO:<a+b=c@x.org> NOTIFY=SUCCESS,FAILURE,DELAY "
		"ORCPT=rfc822;a+2Bb+3Dc@x.org"},
	    {"without an id", "DSN", true, NULL, "a@x.org", "MAIL FROM:<b+1@send.example> RET=HDRS",
		"RCPT TO:<a@x.org> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;a@x.org"},
	    {"more than fits", "DSN", true, NULL,
		"++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++@"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.org",
		"MAIL FROM:<b+1@send.example> RET=HDRS",
		"RCPT TO:<++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++@"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.org> "
		"NOTIFY=SUCCESS,FAILURE,DELAY"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {.extensions = cases[i].extensions};
		const char *const messages[] = {cases[i].recipient, NULL};
		struct sending sending;
		sending_start(&sending, &script, messages);
		sending.relay.dsn = cases[i].dsn;
		sending.messages[0].envid = cases[i].envid;
		sending_run(&sending);
		sending_stop(&sending);
		const struct smtp_mail *mail = smtp_server_mail(sending.server, 0);
		cr_assert(mail, "%s: nothing came", cases[i].name);
		cr_expect_str_eq(mail->sender, cases[i].want_mail, "%s: got %s, want %s",
		    cases[i].name, mail->sender, cases[i].want_mail);
		const char *rcpt = g_ptr_array_index(mail->recipients, 0);
		cr_expect_str_eq(rcpt, cases[i].want_rcpt, "%s: got %s, want %s", cases[i].name,
		    rcpt, cases[i].want_rcpt);
		sending_free(&sending);
	}
}

static void
leave_errors(struct sending *sending, const char *event)
{
	errno = EAGAIN;
	ERR_raise(ERR_LIB_USER, ERR_R_INTERNAL_ERROR);
}

/* The library takes an errno that is left for a failure of its own; OpenSSL takes an error in its
   queue for the reason why a write has to wait, which shows with a large message. */
Test(content, may_leave_errors_of_others_behind)
{
	static const struct {
		enum config_setting_tls tls;
		gsize size;
	} cases[] = {{TLS_NONE, 0}, {TLS_OPPORTUNISTIC, 0}, {TLS_OPPORTUNISTIC, 20 * 1024 * 1024}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {
		    .extensions = "STARTTLS", .rules = {{"DATA+100000", 1, NULL, THEN_GO_ON, 500}}};
		g_autofree char *bytes = sending_large_content(cases[i].size);
		struct sending sending;
		sending_start(&sending, &script, two);
		sending.hook = leave_errors;
		sending.bytes = bytes;
		sending.relay.tls = cases[i].tls;
		sending.relay.timeout_s = sending.relay.dot_timeout_s = 60;
		sending_run(&sending);
		sending_stop(&sending);
		for (guint j = 0; j < 2; j++) {
			const struct smtp_mail *mail = smtp_server_mail(sending.server, j);
			cr_expect(mail && strcmp(mail->bytes->str, bytes) == 0,
			    "case %zu: message %u did not come", i, j);
		}
		sending_free(&sending);
	}
}

Test(content, envelope_id_at_its_limit)
{
	for (gsize size = 100; size <= 101; size++) {
		struct smtp_script script = {.extensions = "DSN"};
		static const char *const one[] = {"a@x.org", NULL};
		g_autofree char *envid = g_strnfill(size, 'e');
		struct sending sending;
		sending_start(&sending, &script, one);
		sending.messages[0].envid = envid;
		sending_run(&sending);
		sending_stop(&sending);
		bool got = strstr(smtp_server_log(sending.server), "ENVID=") != NULL;
		cr_expect_eq(got, size <= 100, "%zu: got %d", size, got);
		sending_free(&sending);
	}
}

Test(content, goes_out_from_nobody)
{
	struct smtp_script script = {0};
	static const struct {
		const char *sender, *want;
	} cases[] = {{"", "MAIL FROM:<>"}, {"a\r\nRSET\r\n@x.org", NULL}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		static const char *const one[] = {"a@x.org", NULL};
		struct sending sending;
		sending_start(&sending, &script, one);
		sending.messages[0].sender = cases[i].sender;
		sending_run(&sending);
		sending_stop(&sending);
		const struct smtp_mail *mail = smtp_server_mail(sending.server, 0);
		cr_expect_eq(g_strcmp0(mail ? mail->sender : NULL, cases[i].want), 0);
		if (!cases[i].want)
			cr_expect_eq(sending.messages[0].recipients[0].stage, SMTP_STAGE_MAIL);
		sending_free(&sending);
	}
}
