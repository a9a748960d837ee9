/* SPDX-License-Identifier: MIT */
#include "mail_report/failure.h"

#include <criterion/criterion.h>
#include <string.h>

#define RCPT MAIL_REPORT_FAILURE_RCPT
#define DATA MAIL_REPORT_FAILURE_DATA
#define MAIL MAIL_REPORT_FAILURE_MAIL
#define SOME MAIL_REPORT_FAILURE_UNKNOWN

static const struct failure_case {
	int code;
	const char *status, *words;
	enum mail_report_failure_stage stage;
	bool want_transient, want_gone;
	const char *want_status;
} cases[] = {
    /* codes alone */
    {0, NULL, NULL, SOME, false, false, ""},
    {0, "", NULL, SOME, false, false, ""},
    {550, NULL, NULL, RCPT, false, true, ""},
    {550, "", NULL, RCPT, false, true, ""},
    {550, NULL, NULL, SOME, false, false, ""},
    {550, NULL, NULL, DATA, false, false, ""},
    {551, "", NULL, RCPT, false, false, ""},
    {552, "", NULL, RCPT, false, false, ""},
    {553, "", NULL, RCPT, false, false, ""},
    {554, NULL, NULL, RCPT, false, false, ""},
    {500, "", NULL, RCPT, false, false, ""},
    {399, NULL, NULL, RCPT, false, false, ""},
    {400, NULL, NULL, RCPT, true, false, ""},
    {499, "", NULL, RCPT, true, false, ""},
    {550, "4.4.7", NULL, RCPT, true, false, "4.4.7"},
    {550, "4.1.1", NULL, RCPT, true, false, "4.1.1"},
    {550, "5.1.1", NULL, SOME, false, true, "5.1.1"},
    {553, "5.1.3", NULL, RCPT, false, true, "5.1.3"},
    {550, "5.1.6", NULL, RCPT, false, true, "5.1.6"},
    {550, "5.1.10", NULL, RCPT, false, true, "5.1.10"},
    {554, "5.2.1", NULL, RCPT, false, true, "5.2.1"},
    {550, "5.1.0", NULL, RCPT, false, false, "5.1.0"},
    {550, "5.1.2", NULL, RCPT, false, false, "5.1.2"},
    {550, "5.1.100", NULL, RCPT, false, false, "5.1.100"},
    {550, "5.7.1", NULL, RCPT, false, false, "5.7.1"},
    {552, "5.2.2", NULL, RCPT, true, false, "5.2.2"},
    {552, "5.2.22", NULL, RCPT, false, false, "5.2.22"},
    {552, "5.2.3", NULL, RCPT, false, false, "5.2.3"},
    {550, "5.3.1", NULL, RCPT, true, false, "5.3.1"},
    {550, "5.4.1", NULL, RCPT, true, false, "5.4.1"},
    {550, "5.4.4", NULL, RCPT, false, false, "5.4.4"},
    {550, "5.4.5", NULL, RCPT, true, false, "5.4.5"},
    {550, "5.4.7", NULL, RCPT, true, false, "5.4.7"},
    {550, "5.4.316", NULL, RCPT, true, false, "5.4.316"},
    /* words complete a code that says little */
    {550, "", "User unknown", SOME, false, true, "5.1.1"},
    {554, "5.0.0", "no such\r\n user here", SOME, false, true, "5.1.1"},
    {553, "5.3.0", "<a@x.org>... No such user here", SOME, false, true, "5.1.1"},
    {550, "5.5.0", "Unknown_Recipient", SOME, false, true, "5.1.1"},
    {550, "5.1.0", "Recipient address rejected: Media error", SOME, false, false, "5.1.0"},
    {0, "5.1.0", "550 #5.1.0 Address rejected.", SOME, false, true, "5.1.1"},
    {0, NULL, "550-5.1.1 The account does 550-5.1.1 not exist", SOME, false, true, "5.1.1"},
    {550, "5.4.1", "Recipient address rejected: Access denied", RCPT, false, true, "5.4.1"},
    {550, "5.1.351", "returned unknown recipient -> 550 Unknown user", SOME, false, true,
	"5.1.351"},
    {450, "4.2.0", "mailbox unavailable", RCPT, true, false, "4.1.1"},
    {0, "4.7.0", "Sender not pre-approved", SOME, true, false, "4.7.0"},
    {0, "5.3.0", "hors service", SOME, false, false, "5.3.0"},
    /* a code that is clear stands */
    {550, "5.7.1", "User unknown", RCPT, false, false, "5.7.1"},
    {550, "5.1.2", "mailbox unavailable", RCPT, false, false, "5.1.2"},
    /* words about anything else than the mailbox keep the address */
    {550, "", "5.1.1 over quota", RCPT, true, false, "5.1.1"},
    {550, "5.1.1", "blacklisted by recipient", RCPT, false, false, "5.1.1"},
    {550, "", "Access denied", RCPT, false, false, "5.7.1"},
    {550, "", "see http://www.spamhaus.org/query/bl?ip=192.0.2.1", RCPT, false, false, "5.7.1"},
    {550, "5.2.1", "is receiving mail at a rate that 550 5.2.1 prevents", RCPT, true, false,
	"5.2.1"},
    {550, "5.2.1", "Mailbox unavailable. Your IP address is blacklisted", RCPT, false, false,
	"5.2.1"},
    {553, "5.1.1", "Sender Policy Framework (SPF) fail", DATA, false, false, "5.1.1"},
    {550, "", "message too large", RCPT, false, false, "5.2.3"},
    {550, "", "try again later", RCPT, true, false, ""},
    {550, "", "no such domain here", RCPT, false, false, "5.1.2"},
    {0, "5.1.1", "user unknown in relay recipient table", RCPT, false, true, "5.1.1"},
    /* names are no words */
    {550, "", "<spam.policy@blocked.example>... User unknown", RCPT, false, true, "5.1.1"},
    {550, "", "User unknown; see https://quota.example/policy?spam", RCPT, false, true, "5.1.1"},
    {550, "", "host antispam.mx.example said: unknown user", RCPT, false, true, "5.1.1"},
    /* full mailboxes, and hosts that do not answer */
    {552, "", "Mailbox quota\nexceeded", SOME, true, false, "5.2.2"},
    {550, "5.2.3", "mailbox is full", SOME, true, false, "5.2.3"},
    {550, "5.7.0", "disk space limit", SOME, true, false, "5.2.2"},
    {0, "", "could not connect to host", SOME, true, false, "4.4.1"},
    {0, "5.0.0", "retry timeout exceeded", SOME, true, false, "5.4.7"},
    {0, "", "the computer was not reachable; the user may not exist", SOME, true, false, "4.4.1"},
    /* the same words at another command */
    {550, "", "mailbox unavailable", RCPT, false, true, "5.1.1"},
    {550, "", "mailbox unavailable", DATA, false, false, "5.7.1"},
    {550, "", "user unknown", DATA, false, true, "5.1.1"},
    {553, "5.1.0", "sender does not exist", MAIL, false, false, "5.7.1"},
};

