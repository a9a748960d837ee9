/* SPDX-License-Identifier: MIT */
/* Tests what becomes of the answers to requests of workflows' steps when processes die, workflows
   change and transactions fail. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "automation/engine.h"
#include "automation/workflow.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"
#include "fetch/fetch.h"
#include "fetch/post.h"
#include "service/journal.h"
#include "service/service.h"
#include "tests/spool/asking.h"
#include "tests/support/db.h"
#include "webhook/step_requests.h"

TestSuite(step_answers, .timeout = 900);

/* The test's turn while a request is under way: the receiver's thread has neither its connection to
   the database nor its programs. */
struct step_answers_turn {
	GAsyncQueue *asked, *done;
};

static char *
step_answers_give_turn(guint number, const struct receiver_request *request, void *data)
{
	const struct step_answers_turn *turn = data;

	if (number > 0)
		return receiver_say(200, "{}");
	g_async_queue_push(turn->asked, data);
	return g_async_queue_pop(turn->done) == data ? receiver_say(200, "{}") : NULL;
}

/* The test's side: waits for the request. */
static void
step_answers_take_turn(const struct step_answers_turn *turn)
{
	cr_assert(g_async_queue_timeout_pop(turn->asked, END_MS * 1000), "there is no request");
}

static struct step_answers_turn
step_answers_turn_new(void)
{
	return (struct step_answers_turn){g_async_queue_new(), g_async_queue_new()};
}

static void
step_answers_turn_clear(struct step_answers_turn *turn)
{
	g_async_queue_unref(turn->asked);
	g_async_queue_unref(turn->done);
}

/* Runs the spool, and a statement while it waits for the answer to its first request. */
static void
step_answers_run_with(struct test_house *house, struct step_answers_turn *turn, const char *sql)
{
	AUTO(test_program) program = telling_start(house, NOW, "1");

	step_answers_take_turn(turn);
	test_db_plain(house->db, sql);
	g_async_queue_push(turn->done, turn);
	cr_assert_eq(test_program_wait(program, END_MS), 0);
}

/* Kills the program and its workers. */
static void
step_answers_kill(struct test_program *program)
{
	g_autoptr(GArray) workers = test_program_children(program);

	test_program_signal(program, SIGKILL);
	for (guint i = 0; i < workers->len; i++)
		kill(g_array_index(workers, pid_t, i), SIGKILL);
	cr_expect_neq(test_program_wait(program, END_MS), 0);
	for (guint i = 0; i < workers->len; i++)
		test_program_wait_gone(g_array_index(workers, pid_t, i));
}

/* The next run finds that the process has ended, so it does not wait for the end of the lease. */
Test(step_answers, are_asked_again_after_a_kill)
{
	AUTO(test_house) house = telling_house();
	struct step_answers_turn turn = step_answers_turn_new();
	AUTO(receiver) receiver = receiver_start(step_answers_give_turn, &turn);

	asking_begin(house, receiver, "", "", true);
	AUTO(test_program) program = telling_start(house, NOW, "1");
	step_answers_take_turn(&turn);
	step_answers_kill(program);
	g_async_queue_push(turn.done, &turn.done); /* there is nobody for an answer */
	cr_expect_eq(receiver_count(receiver), 1);
	telling_expect(house, "lease", "SELECT due_at > 1800000010000 FROM step_request", 1);
	telling_run(house, NOW + 5 * SECOND_MS);
	cr_assert_eq(receiver_count(receiver), 2);
	g_autofree char *first = receiver_header(receiver_get(receiver, 0), "webhook-id");
	asking_expect_header(receiver_get(receiver, 1), "webhook-id", first);
	asking_expect(house, "killed", "COMPLETED y");
	step_answers_turn_clear(&turn);
}

/* Locks the workflow, for which the move of the execution waits. */
static char *
step_answers_lock(guint number, const struct receiver_request *request, void *data)
{
	if (number == 0) {
		test_db_plain(data, "START TRANSACTION");
		test_db_plain(data, "SELECT id FROM workflow FOR UPDATE");
	}
	return receiver_say(200, "{}");
}

/* The answer came, and the process dies before the execution has moved: nothing of it is stored. */
Test(step_answers, are_asked_again_after_a_kill_before_the_move)
{
	AUTO(test_house) house = telling_house();
	AUTO(db) holder = test_db_open(house->settings);
	AUTO(receiver) receiver = receiver_start(step_answers_lock, holder);

	asking_begin(house, receiver, "", "", true);
	AUTO(test_program) program = telling_start(house, NOW, "1");
	test_db_wait_locked(house->db, 1);
	step_answers_kill(program);
	test_db_plain(holder, "ROLLBACK");
	telling_expect(house, "not answered", "SELECT due_at IS NOT NULL FROM step_request", 1);
	telling_run(house, NOW + 5 * SECOND_MS);
	cr_expect_eq(receiver_count(receiver), 2);
	asking_expect(house, "killed", "COMPLETED y");
}

