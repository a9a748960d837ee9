/* SPDX-License-Identifier: MIT */
#include "mail/date.h"

#include <criterion/criterion.h>

Test(date, writes_rfc_5322_in_utc)
{
	static const struct {
		gint64 epoch_ms;
		const char *want;
	} cases[] = {
	    {0, "Thu, 01 Jan 1970 00:00:00 +0000"},
	    {999, "Thu, 01 Jan 1970 00:00:00 +0000"},
	    {-1, "Wed, 31 Dec 1969 23:59:59 +0000"},
	    {951782400000, "Tue, 29 Feb 2000 00:00:00 +0000"},
	    {1700000000123, "Tue, 14 Nov 2023 22:13:20 +0000"},
	    {1735516800000, "Mon, 30 Dec 2024 00:00:00 +0000"},
	    {253402300799999, "Fri, 31 Dec 9999 23:59:59 +0000"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = mail_date_format(cases[i].epoch_ms);
		cr_expect_str_eq(got, cases[i].want, "%" G_GINT64_FORMAT ": got %s, want %s",
		    cases[i].epoch_ms, got, cases[i].want);
	}
	cr_expect_null(mail_date_format(253402300800000));
	cr_expect_null(mail_date_format(G_MAXINT64));
	cr_expect_null(mail_date_format(G_MININT64));
}
