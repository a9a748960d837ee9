/* SPDX-License-Identifier: MIT */
/* Plays races in a fixed order: the holder of a lock waits until the other process waits for it. */
#include "tests/automation/races.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "automation/batch.h"
#include "automation/execution_step.h"
#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
#include "service/service.h"
#include "store/automation/workflow.h"
#include "tests/automation/fixture.h"

GPid
race_start(const struct fixture *fixture, gint64 minutes,
    void (*act)(struct fixture *fixture, const void *data), const void *data)
{
	GPid pid = fork();

	cr_assert_geq(pid, 0);
	if (pid > 0)
		return pid;
	struct test_house house = *fixture->house;
	struct fixture own = {.house = &house};
	own.service = house.service = service_open(house.settings);
	if (!service_ensure(own.service, NULL))
		_exit(2);
	own.db = house.db = own.service->db;
	own.engine = automation_engine_new(own.service);
	base_clock_set(FIXTURE_START + minutes * 60000);
	act(&own, data);
	automation_engine_free(own.engine);
	service_close(own.service);
	_exit(0);
}

void
race_wait_blocked(struct fixture *fixture, guint count)
{
	test_db_wait_locked(fixture->db, count);
}

void
race_join(GPid pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "ended with %d", status);
}

static void
act_event(struct fixture *fixture, const void *name)
{
	fixture_event(fixture, name, NULL);
}

static void
act_engine(struct fixture *fixture, const void *data)
{
	fixture_run(fixture);
}

static void
act_pause(struct fixture *fixture, const void *workflow)
{
	g_free(fixture_change(fixture, workflow, "paused", NULL, NULL));
}

static void
act_publish(struct fixture *fixture, const void *workflow)
{
	g_free(fixture_change(fixture, workflow, NULL,
	    NODE("n", "trigger", "'eventName': 'order', 'dedupe_window': 0"), ""));
}

#define WAITER                                                                                     \
	TRIGGER "," NODE("w", "wait_for_event",                                                    \
	    "'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("y",       \
	    "exit", "") "," NODE("n", "exit", "")
#define WAITER_EDGES EDGE("t", "w") "," EDGE_BY("w", "event", "y") "," EDGE_BY("w", "timeout", "n")

/* A transaction that halts after it has claimed its executions. */
struct halt {
	struct fixture *fixture;
	void (*meanwhile)(struct fixture *fixture, void *data);
	void *data;
};

static bool
races_step(struct db *db, void *context, GError **error)
{
	struct halt *halt = context;
	AUTO(automation_batch) batch = automation_batch_claim(halt->fixture->service,
	    &(struct store_execution_search){.now = base_clock_now(), .limit = 100}, error);

	if (!batch)
		return false;
	halt->meanwhile(halt->fixture, halt->data);
	for (guint i = 0; i < batch->claimed->len; i++)
		if (!automation_execution_step(batch, batch->claimed->pdata[i], error))
			return false;
	return automation_batch_store(batch, error);
}

static void
step_while(
    struct fixture *fixture, void (*meanwhile)(struct fixture *fixture, void *data), void *data)
{
	struct halt halt = {fixture, meanwhile, data};
	g_autoptr(GError) error = NULL;

	cr_assert(
	    db_transact(fixture->db, races_step, &halt, &error), "%s", error ? error->message : "");
}

/* A process that has started, and waits for a lock. */
struct rival {
	struct db *watch; /* not the connection of the transaction */
	void (*act)(struct fixture *fixture, const void *data);
	const void *data;
	gint64 minutes;
	GPid pid;
};

static void
let_rival_wait(struct fixture *fixture, void *data)
{
	struct rival *rival = data;
	struct fixture watcher = {.db = rival->watch};

	rival->pid = race_start(fixture, rival->minutes, rival->act, rival->data);
	race_wait_blocked(&watcher, 1);
}

Test(races, the_event_comes_while_the_timeout_is_taken)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) watch = test_db_open(fixture->house->settings);
	struct rival rival = {watch, act_event, "paid", DAY + 1, 0};

	fixture_workflow(fixture, WAITER, WAITER_EDGES);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_at(DAY + 1);
	step_while(fixture, let_rival_wait, &rival);
	race_join(rival.pid);
	fixture_run(fixture);
	fixture_expect("timeout", fixture_show(fixture), "COMPLETED n 3\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_event"), 2);
}