Test(failure, is_read_by_code_and_words)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct failure_case *c = &cases[i];
		struct mail_report_failure got =
		    mail_report_failure_read(c->code, c->status, c->words, c->stage);

		cr_expect(got.is_transient == c->want_transient && got.is_gone == c->want_gone &&
			      strcmp(got.status, c->want_status) == 0,
		    "%d %s %s at %d: got%s%s %s", c->code, c->status ? c->status : "none",
		    c->words ? c->words : "", (int)c->stage, got.is_transient ? " transient" : "",
		    got.is_gone ? " gone" : "", got.status);
	}
}

Test(failure, knows_the_topics_of_words)
{
	static const struct {
		const char *text;
		guint want;
	} texts[] = {
	    {"", 0},
	    {"Hello", 0},
	    {"Ihr Postfach ist voll", MAIL_REPORT_FAILURE_FULL},
	    {"L\xe2\x80\x99"
	     "adresse n\xe2\x80\x99"
	     "existe pas",
		MAIL_REPORT_FAILURE_GONE},
	    {"ящик не существует", MAIL_REPORT_FAILURE_GONE},
	    {"I am out of the\n office", MAIL_REPORT_FAILURE_ABSENT},
	    {"Your message could not\nbe delivered", MAIL_REPORT_FAILURE_REFUSED},
	    {"This is a WARNING MESSAGE ONLY", MAIL_REPORT_FAILURE_WAITING},
	    {"Delivery failed 20 attempts",
		MAIL_REPORT_FAILURE_NETWORK | MAIL_REPORT_FAILURE_REFUSED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		cr_expect_eq(mail_report_failure_topics(texts[i].text), texts[i].want,
		    "%s: got %x want %x", texts[i].text, mail_report_failure_topics(texts[i].text),
		    texts[i].want);
}

/* Words beyond the limit do not count. */
Test(failure, is_read_as_far_as_the_limit)
{
	static const char words[] = " user unknown";

	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *padding =
		    g_strnfill(MAIL_REPORT_FAILURE_BYTES - strlen(words) + over, '.');
		g_autofree char *text = g_strconcat(padding, words, NULL);

		cr_expect_eq(mail_report_failure_topics(text), over ? 0 : MAIL_REPORT_FAILURE_GONE,
		    "%zu", over);
	}
}
