/* SPDX-License-Identifier: MIT */
#include "smtp/message.h"

#include <criterion/criterion.h>
#include <string.h>

Test(message, takes_a_code_at_its_word_but_for_503)
{
	static const struct {
		int code;
		enum smtp_outcome want;
	} cases[] = {
	    {550, SMTP_PERMANENT},
	    {599, SMTP_PERMANENT},
	    {450, SMTP_TEMPORARY},
	    {421, SMTP_TEMPORARY},
	    {503, SMTP_TEMPORARY},
	    {354, SMTP_TEMPORARY},
	    {0, SMTP_TEMPORARY},
	    {199, SMTP_TEMPORARY},
	    {999, SMTP_TEMPORARY},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		enum smtp_outcome got = smtp_message_outcome(cases[i].code);
		cr_expect_eq(
		    got, cases[i].want, "%d: got %d, want %d", cases[i].code, got, cases[i].want);
	}
}

Test(message, keeps_one_printable_line_of_a_reply)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", ""},
	    {" ok \r\n", "ok"},
	    {"one\r\ntwo\r\n\r\nthree", "one two three"},
	    {"a\tb\x01\x02 \x7f"
	     "c",
		"a b c"},
	    {"caf\xc3\xa9 \xe2\x80\xae!", "caf\xc3\xa9 !"},
	    {"caf\xe9", "caf\xef\xbf\xbd"},
	    {"\xe2\x80\xa8line", "line"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = smtp_message_text(cases[i].text);
		cr_expect_str_eq(
		    got, cases[i].want, "case %zu: got \"%s\", want \"%s\"", i, got, cases[i].want);
	}
}

Test(message, cuts_a_reply_between_two_characters)
{
	static const struct {
		const char *unit;
		gsize count, want;
	} cases[] = {
	    {"x", 500, 500},
	    {"x", 501, 500},
	    {"\xc3\xa9", 250, 500},
	    {"\xc3\xa9", 251, 500},
	    {"\xe2\x82\xac", 166, 498},
	    {"\xe2\x82\xac", 167, 498},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		GString *text = g_string_new(NULL);
		for (gsize j = 0; j < cases[i].count; j++)
			g_string_append(text, cases[i].unit);
		g_autofree char *got = smtp_message_text(text->str);
		cr_expect_eq(strlen(got), cases[i].want, "%zu of %s: got %zu bytes, want %zu",
		    cases[i].count, cases[i].unit, strlen(got), cases[i].want);
		cr_expect(
		    g_utf8_validate(got, -1, NULL), "%zu of %s", cases[i].count, cases[i].unit);
		g_string_free(text, TRUE);
	}
}

Test(message, finds_the_enhanced_code_where_it_stands)
{
	static const struct {
		const char *text, *want, *want_text;
	} cases[] = {
	    {"5.1.1 no such user", "5.1.1", "no such user"},
	    {"4.999.999 full\r\n", "4.999.999", "full"},
	    {"2.0.0", "2.0.0", ""},
	    {"5.7.1 this is\r\n5.7.1 spam\r\n5.7.0 indeed\r\n", "5.7.1", "this is spam indeed"},
	    {"5.7.1 this is\r\nspam\r\n", "5.7.1", "this is spam"},
	    {"this is\r\n5.7.1 spam", "", "this is spam"},
	    {"5.1.1x", "", "5.1.1x"},
	    {"5.1", "", "5.1"},
	    {"3.1.1 odd", "", "3.1.1 odd"},
	    {"5.1000.1 odd", "", "5.1000.1 odd"},
	    {"127.0.0.1 is bad", "", "127.0.0.1 is bad"},
	    {"", "", ""},
	    {NULL, "", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_recipient got = {.enhanced = "9.9.9"};
		smtp_message_set_reply(&got, SMTP_PERMANENT, SMTP_STAGE_RCPT, 550, cases[i].text);
		cr_expect_str_eq(got.enhanced, cases[i].want, "%s: got %s, want %s", cases[i].text,
		    got.enhanced, cases[i].want);
		cr_expect_str_eq(got.text, cases[i].want_text, "%s: got \"%s\", want \"%s\"",
		    cases[i].text, got.text, cases[i].want_text);
		g_free(got.text);
	}
}
