/* SPDX-License-Identifier: MIT */
/* One pass over people for several segments. */
#ifndef SEGMENT_PASS_H
#define SEGMENT_PASS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/person/people_scan.h"

struct service;
struct store_segment;

/* A segment of a pass. */
struct segment_passed {
	const struct store_segment *segment; /* not frozen */
	GArray *in;			     /* of struct base_id: takes those who are in it */
};

struct segment_pass_plan {
	struct base_id workspace;
	struct segment_passed *segments; /* outlive the pass */
	guint count;
	struct base_id after; /* the first has an id behind this one */
	guint together;	      /* people in a part */
	gint64 ahead_until;   /* parts are read ahead until then, by base_clock_boot */
	enum store_people_scan_detail detail; /* that take needs */
	/* Takes each person, in the order of ids. False ends the pass with its error. */
	bool (*take)(const struct store_people_scan_person *person, void *context, GError **error);
	void *context;
};

struct segment_pass;

/* Reads the rules of the segments. The caller frees the pass. Errors of db/statement.h. */
struct segment_pass *segment_pass_new(
    const struct segment_pass_plan *plan, struct service *service, GError **error);
void segment_pass_free(struct segment_pass *pass);
DEFINE_AUTO(segment_pass, segment_pass_free)

/* Reads the next people once, asks once for each fact about them, and adds those who are in each
   segment. *last_r: the last of the people, as before if there are none. *more_r: there may be more
   behind; the first part begins to read them ahead, on a second connection if there is one. Many
   facts (STORE_PEOPLE_SCAN_FACTS) make more than one reading. Not in a transaction. Behind an
   error, or the last part, there is no other. Errors of db/statement.h. */
bool segment_pass_next(
    struct segment_pass *pass, struct base_id *last_r, bool *more_r, GError **error);

#endif
