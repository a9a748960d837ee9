/* SPDX-License-Identifier: MIT */
/* Tests digests of executions, also with workers that are killed. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "automation/contact.h"
#include "base/clock.h"
#include "base/limits/workflow.h"
#include "service/service.h"
#include "tests/automation/fixture.h"
#include "tests/automation/races.h"

#define HOURLY "'duration': 1, 'unit': 'hours'"
#define DIGEST(more) NODE("d", "digest", more)
#define KEEP                                                                                       \
	NODE("u", "update_contact", "'copy': {'events': 'step.d.events', 'count': 'step.d.count'}")
#define WAY EDGE("t", "d") "," EDGE("d", "u")

static void
digest_order(struct fixture *fixture, guint id)
{
	g_autofree char *properties = g_strdup_printf("{'id': %u, 'timestamp': 'x'}", id);

	fixture_event(fixture, "order", properties);
}

/* The ids of the events that the contact has kept, and their count. */
static char *
digest_kept(struct fixture *fixture)
{
	return test_db_text(fixture->db,
	    "SELECT CONCAT(COALESCE(JSON_EXTRACT(properties, '$.events[*].id'), '-'), ' ',"
	    " COALESCE(JSON_VALUE(properties, '$.count'), '-')) FROM person");
}

Test(digest, gathers_events_and_goes_on_once)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," DIGEST(HOURLY) "," KEEP, WAY);
	digest_order(fixture, 1);
	fixture_run(fixture);
	fixture_expect("first", fixture_show(fixture), "WAITING d 2 until 60\n");
	digest_order(fixture, 2);
	fixture_at(59);
	digest_order(fixture, 3);
	fixture_run(fixture);
	fixture_expect("joined", fixture_show(fixture),
	    "WAITING d 2 until 60\nCOMPLETED d 2\nCOMPLETED d 2\n");
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE completion = 2"), 2);
	fixture_at(61);
	digest_order(fixture, 4);
	fixture_run(fixture);
	fixture_expect("kept", digest_kept(fixture), "[1, 2, 3] 3");
	fixture_expect("anew", fixture_show(fixture),
	    "COMPLETED u 3\nCOMPLETED d 2\nCOMPLETED d 2\nWAITING d 2 until 121\n");
	fixture_at(122);
	fixture_run(fixture);
	fixture_expect("alone", digest_kept(fixture), "[4] 1");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM digest_event"), 0);
	fixture_expect_steps(fixture);
}

#define TWO_DIGESTS                                                                                \
	TRIGGER "," NODE("c", "digest",                                                            \
	    "'duration': 30, 'unit': 'minutes', 'key': 'event.id'") "," DIGEST(HOURLY) "," EXIT
#define TWO_WAYS EDGE("t", "c") "," EDGE("c", "d") "," EDGE("d", "x")

/* The first execution comes to the second digest before the other one, at whose end that is not
   open yet. */
Test(digest, steps_the_earlier_execution_first_when_the_engine_is_late)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TWO_DIGESTS, TWO_WAYS);
	digest_order(fixture, 1);
	fixture_at(120);
	digest_order(fixture, 2);
	fixture_at(160);
	fixture_run(fixture);
	fixture_expect("apart", fixture_show(fixture), "COMPLETED x 4\nWAITING d 3 until 210\n");
}

/* Another engine has stepped the later execution first. */
Test(digest, is_joined_if_it_opens_before_the_end)
{
#define WORKDAYS "'time': '09:00', 'days': ['mon', 'tue', 'wed', 'thu', 'fri']"
	/* It begins on a Friday at 08:00. */
	static const struct {
		const char *name, *node;
		gint64 first, later;
		const char *want;
	} cases[] = {
	    {"after the end", DIGEST(HOURLY), 0, 100, "COMPLETED x 3\nWAITING d 2 until 160\n"},
	    {"before the end", DIGEST(HOURLY), 0, 50, "COMPLETED d 2\nWAITING d 2 until 110\n"},
	    {"after a weekend", DIGEST(WORKDAYS), 120, 4440,
		"COMPLETED x 3\nWAITING d 2 until 5820\n"},
	    {"over a weekend", DIGEST(WORKDAYS), 120, 4320,
		"COMPLETED d 2\nWAITING d 2 until 4380\n"},
	};
	AUTO(fixture) fixture = fixture_open();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		fixture_clear(fixture);
		g_autofree char *nodes = g_strdup_printf(TRIGGER ",%s," EXIT, cases[i].node);
		fixture_workflow(fixture, nodes, EDGE("t", "d") "," EDGE("d", "x"));
		fixture_at(cases[i].first);
		digest_order(fixture, 1);
		fixture_at(cases[i].later);
		test_db_plain(fixture->db, "UPDATE execution SET ready_at = ready_at + 1000000000");
		digest_order(fixture, 2);
		fixture_run(fixture);
		test_db_plain(fixture->db,
		    "UPDATE execution SET ready_at = ready_at - 1000000000 WHERE step_id = 't'");
		fixture_run(fixture);
		fixture_expect(cases[i].name, fixture_show(fixture), cases[i].want);
	}
}