Test(races, the_timeout_comes_while_the_event_is_taken_in)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) holder = test_db_open(fixture->house->settings);

	fixture_workflow(fixture, WAITER, WAITER_EDGES);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(holder, "SELECT * FROM execution FOR UPDATE");
	GPid event = race_start(fixture, DAY - 1, act_event, "paid");
	race_wait_blocked(fixture, 1);
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_expect("not taken", fixture_show(fixture), "WAITING w 2 until 1440\n");
	test_db_plain(holder, "COMMIT");
	race_join(event);
	fixture_run(fixture);
	fixture_expect("event", fixture_show(fixture), "COMPLETED y 3\n");
}

/* The event comes before the wait is stored. */
Test(races, the_event_comes_while_the_wait_begins)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) watch = test_db_open(fixture->house->settings);
	struct rival rival = {watch, act_event, "paid", 10, 0};

	fixture_workflow(fixture, WAITER, WAITER_EDGES);
	fixture_event(fixture, "order", NULL);
	fixture_at(5);
	step_while(fixture, let_rival_wait, &rival);
	race_join(rival.pid);
	fixture_at(20);
	fixture_run(fixture);
	fixture_expect("event", fixture_show(fixture), "COMPLETED y 3\n");
}

#define ONCE NODE("t", "trigger", "'eventName': 'order', 'reentry': 'once', 'dedupe_window': 0")
#define AFTER                                                                                      \
	NODE("t", "trigger", "'eventName': 'order', 'reentry': 'after_finish', 'dedupe_window': 0")
#define EVERY NODE("t", "trigger", "'eventName': 'order'")

/* Two events at once, of a new or an existing contact. */
static const struct {
	const char *name, *trigger;
	bool is_new;
} pairs[] = {
    {"once, new contact", ONCE, true},
    {"once", ONCE, false},
    {"after finish, new contact", AFTER, true},
    {"after finish", AFTER, false},
    {"within the window, new contact", EVERY, true},
    {"within the window", EVERY, false},
};

Test(races, two_events_at_once_start_one_execution)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) holder = test_db_open(fixture->house->settings);

	for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
		fixture_clear(fixture);
		fixture_workflow(fixture, pairs[i].trigger, "");
		if (!pairs[i].is_new)
			fixture_event(fixture, "visit", NULL);
		/* The first event waits for the triggers, and holds the contact's lock. */
		test_db_plain(holder, "START TRANSACTION");
		test_db_plain(holder, "SELECT * FROM workflow_trigger FOR UPDATE");
		GPid first = race_start(fixture, 1, act_event, "order");
		race_wait_blocked(fixture, 1);
		GPid second = race_start(fixture, 1, act_event, "order");
		race_wait_blocked(fixture, 2);
		test_db_plain(holder, "COMMIT");
		race_join(first);
		race_join(second);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 1, "%s",
		    pairs[i].name);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM person"), 1, "%s",
		    pairs[i].name);
		cr_expect_eq(test_db_number(fixture->db,
				 "SELECT COUNT(DISTINCT timestamp) FROM automation_event"
				 " WHERE name = 'order'"),
		    2, "%s", pairs[i].name);
	}
}

struct entering {
	struct base_id workspace, workflow, contact;
};

static bool
races_enter(struct db *db, void *context, GError **error)
{
	const struct entering *entering = context;
	const struct store_workflow_entry entry = {
	    &entering->workspace, &entering->workflow, &entering->contact, "order", 1, true};

	return store_workflow_trigger_enter(db, &entry, 1, error);
}

