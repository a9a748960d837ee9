/* SPDX-License-Identifier: MIT */
#include "core/retry.h"

#include <criterion/criterion.h>

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define NOW ((gint64)1800000000000)

Test(retry, has_a_schedule)
{
	static const struct {
		guint attempts;
		gint64 want; /* after now */
	} cases[] = {
	    {0, MINUTE},
	    {1, MINUTE},
	    {2, 5 * MINUTE},
	    {3, 15 * MINUTE},
	    {4, 30 * MINUTE},
	    {5, HOUR},
	    {6, 2 * HOUR},
	    {7, 4 * HOUR},
	    {8, 8 * HOUR},
	    {9, 8 * HOUR},
	    {1000, 8 * HOUR},
	    {G_MAXUINT, 8 * HOUR},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		static const double jitters[] = {-1, -0.5, 0, 0.5, 1};

		for (gsize j = 0; j < G_N_ELEMENTS(jitters); j++) {
			gint64 want =
			    cases[i].want + (gint64)(jitters[j] * 10) * cases[i].want / 100;
			gint64 got = core_retry_at(cases[i].attempts, NOW, NOW, jitters[j]) - NOW;
			cr_expect_eq(got, want,
			    "after %u with jitter %g: got %" G_GINT64_FORMAT
			    ", want %" G_GINT64_FORMAT,
			    cases[i].attempts, jitters[j], got, want);
		}
	}
}

Test(retry, gives_up_after_48_hours)
{
	static const struct {
		const char *name;
		guint attempts;
		gint64 elapsed; /* since acceptance */
		double jitter;
		bool want_more;
	} cases[] = {
	    {"at the end", 9, 40 * HOUR, 0, true},
	    {"one past it", 9, 40 * HOUR + 1, 0, false},
	    {"at the end, by jitter", 9, 39 * HOUR + 12 * MINUTE, 1, true},
	    {"one past it, by jitter", 9, 39 * HOUR + 12 * MINUTE + 1, 1, false},
	    {"early attempts, at the end", 1, 48 * HOUR - MINUTE, 0, true},
	    {"early attempts, one past it", 1, 48 * HOUR - MINUTE + 1, 0, false},
	    {"no attempt, at the end", 0, 48 * HOUR - MINUTE, 0, true},
	    {"no attempt, one past it", 0, 48 * HOUR - MINUTE + 1, 0, false},
	    {"long past", 1, 1000 * HOUR, 0, false},
	    {"scheduled, and the clock set back", 1, -HOUR, 0, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 at =
		    core_retry_at(cases[i].attempts, NOW - cases[i].elapsed, NOW, cases[i].jitter);
		cr_expect_eq(
		    at != 0, cases[i].want_more, "%s: got %" G_GINT64_FORMAT, cases[i].name, at);
	}
}

Test(retry, tells_of_a_delay_every_4_hours)
{
	static const struct {
		gint64 since_last; /* -1: there was none */
		bool want;
	} cases[] = {{-1, true}, {0, false}, {4 * HOUR - 1, false}, {4 * HOUR, true}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 last = cases[i].since_last < 0 ? 0 : NOW - cases[i].since_last;
		cr_expect_eq(core_retry_tells(last, NOW), cases[i].want,
		    "%" G_GINT64_FORMAT " ms after the last", cases[i].since_last);
	}
}