/* Has the engine step what is due, so that the request is. */
static void
step_answers_step(struct test_house *house)
{
	struct automation_engine *engine = automation_engine_new(house->service);
	g_autoptr(GError) error = NULL, trouble = NULL;
	guint count;

	bool done = automation_engine_run(engine, &count, &trouble, &error);
	automation_engine_free(engine);
	telling_must(done, error);
}

/* A step that fails for a moment, behind one that is done. */
static bool
step_answers_move_badly(struct service *service, const struct store_step_outcome *outcomes,
    guint count, bool *taken_r, GError **error)
{
	test_db_plain(service->db, "UPDATE execution SET step_id = 'y'");
	return base_fail(error, PH_ERROR_TEMPORARY, "the step fails for a moment");
}

/* Requests that are made in this process. */
struct step_answers_making {
	struct fetch_poster *poster;
	struct webhook_step_requests *requests;
};

/* Makes so many requests that are due, whose answers are not stored yet. */
static struct step_answers_making
step_answers_make(struct test_house *house, guint count, webhook_step_move move)
{
	static struct fetch_rules rules;
	struct step_answers_making making;
	g_autoptr(GError) error = NULL;
	bool ended;

	rules.allow = config_settings_list(house->settings, SETTING_FETCH_ALLOW);
	rules.ports = config_settings_list(house->settings, SETTING_FETCH_PORTS);
	making.poster = fetch_poster_new(&rules, count, count, NULL);
	making.requests = webhook_step_requests_new(house->service, &rules, count, move);
	telling_must(service_ensure_journal(house->service, &error), error);
	g_autoptr(GPtrArray) hosts = webhook_step_requests_find(making.requests, &error);
	telling_must(hosts != NULL, error);
	cr_assert_eq(hosts->len, 1);
	bool begun = webhook_step_requests_begin(
	    making.requests, making.poster, hosts, count, &ended, &error);
	telling_must(begun, error);
	cr_assert_eq(webhook_step_requests_count(making.requests), count);
	for (guint i = 0; i < count; i++) {
		AUTO(fetch_post) post = fetch_poster_take(making.poster, MINUTE_MS);

		cr_assert(post);
		cr_expect(webhook_step_requests_take(making.requests, post));
	}
	cr_expect(webhook_step_requests_are_gathered(making.requests));
	return making;
}

static void
step_answers_store(struct step_answers_making *making)
{
	g_autoptr(GError) error = NULL, trouble = NULL;
	bool stored = webhook_step_requests_store(making->requests, &trouble, &error);

	telling_must(stored && !trouble, trouble ? trouble : error);
	cr_expect_eq(webhook_step_requests_count(making->requests), 0);
}

static void
step_answers_end(struct step_answers_making *making)
{
	webhook_step_requests_free(making->requests);
	fetch_poster_free(making->poster);
}

/* The answer is stored alone, and the step is the engine's, which asks no more. */
Test(step_answers, keep_their_answer_when_the_step_fails_for_a_moment)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);

	asking_begin(house, receiver, "", "", true);
	step_answers_step(house);
	base_clock_set(NOW);
	struct step_answers_making making = step_answers_make(house, 1, step_answers_move_badly);
	step_answers_store(&making);
	step_answers_end(&making);
	telling_expect(
	    house, "answered", "SELECT due_at IS NULL AND status = 200 FROM step_request", 1);
	asking_expect(house, "not moved", "IN_PROGRESS r");
	telling_expect(house, "due", "SELECT ready_at IS NOT NULL FROM execution", 1);
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 1);
	asking_expect(house, "moved", "COMPLETED y");
	asking_expect_properties(house, "moved", "{'status': 200, 'body': {'id': [1, 'x']}}");
}

/* The moves of answers, by their number, and the execution whose step fails. */
static GString *step_answers_moves;
static struct base_id step_answers_bad;

static bool
step_answers_move(struct service *service, const struct store_step_outcome *outcomes, guint count,
    bool *taken_r, GError **error)
{
	bool done = automation_engine_answered(service, outcomes, count, taken_r, error);

	g_string_append_printf(step_answers_moves, "%u ", count);
	for (guint i = 0; done && i < count; i++)
		if (base_id_equal(outcomes[i].execution, &step_answers_bad))
			return base_fail(error, PH_ERROR_TEMPORARY, "the step fails for a moment");
	return done;
}

