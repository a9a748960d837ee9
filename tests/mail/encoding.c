/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "mail/encoding.h"
#include "mail/part.h"

Test(encoding, chooses_by_what_is_in_the_text)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
	    {"", "7bit"},
	    {"Hello\r\nBob\n", "7bit"},
	    {"a\tb = c\r", "7bit"},
	    {"a =_stem b", "quoted-printable"},
	    {"a =_ste b", "7bit"},
	    {"Viele Gr\303\274\303\237e aus K\303\266ln am Rhein", "quoted-printable"},
	    {"\001 control", "quoted-printable"},
	    {"\177", "quoted-printable"},
	    {"\346\227\245\346\234\254\350\252\236", "base64"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gsize size;
		const char *got = mail_encoding_name(
		    mail_encoding_choose(cases[i].text, strlen(cases[i].text), "=_stem", &size));
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].text, got, cases[i].want);
	}
}

/* Some bytes are looked at together; size: what the byte adds to the text. */
Test(encoding, counts_each_byte_at_each_place)
{
	static const struct {
		const char *text;
		gsize size;
		enum mail_encoding encoding;
	} bytes[] = {{"=", 1, MAIL_ENCODING_7BIT}, {"\t", 1, MAIL_ENCODING_7BIT},
	    {" ", 1, MAIL_ENCODING_7BIT}, {"~", 1, MAIL_ENCODING_7BIT},
	    {"\n", 2, MAIL_ENCODING_7BIT}, {"\r", 2, MAIL_ENCODING_7BIT},
	    {"\r\n", 2, MAIL_ENCODING_7BIT}, {"\n\n", 4, MAIL_ENCODING_7BIT},
	    {"\r\n\r\n", 4, MAIL_ENCODING_7BIT}, {"\037", 3, MAIL_ENCODING_QUOTED_PRINTABLE},
	    {"\177", 3, MAIL_ENCODING_QUOTED_PRINTABLE},
	    {"\303\274", 6, MAIL_ENCODING_QUOTED_PRINTABLE}};

	for (gsize length = 24; length < 60; length++)
		for (gsize at = 0; at <= length; at++)
			for (gsize i = 0; i < G_N_ELEMENTS(bytes); i++) {
				g_autofree char *before = g_strnfill(at, 'x');
				g_autofree char *after = g_strnfill(length - at, 'y');
				g_autofree char *text =
				    g_strconcat(before, bytes[i].text, after, NULL);
				gsize size, want = length + bytes[i].size;
				enum mail_encoding encoding =
				    mail_encoding_choose(text, strlen(text), "=_", &size);

				cr_expect_eq(encoding, bytes[i].encoding, "%zu of %zu", i, at);
				cr_expect_eq(size, want, "%zu at %zu of %zu: %zu, not %zu", i, at,
				    length, size, want);
			}
}

Test(encoding, leaves_lines_of_998_as_they_are)
{
	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *line = g_strnfill(998 + over, 'x');
		g_autofree char *text = g_strconcat("a\r\n", line, "\r\nb", NULL);
		gsize size;
		cr_expect_eq(mail_encoding_choose(text, strlen(text), "=_", &size),
		    over ? MAIL_ENCODING_QUOTED_PRINTABLE : MAIL_ENCODING_7BIT, "a line of %zu",
		    strlen(line));
	}
}

Test(encoding, writes_text_in_canonical_form)
{
	static const struct {
		enum mail_encoding encoding;
		const char *text;
		const char *want;
	} cases[] = {
	    {MAIL_ENCODING_7BIT, "", ""},
	    {MAIL_ENCODING_7BIT, "a\nb\rc\r\nd\n\re\r\r\n", "a\r\nb\r\nc\r\nd\r\n\r\ne\r\n\r\n"},
	    {MAIL_ENCODING_QUOTED_PRINTABLE, "", ""},
	    {MAIL_ENCODING_QUOTED_PRINTABLE, "\303\274=\nb \rc\t\r\nd",
		"=C3=BC=3D\r\nb=20\r\nc=09\r\nd"},
	    {MAIL_ENCODING_QUOTED_PRINTABLE, "a\n", "a\r\n"},
	    {MAIL_ENCODING_QUOTED_PRINTABLE, "a ", "a=20"},
	    {MAIL_ENCODING_BASE64, "", ""},
	    {MAIL_ENCODING_BASE64, "a\nb", "YQ0KYg=="},
	    {MAIL_ENCODING_BASE64, "a\r\nb", "YQ0KYg=="},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		GString *out = g_string_new("=\r\n");
		mail_encoding_text(out, cases[i].encoding, cases[i].text, strlen(cases[i].text));
		cr_expect_str_eq(out->str + 3, cases[i].want, "%s in %s: got %s, want %s",
		    cases[i].text, mail_encoding_name(cases[i].encoding), out->str + 3,
		    cases[i].want);
		g_string_free(out, TRUE);
	}
}

