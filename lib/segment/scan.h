/* SPDX-License-Identifier: MIT */
/* Looks at people in the order of their ids, and tells those for whom rules hold. */
#ifndef SEGMENT_SCAN_H
#define SEGMENT_SCAN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;
struct segment_rules;
struct store_people_scan_person;

struct segment_scan {
	struct base_id workspace;
	const struct segment_rules *rules; /* resolved; NULL: all hold */
	const struct base_id *members;	   /* look at the members of this frozen segment alone;
					      NULL: at everybody */
	struct base_id after;		   /* the first has an id behind this one */
	guint most;			   /* look at so many people at most; 0: at all */
	gint64 ns;	 /* and for so long, as of base_scan_budget; 0: any time */
	gint64 deadline; /* end then in any case, by base_clock_boot_ns; 0: never */
	guint together;	 /* people read at a time; 0: as many as is good */
	guint roll;	 /* addresses in a roll; 0: SEGMENT_FACT_SET_MOST */
	/* Takes a person for whom the rules hold. False ends the scan, without an error unless it
	   sets one; the person is then taken all the same. */
	bool (*take)(const struct store_people_scan_person *person, void *context, GError **error);
	void *context;
};

/* Runs a scan. *last_r (may be NULL): the last person that it looked at. *more_r (may be NULL):
   there may be people behind that one. Neither is set after an error. A look at everybody reads
   ahead on a second connection, if it gets one, so it must not run in a transaction. */
bool segment_scan_run(const struct segment_scan *scan, struct db *db, struct base_id *last_r,
    bool *more_r, GError **error);

#endif
