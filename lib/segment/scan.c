/* SPDX-License-Identifier: MIT */
/* Looks at people, some at a time, and evaluates the rules person by person.

   SQL cannot answer a segment's rules well: they join fields, properties and facts in any nesting,
   and no index serves them all. So a scan reads people in the order of their ids and tests them
   here.
   1. The first group is small and is read on the caller's connection, since a page or a small
      workspace often needs no more.
   2. A scan of everybody then starts a thread with a connection of its own (segment/reader.h). It
      reads the next groups while this thread tests those that are there. If there is no second
      connection, this thread reads them itself.
   3. The same scan reads once who has the facts that are kept by address (segment/fact_set.h). If
      they are too many, each group asks for the facts of its people.
   4. Each person for whom the rules hold is given to scan->take, in the order of ids.
   5. The scan ends behind the last person, when take wants no more, or at a bound: people (most), a
      span of time (ns) or a deadline. Bounds are checked between groups, the deadline for each
      person too. *last_r is then the last person who was tested, from whom the next call goes on.

   A scan stores nothing. When its process dies, the next one begins behind the place that its
   caller has stored. */
#include "segment/scan.h"

#include <string.h>

#include "base/clock.h"
#include "base/scan_budget.h"
#include "json/strict.h"
#include "segment/fact_set.h"
#include "segment/group.h"
#include "segment/reader.h"
#include "segment/rules.h"
#include "store/person/people_scan.h"

#define FIRST 1000    /* people at the first time: a page may need no more */
#define TOGETHER 5000 /* people at a time, */
#define FEWER 500     /* or fewer, but not less than these, where much is asked about each: */
#define ASKED 100000  /* facts at a time */

/* A scan that runs. */
struct look {
	struct segment_scan scan;
	struct segment_crowd crowd; /* of the scan */
	struct db *db;
	struct segment_source *source;
	struct segment_group *own;     /* what was read from the source */
	struct segment_reader *reader; /* NULL: people are read from the source */
	struct segment_group *group;   /* those that are looked at */
	guint place;		       /* of the person whose rules are tested */
	bool is_unseen;		       /* the deadline came before anyone of the group was tested */
	struct json *properties;       /* of that person; NULL: not read yet */
};

/* Whether a single rule holds for the person at the look's place. */
static bool
scan_test(guint i, void *context)
{
	struct look *look = context;

	return segment_group_test(look->group, look->place, i, &look->properties);
}

static bool
scan_is_late(const struct look *look)
{
	return look->scan.deadline > 0 && base_clock_boot_ns() >= look->scan.deadline;
}

/* Takes the people of the group for whom the rules hold. *ended_r: the scan has ended at place. */
static bool
take_people(struct look *look, bool *ended_r, GError **error)
{
	const struct segment_scan *scan = &look->scan;
	GError *failure = NULL;

	*ended_r = false;
	for (look->place = 0; look->place < look->group->people->len; look->place++) {
		if (scan_is_late(look)) {
			*ended_r = true;
			look->is_unseen = look->place == 0;
			look->place -= !look->is_unseen;
			return true;
		}
		bool holds = !scan->rules || segment_rules_hold(scan->rules, scan_test, look);

		g_clear_pointer(&look->properties, json_free);
		if (!holds || scan->take(segment_group_person(look->group, look->place),
				  scan->context, &failure))
			continue;
		*ended_r = true;
		if (!failure)
			return true;
		g_propagate_error(error, failure);
		return false;
	}
	return true;
}

static bool
read_next(struct look *look, guint limit, GError **error)
{
	if (look->reader)
		look->group = segment_reader_next(look->reader, error);
	else
		look->group =
		    segment_group_read(look->own, look->source, limit, error) ? look->own : NULL;
	return look->group != NULL;
}

/* The last of the people that were looked at. */
static void
note_last(const struct look *look, struct base_id *last)
{
	guint count = look->group->people->len;

	if (count > 0)
		*last = segment_group_person(look->group, MIN(look->place, count - 1))->id;
}

/* Prepares to look at everybody behind the first people. These alone are no work; a workspace with
   few has no others. */
static bool
look_on(struct look *look, GError **error)
{
	const struct segment_group *first = look->group;
	struct segment_crowd rest = look->crowd;

	if (look->scan.most > 0 || !first->more)
		return true;
	rest.after = segment_group_person(first, first->people->len - 1)->id;
	look->reader = segment_reader_start(&rest, look->scan.together, look->db);
	return look->reader || segment_source_roll(look->source, error);
}

static bool
scan_run(struct look *look, struct base_id *last, bool *more, GError **error)
{
	const struct segment_scan *scan = &look->scan;
	struct base_scan_budget bounds = {
	    .most = scan->most > 0 ? scan->most : G_MAXUINT, .ns = scan->ns};
	bool ended = false;

	base_scan_budget_begin(&bounds, base_clock_boot_ns());
	while (*more && !ended) {
		bool is_first = bounds.looked == 0;
		guint limit = base_scan_budget_next(&bounds,
		    is_first ? MIN(FIRST, scan->together) : scan->together, base_clock_boot_ns());

		if (limit == 0 || scan_is_late(look))
			return true;
		if (!read_next(look, limit, error) || (is_first && !look_on(look, error)) ||
		    !segment_group_find_facts(look->group, look->db, error) ||
		    !take_people(look, &ended, error))
			return false;
		if (!look->is_unseen)
			note_last(look, last);
		*more = ended || look->group->more;
		bounds.looked += look->group->people->len;
	}
	return true;
}

/* The people of a group. They are read and looked at before the clock is. */
static guint
scan_group_size(const struct segment_rules *rules)
{
	guint facts = 0;

	for (guint i = 0; rules && i < segment_rules_count(rules); i++)
		facts += segment_rules_leaf(rules, i)->kind == LEAF_FACT;
	return CLAMP(ASKED / MAX(facts, 1), FEWER, TOGETHER);
}

bool
segment_scan_run(const struct segment_scan *scan, struct db *db, struct base_id *last_r,
    bool *more_r, GError **error)
{
	struct look look = {.scan = *scan, .db = db};
	struct base_id last = scan->after;
	bool more = true;

	if (look.scan.together == 0)
		look.scan.together = scan_group_size(scan->rules);
	look.crowd = (struct segment_crowd){.workspace = scan->workspace,
	    .rules = scan->rules,
	    .members = scan->members,
	    .after = scan->after,
	    .roll = scan->roll > 0 ? scan->roll : SEGMENT_FACT_SET_MOST,
	    .deadline = scan->deadline};
	look.source = segment_source_new(&look.crowd, db);
	look.own = segment_group_new();
	bool done = scan_run(&look, &last, &more, error);
	g_clear_pointer(&look.reader, segment_reader_stop);
	segment_group_free(look.own);
	segment_source_free(look.source);
	if (done && last_r)
		*last_r = last;
	if (done && more_r)
		*more_r = more;
	return done;
}
