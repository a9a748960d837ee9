/* SPDX-License-Identifier: MIT */
/* Runs many workers at random, and kills some of them. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "service/service.h"
#include "tests/automation/fixture.h"
#include "tests/automation/races.h"

#define WORKERS 8
#define CONTACTS 60
#define END_MS 600000
#define KILLS_MS 60000 /* and then they are left alone, so that a slow machine comes to the end */

/* Two emails, a change of the contact, a wait for an event that comes or does not, a wait. */
#define NODES                                                                                      \
	NODE("t", "trigger", "'eventName': 'order', 'reentry': 'once'")                            \
	"," NODE("a", "send_email", "'subject': 'A', 'html': '<p>{{n}}</p>'") "," NODE(            \
	    "u", "update_contact", "'set': {'u': true}") "," NODE("e", "wait_for_event",           \
	    "'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'minutes'}") "," NODE("w",    \
	    "wait", "'duration': 1, 'unit': 'minutes'") "," NODE("b", "send_email",                \
	    "'subject': 'B', 'html': '<p>{{n}}</p>'")
#define EDGES                                                                                      \
	EDGE("t", "a")                                                                             \
	"," EDGE("a", "u") "," EDGE("u", "e") "," EDGE_BY("e", "event", "w") "," EDGE_BY(          \
	    "e", "timeout", "w") "," EDGE("w", "b")

/* Records each contact's event twice, in random order; some contacts pay. */
static void
act_events(struct fixture *fixture, const void *data)
{
	guint seed = GPOINTER_TO_UINT(data);

	for (guint i = 0; i < 2 * CONTACTS; i++) {
		g_autofree char *email =
		    g_strdup_printf("c%u@example.org", (i * 7 + seed * 13) % CONTACTS);

		fixture_event_of(fixture, email, i % 3 == seed % 3 ? "paid" : "order", "{'n': 1}");
	}
}

static void
act_work(struct fixture *fixture, const void *data)
{
	/* Move the clock, so that waits end. */
	for (;;) {
		fixture_run(fixture);
		base_clock_set(base_clock_now() + 10000);
		g_usleep(20000);
	}
}

static bool
is_done(struct fixture *fixture)
{
	return test_db_number(fixture->db,
		   "SELECT COUNT(*) = 60 AND SUM(status = 3) = 60 FROM execution") == 1;
}

static void
expect_once(struct fixture *fixture)
{
	static const struct {
		const char *name, *sql;
		gint64 want;
	} facts[] = {
	    {"one execution for each contact", "SELECT COUNT(DISTINCT contact_id) FROM execution",
		CONTACTS},
	    {"each node once",
		"SELECT COUNT(*) FROM execution WHERE step_count = 6 AND step_id = 'b'", CONTACTS},
	    {"an email of each step that sends",
		"SELECT COUNT(DISTINCT execution_id, step_id) FROM execution_email", 2 * CONTACTS},
	    {"no other", "SELECT COUNT(*) FROM execution_email", 2 * CONTACTS},
	    {"emails", "SELECT COUNT(*) FROM email", 2 * CONTACTS},
	    {"rows of the outbox", "SELECT COUNT(DISTINCT email_id) FROM outbox", 2 * CONTACTS},
	    {"no other of them", "SELECT COUNT(*) FROM outbox", 2 * CONTACTS},
	    {"contacts changed",
		"SELECT COUNT(*) FROM person WHERE JSON_VALUE(properties, '$.u') = 1", CONTACTS},
	    {"no wait left", "SELECT COUNT(*) FROM execution_wait", 0},
	    {"events",
		"SELECT SUM(event_count) = (SELECT COUNT(*) FROM automation_event) FROM"
		" person",
		1},
	    {"times",
		"SELECT COUNT(*) = COUNT(DISTINCT contact_id, timestamp) FROM automation_event", 1},
	};

	for (guint i = 0; i < G_N_ELEMENTS(facts); i++)
		cr_expect_eq(test_db_number(fixture->db, facts[i].sql), facts[i].want,
		    "%s: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, facts[i].name,
		    test_db_number(fixture->db, facts[i].sql), facts[i].want);
}

/* Two processes record events, and eight workers step. With kills, a worker is killed and replaced
   every few moments. */
static void
play(bool kills)
{
	AUTO(fixture) fixture = fixture_open();
	gint64 begin = base_clock_boot();
	GPid workers[WORKERS], clients[2];
	guint killed = 0;

	fixture_workflow(fixture, NODES, EDGES);
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		clients[i] = race_start(fixture, 0, act_events, GUINT_TO_POINTER(i));
	for (guint i = 0; i < WORKERS; i++)
		workers[i] = race_start(fixture, 0, act_work, NULL);
	while (!is_done(fixture) && base_clock_boot() - begin < END_MS) {
		guint i = (guint)g_random_int_range(0, WORKERS);

		g_usleep((gulong)g_random_int_range(1000, 40000));
		if (!kills || base_clock_boot() - begin > KILLS_MS)
			continue;
		kill(workers[i], SIGKILL);
		waitpid(workers[i], NULL, 0);
		killed++;
		workers[i] = race_start(fixture, 0, act_work, NULL);
	}
	for (guint i = 0; i < G_N_ELEMENTS(clients); i++)
		race_join(clients[i]);
	for (guint i = 0; i < WORKERS; i++) {
		kill(workers[i], SIGKILL);
		waitpid(workers[i], NULL, 0);
	}
	fixture_at(60);
	fixture_run(fixture);
	cr_expect(!kills || killed > 5, "only %u were killed", killed);
	expect_once(fixture);
	fixture_expect_steps(fixture);
}

Test(storm, of_eight_workers)
{
	play(false);
}

Test(storm, of_workers_that_are_killed)
{
	play(true);
}
