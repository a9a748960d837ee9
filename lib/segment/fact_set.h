/* SPDX-License-Identifier: MIT */
/* All addresses for which facts hold, in memory. A look at everybody reads each fact once from end
   to end, which is far less work than to look for every person. */
#ifndef SEGMENT_FACT_SET_H
#define SEGMENT_FACT_SET_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct db;
struct store_people_scan_fact;

struct segment_fact_set;

#define SEGMENT_FACT_SET_FACTS 32 /* at most in a roll */
#define SEGMENT_FACT_SET_MOST                                                                      \
	2000000 /* addresses in a roll: 110 MiB, if they have 24 characters                        \
		 */

/* The facts of a roll, and its bounds. */
struct segment_fact_set_plan {
	const struct store_people_scan_fact *facts; /* none of them FACT_EVENT or behind it */
	guint count;				    /* of facts */
	guint most;				    /* addresses */
	gint64 deadline;			    /* as in struct segment_scan */
};

/* Reads who holds the facts. *full_r: there are more than most addresses, or they take longer than
   until the deadline; then the result is NULL, and *error is not set. The caller frees the roll. */
struct segment_fact_set *segment_fact_set_read(struct db *db, const struct base_id *workspace,
    const struct segment_fact_set_plan *plan, bool *full_r, GError **error);
void segment_fact_set_free(struct segment_fact_set *roll);
DEFINE_AUTO(segment_fact_set, segment_fact_set_free)

/* The facts that hold for an address: bit i is that of facts[i]. */
guint32 segment_fact_set_find(const struct segment_fact_set *roll, const char *address);

#endif
