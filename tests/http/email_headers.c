/* SPDX-License-Identifier: MIT */
/* Header fields: those that a client gives, and texts that must not become header fields. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/email.h"

FIXTURE_SUITE(email_headers, 900);

Test(email_headers, of_ours_are_not_taken)
{
	static const char *const names[] = {"From", "Sender", "To", "Cc", "Bcc", "Reply-To",
	    "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	    "Content-Transfer-Encoding", "Content-Anything", "Return-Path", "Received",
	    "DKIM-Signature", "DKIM-Anything", "X-Posthouse-Id", "ARC-Seal",
	    "ARC-Message-Signature", "Authentication-Results", "from", "BCC", "content-type",
	    "message-id"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *change = g_strdup_printf("'headers':{'%s':'x'}", names[i]);
		g_autofree char *want =
		    g_strdup_printf("headers.%s is set by the service", names[i]);
		const struct refusal refusal = {names[i], change, want};
		email_refuse_all(fixture, &refusal, 1);
	}
}

/* Nor are those that steer the provider of a relay, nor one that libesmtp does not send. */
Test(email_headers, that_steer_a_provider_are_not_taken)
{
	static const char *const names[] = {"X-SMTPAPI", "x-smtpapi", "X-SES-CONFIGURATION-SET",
	    "X-SES-MESSAGE-TAGS", "X-SES-SOURCE-ARN", "X-Mailgun-Recipient-Variables",
	    "X-Mailgun-Track", "X-PM-Message-Stream", "X-PM-Tag", "X-Mailin-custom",
	    "X-Sib-Sandbox", "X-MC-BccAddress", "x-mc-track", "X-MSYS-API", "X-MJ-TemplateID",
	    "X-Mailjet-Campaign", "X-ElasticEmail-Settings", "X-xsMailingId", "X-MailerSend-Tags",
	    "X-MT-Category", "X-Postal-Tag", "Resend-Idempotency-Key", "Original-Recipient"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *change = g_strdup_printf("'headers':{'%s':'x'}", names[i]);
		g_autofree char *want =
		    g_strdup_printf("headers.%s is set by the service", names[i]);
		const struct refusal refusal = {names[i], change, want};
		email_refuse_all(fixture, &refusal, 1);
	}
}

#define NO_NAME " must have a name of 1 to 76 printable ASCII characters without a colon"
#define NO_BREAK " must not have a line break in it"

Test(email_headers, that_are_none_are_not_taken)
{
	static const struct refusal refusals[] = {
	    {"empty name", "'headers':{'':'x'}", "headers." NO_NAME},
	    {"space", "'headers':{'X A':'x'}", "headers.X A" NO_NAME},
	    {"colon", "'headers':{'X:':'x'}", "headers.X:" NO_NAME},
	    {"colon and value", "'headers':{'Bcc: e@example.org':'x'}",
		"headers.Bcc: e@example.org" NO_NAME},
	    {"line break in the name", "'headers':{'X\\r\\nBcc':'x'}", "headers.X\r\nBcc" NO_NAME},
	    {"other script", "'headers':{'X-\u00e9':'x'}", "headers.X-\u00e9" NO_NAME},
	    {"tab", "'headers':{'X\\t':'x'}", "headers.X\t" NO_NAME},
	    {"CR LF in the value", "'headers':{'X-A':'x\\r\\nBcc: e@example.org'}",
		"headers.X-A" NO_BREAK},
	    {"LF", "'headers':{'X-A':'x\\ny'}", "headers.X-A" NO_BREAK},
	    {"CR", "'headers':{'X-A':'x\\ry'}", "headers.X-A" NO_BREAK},
	    {"at the end", "'headers':{'X-A':'x\\r\\n'}", "headers.X-A" NO_BREAK},
	    {"given twice", "'headers':{'X-A':'x','x-a':'y'}", "headers.x-a is given twice"},
	    {"a list of one that stands once", "'headers':{'List-Id':['<a.b>']}",
		"headers.List-Id must be a string: a message has one field of this name"},
	    {"an id in another script", "'headers':{'References':'<\u00e9@x.org>'}",
		"headers.References must be ASCII"},
	    {"no URL", "'headers':{'List-Unsubscribe':'\u00e9'}",
		"headers.List-Unsubscribe must have text that is not ASCII only in URLs, which "
		"stand between < and >"},
	    {"no address", "'headers':{'Errors-To':'\u00e9@x.org'}",
		"headers.Errors-To must be a valid email address: \"\u00e9@x.org\" has a local "
		"part (before the @) that is not ASCII; such local parts cannot be sent"},
	};

	REFUSE_ALL(fixture, refusals);
}