/* The engine comes late, and the events are gathered as if it had come in time. */
Test(digest, gathers_the_same_when_the_engine_is_late)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," DIGEST(HOURLY) "," KEEP, WAY);
	digest_order(fixture, 1);
	fixture_at(30);
	digest_order(fixture, 2);
	fixture_at(90);
	digest_order(fixture, 3);
	fixture_at(100);
	fixture_run(fixture);
	fixture_expect("shown", fixture_show(fixture),
	    "COMPLETED u 3\nCOMPLETED d 2\nWAITING d 2 until 150\n");
	fixture_expect("kept", digest_kept(fixture), "[1, 2] 2");
}

Test(digest, gathers_by_key_and_node)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," DIGEST(HOURLY ", 'key': 'event.kind'") "," KEEP, WAY);
	fixture_event(fixture, "order", "{'kind': 7}");
	fixture_event(fixture, "order", "{'kind': '7.0'}");
	fixture_event(fixture, "order", "{'kind': 8}");
	fixture_event_of(fixture, "bob@example.org", "order", "{'kind': 7}");
	fixture_run(fixture);
	fixture_expect("keys", fixture_show(fixture),
	    "WAITING d 2 until 60\nCOMPLETED d 2\nWAITING d 2 until 60\nWAITING d 2 until 60\n");
}

/* It belongs to the workflow, whose next version joins it too. */
Test(digest, is_the_workflows)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id workflow =
	    fixture_workflow(fixture, TRIGGER "," DIGEST(HOURLY) "," KEEP, WAY);

	digest_order(fixture, 1);
	fixture_run(fixture);
	g_free(fixture_change(fixture, &workflow, NULL,
	    TRIGGER "," DIGEST("'duration': 2, 'unit': 'hours'") "," KEEP, WAY));
	digest_order(fixture, 2);
	fixture_at(61);
	fixture_run(fixture);
	fixture_expect("kept", digest_kept(fixture), "[1, 2] 2");
}

/* The window of the next version ends later than the own one would. */
Test(digest, is_joined_whatever_the_windows_of_versions)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id workflow = fixture_workflow(fixture,
	    TRIGGER
	    "," NODE("w", "wait", "'duration': 30, 'unit': 'minutes'") "," DIGEST(HOURLY) "," EXIT,
	    EDGE("t", "w") "," EDGE("w", "d") "," EDGE("d", "x"));

	digest_order(fixture, 1);
	fixture_run(fixture);
	g_free(fixture_change(fixture, &workflow, NULL,
	    TRIGGER "," DIGEST("'duration': 10, 'unit': 'hours'") "," EXIT,
	    EDGE("t", "d") "," EDGE("d", "x")));
	fixture_at(10);
	digest_order(fixture, 2);
	fixture_at(31);
	fixture_run(fixture);
	fixture_expect("joined", fixture_show(fixture), "COMPLETED d 3\nWAITING d 2 until 610\n");
}

/* One that ends early takes its digest with it, and the next event opens anew. */
Test(digest, goes_when_its_execution_ends_early)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    NODE("t", "trigger", "'eventName': 'order', 'exit': [{'eventName': 'gone'}]") "," DIGEST(
		HOURLY) "," KEEP,
	    WAY);
	digest_order(fixture, 1);
	fixture_run(fixture);
	fixture_event(fixture, "gone", NULL);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM digest"), 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM digest_event"), 0);
	digest_order(fixture, 2);
	fixture_run(fixture);
	fixture_at(61);
	fixture_run(fixture);
	fixture_expect("kept", digest_kept(fixture), "[2] 1");
}

/* The newest 100 are given, oldest first, and all are counted. */
Test(digest, gives_the_newest_hundred)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," DIGEST(HOURLY) "," KEEP, WAY);
	for (guint i = 1; i <= LIMIT_DIGEST_EVENTS + 1; i++)
		digest_order(fixture, i);
	fixture_run(fixture);
	fixture_at(61);
	fixture_run(fixture);
	fixture_expect("newest",
	    test_db_text(fixture->db, "SELECT CONCAT_WS(' ', JSON_LENGTH(properties, '$.events'),"
				      " JSON_VALUE(properties, '$.events[0].id'), "
				      "JSON_VALUE(properties, '$.events[99].id'),"
				      " JSON_VALUE(properties, '$.count')) FROM person"),
	    "100 2 101 101");
}

