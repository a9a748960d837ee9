/* SPDX-License-Identifier: MIT */
#include "smtp/envelope.h"

#include <criterion/criterion.h>
#include <string.h>

Test(envelope, leaves_out_what_overflows_the_librarys_xtext)
{
	static const struct {
		const char *character;
		int count;
		bool want;
	} cases[] = {
	    {"a", 250, true},
	    {"a", 251, false},
	    {"+", 83, true},
	    {"+", 84, false},
	    {"=", 84, false},
	    {"\x01", 84, false},
	    {"~", 250, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		GString *text = g_string_new(NULL);
		for (int j = 0; j < cases[i].count; j++)
			g_string_append(text, cases[i].character);
		bool got = smtp_envelope_fits_xtext(text->str);
		cr_expect_eq(got, cases[i].want, "%d of %s: got %d, want %d", cases[i].count,
		    cases[i].character, got, cases[i].want);
		g_string_free(text, TRUE);
	}
}

/* One line of size bytes in a message that is good otherwise. */
static const char *
fault_of_line(gsize size, bool is_raw)
{
	g_autofree char *line = g_strnfill(size, 'x');
	char *text = g_strdup_printf("Date: x\r\n\r\n%s\r\n", line);
	g_autoptr(GBytes) content = g_bytes_new_take(text, strlen(text));

	return smtp_envelope_fault(content, is_raw);
}

Test(envelope, finds_what_a_message_must_not_hold)
{
	static const struct {
		const char *bytes;
		gsize size;
		const char *want;
	} cases[] = {
#define CASE(bytes, want) {bytes, sizeof(bytes) - 1, want}
	    CASE("Date: x\r\n\r\n", NULL),
	    CASE("Date: x\r\n\r\nbody\r\n", NULL),
	    CASE("", "no empty line ends its header"),
	    CASE("Date: x\r\n", "no empty line ends its header"),
	    CASE("Date: x\r\n\r\nbody", "its last line does not end in CR LF"),
	    CASE("Date: x\r\n\r\nbody\n", "a line does not end in CR LF"),
	    CASE("Date: x\r\n\r\nbody\n.\nMAIL FROM:<>\r\n", "a line does not end in CR LF"),
	    CASE("Date: x\r\n\r\nbody\r.\r\n", "a line holds a bare CR or a NUL"),
	    CASE("Date: x\r\n\r\nbo\0dy\r\n", "a line holds a bare CR or a NUL"),
	    CASE("Date: x\r\n\r\n\xc3\xa4\r\n", "it is not 7 bit"),
#undef CASE
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) content = g_bytes_new_static(cases[i].bytes, cases[i].size);
		const char *got = smtp_envelope_fault(content, false);
		const char *raw = smtp_envelope_fault(content, true);
		bool is_8bit = g_strcmp0(cases[i].want, "it is not 7 bit") == 0;
		cr_expect_eq(g_strcmp0(got, cases[i].want), 0, "%s: got %s, want %s",
		    cases[i].bytes, got, cases[i].want);
		cr_expect_eq(g_strcmp0(raw, is_8bit ? NULL : cases[i].want), 0, "%s: got %s",
		    cases[i].bytes, raw);
	}
	cr_expect_null(fault_of_line(998, false), "998 bytes: got %s", fault_of_line(998, false));
	cr_expect_str_eq(fault_of_line(999, false), "a line is longer than 998 bytes");
	cr_expect_null(fault_of_line(998, true));
	cr_expect_str_eq(fault_of_line(999, true), "a line is longer than 998 bytes");
}
