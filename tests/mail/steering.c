/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "mail/steering.h"

Test(steering, knows_the_fields_of_providers)
{
	static const struct {
		const char *name;
		bool want;
	} cases[] = {
	    {"X-SMTPAPI", true},
	    {"x-smtpapi", true},
	    {"X-SMTPAPIS", false},
	    {"X-SES-CONFIGURATION-SET", true},
	    {"x-ses-", true},
	    {"X-SES", false},
	    {"X-Session-Id", false},
	    {"X-Mailgun-Track", true},
	    {"X-Mailgunner", false},
	    {"X-PM-Message-Stream", true},
	    {"X-PMX", false},
	    {"X-Mailin-Tag", true},
	    {"X-Sib-Sandbox", true},
	    {"X-MC-Track", true},
	    {"X-MSYS-API", true},
	    {"X-MJ-CustomID", true},
	    {"X-Mailjet-Campaign", true},
	    {"X-ElasticEmail-Settings", true},
	    {"X-xsMailingId", true},
	    {"X-XSS", false},
	    {"X-MailerSend-Tags", true},
	    {"X-MT-Category", true},
	    {"X-Postal-Tag", true},
	    {"Resend-Idempotency-Key", true},
	    {"X-Mailer", false},
	    {"X-Entity-Ref-ID", false},
	    {"List-Unsubscribe", false},
	    {"", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_steering_has(cases[i].name, strlen(cases[i].name)), cases[i].want,
		    "%s: want %d", cases[i].name, cases[i].want);
}

#define OWN "X-Posthouse-Id: 1\r\nX-SES-MESSAGE-TAGS: posthouse-id=1\r\n"

Test(steering, takes_fields_out_of_a_header)
{
	static const struct {
		const char *name, *given, *own;
		bool allowed;
		const char *want;
	} cases[] = {
	    {"nothing to do", "A: b\r\n\r\nX-SMTPAPI: body\r\n", NULL, false,
		"A: b\r\n\r\nX-SMTPAPI: body\r\n"},
	    {"first", "X-SMTPAPI: {}\r\nA: b\r\n\r\nx", "", false, "A: b\r\n\r\nx"},
	    {"last", "A: b\r\nX-SES-A: c\r\n\r\nx", "", false, "A: b\r\n\r\nx"},
	    {"all", "X-SES-A: c\r\nx-pm-b: d\r\n\r\nx", "", false, "\r\nx"},
	    {"between, folded", "A: b\r\nx-mc-track: c\r\n d\r\n\te\r\nF: g\r\n h\r\n\r\nx", NULL,
		false, "A: b\r\nF: g\r\n h\r\n\r\nx"},
	    {"space before the colon", "X-SMTPAPI : c\r\nA: b\r\n\r\n", NULL, false,
		"A: b\r\n\r\n"},
	    {"a folded value that looks alike", "A: b\r\n X-SMTPAPI: c\r\n\r\n", NULL, false,
		"A: b\r\n X-SMTPAPI: c\r\n\r\n"},
	    {"no body", "A: b\r\nX-PM-Tag: c", NULL, false, "A: b\r\n"},
	    {"empty", "", OWN, false, ""},
	    {"allowed", "X-SMTPAPI: {}\r\nX-PM-A: b\r\n\r\nx", "", true,
		"X-SMTPAPI: {}\r\nX-PM-A: b\r\n\r\nx"},
	    {"allowed, but ours comes",
		"x-ses-message-tags: a=b\r\nX-SES-A: c\r\nx-posthouse-id: 2\r\n\r\nx", OWN, true,
		"X-SES-A: c\r\n\r\nx"},
	    {"not allowed, and ours comes",
		"X-SES-MESSAGE-TAGS: a=b\r\nX-SES-A: c\r\nX-Posthouse-Id: 2\r\nA: b\r\n\r\nx", OWN,
		false, "A: b\r\n\r\nx"},
	    {"names in part like ours", "X-SES-MESSAGE: a\r\nX-Posthouse-Ids: b\r\n\r\nx", OWN,
		true, "X-SES-MESSAGE: a\r\nX-Posthouse-Ids: b\r\n\r\nx"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) given =
		    g_bytes_new_static(cases[i].given, strlen(cases[i].given));
		g_autoptr(GBytes) got = mail_steering_remove(given, cases[i].own, cases[i].allowed);
		gsize size;
		const char *bytes = g_bytes_get_data(got, &size);

		cr_expect(size == strlen(cases[i].want) &&
			      (size == 0 || memcmp(bytes, cases[i].want, size) == 0),
		    "%s: got %.*s", cases[i].name, (int)size, bytes ? bytes : "");
	}
}
