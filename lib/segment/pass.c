/* SPDX-License-Identifier: MIT */
/* Looks at people once for several segments, part by part: their rules are joined, so that one
   reading has the people and one round trip the facts that any of the segments asks for. While the
   caller works with a part, a thread reads the next ones (segment/reader.h). */
#include "segment/pass.h"

#include <string.h>

#include "base/clock.h"
#include "json/value.h"
#include "segment/group.h"
#include "segment/reader.h"
#include "segment/rules.h"
#include "service/service.h"
#include "store/broadcast/segment.h"

/* A reading, for as many of the segments as facts can be asked for at once. */
struct reading {
	const struct segment_pass_plan *plan;
	guint first, count;	     /* its segments */
	struct segment_rules *rules; /* of all of them; NULL: there are none */
	struct segment_group *group;
	guint place;
	struct json *properties; /* of the person at that place; NULL: not read yet */
};

struct segment_pass {
	struct segment_pass_plan plan;
	struct db *db;
	struct base_id after; /* of the next part */
	GArray *readings;     /* of struct reading */
	struct segment_group *own;
	struct segment_reader *ahead; /* reads for the first reading; NULL: none */
	bool is_alone;		      /* there was no second connection or no thread */
};

static guint
pass_facts(const struct segment_rules *rules)
{
	guint facts = 0;

	for (guint i = 0; i < segment_rules_count(rules); i++)
		facts += segment_rules_leaf(rules, i)->kind == LEAF_FACT;
	return facts;
}

static struct segment_rules *
pass_read_rules(const struct segment_pass *pass, guint i, GError **error)
{
	const struct segment_pass_plan *plan = &pass->plan;
	AUTO(segment_rules) rules = segment_rules_read(plan->segments[i].segment->rules, error);

	return rules && segment_rules_resolve(rules, pass->db, &plan->workspace, false, error)
		   ? g_steal_pointer(&rules)
		   : NULL;
}

/* Joins the rules of the next segments, as long as their facts are not too many. */
static bool
pass_join(const struct segment_pass *pass, struct reading *reading, GError **error)
{
	guint facts = 0;

	for (guint i = reading->first; i < pass->plan.count; i++) {
		AUTO(segment_rules) rules = pass_read_rules(pass, i, error);

		if (!rules)
			return false;
		facts += pass_facts(rules);
		if (reading->count > 0 && facts > STORE_PEOPLE_SCAN_FACTS)
			return true;
		reading->count++;
		if (reading->rules)
			segment_rules_add(reading->rules, g_steal_pointer(&rules));
		else
			reading->rules = g_steal_pointer(&rules);
	}
	return true;
}

static bool
pass_test(guint leaf, void *context)
{
	struct reading *reading = context;

	return segment_group_test(reading->group, reading->place, leaf, &reading->properties);
}

static void
pass_take_segments(struct reading *reading, const struct store_people_scan_person *person)
{
	for (guint i = 0; i < reading->count; i++)
		if (segment_rules_part_holds(reading->rules, i, pass_test, reading))
			g_array_append_val(
			    reading->plan->segments[reading->first + i].in, person->id);
	g_clear_pointer(&reading->properties, json_free);
}

/* Takes the people of the group, those up to last. */
static bool
pass_take(struct reading *reading, const struct base_id *last, GError **error)
{
	const struct segment_pass_plan *plan = reading->plan;

	for (reading->place = 0; reading->place < reading->group->people->len; reading->place++) {
		const struct store_people_scan_person *person =
		    segment_group_person(reading->group, reading->place);

		if (memcmp(&person->id, last, sizeof(*last)) > 0)
			break;
		/* The first reading is that of the pass itself. */
		if (reading->first == 0 && plan->take && !plan->take(person, plan->context, error))
			return false;
		pass_take_segments(reading, person);
	}
	return true;
}

/* Whether a group ends before the last of the people: some of them came since the first reading. */
static bool
pass_goes_on(const struct segment_group *group, const struct base_id *last)
{
	guint count = group->people->len;

	return group->more && count > 0 &&
	       memcmp(&segment_group_person(group, count - 1)->id, last, sizeof(*last)) < 0;
}

