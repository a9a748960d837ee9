/* SPDX-License-Identifier: MIT */
#include "mail/header.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"

Test(header, knows_the_fields_that_are_not_the_callers)
{
	static const struct {
		const char *name;
		bool want;
	} cases[] = {
	    {"From", true},
	    {"bcc", true},
	    {"MESSAGE-ID", true},
	    {"Content-Type", true},
	    {"content-", true},
	    {"DKIM-Signature", true},
	    {"ARC-Seal", true},
	    {"Resent-To", true},
	    {"Received", true},
	    {"Received-SPF", false},
	    {"Contents", false},
	    {"X-From", false},
	    {"Fro", false},
	    {"In-Reply-To", false},
	    {"List-Unsubscribe", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_header_reserved(cases[i].name), cases[i].want, "%s: want %d",
		    cases[i].name, cases[i].want);
}

static void
expect_check(const char *name, const char *value, bool want)
{
	g_autoptr(GError) error = NULL;
	struct mail_header header = {name, value};
	bool got = mail_header_check(&header, &error);

	cr_expect_eq(got, want, "%s: %.80s: got %d, want %d", name, value, got, want);
	cr_expect_eq(got, error == NULL, "%s: an error exactly when refused", name);
	if (error)
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s: %s", name,
		    error->message);
}

Test(header, refuses_what_could_break_out_of_a_field)
{
	static const struct {
		const char *name;
		const char *value;
		bool want;
	} cases[] = {
	    {"X-A", "b", true},
	    {"X-A", "", true},
	    {"X-A", "b\tc", true},
	    {"X-A", "Gr\303\274\303\237e", true},
	    {"!#$%&'*+-.^_`{|}~", "all that a name may be", true},
	    {"", "b", false},
	    {"X A", "b", false},
	    {"X-A:", "b", false},
	    {"X-A\r\nBcc", "b", false},
	    {"X-\303\274", "b", false},
	    {"X-\177", "b", false},
	    {"X-A", "b\r\nBcc: c", false},
	    {"X-A", "b\n", false},
	    {"X-A", "\rb", false},
	    {"X-A", "b\377", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_check(cases[i].name, cases[i].value, cases[i].want);
}

Test(header, holds_names_and_words_to_their_limits)
{
	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *name = g_strnfill(LIMIT_HEADER_NAME_LENGTH + over, 'n');
		g_autofree char *word = g_strnfill(997 + over, 'w');
		g_autofree char *words = g_strconcat(word, " ", word, NULL);
		expect_check(name, "b", !over);
		expect_check("X-A", word, !over);
		expect_check("X-A", words, !over);
	}
}

Test(header, knows_a_content_type)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
	    {"text/plain", true},
	    {"application/vnd.ms-excel.sheet+xml", true},
	    {"text/plain; charset=utf-8", true},
	    {"text/plain;charset=\"utf-8\" ; format=flowed", true},
	    {"", false},
	    {"text", false},
	    {"text/", false},
	    {"/plain", false},
	    {"text/plain/x", false},
	    {"text /plain", false},
	    {"text/plain ", false},
	    {"text/plain;", false},
	    {"text/plain; charset", false},
	    {"text/plain; charset=", false},
	    {"text/plain; charset=\"utf-8", false},
	    {"text/plain; x=\"a\\\"b\"", false},
	    {"text/plain; x=\"a\r\nb\"", false},
	    {"text/plain\r\nBcc: x", false},
	    {"text/pl\303\244in", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_header_content_type(cases[i].text), cases[i].want, "%s: want %d",
		    cases[i].text, cases[i].want);
}

Test(header, knows_an_id)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {{"logo", true}, {"a.b@c", true}, {"", false}, {"a b", false}, {"a>b", false},
	    {"<a", false}, {"a\n", false}, {"\303\244", false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_header_id(cases[i].text, strlen(cases[i].text)), cases[i].want,
		    "%s: want %d", cases[i].text, cases[i].want);
}
