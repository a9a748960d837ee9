/* SPDX-License-Identifier: MIT */
/* How many rows a page of a list looks at, when few of them may be on it: so many rows at most, and
   no longer than some time, but LIMIT_LOOK_LEAST rows in any case. */
#ifndef BASE_SCAN_BUDGET_H
#define BASE_SCAN_BUDGET_H

#include <glib.h>

struct base_scan_budget {
	guint most; /* rows */
	gint64 ns;  /* elapsed time; 0: any */
	/* Set by base_scan_budget_begin: */
	gint64 begun;
	guint looked; /* rows so far; the caller adds to it */
};

/* Begins to look. now is a time of base_clock_boot_ns, here and below. */
void base_scan_budget_begin(struct base_scan_budget *look, gint64 now);

/* The number of rows to look at next: together, or fewer where a bound is near. Time bounds them by
   what the rows so far took. 0: the page ends here. */
guint base_scan_budget_next(const struct base_scan_budget *look, guint together, gint64 now);

#endif
