/* SPDX-License-Identifier: MIT */
/* Looks at people once for several segments: their rules are joined, so that one reading has the
   people and one round trip the facts that any of the segments asks for. */
#include "segment/pass.h"

#include <string.h>

#include "json/value.h"
#include "segment/group.h"
#include "segment/rules.h"
#include "service/service.h"
#include "store/broadcast/segment.h"

/* A reading, for as many of the segments as facts can be asked for at once. */
struct reading {
	const struct segment_pass *pass;
	guint first, count;	     /* its segments */
	struct segment_rules *rules; /* of all of them; NULL: there are none */
	struct segment_group *group;
	guint place;
	struct json *properties; /* of the person at that place; NULL: not read yet */
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
pass_read_rules(const struct segment_pass *pass, guint i, struct service *service, GError **error)
{
	AUTO(segment_rules) rules = segment_rules_read(pass->segments[i].segment->rules, error);

	return rules && segment_rules_resolve(rules, service->db, &pass->workspace, false, error)
		   ? g_steal_pointer(&rules)
		   : NULL;
}

/* Joins the rules of the next segments, as long as their facts are not too many. */
static bool
pass_join(struct reading *reading, struct service *service, GError **error)
{
	guint facts = 0;

	for (guint i = reading->first; i < reading->pass->count; i++) {
		AUTO(segment_rules) rules = pass_read_rules(reading->pass, i, service, error);

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
			    reading->pass->segments[reading->first + i].in, person->id);
	g_clear_pointer(&reading->properties, json_free);
}

/* Takes the people of the group, those up to last. */
static bool
pass_take(struct reading *reading, const struct base_id *last, GError **error)
{
	const struct segment_pass *pass = reading->pass;

	for (reading->place = 0; reading->place < reading->group->people->len; reading->place++) {
		const struct store_people_scan_person *person =
		    segment_group_person(reading->group, reading->place);

		if (memcmp(&person->id, last, sizeof(*last)) > 0)
			break;
		/* The first reading is that of the pass itself. */
		if (reading->first == 0 && pass->take && !pass->take(person, pass->context, error))
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

/* Reads the people for the segments of a reading. The first one finds the last of the people. */
static bool
pass_read(struct reading *reading, struct db *db, struct base_id *last, bool *more, GError **error)
{
	const struct segment_pass *pass = reading->pass;
	const struct segment_crowd crowd = {.workspace = pass->workspace,
	    .rules = reading->rules,
	    .after = pass->after,
	    .detail = reading->first == 0 ? pass->detail : COHORT_KEY};
	AUTO(segment_source) source = segment_source_new(&crowd, db);

	do {
		if (!segment_group_read(reading->group, source, pass->limit, error) ||
		    !segment_group_find_facts(reading->group, db, error))
			return false;
		guint count = reading->group->people->len;
		if (reading->first == 0) {
			*more = reading->group->more;
			*last = count > 0 ? segment_group_person(reading->group, count - 1)->id
					  : pass->after;
		}
		if (!pass_take(reading, last, error))
			return false;
	} while (pass_goes_on(reading->group, last));
	return true;
}

bool
segment_pass_run(const struct segment_pass *pass, struct service *service, struct base_id *last_r,
    bool *more_r, GError **error)
{
	guint done = 0;

	do {
		struct reading reading = {
		    .pass = pass, .first = done, .group = segment_group_new()};
		bool is_done = pass_join(&reading, service, error) &&
			       pass_read(&reading, service->db, last_r, more_r, error);

		done += reading.count;
		json_free(reading.properties);
		segment_group_free(reading.group);
		g_clear_pointer(&reading.rules, segment_rules_free);
		if (!is_done)
			return false;
	} while (done < pass->count);
	return true;
}