static void
act_enter(struct fixture *fixture, const void *data)
{
	struct entering entering = *(const struct entering *)data;
	g_autoptr(GError) error = NULL;

	if (db_transact(fixture->db, races_enter, &entering, &error) ||
	    !g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT))
		_exit(3);
}

struct entered {
	struct entering entering;
	struct rival rival;
};

static bool
enter_and_wait(struct db *db, void *context, GError **error)
{
	struct entered *entered = context;

	return races_enter(db, &entered->entering, error);
}

/* The unique key decides even without the contact's lock. */
Test(races, the_key_decides_who_comes_in_once)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) holder = test_db_open(fixture->house->settings);
	struct entered entered = {.entering = {base_id_new(), base_id_new(), base_id_new()}};

	/* The holder's transaction is open. The rival waits for its row, and finds it. */
	test_db_plain(holder, "SET autocommit = 0");
	cr_assert(races_enter(holder, &entered.entering, NULL));
	GPid rival = race_start(fixture, 1, act_enter, &entered.entering);
	race_wait_blocked(fixture, 1);
	test_db_plain(holder, "COMMIT");
	race_join(rival);
	cr_expect_not(db_transact(fixture->db, enter_and_wait, &entered, NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM workflow_entry"), 1);
}

#define MAILER                                                                                     \
	TRIGGER "," NODE("a", "send_email", "'subject': 'A', 'html': '<p>A</p>'") "," NODE("w",    \
	    "wait", WAIT_DATA) "," NODE("b", "send_email", "'subject': 'B', 'html': '<p>B</p>'")
#define MAILER_EDGES EDGE("t", "a") "," EDGE("a", "w") "," EDGE("w", "b")

Test(races, the_pause_comes_while_a_step_is_taken)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) watch = test_db_open(fixture->house->settings);
	struct base_id id = fixture_workflow(fixture, MAILER, MAILER_EDGES);
	struct rival rival = {watch, act_pause, &id, 0, 0};

	fixture_event(fixture, "order", NULL);
	step_while(fixture, let_rival_wait, &rival);
	race_join(rival.pid);
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_expect(
	    "stopped behind it", fixture_show(fixture), "WAITING w 3 until 1440 parked 1440\n");
	fixture_expect("first alone", fixture_mails(fixture), "ann@example.org A\n");
}

Test(races, the_step_comes_while_the_workflow_is_paused)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) holder = test_db_open(fixture->house->settings);

	fixture_workflow(fixture, MAILER, MAILER_EDGES);
	fixture_event(fixture, "order", NULL);
	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(holder, "UPDATE workflow SET status = 3");
	GPid engine = race_start(fixture, 1, act_engine, NULL);
	race_wait_blocked(fixture, 1);
	test_db_plain(holder, "COMMIT");
	race_join(engine);
	fixture_expect("parked", fixture_show(fixture), "IN_PROGRESS t 1 parked 0\n");
	fixture_expect("nothing sent", fixture_mails(fixture), "");
}

/* The start has stored its entry; the change of the workflow waits for it. */
static void
change_during_start(struct fixture *fixture, const struct base_id *workflow,
    void (*change)(struct fixture *fixture, const void *data))
{
	AUTO(db) holder = test_db_open(fixture->house->settings);

	fixture_event(fixture, "visit", NULL);
	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(holder,
	    "INSERT INTO workflow_entry SELECT w.id, c.id, w.workspace_id, 'order', 1"
	    " FROM workflow w JOIN person c");
	GPid start = race_start(fixture, 1, act_event, "order");
	race_wait_blocked(fixture, 1);
	GPid changer = race_start(fixture, 2, change, workflow);
	race_wait_blocked(fixture, 2);
	test_db_plain(holder, "ROLLBACK");
	race_join(start);
	race_join(changer);
	fixture_at(3);
	fixture_event(fixture, "order", NULL);
}

