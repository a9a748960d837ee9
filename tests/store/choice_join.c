/* SPDX-License-Identifier: MIT */
#include "store/consent/choice_join.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/person/audience.h"
#include "tests/store/fixture.h"

static struct fixture *fixture;
static struct base_id audience;

static void
choice_join_begin(void)
{
	fixture = fixture_open();
	MUST(store_audience_create(
	    fixture->db, &fixture->workspace, NULL, "News", &audience, &error));
}

static void
choice_join_end(void)
{
	fixture_close(fixture);
}

TestSuite(choice_join, .init = choice_join_begin, .fini = choice_join_end, .timeout = 900);

static void
choice_join_run(const char *sql, const struct db_value *values, gsize count)
{
	MUST(db_run(fixture->db, sql, values, count, NULL, &error));
}

/* People with a membership each, as they were before choices had rows: of ten, three have entries
   on the list (an operator's, one of scope automation, one of a bounce), and two have a choice. */
static void
choice_join_fill(void)
{
	const struct db_value workspace[] = {db_id(&fixture->workspace)};

	choice_join_run(
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated)"
	    " SELECT UNHEX(MD5(seq)), ?, CONCAT(seq, '@x.org'), CONCAT(seq, '@x.org'), '{}', 0, 0,"
	    " '', 0, 0, 0, 1, 1 FROM seq_1_to_2000",
	    workspace, 1);
	choice_join_run(
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated) SELECT ?, address, UNHEX(MD5(CONCAT('c', address))), workspace_id,"
	    " '', 1, 1, 1 FROM person",
	    DB_VALUES(db_id(&audience)));
	choice_join_run(
	    "INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)"
	    " SELECT UNHEX(MD5(CONCAT('s', seq))), ?, CONCAT(seq, '@x.org'), CONCAT(seq, '@x.org'),"
	    " ELT(1 + seq % 10, 3, 4, 1), ELT(1 + seq % 10, 2, 2, 1), 1 FROM seq_1_to_2000"
	    " WHERE seq % 10 < 3",
	    workspace, 1);
	choice_join_run(
	    "INSERT INTO choice (workspace_id, person, created, author, is_operated)"
	    " SELECT ?, CONCAT(seq, '@x.org'), 1, 1, 0 FROM seq_1_to_2000 WHERE seq % 10 IN (0, 7)",
	    workspace, 1);
	choice_join_run(
	    "INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	    " is_trigger, since) SELECT ?, name, REPEAT(X'00', 16), UNHEX(MD5('w')), 1, 0 FROM"
	    " (SELECT 'person.updated' AS name UNION SELECT 'contact.updated' UNION SELECT"
	    " 'contact.unsubscribed') n",
	    workspace, 1);
}

/* Joins in a process of its own, which is killed after a time. Returns whether it came to its end.
 */
static bool
choice_join_join_and_kill(gulong microseconds)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct db *db = test_db_open(fixture->settings);

		_exit(store_choice_join(db, NULL) ? 0 : 1);
	}
	g_usleep(microseconds);
	kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return !WIFSIGNALED(status);
}

static void
expect_joined(const char *name)
{
	static const struct {
		const char *sql;
		gint64 want;
	} cases[] = {
	    {"SELECT COUNT(*) FROM choice", 600},
	    {"SELECT COUNT(*) FROM choice WHERE is_operated = 1", 200},
	    {"SELECT COUNT(*) FROM person WHERE is_subscribed = 0", 600},
	    {"SELECT COUNT(*) FROM contact WHERE is_subscribed = 0", 600},
	    {"SELECT COUNT(*) FROM contact c JOIN person p ON p.address = c.address"
	     " WHERE c.is_subscribed <> p.is_subscribed",
		0},
	    {"SELECT SUM(unsubscribers) FROM audience_counter", 600},
	    {"SELECT COUNT(*) FROM consent", 0},
	    /* Workflows hear nothing of what was there. */
	    {"SELECT COUNT(*) FROM automation_feedback", 0},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 got = fixture_number(fixture, cases[i].sql);

		cr_expect_eq(got, cases[i].want, "%s: %s: got %d", name, cases[i].sql, (int)got);
	}
}

/* Killed at random points and run again, it leaves what one run would have left. */
Test(choice_join, may_be_killed_and_run_again)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(18);
	gint32 longest = 50000;
	guint runs = 0;

	choice_join_fill();
	while (!choice_join_join_and_kill((gulong)g_rand_int_range(random, 5000, longest))) {
		cr_assert_lt(++runs, 1000u);
		/* It begins anew each time, so it needs longer and longer to get further. */
		longest += longest / 10;
	}
	cr_expect_gt(runs, 0u);
	expect_joined("killed");
	MUST(store_choice_join(fixture->db, &error));
	expect_joined("again");
}
