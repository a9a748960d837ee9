/* SPDX-License-Identifier: MIT */
/* Tests that requests, digests and watches of executions go when their executions or people do. */
#include <criterion/criterion.h>

#include "person/erase.h"
#include "store/upkeep/retention.h"
#include "tests/automation/fixture.h"

#define ENDS                                                                                       \
	"'eventName': 'order', 'dedupe_window': 0, 'exit': [{'eventName': 'stop'}], 'goal': "      \
	"{'any': [{'eventName': 'paid'}], 'within': {'duration': 3, 'unit': 'days'}}"

/* Rows of requests, digests with their events, and watches. */
static void
leftovers_expect(
    struct fixture *fixture, const char *name, gint64 requests, gint64 digests, bool watched)
{
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM step_request"), requests, "%s", name);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT (SELECT COUNT(*) FROM digest) + (SELECT COUNT(*) FROM"
			 " digest_event)"),
	    digests, "%s", name);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_watch") > 0,
	    watched, "%s", name);
}

/* An execution asks, and another gathers two events. */
static void
leftovers_begin(struct fixture *fixture)
{
	fixture_clear(fixture);
	fixture_workflow(fixture,
	    NODE("t", "trigger", ENDS) "," NODE("r", "request", "'url': 'https://example.com/'"),
	    EDGE("t", "r"));
	fixture_workflow(fixture,
	    NODE("t", "trigger", ENDS) "," NODE("d", "digest", "'duration': 1, 'unit': 'days'"),
	    EDGE("t", "d"));
	fixture_event(fixture, "order", NULL);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	leftovers_expect(fixture, "begun", 2, 3, true);
}

Test(leftovers, go_with_executions)
{
	AUTO(fixture) fixture = fixture_open();
	guint count;

	leftovers_begin(fixture);
	fixture_event(fixture, "stop", NULL);
	fixture_run(fixture);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM digest"), 0, "ended by an exit");
	cr_assert(store_retention_executions(fixture->db, FIXTURE_START - 1, &count, NULL));
	cr_expect_eq(count, 0);
	cr_assert(store_retention_executions(
	    fixture->db, FIXTURE_START + (gint64)DAY * 60000, &count, NULL));
	cr_expect_eq(count, 4);
	leftovers_expect(fixture, "swept", 0, 0, false);
}

Test(leftovers, go_with_people)
{
	AUTO(fixture) fixture = fixture_open();
	g_autoptr(GError) error = NULL;
	struct store_erasure erased;

	leftovers_begin(fixture);
	cr_assert(person_erase(fixture->service, &fixture->house->workspace, "ann@example.org",
		      &erased, &error),
	    "%s", error ? error->message : "");
	leftovers_expect(fixture, "erased", 0, 0, false);
}
