/* SPDX-License-Identifier: MIT */
/* Reads people, some at a time, and the facts about them in one round trip. */
#include "segment/group.h"

#include <string.h>

#include "base/array.h"
#include "db/rows.h"
#include "json/strict.h"
#include "segment/fact_set.h"
#include "segment/rules.h"
#include "store/person/people_scan.h"

struct segment_source {
	struct segment_crowd crowd; /* after: of the next people */
	struct db *db;
	struct store_people_scan cohort;
	struct segment_fact_set *roll; /* NULL: none */
	guint *firsts; /* for each leaf: the first one that asks for the same fact */
	guint32 *bits; /* for each leaf: that of its fact in the roll; 0: not there */
};

static guint
count_leaves(const struct segment_crowd *crowd)
{
	return crowd->rules ? segment_rules_count(crowd->rules) : 0;
}

/* Whether the facts of a leaf are looked for; a void one holds for nobody. */
static bool
has_fact(const struct segment_leaf *leaf)
{
	return leaf->kind == LEAF_FACT && !leaf->is_void;
}

static gboolean
is_same_fact(gconstpointer one, gconstpointer other)
{
	const struct store_people_scan_fact *a = one, *b = other;

	return a->kind == b->kind && base_id_equal(&a->target, &b->target) &&
	       g_strcmp0(a->event, b->event) == 0 && a->since == b->since &&
	       a->at_least == b->at_least;
}

static guint
hash_fact(gconstpointer one)
{
	const struct store_people_scan_fact *fact = one;
	guint hash = (guint)fact->kind ^
		     (guint)(fact->target.bytes[14] << 8 | fact->target.bytes[15]) ^
		     (guint)fact->since;

	return fact->event ? hash ^ g_str_hash(fact->event) : hash;
}

/* Finds for each leaf the first one with its fact, so that each fact is looked for once. */
static void
find_firsts(struct segment_source *source)
{
	const struct segment_crowd *crowd = &source->crowd;
	g_autoptr(GHashTable) places = g_hash_table_new(hash_fact, is_same_fact);
	gpointer place;

	for (guint i = 0; i < count_leaves(crowd); i++) {
		const struct segment_leaf *leaf = segment_rules_leaf(crowd->rules, i);

		source->firsts[i] = i;
		if (!has_fact(leaf))
			continue;
		if (g_hash_table_lookup_extended(places, &leaf->fact, NULL, &place))
			source->firsts[i] = GPOINTER_TO_UINT(place);
		else
			g_hash_table_insert(places, (gpointer)&leaf->fact, GUINT_TO_POINTER(i));
	}
}

struct segment_source *
segment_source_new(const struct segment_crowd *crowd, struct db *db)
{
	struct segment_source *source = g_new0(struct segment_source, 1);

	source->crowd = *crowd;
	source->db = db;
	source->firsts = g_new0(guint, count_leaves(crowd));
	source->bits = g_new0(guint32, count_leaves(crowd));
	find_firsts(source);
	source->cohort.workspace = crowd->workspace;
	source->cohort.segment = crowd->members;
	source->cohort.detail = crowd->detail;
	for (guint i = 0; i < count_leaves(crowd); i++) {
		enum store_people_scan_detail detail =
		    segment_leaf_detail(segment_rules_leaf(crowd->rules, i));

		source->cohort.detail = MAX(source->cohort.detail, detail);
	}
	return source;
}

void
segment_source_free(struct segment_source *source)
{
	g_clear_pointer(&source->roll, segment_fact_set_free);
	g_free(source->firsts);
	g_free(source->bits);
	g_free(source);
}

bool
segment_source_roll(struct segment_source *source, GError **error)
{
	const struct segment_crowd *crowd = &source->crowd;
	struct store_people_scan_fact facts[SEGMENT_FACT_SET_FACTS];
	guint count = 0;
	bool full;

	if (crowd->roll == 0)
		return true;
	for (guint i = 0; i < count_leaves(crowd) && count < SEGMENT_FACT_SET_FACTS; i++) {
		const struct segment_leaf *leaf = segment_rules_leaf(crowd->rules, i);

		if (!has_fact(leaf) || leaf->fact.kind >= FACT_EVENT || source->firsts[i] < i)
			continue;
		source->bits[i] = 1u << count;
		facts[count++] = leaf->fact;
	}
	if (count == 0)
		return true;
	const struct segment_fact_set_plan plan = {facts, count, crowd->roll, crowd->deadline};
	source->roll = segment_fact_set_read(source->db, &crowd->workspace, &plan, &full, error);
	if (!source->roll)
		base_array_clear(source->bits, count_leaves(crowd), sizeof(*source->bits));
	return source->roll || full;
}

struct segment_group *
segment_group_new(void)
{
	struct segment_group *group = g_new0(struct segment_group, 1);

	group->people = g_array_new(FALSE, FALSE, sizeof(struct store_people_scan_person));
	return group;
}

