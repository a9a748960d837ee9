/* SPDX-License-Identifier: MIT */
/* Tests times as text, and setting the clock. */
#include "base/clock.h"

#include <criterion/criterion.h>
#include <string.h>

Test(clock, formats)
{
	static const struct {
		gint64 ms;
		const char *want;
	} cases[] = {
	    {0, "1970-01-01T00:00:00.000Z"},
	    {1, "1970-01-01T00:00:00.001Z"},
	    {-1, "1969-12-31T23:59:59.999Z"},
	    {-1000, "1969-12-31T23:59:59.000Z"},
	    {1795161600000, "2026-11-20T08:00:00.000Z"},
	    {951827696789, "2000-02-29T12:34:56.789Z"},
	    {253402300799999, "9999-12-31T23:59:59.999Z"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char got[CLOCK_ISO_SIZE];

		base_clock_format(cases[i].ms, got);
		cr_expect_str_eq(got, cases[i].want, "%" G_GINT64_FORMAT ": got %s, want %s",
		    cases[i].ms, got, cases[i].want);
	}
}

Test(clock, parses)
{
	static const struct {
		const char *text;
		bool want;
		gint64 ms;
	} cases[] = {
	    {"2026-11-20T08:00:00.000Z", true, 1795161600000},
	    {"2026-11-20T08:00:00Z", true, 1795161600000},
	    {"2026-11-20T08:00:00", true, 1795161600000},
	    {"2026-11-20T09:00:00+01:00", true, 1795161600000},
	    {"2026-11-20T03:00:00-0500", true, 1795161600000},
	    {"20261120T080000Z", true, 1795161600000},
	    {"2026-11-20t08:00:00z", true, 1795161600000},
	    {"2026-11-20t09:00+01:00", true, 1795161600000},
	    {"20261120t080000z", true, 1795161600000},
	    {"2026-11-20T08:00:00-00:00", true, 1795161600000},
	    {"2026-11-21T07:59:00+23:59", true, 1795161600000},
	    {"2026-11-20T08:00:00+24:00", false, 0},
	    {"2026-11-20T08:00:00-24:00", false, 0},
	    {"2026-11-20T08:00:00+01:60", false, 0},
	    {"2000-02-29T12:34:56.789Z", true, 951827696789},
	    {"1969-12-31T23:59:59.999Z", true, -1},
	    {"", false, 0},
	    {"now", false, 0},
	    {"2026-11-20", true, 1795132800000},
	    {"2026-11-20T08:00Z", true, 1795161600000},
	    {"2026-11-20T08:00", true, 1795161600000},
	    {"2026-11-20T09:00+01:00", true, 1795161600000},
	    {"2026-11-31", false, 0},
	    {"2026-11-2", false, 0},
	    {"2026-11-20T", false, 0},
	    {"2026-11-20T08", false, 0},
	    {"2026-11-20T08:60Z", false, 0},
	    {"2026-11-20T08:00:", false, 0},
	    {"2026-11-20T25:00:00Z", false, 0},
	    {"2026-13-20T08:00:00Z", false, 0},
	    {"2025-02-29T08:00:00Z", false, 0},
	    {"2026-11-20T08:00:00Zx", false, 0},
	    {" 2026-11-20T08:00:00Z", false, 0},
	    {"1795161600000", false, 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 ms = 0;
		bool got = base_clock_parse(cases[i].text, &ms);

		cr_expect_eq(
		    got, cases[i].want, "'%s': got %d, want %d", cases[i].text, got, cases[i].want);
		cr_expect_eq(ms, cases[i].ms,
		    "'%s': got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, cases[i].text, ms,
		    cases[i].ms);
	}
}

/* GLib reads seconds as a floating point number; no millisecond may be lost. */
Test(clock, reads_back_what_it_writes)
{
	for (gint64 ms = 1795161600000; ms < 1795161660000; ms++) {
		char text[CLOCK_ISO_SIZE];
		gint64 got = 0;

		base_clock_format(ms, text);
		cr_assert(base_clock_parse(text, &got) && got == ms,
		    "%s: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, text, got, ms);
	}
}

Test(clock, runs_on_from_where_it_was_set)
{
	gint64 boot = base_clock_boot();

	base_clock_set(1000000);
	gint64 first = base_clock_now();
	cr_expect(first >= 1000000 && first < 1060000, "got %" G_GINT64_FORMAT, first);
	/* The clock moves by itself: this ends. */
	while (base_clock_now() == first)
		;
	cr_expect(base_clock_now() > first);
	cr_expect(base_clock_boot() >= boot && base_clock_boot() < boot + 60000,
	    "the clock of leases does not follow");
}
