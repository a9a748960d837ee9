/* SPDX-License-Identifier: MIT */
/* Bounds the rows that a page of a list looks at. */
#include "base/scan_budget.h"

#include "base/limits/list.h"

#define FEWEST 200 /* rows that are worth a statement */

void
base_scan_budget_begin(struct base_scan_budget *look, gint64 now)
{
	look->begun = now;
	look->looked = 0;
}

guint
base_scan_budget_next(const struct base_scan_budget *look, guint together, gint64 now)
{
	guint left = look->most - MIN(look->looked, look->most);
	gint64 gone = MAX(now - look->begun, 1);

	if (look->ns == 0)
		return MIN(together, left);
	if (look->looked < LIMIT_LOOK_LEAST)
		return MIN(together, MIN(left, LIMIT_LOOK_LEAST - look->looked));
	if (gone >= look->ns)
		return 0;
	double fits = (double)look->looked * (double)(look->ns - gone) / (double)gone;
	return MIN(left, (guint)CLAMP(fits, FEWEST, together));
}
