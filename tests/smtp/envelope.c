/* SPDX-License-Identifier: MIT */
#include "smtp/envelope.h"

#include <criterion/criterion.h>
#include <string.h>

#define LABEL63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LOCAL64 LABEL63 "a"

Test(envelope, lets_only_plain_addresses_into_a_command)
{
	static const struct {
		const char *address;
		bool want;
	} cases[] = {
	    {"a@x.org", true},
	    {"b+1f_2-3@send.x.org", true},
	    {"!#$%&'*+-/=?^_`{|}~@x.org", true},
	    {"a..b.@x.org", true},
	    {"a@xn--bcher-kva.example", true},
	    {"a@localhost", true},
	    {LOCAL64 "@x.org", true},
	    {LOCAL64 "a@x.org", false},
	    {"a@" LABEL63 ".org", true},
	    {"a@" LABEL63 "a.org", false},
	    {LOCAL64 "@" LABEL63 "." LABEL63
		     ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		     ".org",
		true},
	    {LOCAL64 "@" LABEL63 "." LABEL63
		     ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		     ".org",
		false},
	    {"", false},
	    {"a", false},
	    {"@x.org", false},
	    {"a@", false},
	    {"a@b@x.org", false},
	    {"-a@x.org", false},
	    {"a@-x.org", false},
	    {"a@x-.org", false},
	    {"a@x..org", false},
	    {"a@x.org.", false},
	    {"a@[127.0.0.1]", false},
	    {"\"a b\"@x.org", false},
	    {"a b@x.org", false},
	    {"a>b@x.org", false},
	    {"a@x.org>", false},
	    {"a@x.org\r\nRCPT TO:<c@x.org", false},
	    {"a\r\n@x.org", false},
	    {"a@x.org\n", false},
	    {"a\x01@x.org", false},
	    {"\xc3\xa4@x.org", false},
	    {"a@\xc3\xa4.org", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = smtp_envelope_is_address(cases[i].address);
		cr_expect_eq(got, cases[i].want, "%s: got %d, want %d", cases[i].address, got,
		    cases[i].want);
	}
}

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
