/* SPDX-License-Identifier: MIT */
/* One pass over people for several segments. */
#ifndef SEGMENT_PASS_H
#define SEGMENT_PASS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/person/people_scan.h"

struct service;
struct store_segment;

/* A segment of a pass. */
struct segment_passed {
	const struct store_segment *segment; /* not frozen */
	GArray *in;			     /* of struct base_id: takes those who are in it */
};

struct segment_pass {
	struct base_id workspace;
	struct segment_passed *segments;
	guint count;
	struct base_id after;		      /* the first has an id behind this one */
	guint limit;			      /* people at most */
	enum store_people_scan_detail detail; /* that take needs */
	/* Takes each person, in the order of ids. False ends the pass with its error. */
	bool (*take)(const struct store_people_scan_person *person, void *context, GError **error);
	void *context;
};

/* Reads the next people once, asks once for each fact about them, and adds those who are in each
   segment. *last_r: the last of the people, after if there are none. *more_r: there may be more
   behind. Many facts (STORE_PEOPLE_SCAN_FACTS) make more than one reading. Errors of
   db/statement.h. */
bool segment_pass_run(const struct segment_pass *pass, struct service *service,
    struct base_id *last_r, bool *more_r, GError **error);

#endif