void
segment_group_free(struct segment_group *group)
{
	g_array_unref(group->people);
	db_rows_free(group->rows);
	g_free(group->facts);
	g_free(group);
}

const struct store_people_scan_person *
segment_group_person(const struct segment_group *group, guint place)
{
	return &g_array_index(group->people, struct store_people_scan_person, place);
}

static bool
group_read_people(
    struct segment_group *group, struct segment_source *source, guint limit, GError **error)
{
	struct store_people_scan *cohort = &source->cohort;
	struct store_people_scan_person person;

	g_array_set_size(group->people, 0);
	g_clear_pointer(&group->rows, db_rows_free);
	cohort->limit = limit;
	group->rows = store_people_scan_read(source->db, cohort, &source->crowd.after, error);
	if (!group->rows)
		return false;
	while (store_people_scan_next(cohort, group->rows, &person))
		g_array_append_val(group->people, person);
	return true;
}

/* Notes for whom a fact holds. The ids are in the order of the people. */
static void
group_mark(const struct segment_group *group, struct db_rows *rows, bool *holds)
{
	struct base_id id;
	guint place = 0;

	while (store_people_scan_next_id(rows, &id)) {
		while (place < group->people->len &&
		       memcmp(&segment_group_person(group, place)->id, &id, sizeof(id)) < 0)
			place++;
		if (place < group->people->len &&
		    base_id_equal(&segment_group_person(group, place)->id, &id))
			holds[place] = true;
	}
}

bool
segment_group_read(
    struct segment_group *group, struct segment_source *source, guint limit, GError **error)
{
	group->source = source;
	group->after = source->crowd.after;
	group->found = 0;
	if (!group_read_people(group, source, limit, error))
		return false;
	group->more = group->people->len == limit;
	if (group->people->len > 0)
		source->crowd.after = segment_group_person(group, group->people->len - 1)->id;
	return true;
}

/* Lists the facts that are not in the roll, and the leaves that they are of. Returns their number.
 */
static guint
list_facts(const struct segment_source *source, struct store_people_scan_fact *facts, guint *leaves)
{
	guint count = 0;

	for (guint i = 0; i < count_leaves(&source->crowd); i++) {
		const struct segment_leaf *leaf = segment_rules_leaf(source->crowd.rules, i);

		if (!has_fact(leaf) || source->bits[i] != 0 || source->firsts[i] < i)
			continue;
		facts[count] = leaf->fact;
		leaves[count++] = i;
	}
	return count;
}

bool
segment_group_find_facts(struct segment_group *group, struct db *db, GError **error)
{
	const struct segment_crowd *crowd = &group->source->crowd;
	guint people = group->people->len;
	gsize size = (gsize)count_leaves(crowd) * people;
	struct store_people_scan_fact facts[STORE_PEOPLE_SCAN_FACTS] = {0};
	struct db_rows *rows[STORE_PEOPLE_SCAN_FACTS];
	guint leaves[STORE_PEOPLE_SCAN_FACTS];

	if (people == 0)
		return true;
	guint count = list_facts(group->source, facts, leaves);
	const struct store_people_scan_range range = {
	    &crowd->workspace, &group->after, &segment_group_person(group, people - 1)->id};
	g_free(group->facts);
	group->facts = g_new0(bool, size);
	if (!store_people_scan_facts(db, &range, facts, count, rows, error))
		return false;
	for (guint i = 0; i < count; i++)
		group_mark(group, rows[i], group->facts + (gsize)leaves[i] * people);
	db_rows_free_all(rows, count);
	return true;
}

/* Whether the fact of a leaf, which was found, holds for the person at this place. */
static bool
group_holds_fact(struct segment_group *group, guint place, guint leaf)
{
	const struct segment_source *source = group->source;

	leaf = source->firsts[leaf];
	if (source->bits[leaf] == 0)
		return group->facts[(gsize)leaf * group->people->len + place];
	if (group->found != place + 1)
		group->held = segment_fact_set_find(
		    source->roll, segment_group_person(group, place)->address);
	group->found = place + 1;
	return group->held & source->bits[leaf];
}

bool
segment_group_test(struct segment_group *group, guint place, guint i, struct json **properties)
{
	const struct segment_leaf *leaf = segment_rules_leaf(group->source->crowd.rules, i);
	const struct store_people_scan_person *person = segment_group_person(group, place);

	if (leaf->kind == LEAF_FACT)
		return group_holds_fact(group, place, i) != leaf->is_negated;
	if (leaf->kind == LEAF_CONTACT)
		return segment_leaf_holds_field(leaf, person);
	if (!*properties)
		*properties = json_parse(person->properties, strlen(person->properties), NULL);
	return segment_leaf_holds(leaf, *properties);
}