/* The length of the longest line. */
static gsize
longest_line(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\r\n", -1);
	gsize longest = 0;

	for (gsize i = 0; lines[i]; i++)
		longest = MAX(longest, strlen(lines[i]));
	return longest;
}

/* The limit is 76 characters: the = of a soft line break counts. */
Test(encoding, breaks_quoted_lines_softly)
{
	static const struct {
		guint plain; /* characters before */
		const char *rest, *want;
	} cases[] = {
	    {75, "b", "b"},
	    {76, "b", "=\r\nab"},
	    {76, "\n", "a\r\n"},
	    {75, "b\nc", "b\r\nc"},
	    {73, "=", "=3D"},
	    {74, "=", "=\r\n=3D"},
	    {72, "==", "=3D=\r\n=3D"},
	    {73, "==", "=\r\n=3D=3D"},
	    {73, " ", "=20"},
	    {74, " ", "=\r\n=20"},
	    {74, " b", " b"},
	    {75, " b", "=\r\n b"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(NULL), want = g_string_new(NULL);
		g_autoptr(GString) got = g_string_new(NULL);
		for (guint j = 0; j < cases[i].plain; j++)
			g_string_append_c(text, 'a');
		g_string_assign(want, text->str);
		/* The last of 76 characters moves to the next line, too. */
		if (cases[i].plain == 76)
			g_string_truncate(want, 75);
		g_string_append(text, cases[i].rest);
		g_string_append(want, cases[i].want);
		mail_encoding_text(got, MAIL_ENCODING_QUOTED_PRINTABLE, text->str, text->len);
		cr_expect_str_eq(got->str, want->str, "%u and %s: got %s, want %s", cases[i].plain,
		    cases[i].rest, got->str, want->str);
	}
}

Test(encoding, is_read_back)
{
	static const char alphabet[] = "ab =\t\n\303\274~\177.F";
	static const gsize sizes[] = {1, 511, 512, 513, 1024, 5000};
	const struct mail_slice header = {"Content-Transfer-Encoding: quoted-printable\r\n", 45};

	g_random_set_seed(1);
	for (gsize i = 0; i < G_N_ELEMENTS(sizes) * 20; i++) {
		gsize size = sizes[i / 20], got_size;
		g_autoptr(GString) text = g_string_new(NULL), out = g_string_new(NULL);
		while (text->len < size)
			g_string_append_c(
			    text, alphabet[g_random_int_range(0, (gint32)sizeof(alphabet) - 1)]);
		mail_encoding_text(out, MAIL_ENCODING_QUOTED_PRINTABLE, text->str, text->len);
		const struct mail_part part = {header, {out->str, out->len}};
		g_autofree char *got = mail_part_decode(&part, &got_size);
		cr_expect_str_eq(got, text->str, "%zu bytes: %s", size, out->str);
		cr_expect_leq(longest_line(out->str), 76, "%zu bytes: %s", size, out->str);
		cr_expect_null(strstr(out->str, " \r\n"), "%zu bytes: %s", size, out->str);
		cr_expect_null(strstr(out->str, "\t\r\n"), "%zu bytes: %s", size, out->str);
	}
}

Test(encoding, writes_bytes_in_lines_of_76)
{
	static const gsize sizes[] = {0, 1, 2, 3, 56, 57, 58, 114, 4095, 4096, 4097, 20000};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree guchar *data = g_malloc(sizes[i] + 1);
		GString *out = g_string_new(NULL);
		gsize got_size = 0;
		for (gsize j = 0; j < sizes[i]; j++)
			data[j] = (guchar)(j * 7 + j / 256);
		mail_encoding_bytes(out, data, sizes[i]);
		g_autofree guchar *got = g_base64_decode(out->str, &got_size);
		cr_expect(got_size == sizes[i] && memcmp(got, data, got_size) == 0,
		    "%zu bytes came back as %zu, or others", sizes[i], got_size);
		cr_expect_leq(longest_line(out->str), 76, "%zu bytes", sizes[i]);
		cr_expect_not(g_str_has_suffix(out->str, "\n"), "%zu bytes", sizes[i]);
		cr_expect(out->len <= mail_encoding_bytes_size(sizes[i]),
		    "%zu bytes: got %zu, said %zu", sizes[i], out->len,
		    mail_encoding_bytes_size(sizes[i]));
		g_string_free(out, TRUE);
	}
}
