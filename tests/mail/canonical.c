/* SPDX-License-Identifier: MIT */
#include "mail/canonical.h"

#include <criterion/criterion.h>
#include <string.h>

static void
canonical_append(void *user, const void *data, gsize size)
{
	g_string_append_len(user, data, (gssize)size);
}

/* The canonical body, or "INVALID". */
static char *
canonical_body(const char *body, gsize size)
{
	GString *out = g_string_new(NULL);

	if (!mail_canonical_body(body, size, canonical_append, out, NULL))
		g_string_assign(out, "INVALID");
	return g_string_free(out, FALSE);
}

Test(canonical, brings_bodies_into_relaxed_form)
{
	static const struct {
		const char *body;
		const char *want;
	} cases[] = {
	    {" C \r\nD \t E\r\n\r\n\r\n", " C\r\nD E\r\n"}, /* RFC 6376 section 3.4.5 */
	    {"", ""},
	    {"\r\n\r\n", ""},
	    {" \t\r\n", ""},
	    {"a", "a\r\n"},
	    {"a \r\n\r\nb\r\n", "a\r\n\r\nb\r\n"},
	    {"\r\na\r\n", "\r\na\r\n"},
	    {"\ta  b\tc \t d", " a b c d\r\n"},
	    {"a\nb\r\n", "INVALID"},
	    {"a\rb\r\n", "INVALID"},
	    {"a\r\r\n", "INVALID"},
	    {"\n", "INVALID"},
	    {"a\r", "INVALID"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = canonical_body(cases[i].body, strlen(cases[i].body));
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].body, got, cases[i].want);
	}
}

/* White space at each place of lines of each length: some bytes are looked at together. */
Test(canonical, finds_white_space_at_each_place)
{
	static const struct {
		const char *gap, *want;
	} gaps[] = {{" ", " "}, {"\t", " "}, {"  ", " "}, {" \t", " "}, {"\t ", " "},
	    {"  \t   ", " "}, {" x ", " x "}, {"\tx\t", " x "}, {"  x  ", " x "}};
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

	for (gsize length = 2; length < sizeof(letters); length++)
		for (gsize at = 1; at < length; at++)
			for (gsize i = 0; i < G_N_ELEMENTS(gaps); i++) {
				g_autofree char *body = g_strdup_printf("%.*s%s%.*s\r\n", (int)at,
				    letters, gaps[i].gap, (int)(length - at), letters + at);
				g_autofree char *want = g_strdup_printf("%.*s%s%.*s\r\n", (int)at,
				    letters, gaps[i].want, (int)(length - at), letters + at);
				g_autofree char *got = canonical_body(body, strlen(body));

				cr_expect(strcmp(got, want) == 0, "%s: %s", body, got);
			}
}

/* Longer than the buffer in front of the sink. */
Test(canonical, loses_nothing_of_long_bodies)
{
	for (gsize length = 8180; length < 8200; length++) {
		g_autofree char *line = g_strnfill(length, 'x');
		g_autofree char *body = g_strconcat(line, "  y\r\n\r\n", line, NULL);
		g_autofree char *want = g_strconcat(line, " y\r\n\r\n", line, "\r\n", NULL);
		g_autofree char *got = canonical_body(body, strlen(body));
		cr_expect(strcmp(got, want) == 0, "a line of %zu: got %zu bytes, want %zu", length,
		    strlen(got), strlen(want));
	}
}

/* Each field in relaxed form, with a | after it; then the body. */
static char *
canonical_split(const char *message)
{
	GString *out = g_string_new(NULL);
	gsize body;
	g_autoptr(GArray) fields = mail_canonical_split(message, strlen(message), &body, NULL);

	if (!fields) {
		g_string_append(out, "INVALID");
		return g_string_free(out, FALSE);
	}
	for (guint i = 0; i < fields->len; i++) {
		mail_canonical_header(out, &g_array_index(fields, struct mail_canonical_field, i));
		g_string_append_c(out, '|');
	}
	g_string_append(out, message + body);
	return g_string_free(out, FALSE);
}

Test(canonical, splits_a_header_and_brings_its_fields_into_relaxed_form)
{
	static const struct {
		const char *message;
		const char *want;
	} cases[] = {
	    {"A: X\r\nB : Y\t\r\n\tZ  \r\n\r\n C \r\n", "a:X|b:Y Z| C \r\n"}, /* RFC 6376, 3.4.5 */
	    {"A:\r\n\r\n", "a:|"},
	    {"A: \t \r\n", "a:|"},
	    {"A: x", "a:x|"},
	    {"A:\r\n x\r\n \r\n y\r\n\r\nb", "a:x y|b"},
	    {"A: x:y\r\n\r\n\r\n", "a:x:y|\r\n"},
	    {"", ""},
	    {"\r\nb", "b"},
	    {" A: x\r\n\r\n", "INVALID"},
	    {"A x\r\n\r\n", "INVALID"},
	    {": x\r\n\r\n", "INVALID"},
	    {"A: x\n\r\n", "INVALID"},
	    {"A: x\ry\r\n\r\n", "INVALID"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = canonical_split(cases[i].message);
		cr_expect_str_eq(got, cases[i].want, "%s: got %s, want %s", cases[i].message, got,
		    cases[i].want);
	}
}
