/* SPDX-License-Identifier: MIT */
#include "mail/field.h"

#include <criterion/criterion.h>
#include <string.h>

#include "mail/address.h"

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define HUNDRED FIFTY FIFTY

/* The output of a function of mail/field.h. */
static char *
field_written(void (*write)(struct mail_field *, const char *), const char *name, const char *text)
{
	GString *out = g_string_new("before\r\n");
	struct mail_field field;

	mail_field_begin(&field, out, name);
	write(&field, text);
	mail_field_end(&field);
	g_string_erase(out, 0, 8);
	return g_string_free(out, FALSE);
}

struct text_case {
	const char *text;
	const char *want;
};

static void
field_expect(void (*write)(struct mail_field *, const char *), const char *name,
    const struct text_case *cases, gsize count)
{
	for (gsize i = 0; i < count; i++) {
		g_autofree char *got = field_written(write, name, cases[i].text);
		cr_expect_str_eq(got, cases[i].want, "%s\n got: %s\nwant: %s", cases[i].text, got,
		    cases[i].want);
	}
}

Test(field, writes_text)
{
	static const struct text_case cases[] = {
	    {"", "Subject:\r\n"},
	    {"Hello", "Subject: Hello\r\n"},
	    {"Hello  there", "Subject: Hello  there\r\n"},
	    {"1 < 2 & \"x\" = y?", "Subject: 1 < 2 & \"x\" = y?\r\n"},
	    {"Gr\303\274\303\237e", "Subject: =?utf-8?b?R3LDvMOfZQ==?=\r\n"},
	    {"Caf\303\251 noir", "Subject: =?utf-8?q?Caf=C3=A9_noir?=\r\n"},
	    {"=?utf-8?q?x?=", "Subject: =?utf-8?b?PT91dGYtOD9xP3g/PQ==?=\r\n"},
	    {" Hello ", "Subject: =?utf-8?q?_Hello_?=\r\n"},
	    {"a\tb", "Subject: =?utf-8?b?YQli?=\r\n"},
	    {"a\001b", "Subject: =?utf-8?b?YQFi?=\r\n"},
	    {FIFTY " " TEN " " TEN " " TEN, "Subject: " FIFTY " " TEN "\r\n " TEN " " TEN "\r\n"},
	    {FIFTY TEN "123456789", "Subject: " FIFTY TEN "123456789\r\n"},
	    {FIFTY " 012345678901234567", "Subject: " FIFTY " 012345678901234567\r\n"},
	    {FIFTY " 0123456789012345678", "Subject: " FIFTY "\r\n 0123456789012345678\r\n"},
	    {FIFTY "  " FIFTY, "Subject: " FIFTY "\r\n  " FIFTY "\r\n"},
	    {HUNDRED, "Subject: " HUNDRED "\r\n"},
	};

	field_expect(mail_field_text, "Subject", cases, G_N_ELEMENTS(cases));
}

/* RFC 2047 section 2: words of 75 characters, in lines of 76; the text before may have any
   length. */
static void
expect_encoded(const char *text, gsize before)
{
	g_autofree char *name = g_strnfill(before, 'n');
	g_autofree char *got = field_written(mail_field_text, name, text);
	g_auto(GStrv) lines = g_strsplit(got, "\r\n", -1);

	for (gsize i = 0; lines[i]; i++) {
		const char *word = strstr(lines[i], "=?");
		if (!word)
			continue;
		cr_expect_leq(strlen(lines[i]), 76, "%s", lines[i]);
		cr_expect_leq(strlen(word), 75, "%s", word);
		cr_expect_gt(strlen(word), 12, "%s", word);
	}
}

Test(field, keeps_encoded_words_short)
{
	static const char *const characters[] = {
	    "\303\274", "\346\227\245", "\360\237\230\200", "x\303\274", "abcdefgh \303\274"};

	for (gsize i = 0; i < G_N_ELEMENTS(characters); i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		for (gsize length = 1; length < 40; length++) {
			g_string_append(text, characters[i]);
			for (gsize before = 1; before < 76; before++)
				expect_encoded(text->str, before);
		}
	}
}

