/* SPDX-License-Identifier: MIT */
#include "text/cron.h"

#include <criterion/criterion.h>

#include "base/clock.h"

Test(cron, gives_the_next_tick)
{
	static const struct {
		const char *cron, *zone, *after, *want;
	} cases[] = {
	    {"* * * * *", NULL, "2026-12-01T08:59:30Z", "2026-12-01T09:00:00.000Z"},
	    {"* * * * *", NULL, "2026-12-01T09:00:00Z", "2026-12-01T09:01:00.000Z"},
	    {"0 9 * * 1", NULL, "2026-12-01T09:00:00Z", "2026-12-07T09:00:00.000Z"},
	    {"0 9 * * MON", "Europe/Berlin", "2026-12-01T09:00:00Z", "2026-12-07T08:00:00.000Z"},
	    {"0 9 * * 7", NULL, "2026-12-01T00:00:00Z", "2026-12-06T09:00:00.000Z"},
	    {"0 9 * * 0", NULL, "2026-12-01T00:00:00Z", "2026-12-06T09:00:00.000Z"},
	    {"0 9 * * 5-7", NULL, "2026-12-05T10:00:00Z", "2026-12-06T09:00:00.000Z"},
	    {"15,45 8-10/2 1 jan,jul *", NULL, "2026-07-01T08:15:00Z", "2026-07-01T08:45:00.000Z"},
	    {"15,45 8-10/2 1 jan,jul *", NULL, "2026-07-01T08:45:00Z", "2026-07-01T10:15:00.000Z"},
	    {"15,45 8-10/2 1 jan,jul *", NULL, "2026-07-01T10:45:00Z", "2027-01-01T08:15:00.000Z"},
	    {"*/20 * * * *", NULL, "2026-12-01T08:41:00Z", "2026-12-01T09:00:00.000Z"},
	    /* Both days are restricted: either will do. */
	    {"0 0 13 * fri", NULL, "2026-12-01T00:00:00Z", "2026-12-04T00:00:00.000Z"},
	    {"0 0 13 * fri", NULL, "2026-12-11T00:00:00Z", "2026-12-13T00:00:00.000Z"},
	    {"0 0 29 2 *", NULL, "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"},
	    {"0 0 31 * *", NULL, "2026-12-31T00:00:00Z", "2027-01-31T00:00:00.000Z"},
	    /* A skipped hour is as much later, */
	    {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00.000Z"},
	    {"30 2 * * *", "Europe/Berlin", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00.000Z"},
	    /* one that the clock has twice comes once, */
	    {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"},
	    {"30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"},
	    /* and with * each real hour counts. */
	    {"30 * * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00.000Z"},
	    {"30 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00.000Z"},
	    {"30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", "2026-11-01T05:30:00.000Z"},
	    {"30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", "2026-03-08T07:30:00.000Z"},
	    {"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z",
		"2026-10-03T15:45:00.000Z"},
	    {"0 0 * * *", "Asia/Kathmandu", "2026-12-01T00:00:00Z", "2026-12-01T18:15:00.000Z"},
	    {"0 * * * *", "Asia/Kathmandu", "2026-12-01T00:00:00Z", "2026-12-01T00:15:00.000Z"},
	    {"0 9 * * *", "Pacific/Kiritimati", "2026-12-01T12:00:00Z", "2026-12-01T19:00:00.000Z"},
	    {"0 0 30 2 *", NULL, "2026-12-01T00:00:00Z", NULL},
	    {"0 * 31 4,6 *", NULL, "2026-12-01T00:00:00Z", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text_cron cron;
		char got[CLOCK_ISO_SIZE];
		gint64 after = 0;

		cr_assert(base_clock_parse(cases[i].after, &after));
		cr_assert(text_cron_read(cases[i].cron, &cron), "%s", cases[i].cron);
		gint64 next = text_cron_next(&cron, cases[i].zone, after);
		base_clock_format(next, got);
		if (cases[i].want)
			cr_expect_str_eq(got, cases[i].want, "%s after %s: got %s, want %s",
			    cases[i].cron, cases[i].after, got, cases[i].want);
		else
			cr_expect_eq(next, 0, "%s: got %s", cases[i].cron, got);
	}
}

Test(cron, refuses_what_is_no_schedule)
{
	static const char *const cases[] = {"", "* * * *", "* * * * * *", "60 * * * *",
	    "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8",
	    "-1 * * * *", "1- * * * *", "5-1 * * * *", "1, * * * *", ",1 * * * *", "*/0 * * * *",
	    "*/ * * * *", "a * * * *", "* * * * mond", "@daily", "001 * * * *", "* * * jan-feb- *",
	    "1-2-3 * * * *"};
	struct text_cron cron;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_not(text_cron_read(cases[i], &cron), "%s", cases[i]);
}
