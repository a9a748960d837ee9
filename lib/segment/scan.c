/* SPDX-License-Identifier: MIT */
/* Looks at people, some at a time: reads their rows, then the facts about them in one round trip,
   and then evaluates the rules person by person. A look at everybody knows most facts before. */
#include "segment/scan.h"

#include <string.h>

#include "db/rows.h"
#include "base/clock.h"
#include "base/look.h"
#include "json/strict.h"
#include "segment/roll.h"
#include "segment/rules.h"
#include "store/cohort.h"

#define FIRST 1000    /* people at the first time: a page may need no more */
#define TOGETHER 5000 /* people at a time */

/* The people that are looked at together. */
struct group {
	const struct segment_scan *scan;
	struct db *db;
	struct store_cohort cohort;
	GArray *people;		 /* of struct store_cohort_person */
	bool *facts;		 /* TOGETHER for each leaf: whether the fact holds for the person */
	guint place;		 /* of the person whose rules are tested */
	struct json *properties; /* of that person; NULL: not read yet */
	struct segment_roll *roll; /* NULL: none */
	guint32 *bits;		   /* for each leaf: that of its fact in the roll; 0: not there */
	guint32 held;		   /* what the roll has for that person */
	bool is_found;		   /* it was asked for that */
};

static guint
count_leaves(const struct segment_scan *scan)
{
	return scan->rules ? segment_rules_count(scan->rules) : 0;
}

static const struct store_cohort_person *
person_at(const struct group *group, guint i)
{
	return &g_array_index(group->people, struct store_cohort_person, i);
}

/* Notes for whom a fact holds. The ids are in the order of the people. */
static void
mark(const struct group *group, struct db_rows *rows, bool *holds)
{
	struct base_id id;
	guint place = 0;

	while (store_cohort_next_id(rows, &id)) {
		while (place < group->people->len &&
		       memcmp(&person_at(group, place)->id, &id, sizeof(id)) < 0)
			place++;
		if (place < group->people->len && base_id_equal(&person_at(group, place)->id, &id))
			holds[place] = true;
	}
}

/* Whether the facts of a leaf are looked for; a void one holds for nobody. */
static bool
has_fact(const struct segment_leaf *leaf)
{
	return leaf->kind == LEAF_FACT && !leaf->is_void;
}

/* Finds the facts about the people of the group. */
static bool
find_facts(struct group *group, const struct base_id *after, GError **error)
{
	struct store_cohort_fact facts[STORE_COHORT_FACTS] = {0};
	guint places[STORE_COHORT_FACTS], count = 0;
	struct db_rows *rows[STORE_COHORT_FACTS];
	const struct base_id *last = &person_at(group, group->people->len - 1)->id;

	for (guint i = 0; i < count_leaves(group->scan); i++) {
		const struct segment_leaf *leaf = segment_rules_leaf(group->scan->rules, i);

		if (!has_fact(leaf) || group->bits[i] != 0)
			continue;
		facts[count] = leaf->fact;
		places[count++] = i;
	}
	memset(group->facts, 0, (gsize)count_leaves(group->scan) * TOGETHER);
	if (!store_cohort_facts(
		group->db, &group->scan->workspace, after, last, facts, count, rows, error))
		return false;
	for (guint i = 0; i < count; i++)
		mark(group, rows[i], group->facts + (gsize)places[i] * TOGETHER);
	db_rows_free_all(rows, count);
	return true;
}

/* Whether the person at the group's place has the fact of a leaf. */
static bool
holds_fact(struct group *group, guint i)
{
	if (group->bits[i] == 0)
		return group->facts[(gsize)i * TOGETHER + group->place];
	if (!group->is_found)
		group->held =
		    segment_roll_find(group->roll, person_at(group, group->place)->address);
	group->is_found = true;
	return group->held & group->bits[i];
}

/* Whether a single rule holds for the person at the group's place. */
static bool
test(guint i, void *context)
{
	struct group *group = context;
	const struct segment_leaf *leaf = segment_rules_leaf(group->scan->rules, i);
	const struct store_cohort_person *person = person_at(group, group->place);

	if (leaf->kind == LEAF_FACT)
		return holds_fact(group, i) != leaf->is_negated;
	if (leaf->kind == LEAF_CONTACT)
		return segment_leaf_holds_field(leaf, person);
	if (!group->properties)
		group->properties =
		    json_parse(person->properties, strlen(person->properties), NULL);
	return segment_leaf_holds(leaf, group->properties);
}

