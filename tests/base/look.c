/* SPDX-License-Identifier: MIT */
/* Tests how many rows of a list are looked at. */
#include "base/scan_budget.h"

#include <criterion/criterion.h>

#include "base/limits/list.h"

#define LEAST LIMIT_LOOK_LEAST
#define BEGUN 1000

Test(look, ends_by_rows_and_by_time)
{
	static const struct {
		const char *name;
		guint most;
		gint64 ns;
		guint looked, together;
		gint64 gone;
		guint want;
	} cases[] = {
	    {"at first", 25000, 100, 0, 500, 0, 500},
	    {"fewer rows than at a time", 300, 100, 0, 500, 0, 300},
	    {"the last row", 25000, 0, 24999, 500, 0, 1},
	    {"the row past it", 25000, 0, 25000, 500, 0, 0},
	    {"more rows than that", 25000, 0, 25001, 500, 0, 0},
	    {"any time", 25000, 0, 20000, 500, G_MAXINT64 / 2, 500},
	    {"too late before the least", 25000, 100, LEAST - 1, 500, 101, 1},
	    {"too late, at the least at once", 25000, 1, 0, 5000, 101, LEAST},
	    {"too late at the least", 25000, 100, LEAST, 500, 101, 0},
	    {"at the end of the time", 25000, 100, LEAST, 500, 100, 0},
	    {"just before it", 25000, 100, LEAST, 500, 99, 200},
	    {"just before it, and few left", 2100, 100, LEAST, 500, 99, 100},
	    {"as many as fit", 25000, 100, LEAST, 5000, 50, LEAST},
	    {"as many as fit, a third", 25000, 100, LEAST, 5000, 75, LEAST / 3},
	    {"more fit than at a time", 25000, 100, LEAST, 500, 1, 500},
	    {"no time has gone by", 25000, 100, LEAST, 500, 0, 500},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_scan_budget look = {.most = cases[i].most, .ns = cases[i].ns};

		base_scan_budget_begin(&look, BEGUN);
		look.looked += cases[i].looked;
		guint got = base_scan_budget_next(&look, cases[i].together, BEGUN + cases[i].gone);
		cr_expect_eq(
		    got, cases[i].want, "%s: got %u, want %u", cases[i].name, got, cases[i].want);
	}
}
