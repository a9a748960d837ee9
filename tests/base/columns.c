/* SPDX-License-Identifier: MIT */
/* Tests the width of texts. */
#include "text/width.h"

#include <criterion/criterion.h>

Test(columns, are_those_of_a_terminal)
{
	static const struct {
		const char *text;
		guint want;
	} cases[] = {
	    {"", 0}, {"abc", 3}, {"Grüße", 5}, {"e\xcc\x81", 1},  /* an accent by itself */
	    {"\xe6\x97\xa5\xe6\x9c\xac", 4}, {"\xe2\x80\x8b", 0}, /* a space without width */
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(text_width(cases[i].text), cases[i].want, "%s: got %u, want %u",
		    cases[i].text, text_width(cases[i].text), cases[i].want);
}

Test(columns, a_line_has_no_control_characters)
{
	g_autofree char *got = text_width_line("a\r\nb\x1b[2J\t\xc3\xa4\xc2\x9b\x7f.");

	cr_expect_str_eq(got, "a  b [2J \xc3\xa4  .", "got %s", got);
}