/* Takes the people of the group for whom the rules hold. *ended_r: the scan has ended at place. */
static bool
take_people(struct group *group, bool *ended_r, GError **error)
{
	const struct segment_scan *scan = group->scan;
	GError *failure = NULL;

	*ended_r = false;
	for (group->place = 0; group->place < group->people->len; group->place++) {
		bool holds = !scan->rules || segment_rules_hold(scan->rules, test, group);

		g_clear_pointer(&group->properties, json_free);
		group->is_found = false;
		if (!holds || scan->take(person_at(group, group->place), scan->context, &failure))
			continue;
		*ended_r = true;
		if (!failure)
			return true;
		g_propagate_error(error, failure);
		return false;
	}
	return true;
}

/* Looks at the people behind *after, which becomes the last of them. */
static bool
look(struct group *group, struct base_id *after, bool *ended_r, GError **error)
{
	AUTO(db_rows) rows = store_cohort_read(group->db, &group->cohort, after, error);
	struct store_cohort_person person;
	const struct base_id before = *after;

	if (!rows)
		return false;
	g_array_set_size(group->people, 0);
	while (store_cohort_next(&group->cohort, rows, &person))
		g_array_append_val(group->people, person);
	*ended_r = false;
	if (group->people->len == 0)
		return true;
	if (!find_facts(group, &before, error) || !take_people(group, ended_r, error))
		return false;
	*after = person_at(group, MIN(group->place, group->people->len - 1))->id;
	return true;
}

static bool
run(struct group *group, struct base_id *last_r, bool *more_r, GError **error)
{
	const struct segment_scan *scan = group->scan;
	struct base_look bounds = {.most = scan->most > 0 ? scan->most : G_MAXUINT, .ns = scan->ns};
	bool ended = false;

	base_look_begin(&bounds, base_clock_boot_ns());
	*last_r = scan->after;
	for (*more_r = true; *more_r && !ended; bounds.looked += group->people->len) {
		group->cohort.limit = base_look_next(
		    &bounds, bounds.looked == 0 ? FIRST : TOGETHER, base_clock_boot_ns());
		if (group->cohort.limit == 0)
			return true;
		if (!look(group, last_r, &ended, error))
			return false;
		*more_r = ended || group->people->len == group->cohort.limit;
	}
	return true;
}

/* Reads who holds the facts that are kept by address, when everybody is looked at. */
static bool
call_roll(struct group *group, GError **error)
{
	struct store_cohort_fact facts[SEGMENT_ROLL_FACTS];
	guint count = 0;
	bool full;

	if (group->scan->most > 0)
		return true;
	for (guint i = 0; i < count_leaves(group->scan) && count < SEGMENT_ROLL_FACTS; i++) {
		const struct segment_leaf *leaf = segment_rules_leaf(group->scan->rules, i);

		if (!has_fact(leaf) || leaf->fact.kind >= FACT_EVENT)
			continue;
		group->bits[i] = 1u << count;
		facts[count++] = leaf->fact;
	}
	if (count == 0)
		return true;
	group->roll = segment_roll_read(group->db, &group->scan->workspace, facts, count,
	    group->scan->roll > 0 ? group->scan->roll : SEGMENT_ROLL_MOST, &full, error);
	if (full)
		memset(group->bits, 0, count_leaves(group->scan) * sizeof(*group->bits));
	return group->roll || full;
}

bool
segment_scan_run(const struct segment_scan *scan, struct db *db, struct base_id *last_r,
    bool *more_r, GError **error)
{
	struct base_id last;
	bool more;
	guint leaves = count_leaves(scan);
	g_autoptr(GArray) people = g_array_new(FALSE, FALSE, sizeof(struct store_cohort_person));
	g_autofree bool *facts = g_new(bool, (gsize)leaves *TOGETHER);
	g_autofree guint32 *bits = g_new0(guint32, leaves);
	struct group group = {
	    .scan = scan, .db = db, .people = people, .facts = facts, .bits = bits};

	group.cohort =
	    (struct store_cohort){.workspace = scan->workspace, .segment = scan->members};
	for (guint i = 0; i < leaves; i++) {
		enum store_cohort_detail detail =
		    segment_leaf_detail(segment_rules_leaf(scan->rules, i));

		group.cohort.detail = MAX(group.cohort.detail, detail);
	}
	bool done = call_roll(&group, error) &&
		    run(&group, last_r ? last_r : &last, more_r ? more_r : &more, error);
	g_clear_pointer(&group.roll, segment_roll_free);
	return done;
}
