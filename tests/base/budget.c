/* SPDX-License-Identifier: MIT */
/* Tests how much processor time work may take. */
#include "base/budget.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"

#define MS G_GINT64_CONSTANT(1000000)

Test(budget, grows_with_the_bytes)
{
	static const struct {
		const char *name;
		gsize bytes;
		gint64 want;
	} cases[] = {
	    {"nothing", 0, 200 * MS},
	    {"a MiB", LIMIT_MIB, 200 * MS},
	    {"a MiB and a half", 3 * LIMIT_MIB / 2, 300 * MS},
	    {"ten MiB", 10 * LIMIT_MIB, 2000 * MS},
	    {"25 MiB", 25 * LIMIT_MIB, 5000 * MS},
	    {"more", 26 * LIMIT_MIB, 5000 * MS},
	    {"everything", G_MAXSIZE, 5000 * MS},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(base_budget_ns(cases[i].bytes), cases[i].want, "%s: got %lld",
		    cases[i].name, (long long)base_budget_ns(cases[i].bytes));
}

Test(budget, ends_with_its_time)
{
	gint64 begin = base_clock_thread_ns();
	struct base_budget budget = {.begun = 0};

	while (base_budget_take(&budget, 1, 0))
		continue;
	cr_expect(budget.is_spent);
	cr_expect_geq(base_clock_thread_ns() - begin, LIMIT_BUDGET_LEAST_NS);
	cr_expect_lt(base_clock_thread_ns() - begin, LIMIT_BUDGET_MOST_NS);
	cr_expect_not(base_budget_take(&budget, 0, 100 * LIMIT_MIB), "it goes on");
}

Test(budget, of_little_work_asks_no_clock)
{
	struct base_budget budget = {.begun = 0};

	for (guint i = 0; i < 2047; i++)
		cr_expect(base_budget_take(&budget, 1, 0));
	cr_expect_eq(budget.begun, 0);
	cr_expect(base_budget_take(&budget, 1, 0));
	cr_expect_gt(budget.begun, 0);
}
