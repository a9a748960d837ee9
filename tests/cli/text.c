/* SPDX-License-Identifier: MIT */

#include <criterion/criterion.h>

#include "cli/text.h"

Test(count, goes_by_one_and_many)
{
	static const struct {
		guint64 count;
		const char *want;
	} cases[] = {
	    {0, "0 addresses"},
	    {1, "1 address"},
	    {2, "2 addresses"},
	    {11, "11 addresses"},
	    {G_MAXUINT64, "18446744073709551615 addresses"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = cli_count(cases[i].count, "address", "addresses");

		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
}
