/* SPDX-License-Identifier: MIT */
/* A pass for so many rules that it reads the people more than once. */
#include "segment/pass.h"

#include <criterion/criterion.h>

#include "store/broadcast/segment.h"
#include "tests/segment/crowd.h"

#define PEOPLE 4
#define FACTS 60 /* of a segment: two of those are too many for one reading */

/* People who come during the first reading. */
struct late {
	struct crowd *crowd;
	struct base_id next; /* the id of the next one; all of them are before the second person */
	guint left;
};

static bool
pass_add(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct late *late = context;

	if (late->left == 0)
		return true;
	late->left--;
	late->next = base_id_next(&late->next);
	return db_run(late->crowd->db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated)"
	    " SELECT ?, workspace_id, email, CONCAT(?, address), properties, 0, 0, '', 0, 0, 0, 10,"
	    " 1 FROM person WHERE id = ?",
	    DB_VALUES(db_id(&late->next), db_int(late->left), db_id(&person->id)), NULL, error);
}

/* Both segments find the people that were there at the beginning, up to the last, though others
   take their room in the second reading. */
Test(pass, ends_each_reading_at_the_same_person)
{
	AUTO(crowd) crowd = crowd_open();
	struct base_id people[PEOPLE], last;
	g_autoptr(GString) rules = g_string_new(
	    "{'match':'any','rules':[{'property':'plan','operator':'equals','value':'pro'}");
	bool more;

	for (guint i = 0; i < PEOPLE; i++) {
		char name[] = {(char)('a' + i), '\0'};

		people[i] = crowd_person(crowd, name, "{'plan':'pro'}");
	}
	for (guint i = 0; i < FACTS; i++)
		g_string_append(rules, ",{'event':'none','operator':'did'}");
	g_string_append(rules, "]}");
	g_autofree char *text = crowd_json(rules->str);
	const struct store_segment segment = {.rules = text};
	struct segment_passed segments[] = {
	    {&segment, g_array_new(FALSE, FALSE, sizeof(struct base_id))},
	    {&segment, g_array_new(FALSE, FALSE, sizeof(struct base_id))}};
	struct late late = {crowd, people[0], PEOPLE};
	const struct segment_pass_plan plan = {.workspace = crowd->house->workspace,
	    .segments = segments,
	    .count = G_N_ELEMENTS(segments),
	    .together = PEOPLE,
	    .take = pass_add,
	    .context = &late};

	AUTO(segment_pass) pass = segment_pass_new(&plan, crowd->service, NULL);

	cr_assert(pass);
	MUST(segment_pass_next(pass, &last, &more, &error));
	cr_expect(base_id_equal(&last, &people[PEOPLE - 1]));
	cr_expect(more);
	cr_expect_eq(segments[0].in->len, PEOPLE, "got %u", segments[0].in->len);
	cr_assert_eq(segments[1].in->len, 2 * PEOPLE, "got %u", segments[1].in->len);
	for (guint i = 0; i < G_N_ELEMENTS(segments); i++) {
		const GArray *in = segments[i].in;

		cr_expect(base_id_equal(&g_array_index(in, struct base_id, in->len - 1), &last));
		g_array_unref(segments[i].in);
	}
}