/* Makes the requests of two people, whose answers come together. */
static struct step_answers_making
step_answers_make_two(struct test_house *house, struct receiver *receiver)
{
	asking_begin(house, receiver, "", "", true);
	asking_happen(house, "bob@example.org", "{}");
	step_answers_step(house);
	base_clock_set(NOW);
	if (!step_answers_moves)
		step_answers_moves = g_string_new(NULL);
	g_string_truncate(step_answers_moves, 0);
	return step_answers_make(house, 2, step_answers_move);
}

/* Expects how the executions stand, of ann and then of bob, and the moves that were made. */
static void
step_answers_expect_two(struct test_house *house, const char *want, const char *moves)
{
	g_autofree char *got = test_db_text(house->db,
	    "SELECT GROUP_CONCAT(e.status, e.step_id, IF(e.ready_at IS NULL, '', ' due')"
	    " ORDER BY e.email SEPARATOR ', ') FROM execution e");

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	cr_expect_str_eq(step_answers_moves->str, moves, "got %s", step_answers_moves->str);
}

Test(step_answers, that_are_answered_together_share_a_transaction)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);
	struct step_answers_making making = step_answers_make_two(house, receiver);

	step_answers_store(&making);
	step_answers_end(&making);
	step_answers_expect_two(house, "3y, 3y", "2 ");
	telling_expect(house, "no row", "SELECT COUNT(*) FROM step_request", 0);
	telling_expect(house, "results",
	    "SELECT COUNT(*) FROM person WHERE JSON_VALUE(properties, '$.status') = 200", 2);
}

/* The step of bob fails: ann's is made, and the answer to bob is kept for the engine. */
Test(step_answers, do_no_harm_to_others_that_are_answered_with_them)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);
	struct step_answers_making making = step_answers_make_two(house, receiver);

	AUTO(db_rows)
	rows =
	    db_select(house->db, "SELECT id FROM execution WHERE email LIKE 'bob%'", NULL, 0, NULL);
	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &step_answers_bad));
	step_answers_store(&making);
	step_answers_end(&making);
	step_answers_expect_two(house, "3y, 1r due", "2 1 1 ");
	telling_expect(
	    house, "answered", "SELECT COUNT(*) FROM step_request WHERE due_at IS NULL", 1);
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 2);
	step_answers_expect_two(house, "3y, 3y", "2 1 1 ");
}

/* Between the answers and the transaction, one of the executions changes. */
Test(step_answers, are_stored_with_others_only_as_they_stand)
{
	static const struct {
		const char *name, *sql, *want;
		gint64 rows; /* requests that are left */
	} cases[] = {
	    {"another lease",
		"UPDATE step_request r JOIN execution e ON e.id = r.execution_id"
		" SET r.token = 7 WHERE e.email LIKE 'ann%'",
		"1r, 3y", 1},
	    {"cancelled",
		"UPDATE execution SET status = 5, cancellation = 1, completed = 1"
		" WHERE email LIKE 'ann%'",
		"5r, 3y", 1},
	    {"a death", "UPDATE execution SET deaths = 1 WHERE email LIKE 'ann%'", "1r due, 3y", 1},
	    {"paused", "UPDATE workflow SET status = 3", "1r, 1r", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(test_house) house = telling_house();
		AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);
		struct step_answers_making making = step_answers_make_two(house, receiver);

		test_db_plain(house->db, cases[i].sql);
		step_answers_store(&making);
		step_answers_end(&making);
		step_answers_expect_two(house, cases[i].want, "2 ");
		telling_expect(
		    house, cases[i].name, "SELECT COUNT(*) FROM step_request", cases[i].rows);
	}
}

/* Another process steps ann: her answer waits in its row. */
Test(step_answers, do_not_wait_for_one_that_is_locked)
{
	AUTO(test_house) house = telling_house();
	AUTO(db) holder = test_db_open(house->settings);
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);
	struct step_answers_making making = step_answers_make_two(house, receiver);

	test_db_plain(holder, "START TRANSACTION");
	test_db_plain(holder, "SELECT id FROM person WHERE email LIKE 'ann%' FOR UPDATE");
	step_answers_store(&making);
	step_answers_end(&making);
	step_answers_expect_two(house, "1r due, 3y", "2 ");
	test_db_plain(holder, "ROLLBACK");
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 2);
	step_answers_expect_two(house, "3y, 3y", "2 ");
}