Test(email_headers, of_a_client_arrive)
{
	static const struct {
		const char *name, *value, *want;
	} cases[] = {
	    {"X-Plain", "one two", "one two"},
	    {"X-Empty", "", ""},
	    {"X-Other", "\u5c71 \u00e9", "\u5c71 \u00e9"},
	    {"X-Word", "=?utf-8?q?a?= b", NULL}, /* the client's own encoding, or ours of it */
	    {"List-Unsubscribe", "<https://example.com/u>", "<https://example.com/u>"},
	    {"List-Help", "<https://b\u00fccher.example/\u00fc>",
		"<https://xn--bcher-kva.example/%C3%BC>"},
	    {"List-Id", "Gr\u00fcn <a.example.com>", "Gr\u00fcn <a.example.com>"},
	    {"In-Reply-To", "<a@example.com>", "<a@example.com>"},
	    {"X-Quote", "a\\u0022b\\\\c", "a\"b\\c"},
	    {"Priority", "urgent", "urgent"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change =
		    g_strdup_printf("'headers':{'%s':'%s'}", cases[i].name, cases[i].value);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		const char *got = arrival_header(arrival, cases[i].name);
		cr_expect(got && (!cases[i].want || strcmp(got, cases[i].want) == 0),
		    "%s: got \"%s\", want \"%s\"", cases[i].name, got, cases[i].want);
	}
}

Test(email_headers, repeat_where_they_may)
{
	g_autofree char *id = email_send(fixture, "'headers':{'X-A':['one','tw\u00f6'],'X-B':[]}");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	gsize size;
	const char *data = g_bytes_get_data(arrival->bytes, &size);
	g_autofree char *text = g_strndup(data, size);

	cr_expect(strstr(text, "\r\nX-A: one\r\nX-A: =?utf-8?"), "%s", text);
	cr_expect_not(strstr(text, "X-B"));
}

/* One-click is for https, and for a service on this machine: the tests' one. */
Test(email_headers, promise_a_click_only_where_there_is_one)
{
	static const struct {
		const char *headers;
		bool want;
	} cases[] = {
	    {"'List-Unsubscribe':'<https://x.org/u>'", true},
	    {"'List-Unsubscribe':'<mailto:a@x.org>, <http://x.org/u>'", true},
	    {"'List-Unsubscribe':'<mailto:a@x.org>'", false},
	    {"'X-A':'x'", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = g_strdup_printf(
		    "'headers':{%s,'List-Unsubscribe-Post':'List-Unsubscribe=One-Click'}",
		    cases[i].headers);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		const char *got = arrival_header(arrival, "List-Unsubscribe-Post");
		cr_expect_eq(got != NULL, cases[i].want, "%s: got %s", cases[i].headers, got);
	}
}

#define CONTROLS(field, shown)                                                                     \
	field " must be a valid email address: \"" shown "\" has control characters or line "      \
	      "breaks"

/* Each field that ends up in the header, with a line break in it. */
Test(email_headers, cannot_be_injected)
{
	static const struct refusal refusals[] = {
	    {"subject", "'subject':'x\\r\\nBcc: e@example.org'",
		"subject must not contain control characters"},
	    {"subject, LF", "'subject':'x\\nBcc: e@example.org'",
		"subject must not contain control characters"},
	    {"subject, CR", "'subject':'x\\ry'", "subject must not contain control characters"},
	    {"subject, escape", "'subject':'x\\u001by'",
		"subject must not contain control characters"},
	    {"from", "'from':'a@example.com\\r\\nBcc: e@example.org'",
		CONTROLS("from", "a@example.com??Bcc: e@example.org")},
	    {"from, name", "'from':'A\\nBcc: e@example.org <a@example.com>'",
		CONTROLS("from", "A?Bcc: e@example.org <a@example.com>")},
	    {"from, quoted name", "'from':'\\u0022A\\r\\nB\\u0022 <a@example.com>'",
		CONTROLS("from", "\"A??B\" <a@example.com>")},
	    {"from, encoded line break", "'from':'=?utf-8?q?A=0D=0AB?= <a@example.com>'",
		"from must not have control characters in a name"},
	    {"to", "'to':'b@example.net\\r\\nDATA'", CONTROLS("to", "b@example.net??DATA")},
	    {"to, an element", "'to':['b@example.net','c@example.net\\n']",
		"to[1] must be a valid email address: \"c@example.net?\" has control characters or "
		"line breaks"},
	    {"to, angle brackets", "'to':'b@example.net> SIZE=1\\r\\nRCPT TO:<e@example.org'",
		CONTROLS("to", "b@example.net> SIZE=1??RCPT TO:<e@example.org")},
	    {"to, bracket alone", "'to':'b@example.net>'",
		"to must be a valid email address: \"b@example.net>\" is not one"},
	    {"cc", "'cc':'\\u0022x\\ny\\u0022 <c@example.net>'",
		CONTROLS("cc", "\"x?y\" <c@example.net>")},
	    {"bcc", "'bcc':'c@example.net\\u0085'", CONTROLS("bcc", "c@example.net?")},
	    {"reply_to", "'reply_to':'c@example.net\\r\\n X: y'",
		CONTROLS("reply_to", "c@example.net?? X: y")},
	};

	REFUSE_ALL(fixture, refusals);
}

Test(email_headers, have_spaces_for_tabs_in_a_subject)
{
	g_autofree char *id = email_send(fixture, "'subject':'a\\tb {{x|c\\td}}'");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	const char *got = arrival_header(arrival, "Subject");

	cr_expect(got && strcmp(got, "a b c d") == 0, "got %s", got);
}

/* Which recipients see each other, and which get the message. */
Test(email_headers, name_recipients_but_bcc)
{
	g_autofree char *id = email_send(fixture,
	    "'from':'Ann <a@example.com>','to':['B <b@example.net>','b2@example.net'],"
	    "'cc':'C <c@example.net>','bcc':'D <d@example.net>',"
	    "'reply_to':['E <e@example.net>','f@example.net']");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	const char *text = g_bytes_get_data(arrival->bytes, NULL);
	const struct {
		const char *name, *want;
	} headers[] = {
	    {"From", "Ann <a@example.com>"},
	    {"To", "B <b@example.net>, b2@example.net"},
	    {"Cc", "C <c@example.net>"},
	    {"Reply-To", "E <e@example.net>, f@example.net"},
	    {"Bcc", NULL},
	    {"Sender", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(headers); i++) {
		const char *got = arrival_header(arrival, headers[i].name);
		cr_expect(g_strcmp0(got, headers[i].want) == 0, "%s: got \"%s\", want \"%s\"",
		    headers[i].name, got, headers[i].want);
	}
	cr_expect_str_eq(arrival->recipients,
	    "b2@example.net b@example.net c@example.net d@example.net", "got %s",
	    arrival->recipients);
	cr_expect_null(strstr(strstr(text, "DKIM-Signature"), "d@example.net"));
	cr_expect(
	    g_str_has_suffix(arrival->sender, "@send." FIXTURE_DOMAIN), "got %s", arrival->sender);
}

/* One address in several lists, in other case: once. */
Test(email_headers, bring_one_message_to_an_address)
{
	g_autofree char *id = email_send(fixture,
	    "'to':['b@example.net','B@EXAMPLE.NET'],'cc':'b@example.net','bcc':'c@example.net'");
	AUTO(arrival) arrival = arrival_wait(fixture, id);

	cr_expect_str_eq(
	    arrival->recipients, "b@example.net c@example.net", "got %s", arrival->recipients);
}
