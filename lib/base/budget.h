/* SPDX-License-Identifier: MIT */
/* The processor time that a piece of work may take: so much for each MiB that it reads and writes
   (LIMIT_BUDGET_MIB_NS), within bounds. Thus hostile input costs what honest input of its size
   costs, or little. */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <glib.h>
#include <stdbool.h>

/* Zeroed, it has not begun. */
struct base_budget {
	gint64 begun; /* by base_clock_thread_ns; 0: not yet */
	gint64 steps; /* so far: parts of the work that take about as long as to read 64 bytes */
	gint64 seen;  /* the steps when the clock was looked at last */
	bool is_spent;
};

/* The processor time for so many bytes, in nanoseconds. */
gint64 base_budget_ns(gsize bytes);

/* Takes steps of the work, which is about so many bytes. It looks at the clock after some thousand
   steps, the first time to begin; so little work costs nothing. Returns false once the time is
   spent. */
bool base_budget_take(struct base_budget *budget, gint64 steps, gsize bytes);

#endif