static struct segment_crowd
pass_crowd(const struct segment_pass *pass, const struct reading *reading)
{
	return (struct segment_crowd){.workspace = pass->plan.workspace,
	    .rules = reading->rules,
	    .after = pass->after,
	    .detail = reading->first == 0 ? pass->plan.detail : COHORT_KEY};
}

/* Reads the people of a part for the first of the readings. source: NULL where they are read ahead.
 */
static bool
pass_read(struct segment_pass *pass, struct reading *reading, struct segment_source *source,
    GError **error)
{
	if (!source) {
		reading->group = segment_reader_next(pass->ahead, error);
		return reading->group != NULL;
	}
	reading->group = pass->own;
	return segment_group_read(reading->group, source, pass->plan.together, error);
}

/* Finds the last of the people of a part. */
static bool
pass_first(struct segment_pass *pass, struct base_id *last, bool *more, GError **error)
{
	struct reading *reading = &g_array_index(pass->readings, struct reading, 0);
	const struct segment_crowd crowd = pass_crowd(pass, reading);
	AUTO(segment_source)
	source = pass->ahead ? NULL : segment_source_new(&crowd, pass->db);

	if (!pass_read(pass, reading, source, error) ||
	    !segment_group_find_facts(reading->group, pass->db, error))
		return false;
	guint count = reading->group->people->len;
	*more = reading->group->more;
	*last = count > 0 ? segment_group_person(reading->group, count - 1)->id : pass->after;
	return pass_take(reading, last, error);
}

/* Reads the people once more for another reading, up to the last. */
static bool
pass_again(
    struct segment_pass *pass, struct reading *reading, const struct base_id *last, GError **error)
{
	const struct segment_crowd crowd = pass_crowd(pass, reading);
	AUTO(segment_source) source = segment_source_new(&crowd, pass->db);
	AUTO(segment_group) group = segment_group_new();

	reading->group = group;
	do
		if (!segment_group_read(group, source, pass->plan.together, error) ||
		    !segment_group_find_facts(group, pass->db, error) ||
		    !pass_take(reading, last, error))
			return false;
	while (pass_goes_on(group, last));
	return true;
}

/* Begins to read the people behind a part. */
static void
pass_read_ahead(struct segment_pass *pass)
{
	const struct segment_crowd crowd =
	    pass_crowd(pass, &g_array_index(pass->readings, struct reading, 0));

	if (pass->ahead || pass->is_alone || base_clock_boot() >= pass->plan.ahead_until)
		return;
	pass->ahead = segment_reader_start(&crowd, pass->plan.together, pass->db);
	pass->is_alone = !pass->ahead;
}

bool
segment_pass_next(struct segment_pass *pass, struct base_id *last_r, bool *more_r, GError **error)
{
	struct base_id last;

	if (!pass_first(pass, &last, more_r, error))
		return false;
	for (guint i = 1; i < pass->readings->len; i++)
		if (!pass_again(
			pass, &g_array_index(pass->readings, struct reading, i), &last, error))
			return false;
	*last_r = pass->after = last;
	if (*more_r)
		pass_read_ahead(pass);
	return true;
}

static void
pass_clear_reading(void *data)
{
	struct reading *reading = data;

	json_free(reading->properties);
	g_clear_pointer(&reading->rules, segment_rules_free);
}

struct segment_pass *
segment_pass_new(const struct segment_pass_plan *plan, struct service *service, GError **error)
{
	AUTO(segment_pass) pass = g_new0(struct segment_pass, 1);
	guint done = 0;

	pass->plan = *plan;
	pass->db = service->db;
	pass->after = plan->after;
	pass->own = segment_group_new();
	pass->readings = g_array_new(FALSE, FALSE, sizeof(struct reading));
	g_array_set_clear_func(pass->readings, pass_clear_reading);
	do {
		struct reading reading = {.plan = &pass->plan, .first = done};
		bool is_joined = pass_join(pass, &reading, error);

		g_array_append_val(pass->readings, reading);
		if (!is_joined)
			return NULL;
		done += reading.count;
	} while (done < plan->count);
	return g_steal_pointer(&pass);
}

void
segment_pass_free(struct segment_pass *pass)
{
	g_clear_pointer(&pass->ahead, segment_reader_stop);
	segment_group_free(pass->own);
	g_array_unref(pass->readings);
	g_free(pass);
}