Test(field, writes_values_of_callers)
{
	static const struct text_case cases[] = {
	    {"", "X-A:\r\n"},
	    {"  ", "X-A:\r\n"},
	    {" b ", "X-A: b\r\n"},
	    {"b\tc", "X-A: b\tc\r\n"},
	    {"=?utf-8?q?x?=", "X-A: =?utf-8?q?x?=\r\n"},
	    {"\303\274", "X-A: =?utf-8?b?w7w=?=\r\n"},
	    {FIFTY "\t" FIFTY, "X-A: " FIFTY "\r\n\t" FIFTY "\r\n"},
	};

	field_expect(mail_field_value, "X-A", cases, G_N_ELEMENTS(cases));
}

Test(field, breaks_a_long_first_word_off_its_name_at_the_limit)
{
	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *word = g_strnfill(993 + over, 'w');
		g_autofree char *want =
		    g_strconcat("X-A:", over ? "\r\n" : "", " ", word, "\r\n", NULL);
		g_autofree char *got = field_written(mail_field_value, "X-A", word);
		cr_expect(strcmp(got, want) == 0, "a word of %zu", strlen(word));
	}
}

Test(field, fills_lines)
{
	g_autofree char *text = g_strnfill(74 + 77 + 1, 'b');
	g_autofree char *got = field_written(mail_field_fill, "X-A", text);
	g_auto(GStrv) lines = g_strsplit(got, "\r\n", -1);

	cr_assert_eq(g_strv_length(lines), 4, "got %s", got);
	cr_expect_eq(strlen(lines[0]), 78, "got %s", lines[0]);
	cr_expect_eq(strlen(lines[1]), 78, "got %s", lines[1]);
	cr_expect_str_eq(lines[2], " b");
}

