/* SPDX-License-Identifier: MIT */
/* Tests the order of what a look tells of one person, when the next look is due, and that one
   process makes it. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "segment/segment.h"
#include "service/service.h"
#include "start/look.h"
#include "store/broadcast/segment.h"
#include "tests/automation/fixture.h"

#define PAIRS 4 /* of segments: one that the person enters, one that they leave */
#define DATES 6

static void
look_run(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	bool worked;

	test_db_plain(fixture->db, "UPDATE workspace_look SET next_at = IF(ended > 0, 0, next_at)");
	cr_assert(
	    start_look_run(fixture->service, &worked, &error), "%s", error ? error->message : "");
	cr_assert(worked);
}

/* Makes a workflow that those start who enter, or leave, the segment of a plan. */
static void
look_hear(struct fixture *fixture, const char *event, const char *plan)
{
	g_autofree char *rules = g_strdup_printf("{\"match\":\"all\",\"rules\":[{\"property\":"
						 "\"plan\",\"operator\":\"equals\",\"value\":"
						 "\"%s\"}]}",
	    plan);
	AUTO(store_segment)
	segment = segment_create(fixture->service, &fixture->house->workspace, plan, rules, NULL);
	char id[ID_TEXT_SIZE];

	cr_assert(segment);
	g_autofree char *nodes =
	    g_strdup_printf(NODE("t", "trigger", "'eventName': '%s', 'segmentId': '%s'"), event,
		base_id_format(&segment->id, id));
	fixture_workflow(fixture, nodes, "");
}

/* Entering comes before leaving, and dates of one moment come in the order of the workflows. */
Test(look, tells_in_order)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < PAIRS; i++) {
		look_hear(fixture, "segment.left", "free");
		look_hear(fixture, "segment.entered", "pro");
	}
	for (guint i = 0; i < DATES; i++)
		fixture_workflow(fixture,
		    NODE(
			"t", "trigger", "'eventName': 'date.reached', 'date': {'property': 'day'}"),
		    "");
	fixture_event(fixture, "seen", "{'plan': 'free', 'day': '2027-01-16'}");
	look_run(fixture);
	fixture_at(2 * DAY);
	fixture_event(fixture, "seen", "{'plan': 'pro'}");
	look_run(fixture);
	fixture_expect("of segments",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(SUBSTR(name, 9) ORDER BY event_id SEPARATOR ' ')"
		" FROM automation_feedback WHERE name LIKE 'segment.%'"),
	    "entered entered entered entered left left left left");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"
						 " WHERE name = 'date.reached'"),
	    DATES);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM automation_feedback f JOIN automation_feedback g"
			 " ON f.event_id < g.event_id AND f.target_id > g.target_id"),
	    0, "dates out of order");
}

/* The next look begins look_every after this one began, and as long after its end as it took. */
Test(look, rests_as_long_as_it_took)
{
	static const struct {
		const char *name;
		gint64 took, want; /* ms from its begin to its end, and to the begin of the next */
	} cases[] = {
	    {"soon over", 0, 300000},
	    {"long", 1000000, 2000000},
	};
	AUTO(fixture) fixture = fixture_open();

	look_hear(fixture, "segment.entered", "pro");
	look_run(fixture);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "UPDATE workspace_look SET ended = 0, taken = 0, began = %" G_GINT64_FORMAT,
		    base_clock_now() - cases[i].took);

		/* It began so long ago. */
		test_db_plain(fixture->db, sql);
		test_db_plain(fixture->db,
		    "UPDATE segment_look SET look = (SELECT began FROM workspace_look)");
		look_run(fixture);
		gint64 next =
		    test_db_number(fixture->db, "SELECT next_at - began FROM workspace_look");
		cr_expect(next >= cases[i].want && next < cases[i].want + 60000,
		    "%s: got %" G_GINT64_FORMAT, cases[i].name, next);
	}
}

/* Another process holds the look, until it has not been heard of for a while. */
Test(look, is_held_by_one_process)
{
	static const struct {
		const char *name;
		gint64 until; /* ms from now on, for which it is held */
		bool want;
	} cases[] = {
	    {"held", 60000, false},
	    {"held no more", -1, true},
	};
	AUTO(fixture) fixture = fixture_open();

	look_hear(fixture, "segment.entered", "pro");
	look_run(fixture);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "UPDATE workspace_look SET ended = 0, taken = %" G_GINT64_FORMAT,
		    base_clock_now() + cases[i].until);
		g_autoptr(GError) error = NULL;
		bool worked;

		test_db_plain(fixture->db, sql);
		cr_assert(start_look_run(fixture->service, &worked, &error), "%s",
		    error ? error->message : "");
		cr_expect_eq(worked, cases[i].want, "%s", cases[i].name);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT ended > 0 FROM workspace_look") != 0,
		    cases[i].want, "%s", cases[i].name);
	}
}

#define FIRST_PEOPLE 1200 /* of whom a third wait to be confirmed */
#define FIRST_SEGMENTS 4

/* The statements of this connection. */
#define STATEMENTS                                                                                 \
	"SELECT CAST(VARIABLE_VALUE AS INT) FROM information_schema.SESSION_STATUS"                \
	" WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'"

/* The first look at segments that everybody is in asks for the unconfirmed ones by one statement.
 */
Test(look, asks_few_times_when_it_is_the_first)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < FIRST_SEGMENTS; i++)
		look_hear(fixture, "segment.entered", "pro");
	test_db_plain(fixture->db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, created, updated, seen) SELECT"
	    " UNHEX(CONCAT('01890a5dac96774bbcce', LPAD(HEX(seq), 12, '0'))), id,"
	    " CONCAT('u', seq, '@example.net'), CONCAT('u', seq, '@example.net'),"
	    " '{\"plan\":\"pro\"}', 0, 0, '', 0, 1, 1, seq % 3 > 0"
	    " FROM workspace, seq_1_to_" G_STRINGIFY(FIRST_PEOPLE));
	test_db_plain(fixture->db, "INSERT INTO audience (id, workspace_id, name, created, updated)"
				   " SELECT REPEAT('a', 16), id, 'A', 1, 1 FROM workspace");
	test_db_plain(fixture->db,
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated, pending) SELECT REPEAT('a', 16), address, id, workspace_id, '', 0,"
	    " 1, 1, 1 FROM person WHERE seen = 0");
	gint64 before = test_db_number(fixture->db, STATEMENTS);
	look_run(fixture);
	gint64 took = test_db_number(fixture->db, STATEMENTS) - before;
	cr_expect_lt(took, 80, "got %" G_GINT64_FORMAT " statements", took);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM segment_in"),
	    FIRST_SEGMENTS * (FIRST_PEOPLE - FIRST_PEOPLE / 3));
}
