/* SPDX-License-Identifier: MIT */
/* Tests that reports are recorded once, of the right email and recipient. */
#include "feedback/report.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/report.h"
#include "link/return_path.h"
#include "person/erase.h"
#include "person/suppress.h"
#include "tests/lib/posting.h"
#include "tests/lib/reporting.h"
#include "tests/support/db.h"

#define A_BOUNCED "0 bounced Permanent 5.1.1: 550 5.1.1 no\n"

static const struct report_case {
	const char *name, *to, *envelope;
	const char *text;
	enum feedback_report_outcome want;
	const char *want_events, *want_suppressed;
} cases[] = {
    /* by what the email is known */
    {"the envelope's token", "a@x.org", PATH, ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"a local part", "a@x.org", "TOKEN", ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the token in To", "a@x.org", "", HEAD(PATH) STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the token in Delivered-To", "a@x.org", "",
	"Delivered-To: " PATH "\n" ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED, A_BOUNCED,
	"a@x.org bounced\n"},
    {"the returned return path", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org") RETURNED("Return-Path: <" PATH ">\n"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the envelope id", "a@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENVID\n" FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"a token without recipient, of an email to one", "a@x.org", "OLD",
	ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"an envelope id without recipient, of an email to one", "a@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENV-OLD\n" FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"the Message-ID", "a@x.org", "", ELSEWHERE STATUS FAILED("a@x.org") RETURNED(MESSAGE_ID),
	REPORT_RECORDED, A_BOUNCED, ""},
    {"the Message-ID of a broadcast's recipient", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org") RETURNED("Message-ID: <I-D.12@example.com>\n"),
	REPORT_RECORDED, A_BOUNCED, ""},
    {"an answer to the Message-ID", "a@x.org", "",
	"References: <x@y> <ID@example.com>\n" ELSEWHERE STATUS FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, ""},
    /* by what it is not */
    {"nothing", "a@x.org", "", ELSEWHERE STATUS FAILED("a@x.org"), REPORT_STRANGE, "", ""},
    {"an id without a tag", "a@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ID\n" FAILED("a@x.org"), REPORT_STRANGE, "", ""},
    {"the Message-ID with another domain", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org") RETURNED("Message-ID: <ID@example.org>\n"),
	REPORT_STRANGE, "", ""},
    {"a Message-ID that is none of ours", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org")
	    RETURNED("Message-ID: <0199c2a4-6f10-7b3c-9d5e-2f8a1c4b7e60@example.com>\n"),
	REPORT_STRANGE, "", ""},
    {"the Message-ID, of somebody else", "a@x.org", "",
	ELSEWHERE STATUS FAILED("z@x.org") RETURNED(MESSAGE_ID), REPORT_NOBODY, "", ""},
    /* of whom it is */
    {"by the original address", "a@x.org b@x.org", PATH,
	ELSEWHERE STATUS OF("b@x.org", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, "1 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
    {"by the final address", "a@x.org b@x.org", PATH,
	ELSEWHERE STATUS OF("", "B@X.org", "failed", "5.1.1", "550 5.1.1 no"), REPORT_RECORDED,
	"1 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
    {"in xtext", "a@x.org b+c@x.org", PATH,
	ELSEWHERE STATUS OF("b+2Bc@x.org", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, "1 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
    {"the only one", "a@x.org", PATH, ELSEWHERE STATUS FAILED("z@y.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"one of two", "a@x.org b@x.org", PATH, ELSEWHERE STATUS FAILED("z@y.org"), REPORT_NOBODY, "",
	""},
    {"several", "a@x.org b@x.org c@x.org d@x.org", PATH,
	ELSEWHERE STATUS FAILED("a@x.org") OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no answer")
	    OF("c@x.org", "c@x.org", "delivered", "2.0.0", "250 ok") FAILED("z@x.org"),
	REPORT_RECORDED,
	A_BOUNCED "1 delayed 4.4.1: no answer\n"
		  "2 delivered\n",
	""},
    /* of a copy to the first recipient alone */
    {"of the one who had the copy", "a@x.org b@x.org", OWN, ELSEWHERE STATUS FAILED("a@x.org"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of the one who had the copy, by the envelope id", "a@x.org b@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENV-OWN\n" FAILED("a@x.org"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"of another one", "a@x.org b@x.org", OWN, ELSEWHERE STATUS FAILED("b@x.org"), REPORT_NOBODY,
	"", ""},
    {"of another one, by the envelope id", "a@x.org b@x.org", "",
	ELSEWHERE STATUS "Original-Envelope-Id: ENV-OWN\n" FAILED("b@x.org"), REPORT_NOBODY, "",
	""},
    {"of another one, by the final address", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("", "b@x.org", "failed", "5.1.1", "550 5.1.1 no"), REPORT_NOBODY, "",
	""},
    {"of another one, with the Message-ID", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS FAILED("b@x.org") RETURNED(MESSAGE_ID), REPORT_NOBODY, "", ""},
    {"of both", "a@x.org b@x.org", OWN, ELSEWHERE STATUS FAILED("b@x.org") FAILED("a@x.org"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of a mailbox that forwards", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("a@x.org", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of a mailbox that forwards to another one", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("a@x.org", "b@x.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"of a mailbox that forwards, which does not tell", "a@x.org b@x.org", OWN,
	ELSEWHERE STATUS OF("", "z@y.org", "failed", "5.1.1", "550 5.1.1 no"), REPORT_RECORDED,
	A_BOUNCED, "a@x.org bounced\n"},
    {"a complaint of the one who had the copy", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" OWN ">\n" RETURNED("To: b@x.org\n"),
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"a complaint of another one", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" OWN ">\nOriginal-Rcpt-To: <b@x.org>\n",
	REPORT_NOBODY, "", ""},
    {"a complaint of a stranger", "a@x.org", OWN,
	ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: <z@y.org>\n", REPORT_NOBODY, "", ""},
    {"a complaint of a stranger, by the path among its fields", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" OWN ">\nOriginal-Rcpt-To: z@y.org\n",
	REPORT_NOBODY, "", ""},
    {"a complaint of a stranger, by the unsubscribe page", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: z@y.org\n" RETURNED(
	    "List-Unsubscribe: <https://mail.example.com/t/u/PAGE>\n"),
	REPORT_NOBODY, "", ""},
    {"a bounce of a stranger before the one who had the copy", "a@x.org", OWN,
	ELSEWHERE STATUS OF("", "z@y.org", "failed", "5.2.2", "552 5.2.2 full")
	    OF("", "A@x.org", "failed", "5.1.1", "550 5.1.1 no"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"one of several in words", "a@x.org", OWN,
	"From: MAILER-DAEMON@mx.example.net\nSubject: undeliverable\n\n"
	"A message could not be delivered to:\n\n"
	"z@y.org: 552 5.2.2 mailbox full\n<a@x.org>: 550 5.1.1 no\n",
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    {"several strangers in words", "a@x.org", OWN,
	"From: MAILER-DAEMON@mx.example.net\nSubject: undeliverable\n\n"
	"A message could not be delivered to:\n\n"
	"z@y.org: 550 5.1.1 no\n<y@y.org>: 552 5.2.2 mailbox full\n",
	REPORT_RECORDED,
	"0 bounced Transient 5.1.1: z@y.org: 550 5.1.1 no <y@y.org>: 552 5.2.2 mailbox full\n", ""},
    {"a complaint of a stranger and the one who had the copy", "a@x.org", OWN,
	ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: z@y.org\nOriginal-Rcpt-To: A@X.org\n",
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"a complaint by the unsubscribe address", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK
	"abuse\n" RETURNED("List-Unsubscribe: <mailto:UNSUB@send.example.com>\n"),
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"a complaint by the unsubscribe page", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK
	"abuse\n" RETURNED("List-Unsubscribe: <https://mail.example.com/t/u/PAGE>\n"),
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"a complaint by a forged unsubscribe page", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED("List-Unsubscribe: <https://mail.example.com/t/u/"
					      "AZnCpG8QezydXi-KHEt-YAAAAAAAAAAAAAAA>\n"),
	REPORT_STRANGE, "", ""},
    {"a bounce by the unsubscribe page", "a@x.org", "",
	ELSEWHERE STATUS FAILED("a@x.org")
	    RETURNED("List-Unsubscribe: <https://mail.example.com/t/u/PAGE>\n"),
	REPORT_STRANGE, "", ""},
    {"a complaint that names nobody", "a@x.org", "",
	"From: staff@example.net\nSubject: complaint about message from 192.0.2.1\n"
	"Content-Type: multipart/mixed; boundary=b\n\n" RETURNED(
	    "List-Unsubscribe: <https://mail.example.com/t/u/PAGE>\n"),
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"a complaint in the header of the message", "a@x.org", "",
	"From: a@example.com\nX-HmXmrOriginalRecipient: hidden\n"
	"List-Unsubscribe: <mailto:UNSUB@send.example.com>\n\nHello\n",
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    /* a complaint by CFBL */
    {"to the address for complaints", "a@x.org b@x.org", "CADDRESS@send.example.com",
	ELSEWHERE FEEDBACK "abuse\n", REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"to it, in capitals, by Delivered-To", "a@x.org b@x.org", "",
	"Delivered-To: C+CTOKEN@send.example.com\n" ELSEWHERE FEEDBACK "abuse\n", REPORT_RECORDED,
	"0 complained\n", "a@x.org complained\n"},
    {"to it, with a cut token", "a@x.org", "CADDRESS0@send.example.com",
	ELSEWHERE FEEDBACK "abuse\n", REPORT_STRANGE, "", ""},
    {"to it, of several", "a@x.org b@x.org", "c+CSHARED@send.example.com",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: <b@x.org>\n", REPORT_RECORDED,
	"1 complained\n", ""},
    {"to it, no spam", "a@x.org", "CADDRESS@send.example.com", ELSEWHERE FEEDBACK "not-spam\n",
	REPORT_NONE, "", ""},
    {"to it, in another form", "a@x.org", "CADDRESS@send.example.com",
	"From: a@example.com\nX-HmXmrOriginalRecipient: a@x.org\n"
	"List-Unsubscribe: <mailto:UNSUB@send.example.com>\n\nHello\n",
	REPORT_NONE, "", ""},
    {"to it, a letter", "a@x.org", "CADDRESS@send.example.com", "Subject: stop\n\n", REPORT_NONE,
	"", ""},
    {"to it, a bounce", "a@x.org", "CADDRESS@send.example.com", ELSEWHERE STATUS FAILED("a@x.org"),
	REPORT_STRANGE, "", ""},
    {"by the field", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED("CFBL-Feedback-ID: CTOKEN\n"), REPORT_RECORDED,
	"0 complained\n", "a@x.org complained\n"},
    {"by the field of a message that is cut", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n--b\nContent-Type: message/rfc822\n\n"
			   "CFBL-Feedback-ID: CTOKEN\nSubj",
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"by the field of a header", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n--b\nContent-Type: message/rfc822-headers\n\n"
			   "cfbl-feedback-id:\n CTOKEN \n\n--b--\n",
	REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"},
    {"by the field, of several", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED("To: b@x.org\nCFBL-Feedback-ID: CSHARED\n"),
	REPORT_RECORDED, "1 complained\n", ""},
    {"by the field, of an email to one", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED("CFBL-Feedback-ID: CSHARED\n"), REPORT_RECORDED,
	"0 complained\n", "a@x.org complained\n"},
    {"by the field, another one", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK
	"abuse\nOriginal-Rcpt-To: b@x.org\n" RETURNED("CFBL-Feedback-ID: CTOKEN\n"),
	REPORT_NOBODY, "", ""},
    {"by the field, a stranger", "a@x.org", "",
	ELSEWHERE FEEDBACK
	"abuse\nOriginal-Rcpt-To: z@y.org\n" RETURNED("CFBL-Feedback-ID: CTOKEN\n"),
	REPORT_NOBODY, "", ""},
    {"to the address for complaints, a stranger", "a@x.org", "CADDRESS@send.example.com",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: z@y.org\n", REPORT_NOBODY, "", ""},
    {"by the field in the report's own header", "a@x.org", "",
	"CFBL-Feedback-ID: CTOKEN\nList-Unsubscribe: <mailto:UNSUB@send.example.com>\n" ELSEWHERE
	    FEEDBACK "abuse\n",
	REPORT_STRANGE, "", ""},
    {"by the field in the report's text", "a@x.org", "",
	ELSEWHERE "--b\n\nCFBL-Feedback-ID: CTOKEN\n"
		  "List-Unsubscribe: <mailto:UNSUB@send.example.com>\n" FEEDBACK "abuse\n",
	REPORT_STRANGE, "", ""},
    {"by the field among those of the report", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nCFBL-Feedback-ID: CTOKEN\n", REPORT_STRANGE, "", ""},
    {"by the return path before the field", "a@x.org b@x.org", PATH,
	ELSEWHERE FEEDBACK "abuse\n" RETURNED("To: b@x.org\nCFBL-Feedback-ID: CTOKEN\n"),
	REPORT_RECORDED, "1 complained\n", ""},
    {"by the field before the unsubscribe page", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED("List-Unsubscribe: <mailto:UNSUB@send.example.com>\n"
					      "To: b@x.org\nCFBL-Feedback-ID: CSHARED\n"),
	REPORT_RECORDED, "1 complained\n", ""},
#define REDACTED(address)                                                                          \
	{                                                                                          \
		"redacted: " address, "a@x.org x@x.org", "",                                       \
		    ELSEWHERE FEEDBACK "abuse\nOriginal-Rcpt-To: <" address                        \
				       ">\n" RETURNED("CFBL-Feedback-ID: CTOKEN\n"),               \
		    REPORT_RECORDED, "0 complained\n", "a@x.org complained\n"                      \
	}
    REDACTED("nobody"),
    REDACTED("redacted@x.org"),
    REDACTED("Anonymous@x.org"),
    REDACTED("undisclosed@x.org"),
    REDACTED("unknown@x.org"),
    REDACTED("hidden@x.org"),
    REDACTED("x@x.org"),
    REDACTED("xxxx@x.org"),
    REDACTED("****@x.org"),
    REDACTED("-@x.org"),
    REDACTED("z@redacted.invalid"),
    REDACTED("z@invalid"),
    {"redacted, by the Message-ID", "a@x.org", "",
	ELSEWHERE FEEDBACK
	"abuse\nOriginal-Rcpt-To: redacted\n" RETURNED("To: a@x.org\n" MESSAGE_ID),
	REPORT_RECORDED, "0 complained\n", ""},
    /* in words */
    {"words, of a copy of one's own", "a@x.org b@x.org", OWN,
	"From: MAILER-DAEMON@x.org\n\nIt could not be delivered: 550 user unknown\n",
	REPORT_RECORDED, "0 bounced Permanent 5.1.1: It could not be delivered: 550 user unknown\n",
	"a@x.org bounced\n"},
    {"words, of one of two", "a@x.org b@x.org", PATH,
	"From: MAILER-DAEMON@x.org\n\nb@x.org: 550 user unknown\n", REPORT_RECORDED,
	"1 bounced Permanent 5.1.1: b@x.org: 550 user unknown\n", ""},
    {"words, of one of two, with lines of strangers", "a@x.org b@x.org", PATH,
	"From: MAILER-DAEMON@mx.example.net\nSubject: undeliverable\n\n"
	"Your message to <a@x.org> was forwarded and could not be delivered to:\n\n"
	"z@y.org: 550 5.1.1 no\n<y@y.org>: 550 5.1.1 no\n",
	REPORT_RECORDED,
	"0 bounced Permanent 5.1.1: Your message to <a@x.org> was forwarded and could not be"
	" delivered to: z@y.org: 550 5.1.1 no <y@y.org>: 550 5.1.1 no\n",
	""},
    {"words, of either", "a@x.org b@x.org", PATH,
	"From: MAILER-DAEMON@x.org\n\nIt could not be delivered: 550 user unknown\n", REPORT_NOBODY,
	"", ""},
    {"words, of a Message-ID", "a@x.org", "",
	"From: MAILER-DAEMON@x.org\n\na@x.org: 550 user unknown\n\nReceived: from a\n" MESSAGE_ID,
	REPORT_RECORDED, "0 bounced Permanent 5.1.1: a@x.org: 550 user unknown\n", ""},
    {"words of a person", "a@x.org", PATH,
	"From: a@x.org\n\nIt could not be delivered: 550 user unknown\n", REPORT_NONE, "", ""},
    {"a bare 550 at RCPT", "a@x.org", PATH,
	ELSEWHERE "<a@x.org>: said: 550 go away (in reply to RCPT TO command)\n" STATUS OF(
	    "a@x.org", "a@x.org", "failed", "5.0.0", "550 go away"),
	REPORT_RECORDED, "0 bounced Permanent 5.0.0: 550 go away\n", "a@x.org bounced\n"},
    {"one by two addresses", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "y@x.org", "failed", "5.1.1", "550 5.1.1 no")
	    OF("a@x.org", "z@x.org", "failed", "5.2.2", "552 5.2.2 full"),
	REPORT_RECORDED, A_BOUNCED, "a@x.org bounced\n"},
    /* what became of it */
    {"delivered", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "delivered", "2.0.0", "250 ok"), REPORT_RECORDED,
	"0 delivered\n", ""},
    {"relayed", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "relayed", "2.0.0", "250 ok"), REPORT_RECORDED,
	"0 delivered\n", ""},
    {"expanded", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "expanded", "2.0.0", "250 ok"), REPORT_RECORDED,
	"0 delivered\n", ""},
    {"delayed", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "delayed", "4.4.1", "451 4.4.1 later"),
	REPORT_RECORDED, "0 delayed 4.4.1: 451 4.4.1 later\n", ""},
    {"full", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.2.2", "552 5.2.2 full"),
	REPORT_RECORDED, "0 bounced Transient 5.2.2: 552 5.2.2 full\n", ""},
    {"out of time", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "4.4.1", "no answer"), REPORT_RECORDED,
	"0 bounced Transient 4.4.1: no answer\n", ""},
    {"refused for another reason", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.7.1", "550 5.7.1 spam"),
	REPORT_RECORDED, "0 bounced Permanent 5.7.1: 550 5.7.1 spam\n", ""},
    {"a bare 550", "a@x.org", PATH,
	ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.0.0", "550 we do not like it"),
	REPORT_RECORDED, "0 bounced Permanent 5.0.0: 550 we do not like it\n", ""},
    {"in the words of qmail", "a@x.org", PATH,
	"Subject: failure notice\n\nHi. This is the qmail-send program at mx.example.net.\n"
	"I'm afraid I wasn't able to deliver your message to the following addresses.\n\n"
	"<a@x.org>:\nSorry, no mailbox here by that name. (#5.1.1)\n",
	REPORT_RECORDED,
	"0 bounced Permanent 5.1.1: Sorry, no mailbox here by that name. (#5.1.1)\n",
	"a@x.org bounced\n"},
    /* complaints */
    {"a complaint", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH ">\nOriginal-Rcpt-To: <b@x.org>\n",
	REPORT_RECORDED, "1 complained\n", ""},
    {"a complaint known by the Message-ID", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "fraud\nOriginal-Rcpt-To: <b@x.org>\n" RETURNED(MESSAGE_ID),
	REPORT_RECORDED, "1 complained\n", ""},
    {"a complaint of the only recipient", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH ">\n", REPORT_RECORDED,
	"0 complained\n", "a@x.org complained\n"},
    {"a complaint of the one whom it was addressed to", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH
			   ">\n" RETURNED("To: Bob <b@x.org>, c@x.org\n"),
	REPORT_RECORDED, "1 complained\n", ""},
    {"a complaint of one of two", "a@x.org b@x.org", "",
	ELSEWHERE FEEDBACK "abuse\nOriginal-Mail-From: <" PATH
			   ">\n" RETURNED("To: a@x.org, b@x.org\n"),
	REPORT_NOBODY, "", ""},
    {"a complaint of nobody", "a@x.org", "",
	ELSEWHERE FEEDBACK "abuse\n" RETURNED(MESSAGE_ID "To: redacted\n"), REPORT_NOBODY, "", ""},
    {"praise", "a@x.org", PATH, ELSEWHERE FEEDBACK "not-spam\nOriginal-Rcpt-To: <a@x.org>\n",
	REPORT_NONE, "", ""},
    /* no reports */
    {"an answer", "a@x.org", PATH, "Subject: Re: Hello\n\nI am away.\n", REPORT_NONE, "", ""},
    {"nothing at all", "a@x.org", PATH, "", REPORT_NONE, "", ""},
};

static guint
report_count_lines(const char *text)
{
	guint count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

Test(report, is_recorded)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct report_case *c = &cases[i];
		struct base_id id = posting_submit(fixture, c->to);
		struct feedback_report_result got =
		    reporting_take(fixture, &id, c->envelope, c->text);

		cr_expect_eq(got.outcome, c->want, "%s: got outcome %d, want %d", c->name,
		    (int)got.outcome, (int)c->want);
		cr_expect_eq(
		    got.events, report_count_lines(c->want_events), "%s: %u", c->name, got.events);
		cr_expect_eq(got.suppressed, report_count_lines(c->want_suppressed), "%s: %u",
		    c->name, got.suppressed);
		reporting_expect(fixture, c->name, &id, c->want_events, c->want_suppressed);
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

/* All that two ways to take reports are compared by. The caller owns it. */
static char *
report_describe_all(struct fixture *fixture, const struct reporting_report *reports,
    const struct feedback_report_result *results, guint count)
{
	static const char *const tables[] = {
	    "SELECT CONCAT('deliveries ', COUNT(*)) FROM webhook_delivery",
	    "SELECT CONCAT('statements ', COUNT(*), ' ', SUM(recipient), ' ', SUM(verdict))"
	    " FROM hearsay",
	    "SELECT CONCAT('reports ', COUNT(*)) FROM report",
	    "SELECT CONCAT('choices ', COUNT(*)) FROM consent",
	    "SELECT CONCAT('days ', SUM(delivered), ' ', SUM(bounced)) FROM domain_day",
	    "SELECT CONCAT('rare ', COUNT(*), ' ', SUM(status)) FROM recipient_status",
	    "SELECT CONCAT('figures ', SUM(delivered), ' ', SUM(bounced), ' ', SUM(complained))"
	    " FROM figure",
	};
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		g_autofree char *events = fixture_events(fixture, &reports[i].id);

		g_string_append_printf(text, "%s: %s %u %u %u\n%s", cases[i].name,
		    feedback_report_outcome_name(results[i].outcome), results[i].events,
		    results[i].strangers, results[i].suppressed, events);
	}
	g_autofree char *list = reporting_suppressed(fixture);
	g_string_append(text, list);
	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *row = test_db_text(fixture->db, tables[i]);
		g_string_append_printf(text, "%s\n", row);
	}
	return g_string_free(text, FALSE);
}

/* Taken together, all cases have the results that they have one after the other. */
Test(report, is_recorded_together_as_alone)
{
	static const guint sizes[] = {1, 2, G_N_ELEMENTS(cases)};
	struct reporting_report reports[G_N_ELEMENTS(cases)];
	struct feedback_report_result results[G_N_ELEMENTS(cases)];
	char *told[G_N_ELEMENTS(sizes)];

	for (gsize way = 0; way < G_N_ELEMENTS(sizes); way++) {
		AUTO(fixture) fixture = fixture_open(NULL, NULL);
		guint count = G_N_ELEMENTS(cases);

		test_db_plain(fixture->db,
		    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, "
		    "description,"
		    " created, secret) SELECT RANDOM_BYTES(16), id, 'https://receiver.example/',"
		    " ~0 >> 1, 1, 1, '', 1, '' FROM workspace");
		for (guint i = 0; i < count; i++)
			reports[i] = (struct reporting_report){
			    posting_submit(fixture, cases[i].to), cases[i].envelope, cases[i].text};
		for (guint i = 0; i < count; i += sizes[way])
			reporting_take_all(fixture, &reports[i], MIN(sizes[way], count - i),
			    sizes[way] > 1, &results[i]);
		told[way] = report_describe_all(fixture, reports, results, count);
		cr_expect_str_eq(
		    told[way], told[0], "by %u: got\n%swant\n%s", sizes[way], told[way], told[0]);
		for (guint i = 0; i < count; i++)
			cr_expect_eq(results[i].outcome, cases[i].want, "%s", cases[i].name);
	}
	for (gsize way = 0; way < G_N_ELEMENTS(sizes); way++)
		g_free(told[way]);
}

/* The result of the first time; the second time adds nothing. */
Test(report, is_recorded_once)
{
	static const char text[] = HEAD(PATH) STATUS FAILED("a@x.org")
	    OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no answer");
	static const char want[] = A_BOUNCED "1 delayed 4.4.1: no answer\n";
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org b@x.org");

	cr_expect_eq(reporting_take(fixture, &id, PATH, text).outcome, REPORT_RECORDED);
	reporting_expect(fixture, "first", &id, want, "");
	cr_expect_eq(reporting_take(fixture, &id, PATH, text).outcome, REPORT_REPEATED);
	cr_expect_eq(reporting_take(fixture, &id, PATH,
			 "Received: by another way\n" HEAD(PATH) STATUS FAILED("a@x.org")
			     OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no answer"))
			 .outcome,
	    REPORT_REPEATED);
	reporting_expect(fixture, "again", &id, want, "");
	/* The same is told anew: it happened again. */
	cr_expect_eq(reporting_take(fixture, &id, PATH,
			 ELSEWHERE STATUS OF("b@x.org", "b@x.org", "delayed", "4.4.1", "no"))
			 .outcome,
	    REPORT_RECORDED);
}

Test(report, of_one_email_is_not_taken_for_that_of_another)
{
	static const char text[] = ELSEWHERE STATUS FAILED("a@x.org");
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id one = posting_submit(fixture, "a@x.org"),
		       two = posting_submit(fixture, "a@x.org");

	cr_expect_eq(reporting_take(fixture, &one, PATH, text).outcome, REPORT_RECORDED);
	cr_expect_eq(reporting_take(fixture, &two, PATH, text).outcome, REPORT_RECORDED);
	reporting_expect(fixture, "one", &one, A_BOUNCED, "a@x.org bounced\n");
	reporting_expect(fixture, "two", &two, A_BOUNCED, "a@x.org bounced\n");
}

Test(report, is_believed_for_30_days_where_only_the_message_id_speaks_for_it)
{
	static const struct {
		const char *name, *envelope;
		gint64 age;
		enum feedback_report_outcome want;
	} ages[] = {
	    {"30 days", "", 30 * DAY - 60000, REPORT_RECORDED},
	    {"more", "", 30 * DAY + 60000, REPORT_STRANGE},
	    {"more, with a token", PATH, 30 * DAY + 60000, REPORT_RECORDED},
	};
	gint64 now = base_clock_now();
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(ages); i++) {
		base_clock_set(now);
		struct base_id id = posting_submit(fixture, "a@x.org");
		base_clock_set(now + ages[i].age);
		struct feedback_report_result got = reporting_take(fixture, &id, ages[i].envelope,
		    ELSEWHERE STATUS FAILED("a@x.org") RETURNED(MESSAGE_ID));
		cr_expect_eq(
		    got.outcome, ages[i].want, "%s: got %d", ages[i].name, (int)got.outcome);
	}
}

Test(report, adds_no_more_to_an_email_than_it_may)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
	enum feedback_report_outcome want = REPORT_RECORDED;

	cr_assert(db_run(fixture->db,
	    "INSERT INTO report (email_id, digest, workspace_id, created)"
	    " SELECT ?, UNHEX(SHA2(seq, 256)), ?, 0 FROM seq_1_to_999",
	    DB_VALUES(db_id(&id), db_id(&fixture->key.workspace_id)), NULL, NULL));
	for (guint i = LIMIT_REPORTS; i <= LIMIT_REPORTS + 1; i++) {
		g_autofree char *text = g_strdup_printf("%s\nReport: %u\n", FULL, i);

		cr_expect_eq(reporting_take(fixture, &id, PATH, text).outcome, want, "%u", i);
		want = REPORT_TOO_MANY;
	}
}

/* A failure in the middle, and the result of the same report given again. */
Test(report, is_recorded_once_when_the_connection_breaks)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		enum test_proxy_command command;
		const char *text;
		int want_code;
		enum feedback_report_outcome want;
	} faults[] = {
	    {"looking for it", TEST_PROXY_CUT_COMMAND, TEST_PROXY_PREPARE, "SELECT",
		PH_ERROR_TEMPORARY, REPORT_RECORDED},
	    {"noting it", TEST_PROXY_CUT_ANSWER, TEST_PROXY_PREPARE, "INSERT INTO event",
		PH_ERROR_TEMPORARY, REPORT_RECORDED},
	    {"COMMIT lost", TEST_PROXY_CUT_COMMAND, TEST_PROXY_COMMIT, "", PH_ERROR_UNCERTAIN,
		REPORT_RECORDED},
	    {"its answer lost", TEST_PROXY_CUT_ANSWER, TEST_PROXY_COMMIT, "", PH_ERROR_UNCERTAIN,
		REPORT_REPEATED},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	fixture_use_proxy(fixture);
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		test_db_plain(fixture->db, "DELETE FROM suppression");
		fixture_renew(fixture, NULL, NULL);
		struct base_id id = posting_submit(fixture, "a@x.org");
		g_autofree char *text =
		    reporting_fill(fixture, &id, HEAD(PATH) STATUS FAILED("a@x.org"));
		const char *const nobody[] = {NULL};
		struct feedback_report_result result;
		g_autoptr(GError) error = NULL;

		test_proxy_break(
		    fixture->proxy, faults[i].fault, faults[i].command, faults[i].text, 0);
		cr_assert_not(
		    feedback_report(fixture->service, text, strlen(text), nobody, &result, &error),
		    "%s", faults[i].name);
		cr_expect_eq(error->code, faults[i].want_code, "%s: got %d: %s", faults[i].name,
		    error->code, error->message);
		fixture_renew(fixture, NULL, NULL);
		cr_expect_eq(
		    reporting_take(fixture, &id, "", HEAD(PATH) STATUS FAILED("a@x.org")).outcome,
		    faults[i].want, "%s", faults[i].name);
		reporting_expect(fixture, faults[i].name, &id, A_BOUNCED, "a@x.org bounced\n");
	}
}

/* A report about an erased recipient is not taken for one about the remaining recipient. */
Test(report, of_an_erased_person_is_recorded_of_nobody)
{
	static const struct {
		const char *name, *text, *envelope;
		enum feedback_report_outcome want;
		const char *want_events;
	} cases_of_two[] = {
	    {"of the one who was erased", ELSEWHERE STATUS FAILED("a@x.org"), PATH, REPORT_NOBODY,
		""},
	    {"of a copy of one's own", ELSEWHERE STATUS FAILED("a@x.org"), OWN, REPORT_NOBODY, ""},
	    {"a complaint of a copy of one's own", ELSEWHERE FEEDBACK "abuse\n", OWN, REPORT_NOBODY,
		""},
	    {"of the other", ELSEWHERE STATUS FAILED("b@x.org"), PATH, REPORT_RECORDED,
		"1 bounced Permanent 5.1.1: 550 5.1.1 no\n"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org b@x.org");
	struct store_erasure erasure;
	g_autoptr(GError) error = NULL;

	cr_assert(
	    person_erase(fixture->service, &fixture->key.workspace_id, "a@x.org", &erasure, &error),
	    "%s", error ? error->message : "");
	for (gsize i = 0; i < G_N_ELEMENTS(cases_of_two); i++) {
		struct feedback_report_result got =
		    reporting_take(fixture, &id, cases_of_two[i].envelope, cases_of_two[i].text);
		g_autofree char *events = fixture_events(fixture, &id);

		cr_expect_eq(got.outcome, cases_of_two[i].want, "%s: got %d", cases_of_two[i].name,
		    (int)got.outcome);
		cr_expect_str_eq(
		    events, cases_of_two[i].want_events, "%s: %s", cases_of_two[i].name, events);
	}
}

/* Return path and envelope id name the recipient of a message to one, also to the last remaining
 * one. */
Test(report, of_what_the_relay_was_shown)
{
	static const struct smtp_script script = {.extensions = "DSN"};
	static const struct {
		const char *to;
		guint want;
	} mails[] = {
	    {"a@x.org", 0},
	    {"a@x.org b@x.org", RETURN_PATH_SHARED},
	    {"gone@x.org b@x.org", 1},
	    {"gone@x.org b@x.org c@x.org", RETURN_PATH_SHARED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(mails); i++) {
		AUTO(fixture) fixture = fixture_open(&script, NULL);
		struct base_id id = posting_submit(fixture, mails[i].to);
		struct link_return_path path = {.recipient = 1234}, envid = path;

		cr_assert_not_null(
		    person_suppress_add(fixture->service, &fixture->key.workspace_id, "gone@x.org",
			&(struct store_suppression_state){SUPPRESSION_MANUAL, SUPPRESSION_ALL},
			&posting_api, NULL));
		posting_deliver(fixture);
		smtp_server_stop(fixture->relay);
		const char *log = strstr(smtp_server_log(fixture->relay), "MAIL FROM:<");
		cr_assert(log, "%s", smtp_server_log(fixture->relay));
		g_auto(GStrv) words = g_strsplit_set(log, " \r\n", 16);
		cr_expect(link_return_path_read(fixture->service, log, &path), "%s", log);
		for (char **word = words; *word; word++)
			if (g_str_has_prefix(*word, "ENVID="))
				link_return_path_read_envid(fixture->service, *word + 6, &envid);
		cr_expect_eq(path.recipient, mails[i].want, "%s: %u", mails[i].to, path.recipient);
		cr_expect_eq(envid.recipient, mails[i].want, "%s: %u: %s", mails[i].to,
		    envid.recipient, log);
		cr_expect(base_id_equal(&path.email, &id) && base_id_equal(&envid.email, &id));
	}
}

Test(report, goes_with_the_only_recipient)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
	struct store_erasure erasure;

	fixture->is_altered = true;
	cr_expect_eq(reporting_take(fixture, &id, PATH, FULL).outcome, REPORT_RECORDED);
	cr_assert(
	    person_erase(fixture->service, &fixture->key.workspace_id, "a@x.org", &erasure, NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), 0);
}
