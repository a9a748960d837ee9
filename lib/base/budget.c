/* SPDX-License-Identifier: MIT */
/* Bounds work by the processor time of the thread that does it. */
#include "base/budget.h"

#include "base/clock.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"

#define BETWEEN 2048 /* steps between two checks of the clock */

/* How many times longer programs take with AddressSanitizer. */
#ifdef __SANITIZE_ADDRESS__
#define SLOWER 10
#else
#define SLOWER 1
#endif

gint64
base_budget_ns(gsize bytes)
{
	gint64 ns = (gint64)MIN(bytes, 1024UL * LIMIT_MIB) * LIMIT_BUDGET_MIB_NS / LIMIT_MIB;

	return CLAMP(ns, LIMIT_BUDGET_LEAST_NS, LIMIT_BUDGET_MOST_NS);
}

bool
base_budget_take(struct base_budget *budget, gint64 steps, gsize bytes)
{
	budget->steps += steps;
	if (budget->steps - budget->seen < BETWEEN || budget->is_spent)
		return !budget->is_spent;
	gint64 now = base_clock_thread_ns();
	if (budget->begun == 0)
		budget->begun = now;
	budget->seen = budget->steps;
	budget->is_spent = now - budget->begun > SLOWER * base_budget_ns(bytes);
	return !budget->is_spent;
}