Test(field, writes_addresses)
{
	static const struct {
		const char *name;
		const char *want;
	} cases[] = {
	    {NULL, "To: a@example.com,\r\n"},
	    {"", "To: a@example.com,\r\n"},
	    {"Ann Lee", "To: Ann Lee <a@example.com>,\r\n"},
	    {"Ann B. Lee", "To: \"Ann B. Lee\" <a@example.com>,\r\n"},
	    {"Lee, \"Ann\\\"", "To: \"Lee, \\\"Ann\\\\\\\"\" <a@example.com>,\r\n"},
	    {"a@example.org", "To: \"a@example.org\" <a@example.com>,\r\n"},
	    {"Ann  Lee", "To: \"Ann  Lee\" <a@example.com>,\r\n"},
	    {"J\303\274rgen", "To: =?utf-8?q?J=C3=BCrgen?= <a@example.com>,\r\n"},
	    {"J\303\274rgen, \"der Gro\303\237e\"",
		"To: =?utf-8?b?SsO8cmdlbiwgImRlciBHcm/Dn2Ui?= <a@example.com>,\r\n"},
	    {"=?utf-8?q?x?=", "To: =?utf-8?b?PT91dGYtOD9xP3g/PQ==?= <a@example.com>,\r\n"},
	    {FIFTY TEN ".2345 789012345",
		"To: \"" FIFTY TEN ".2345 789012345\"\r\n <a@example.com>,\r\n"},
	    {FIFTY TEN ".2345 7890123456",
		"To: =?utf-8?q?" FIFTY
		"0123456789?=\r\n =?utf-8?q?=2E2345_7890123456?= <a@example.com>,\r\n"},
	    {FIFTY, "To: " FIFTY " <a@example.com>,\r\n"},
	    {FIFTY TEN, "To: " FIFTY TEN "\r\n <a@example.com>,\r\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_address address = {(char *)cases[i].name, (char *)"a@example.com"};
		GString *out = g_string_new(NULL);
		struct mail_field field;
		mail_field_begin(&field, out, "To");
		mail_field_address(&field, &address, true);
		mail_field_end(&field);
		cr_expect_str_eq(out->str, cases[i].want, "%s\n got: %s\nwant: %s", cases[i].name,
		    out->str, cases[i].want);
		g_string_free(out, TRUE);
	}
}

static void
write_filename(struct mail_field *field, const char *value)
{
	mail_field_word(field, " ", "attachment");
	mail_field_parameter(field, "filename", value);
}

Test(field, writes_parameters)
{
	static const struct text_case cases[] = {
	    {"a.pdf", "X-A: attachment; filename=\"a.pdf\"\r\n"},
	    {"a \"b\"\\c", "X-A: attachment; filename=\"a \\\"b\\\"\\\\c\"\r\n"},
	    {"r\303\251sum\303\251.pdf",
		"X-A: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf\r\n"},
	    {"a\rb", "X-A: attachment; filename*=utf-8''a%0Db\r\n"},
	    {"=?utf-8?q?x?=", "X-A: attachment; filename*=utf-8''%3D%3Futf-8%3Fq%3Fx%3F%3D\r\n"},
	    {FIFTY TEN "\303\251" TEN,
		"X-A: attachment;\r\n filename*0*=utf-8''" FIFTY "012345;\r\n"
		" filename*1*=6789%C3%A9" TEN "\r\n"},
	};

	field_expect(write_filename, "X-A", cases, G_N_ELEMENTS(cases));
}

static void
field_write_name(struct mail_field *field, const char *value)
{
	mail_field_word(field, " ", "image/png");
	mail_field_parameter_words(field, "name", value);
}

Test(field, writes_parameters_in_encoded_words)
{
	static const struct text_case cases[] = {
	    {"a.png", "X-A: image/png; name=\"a.png\"\r\n"},
	    {"\303\251.png", "X-A: image/png;\r\n name=\"=?utf-8?b?w6kucG5n?=\"\r\n"},
	    {HUNDRED "\303\251", "X-A: image/png;\r\n name=\"=?utf-8?q?" FIFTY "0123456?=\r\n"
				 " =?utf-8?q?789" TEN TEN TEN TEN "=C3=A9?=\"\r\n"},
	};

	field_expect(field_write_name, "X-A", cases, G_N_ELEMENTS(cases));
}

Test(encoded_word, takes_whole_characters_and_pads_the_last_word_alone)
{
	static const struct {
		enum mail_encoded_word form;
		const char *text;
		gsize room;
		const char *want;
		gsize want_size;
	} cases[] = {
	    {MAIL_ENCODED_WORD_Q, "a b?_=", 75, "=?utf-8?q?a_b=3F=5F=3D?=", 6},
	    {MAIL_ENCODED_WORD_Q, "\303\274\303\274\303\274", 24, "=?utf-8?q?=C3=BC=C3=BC?=", 4},
	    {MAIL_ENCODED_WORD_Q, "\360\237\230\200x", 24, "=?utf-8?q?=F0=9F=98=80?=", 4},
	    {MAIL_ENCODED_WORD_B, "\303\274", 75, "=?utf-8?b?w7w=?=", 2},
	    {MAIL_ENCODED_WORD_B, "\303\274abc\303\274\303\274\303\274", 24,
		"=?utf-8?b?w7xhYmPDvMO8?=", 9},
	    {MAIL_ENCODED_WORD_B, "abcdefghi", 24, "=?utf-8?b?YWJjZGVmZ2hp?=", 9},
	    {MAIL_ENCODED_WORD_B, "abcdefghij", 24, "=?utf-8?b?YWJjZGVmZ2hp?=", 9},
	    {MAIL_ENCODED_WORD_B, "x\346\227\245\346\227\245\346\227\245", 24,
		"=?utf-8?q?x=E6=97=A5?=", 4},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		GString *out = g_string_new(NULL);
		gsize size =
		    mail_encoded_word_append(out, cases[i].form, cases[i].text, cases[i].room);
		cr_expect_str_eq(out->str, cases[i].want, "%s: got %s, want %s", cases[i].text,
		    out->str, cases[i].want);
		cr_expect_eq(size, cases[i].want_size, "%s: took %zu, want %zu", cases[i].text,
		    size, cases[i].want_size);
		g_string_free(out, TRUE);
	}
}
