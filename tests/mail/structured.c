/* SPDX-License-Identifier: MIT */
#include "mail/structured.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "mail/field.h"
#include "mail/header.h"

#define NO_URL "must have text that is not ASCII only in URLs, which stand between < and >"
#define MUST_ADDRESS "must be a valid email address: "
#define U "\303\274" /* u with two dots */

/* The field as it is written, or the fault. */
static char *
structured_written(const char *name, const char *value)
{
	const struct mail_header header = {name, value};
	g_autoptr(GError) error = NULL;
	GString *out = g_string_new(NULL);
	struct mail_field field;

	if (!mail_structured_check(&header, &error)) {
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
		return g_string_free(g_string_append(out, error->message), FALSE);
	}
	mail_field_begin(&field, out, name);
	mail_structured_write(&field, &header);
	mail_field_end(&field);
	return g_string_free(out, FALSE);
}

Test(structured, fields_have_their_grammar)
{
	static const struct {
		const char *name, *value, *want;
	} cases[] = {
	    /* text */
	    {"X-A", U, "X-A: =?utf-8?b?w7w=?=\r\n"},
	    {"Comments", U, "Comments: =?utf-8?b?w7w=?=\r\n"},
	    /* ASCII stays as it is, whatever it is */
	    {"References", "x y", "References: x y\r\n"},
	    {"List-Unsubscribe", "https://x.org", "List-Unsubscribe: https://x.org\r\n"},
	    {"List-Id", "=?utf-8?b?w7w=?= <x>", "List-Id: =?utf-8?b?w7w=?= <x>\r\n"},
	    /* URLs */
	    {"List-Unsubscribe", "<https://b" U "cher.example/" U "?a=" U ">, <mailto:a@x.org>",
		"List-Unsubscribe: <https://xn--bcher-kva.example/%C3%BC?a=%C3%BC>,\r\n"
		" <mailto:a@x.org>\r\n"},
	    {"list-help", "<HTTP://u" U "@b" U "cher.example:81#" U "> (help)",
		"list-help: <HTTP://u%C3%BC@xn--bcher-kva.example:81#%C3%BC> (help)\r\n"},
	    {"List-Owner", "<mailto:a@b" U "cher.example,b@x.org?subject=Gr" U "n 1>",
		"List-Owner: <mailto:a@xn--bcher-kva.example,b@x.org?subject=Gr%C3%BCn%201>\r\n"},
	    {"Archived-At", "<urn:" U ">", "Archived-At: <urn:%C3%BC>\r\n"},
	    {"List-Post", "<" U ">", "List-Post: <%C3%BC>\r\n"},
	    {"List-Post", "NO (" U ")", NO_URL},
	    {"List-Unsubscribe", "https://b" U "cher.example", NO_URL},
	    {"List-Unsubscribe", "<https://b" U "cher.example", NO_URL},
	    {"List-Unsubscribe", "<https://a\342\200\215b.org/>",
		"must have URLs with valid host names"},
	    {"List-Unsubscribe", "<mailto:a@a\342\200\215b.org>",
		"must have URLs with valid host names"},
	    /* ids, words and dates */
	    {"References", "<" U "@x.org>", "must be ASCII"},
	    {"In-Reply-To", "<a@b" U "cher.example>", "must be ASCII"},
	    {"Precedence", U, "must be ASCII"},
	    {"auto-submitted", U, "must be ASCII"},
	    {"List-Unsubscribe-Post", U, "must be ASCII"},
	    {"Feedback-ID", U, "must be ASCII"},
	    /* addresses */
	    {"Disposition-Notification-To", "J" U " <a@b" U "cher.example>, b@x.org",
		"Disposition-Notification-To: =?utf-8?b?SsO8?= <a@xn--bcher-kva.example>,\r\n"
		" b@x.org\r\n"},
	    {"Errors-To", U "@x.org",
		MUST_ADDRESS "\"" U "@x.org\" has a local part (before the @) that is not ASCII; "
			     "such local parts cannot be sent"},
	    {"Return-Receipt-To", U, MUST_ADDRESS "\"" U "\" has no domain"},
	    /* phrases */
	    {"Keywords", "a, " U ",\"b c\", ,", "Keywords: a , =?utf-8?b?w7w=?= , b c\r\n"},
	    {"List-Id", "Gr" U "n <a.x.org>", "List-Id: =?utf-8?b?R3LDvG4=?= <a.x.org>\r\n"},
	    {"List-Id", "\"Gr" U "n \\\"x\\\"\" <a.x.org> ",
		"List-Id: =?utf-8?b?R3LDvG4gIngi?= <a.x.org>\r\n"},
	    {"List-Id", "<a.b" U "cher.example>", "List-Id: <a.xn--bcher-kva.example>\r\n"},
	    {"List-Id", "<" U "> x", "must have an id between < and > at its end"},
	    {"List-Id", U, "must have an id between < and > at its end"},
	    {"List-Id", U " <>", "must have an id that is ASCII, or a valid host name"},
	    {"List-Id", U " <a b>", "must have an id that is ASCII, or a valid host name"},
	    {"List-Id", U " <a\342\200\215b.org>",
		"must have an id that is ASCII, or a valid host name"},
	    {"List-Id", U "\t <a>", "must not have control characters in it"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = structured_written(cases[i].name, cases[i].value);

		cr_expect_str_eq(got, cases[i].want, "%s: %s\n got %s\nwant %s", cases[i].name,
		    cases[i].value, got, cases[i].want);
	}
}

/* RFC 2047 section 2: a line with an encoded word has at most 76 characters. */
Test(structured, phrases_know_their_column)
{
	for (guint length = 1; length <= 200; length++) {
		GString *value = g_string_new(NULL);
		for (guint i = 0; i < length; i++)
			g_string_append(value, i % 7 ? "x" : U);
		g_string_append(value, " <id.list.example.com>");
		g_autofree char *got = structured_written("List-Id", value->str);
		g_auto(GStrv) lines = g_strsplit(got, "\r\n", -1);
		for (char **line = lines; *line; line++)
			cr_expect(
			    !strstr(*line, "=?") || strlen(*line) <= 76, "%u: %s", length, *line);
		cr_expect(g_str_has_suffix(got, " <id.list.example.com>\r\n"), "%s", got);
		g_string_free(value, TRUE);
	}
}

/* A character of two bytes becomes six. */
Test(structured, bounds_urls)
{
	for (guint past = 0; past <= 1; past++) {
		GString *value = g_string_new("<http://x.org/");
		for (guint i = 0; i < 163; i++)
			g_string_append(value, U);
		for (guint i = 0; i < 4 + past; i++)
			g_string_append_c(value, 'x');
		g_string_append_c(value, '>');
		g_autofree char *got = structured_written("List-Help", value->str);
		cr_expect_eq(
		    strcmp(got, "must not have a URL of more than 997 characters in ASCII") == 0,
		    past == 1, "%u: %s", past, got);
		g_string_free(value, TRUE);
	}
}

/* A value that was stored before it was checked still leaves, as text. */
Test(structured, writes_what_does_not_pass)
{
	const struct mail_header header = {"References", U};
	GString *out = g_string_new(NULL);
	struct mail_field field;

	mail_field_begin(&field, out, "References");
	mail_structured_write(&field, &header);
	cr_expect_str_eq(out->str, "References: =?utf-8?b?w7w=?=");
	g_string_free(out, TRUE);
}

Test(structured, says_which_fields_repeat)
{
	static const struct {
		const char *name;
		bool want;
	} cases[] = {{"X-A", true}, {"Comments", true}, {"Keywords", true}, {"archived-at", true},
	    {"References", false}, {"in-reply-to", false}, {"List-Id", false},
	    {"LIST-UNSUBSCRIBE", false}, {"Precedence", false}, {"Auto-Submitted", false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(
		    mail_structured_repeats(cases[i].name), cases[i].want, "%s", cases[i].name);
}