Test(races, a_version_is_published_while_an_event_starts_the_last_one)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(
	    fixture, NODE("t", "trigger", "'eventName': 'order', 'dedupe_window': 0"), "");

	change_during_start(fixture, &id, act_publish);
	fixture_expect("each its version",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(CONCAT(step_id, version) ORDER BY id) FROM"
		" execution"),
	    "t1,n2");
}

Test(races, the_workflow_is_paused_while_an_event_starts_it)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(
	    fixture, NODE("t", "trigger", "'eventName': 'order', 'dedupe_window': 0"), "");

	change_during_start(fixture, &id, act_pause);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 1);
	fixture_run(fixture);
	fixture_expect("parked", fixture_show(fixture), "IN_PROGRESS t 1 parked 1\n");
}

/* Another process has locked the earlier event, but not its person: its claim has just come to it,
   or it was killed there. */
Test(races, an_own_event_overtakes_no_earlier_one_that_is_locked)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) holder = test_db_open(fixture->house->settings);

	fixture_workflow(
	    fixture, NODE("t", "trigger", "'eventName': 'person.updated', 'reentry': 'once'"), "");
	fixture_event(fixture, "visit", NULL);
	fixture_event(fixture, "visit", "{'n': 1}");
	fixture_event(fixture, "visit", "{'n': 2}");
	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(
	    holder, "SELECT 1 FROM automation_feedback ORDER BY event_id LIMIT 1 FOR UPDATE");
	fixture_run(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 2,
	    "both wait");
	test_db_plain(holder, "COMMIT");
	fixture_run(fixture);
	fixture_expect("both, in their order",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(JSON_VALUE(properties, '$.to.n') ORDER BY timestamp, id)"
		" FROM automation_event WHERE name = 'person.updated'"),
	    "1,2");
	fixture_expect("the earlier one starts",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(JSON_VALUE(v.properties, '$.to.n')) FROM execution e"
		" JOIN automation_event v ON v.id = e.event_id"),
	    "1");
}

/* Another process tells events of a person who has more of them in front than a claim looks at. */
Test(races, many_events_of_one_person_keep_no_other_waiting)
{
	AUTO(fixture) fixture = fixture_open();
	AUTO(db) holder = test_db_open(fixture->house->settings);

	fixture_workflow(
	    fixture, NODE("t", "trigger", "'eventName': 'person.updated', 'reentry': 'once'"), "");
	fixture_event(fixture, "visit", NULL);
	fixture_event(fixture, "visit", "{'n': 1}");
	test_db_plain(fixture->db,
	    "INSERT INTO automation_feedback (event_id, workspace_id, contact_id, email_id, status,"
	    " timestamp, name, properties, became) SELECT UNHEX(CONCAT(LEFT(HEX(f.event_id), 12),"
	    " 'F', LPAD(HEX(s.seq), 19, '0'))), f.workspace_id, f.contact_id, f.email_id, f.status,"
	    " f.timestamp, f.name, f.properties, f.became FROM automation_feedback f"
	    " JOIN seq_1_to_999 s");
	fixture_at(1);
	fixture_event_of(fixture, "bob@example.org", "visit", NULL);
	fixture_event_of(fixture, "bob@example.org", "visit", "{'n': 1}");
	fixture_event_of(fixture, "bob@example.org", "visit", "{'n': 2}");
	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(holder, "SELECT 1 FROM person WHERE email = 'ann@example.org' FOR UPDATE");
	fixture_run(fixture);
	fixture_expect("the other's, in their order",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(JSON_VALUE(v.properties, '$.to.n') ORDER BY v.timestamp)"
		" FROM automation_event v JOIN person p ON p.id = v.contact_id"
		" WHERE v.name = 'person.updated' AND p.email = 'bob@example.org'"),
	    "1,2");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 1000,
	    "the busy person's wait");
	test_db_plain(holder, "COMMIT");
	fixture_run(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0,
	    "all are told");
}