/* Emails name the events without the node, unless a property is called so. */
Test(digest, fills_emails)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_template(fixture, "news", "{{step.d.count}} of you",
	    "<p>{{#each events}}<b>{{id}}</b>{{/each}}</p>", NULL);
	fixture_workflow(fixture,
	    TRIGGER "," DIGEST(HOURLY) "," NODE("s", "send_email", "'templateId': 'news'"),
	    EDGE("t", "d") "," EDGE("d", "s"));
	fixture_event(fixture, "order", "{'id': 1}");
	fixture_event(fixture, "order", "{'id': 2}");
	fixture_run(fixture);
	fixture_at(61);
	fixture_run(fixture);
	fixture_expect("email", fixture_mails(fixture), "ann@example.org 2 of you\n");
	fixture_expect("variables",
	    test_db_text(fixture->db, "SELECT JSON_EXTRACT(variables, '$.events[*].id', "
				      "'$.\"step.d.count\"') FROM email"),
	    "[1, 2, 2]");
}

#define CONTACTS 12
#define EVENTS 20
#define KILLS_MS 8000
#define END_MS 120000

static void
digest_act_events(struct fixture *fixture, const void *data)
{
	for (guint i = 0; i < CONTACTS * EVENTS; i++) {
		g_autofree char *email = g_strdup_printf("c%u@example.org", i % CONTACTS);
		g_autofree char *properties = g_strdup_printf("{'id': %u}", i);

		fixture_event_of(fixture, email, "order", properties);
		base_clock_set(base_clock_now() + 500);
	}
}

static void
digest_act_work(struct fixture *fixture, const void *data)
{
	for (;;) {
		fixture_run(fixture);
		base_clock_set(base_clock_now() + 2000);
		g_usleep(10000);
	}
}

static bool
digest_is_done(struct fixture *fixture)
{
	return test_db_number(fixture->db, "SELECT COUNT(*) = 240 AND SUM(status = 3) = 240"
					   " FROM execution") == 1;
}

/* Each event is in exactly one digest, however often the workers are killed. */
Test(digest, loses_nothing_when_workers_are_killed)
{
	AUTO(fixture) fixture = fixture_open();
	gint64 begin = base_clock_boot();
	GPid workers[4];

	fixture_workflow(fixture,
	    TRIGGER "," DIGEST("'duration': 1, 'unit': 'minutes'") "," NODE("x", "exit", ""),
	    EDGE("t", "d") "," EDGE("d", "x"));
	GPid client = race_start(fixture, 0, digest_act_events, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(workers); i++)
		workers[i] = race_start(fixture, 0, digest_act_work, NULL);
	while (!digest_is_done(fixture) && base_clock_boot() - begin < END_MS) {
		guint i = (guint)g_random_int_range(0, G_N_ELEMENTS(workers));

		g_usleep((gulong)g_random_int_range(1000, 40000));
		if (base_clock_boot() - begin > KILLS_MS)
			continue;
		kill(workers[i], SIGKILL);
		waitpid(workers[i], NULL, 0);
		workers[i] = race_start(fixture, 0, digest_act_work, NULL);
	}
	race_join(client);
	for (guint i = 0; i < G_N_ELEMENTS(workers); i++) {
		kill(workers[i], SIGKILL);
		waitpid(workers[i], NULL, 0);
	}
	cr_expect(digest_is_done(fixture));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM digest"), 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM digest_event"), 0);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT SUM(JSON_VALUE(given, '$.count')) FROM execution_step"
			 " WHERE given IS NOT NULL"),
	    CONTACTS * EVENTS);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(DISTINCT JSON_VALUE(e.one, '$.id')) FROM execution_step s,"
			 " JSON_TABLE(s.given, '$.events[*]' COLUMNS (one JSON PATH '$')) e"),
	    CONTACTS * EVENTS);
}

/* Two events of 64 KiB together are given; with one byte more the older one is only counted. */
Test(digest, gives_64_KiB_of_events)
{
	static const char frame[] = "{\"id\":1,\"timestamp\":\"x\",\"pad\":\"\"}";

	for (guint more = 0; more < 2; more++) {
		AUTO(fixture) fixture = fixture_open();

		fixture_workflow(fixture, TRIGGER "," DIGEST(HOURLY) "," EXIT,
		    EDGE("t", "d") "," EDGE("d", "x"));
		for (guint id = 1; id <= 2; id++) {
			g_autofree char *pad = g_strnfill(
			    LIMIT_DIGEST_BYTES / 2 - strlen(frame) + (id == 1 ? more : 0), 'p');
			g_autofree char *properties =
			    g_strdup_printf("{'id': %u, 'timestamp': 'x', 'pad': '%s'}", id, pad);

			fixture_event(fixture, "order", properties);
		}
		fixture_run(fixture);
		fixture_at(61);
		fixture_run(fixture);
		fixture_expect("cut",
		    test_db_text(fixture->db,
			"SELECT CONCAT_WS(' ', JSON_LENGTH(given, '$.events'), JSON_VALUE(given,"
			" '$.events[0].id'), JSON_VALUE(given, '$.count')) FROM execution_step"
			" WHERE given IS NOT NULL"),
		    more ? "1 2 2" : "2 1 2");
	}
}