/* The connection is lost: the answers are kept, and stored when there is one again. */
Test(step_answers, keep_their_answers_without_a_database)
{
	AUTO(test_house) house = telling_house();
	AUTO(db) killer = test_db_open(house->settings);
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);
	struct step_answers_making making = step_answers_make_two(house, receiver);
	g_autofree char *kill =
	    g_strdup_printf("KILL %" G_GUINT64_FORMAT, db_connection_id(house->service->db));
	g_autoptr(GError) error = NULL, trouble = NULL;

	test_db_plain(killer, kill);
	cr_expect_not(webhook_step_requests_store(making.requests, &trouble, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY));
	cr_expect_null(trouble);
	cr_expect_eq(webhook_step_requests_count(making.requests), 2);
	g_clear_error(&error);
	telling_must(service_ensure(house->service, &error), error);
	g_string_truncate(step_answers_moves, 0);
	step_answers_store(&making);
	step_answers_end(&making);
	cr_expect_eq(receiver_count(receiver), 2);
	g_autofree char *got = test_db_text(
	    killer, "SELECT GROUP_CONCAT(status, step_id SEPARATOR ', ') FROM execution");
	cr_expect_str_eq(got, "3y, 3y");
	cr_expect_str_eq(step_answers_moves->str, "2 ");
}

/* A COMMIT whose answer is lost is made again. */
Test(step_answers, count_an_attempt_back_once)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);
	g_autoptr(GError) error = NULL;

	asking_begin(house, receiver, "", "", true);
	step_answers_step(house);
	g_autofree char *host = test_db_text(house->db, "SELECT host FROM step_request");
	const struct store_step_lease lease = {.host = host,
	    .owner = "p",
	    .token = 7,
	    .now = NOW + HOUR_MS,
	    .until = NOW + 2 * HOUR_MS,
	    .limit = 1};
	g_autoptr(GPtrArray) leased = store_step_request_lease(house->db, &lease, &error);
	telling_must(leased, error);
	cr_assert_eq(leased->len, 1);
	const struct store_step_request *request = leased->pdata[0];
	for (guint i = 0; i < 2; i++)
		telling_must(store_step_request_give_back(
				 house->db, &request->execution_id, lease.token, NOW, &error),
		    error);
	telling_expect(house, "attempts", "SELECT attempts FROM step_request", 0);
}

Test(step_answers, bring_nothing_to_an_execution_that_has_ended)
{
	AUTO(test_house) house = telling_house();
	struct step_answers_turn turn = step_answers_turn_new();
	AUTO(receiver) receiver = receiver_start(step_answers_give_turn, &turn);

	asking_begin(house, receiver, "", "", true);
	step_answers_run_with(house, &turn,
	    "UPDATE execution SET status = 5, cancellation = 1, ready_at = NULL, completed = 1");
	cr_expect_eq(receiver_count(receiver), 1);
	asking_expect(house, "cancelled", "OTHER r");
	asking_expect_properties(house, "cancelled", "{}");
	telling_run(house, NOW + HOUR_MS);
	cr_expect_eq(receiver_count(receiver), 1);
	telling_expect(house, "no row", "SELECT COUNT(*) FROM step_request", 0);
	step_answers_turn_clear(&turn);
}

Test(step_answers, are_taken_up_when_the_workflow_goes_on)
{
	AUTO(test_house) house = telling_house();
	struct step_answers_turn turn = step_answers_turn_new();
	AUTO(receiver) receiver = receiver_start(step_answers_give_turn, &turn);
	const struct automation_workflow_change active = {.status = "active"};
	g_autoptr(GError) error = NULL;

	base_clock_set(BEFORE);
	g_autofree char *data = asking_data(receiver, "", "");
	struct base_id workflow = asking_workflow(house, data, true);
	asking_happen(house, "ann@example.org", "{}");
	step_answers_run_with(house, &turn, "UPDATE workflow SET status = 3");
	asking_expect(house, "paused", "IN_PROGRESS r");
	telling_expect(
	    house, "parked", "SELECT COUNT(*) FROM execution WHERE parked IS NOT NULL", 1);
	bool is_active = automation_workflow_change(
	    house->service, &house->workspace, &workflow, &active, &error);
	telling_must(is_active, error);
	telling_run(house, NOW + MINUTE_MS);
	cr_expect_eq(receiver_count(receiver), 1);
	asking_expect(house, "active", "COMPLETED y");
	step_answers_turn_clear(&turn);
}
