/* SPDX-License-Identifier: MIT */
/* Tests transactions: retries, lost connections, uncertain commits. */
#include "db/transaction.h"

#include <string.h>

#include "base/error.h"
#include "db/after_commit.h"
#include "tests/support/proxy.h"

PROXIED_SUITE(transaction, "CREATE TABLE t (n INT PRIMARY KEY, v INT NOT NULL)",
    "INSERT INTO t VALUES (1, 0), (2, 0)");

/* A body that inserts row 3, and then does what a test asks for. */
struct body {
	gint64 runs;
	const char *sql; /* runs this statement, as often as failures says */
	gint64 failures;
	enum { RETURN, SWALLOW, TRANSLATE, AGAIN } then; /* what it does with its failure */
};

static bool
run_sql(struct db *on, struct body *body, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (body->then == AGAIN && body->runs <= body->failures)
		return db_transact_again(on, "again", error);
	if (!body->sql || body->runs > body->failures || db_run_plain(on, body->sql, &failure))
		return true;
	if (body->then == SWALLOW)
		return true;
	if (body->then == TRANSLATE)
		g_set_error_literal(error, PH_ERROR, PH_ERROR_CONFLICT, "translated");
	else
		g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
transaction_work(struct db *on, void *context, GError **error)
{
	struct body *body = context;

	body->runs++;
	return db_run(on, "INSERT INTO t VALUES (3, 0)", NULL, 0, NULL, error) &&
	       run_sql(on, body, error);
}

#define SIGNAL(number) "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = " #number

Test(transaction, is_run_again_when_the_server_says_so)
{
	static const struct {
		const char *name;
		struct body body;
		int want_error; /* -1: none */
		gint64 want_runs;
		gint64 want_rows;
	} cases[] = {
	    {"nothing wrong", {.sql = NULL}, -1, 1, 3},
	    {"deadlock", {.sql = SIGNAL(1213), .failures = 1}, -1, 2, 3},
	    {"lock wait", {.sql = SIGNAL(1205), .failures = 2}, -1, 3, 3},
	    {"record changed", {.sql = SIGNAL(1020), .failures = 1}, -1, 2, 3},
	    {"Galera unready", {.sql = SIGNAL(1047), .failures = 1}, -1, 2, 3},
	    {"40001", {.sql = "SIGNAL SQLSTATE '40001'", .failures = 1}, -1, 2, 3},
	    {"9 times", {.sql = SIGNAL(1213), .failures = 9}, -1, 10, 3},
	    {"10 times", {.sql = SIGNAL(1213), .failures = 10}, PH_ERROR_TEMPORARY, 10, 2},
	    {"swallowed deadlock", {.sql = SIGNAL(1213), .failures = 1, .then = SWALLOW}, -1, 2, 3},
	    {"swallowed unready", {.sql = SIGNAL(1047), .failures = 1, .then = SWALLOW}, -1, 2, 3},
	    {"swallowed lock wait", {.sql = SIGNAL(1205), .failures = 1, .then = SWALLOW}, -1, 2,
		3},
	    {"own answer to a lock wait", {.sql = SIGNAL(1205), .failures = 9, .then = TRANSLATE},
		PH_ERROR_CONFLICT, 1, 2},
	    {"own wish", {.failures = 2, .then = AGAIN}, -1, 3, 3},
	    {"own wish, 10 times", {.failures = 10, .then = AGAIN}, PH_ERROR_TEMPORARY, 10, 2},
	    {"duplicate", {.sql = SIGNAL(1062), .failures = 9}, PH_ERROR_CONFLICT, 1, 2},
	    {"interrupted", {.sql = SIGNAL(1317), .failures = 9}, PH_ERROR_TEMPORARY, 1, 2},
	    {"wrong", {.sql = "SELECT nonsense", .failures = 9}, PH_ERROR_FAILED, 1, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct body body = cases[i].body;
		g_autoptr(GError) error = NULL;

		bool done = db_transact(db, transaction_work, &body, &error);
		int got = error ? error->code : -1;
		cr_expect(done == (got == -1) && got == cases[i].want_error,
		    "%s: error: got %d, want %d: %s", cases[i].name, got, cases[i].want_error,
		    error ? error->message : "");
		cr_expect_eq(body.runs, cases[i].want_runs,
		    "%s: runs: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, cases[i].name,
		    body.runs, cases[i].want_runs);
		gint64 rows = test_db_number(other, "SELECT COUNT(*) FROM t");
		cr_expect_eq(rows, cases[i].want_rows,
		    "%s: rows: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, cases[i].name,
		    rows, cases[i].want_rows);
		cr_expect_not(db_is_dead(db), "%s: dead", cases[i].name);
		test_db_plain(other, "DELETE FROM t WHERE n > 2");
	}
}

/* Statements after the server has rolled back the transaction must not be committed by themselves.
 */
static bool
go_on_regardless(struct db *on, void *context, GError **error)
{
	int *runs = context;
	g_autoptr(GError) failure = NULL;

	if (++*runs > 1)
		return true;
	cr_assert_not(db_run_plain(on, SIGNAL(1213), NULL));
	cr_assert_not(db_run(on, "INSERT INTO t VALUES (3, 0)", NULL, 0, NULL, &failure));
	cr_assert(g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY));
	cr_assert_not(db_run_plain(on, "INSERT INTO t VALUES (4, 0)", NULL));
	AUTO(db_rows) rows = db_select(on, "SELECT n FROM t", NULL, 0, NULL);
	cr_assert_not(rows);
	return true;
}

Test(transaction, undone_by_the_server_does_nothing_more)
{
	g_autoptr(GError) error = NULL;
	int runs = 0;

	cr_assert(
	    db_transact(db, go_on_regardless, &runs, &error), "%s", error ? error->message : "");
	cr_assert_eq(runs, 2);
	cr_assert_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 2);
}

/* Two transactions that take the rows 1 and 2 in opposite order, each its second one when both have
   their first. */
struct crossing {
	struct db *db;
	int first, second;
	gint runs;
	struct meeting *meeting;
};

struct meeting {
	GMutex mutex;
	GCond cond;
	int there;
};

static void
transaction_meet(struct meeting *meeting)
{
	g_mutex_lock(&meeting->mutex);
	meeting->there++;
	g_cond_broadcast(&meeting->cond);
	while (meeting->there < 2)
		g_cond_wait(&meeting->cond, &meeting->mutex);
	g_mutex_unlock(&meeting->mutex);
}

static bool
cross(struct db *on, void *context, GError **error)
{
	static const char sql[] = "UPDATE t SET v = v + 1 WHERE n = ?";
	struct crossing *crossing = context;

	crossing->runs++;
	if (!db_run(on, sql, DB_VALUES(db_int(crossing->first)), NULL, error))
		return false;
	transaction_meet(crossing->meeting);
	return db_run(on, sql, DB_VALUES(db_int(crossing->second)), NULL, error);
}

static gpointer
transaction_transact(gpointer data)
{
	struct crossing *crossing = data;
	GError *error = NULL;

	db_transact(crossing->db, cross, crossing, &error);
	return error;
}

Test(transaction, survives_a_deadlock)
{
	struct meeting meeting = {.there = 0};
	struct crossing one = {.db = db, .first = 1, .second = 2, .meeting = &meeting};
	struct crossing two = {.db = other, .first = 2, .second = 1, .meeting = &meeting};

	GThread *thread = g_thread_new("two", transaction_transact, &two);
	g_autoptr(GError) error = transaction_transact(&one);
	g_autoptr(GError) error_two = g_thread_join(thread);
	cr_assert_not(error, "one: %s", error ? error->message : "");
	cr_assert_not(error_two, "two: %s", error_two ? error_two->message : "");
	cr_assert_eq(one.runs + two.runs, 3, "runs: %d and %d", one.runs, two.runs);
	cr_assert_eq(test_db_number(db, "SELECT SUM(v) FROM t"), 4);
}

static bool
lose_connection(struct db *on, void *context, GError **error)
{
	struct body *body = context;

	if (++body->runs > 1)
		return true;
	g_free(test_mariadb_sql(NULL, "KILL %" G_GUINT64_FORMAT, db_connection_id(on)));
	return run_sql(on, body, error);
}

Test(transaction, on_a_lost_connection_has_not_happened)
{
	struct body body = {.sql = "INSERT INTO t VALUES (3, 0)", .failures = 1};
	g_autoptr(GError) error = NULL;

	cr_assert_not(db_transact(db, lose_connection, &body, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
	cr_assert_eq(body.runs, 1, "it was run again");
	cr_assert(db_is_dead(db));
	g_clear_error(&error);
	cr_assert_not(db_transact(db, transaction_work, &body, &error), "it came back by itself");
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
	cr_assert_eq(body.runs, 1, "it was run without a connection");
	cr_assert_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 2);
	g_clear_error(&error);
	body = (struct body){.sql = NULL};
	cr_assert(db_ensure(db, &error) && db_transact(db, transaction_work, &body, &error), "%s",
	    error ? error->message : "");
	cr_assert_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 3);
}

Test(transaction, whose_body_does_not_notice_the_loss_has_not_happened)
{
	struct body body = {.sql = "INSERT INTO t VALUES (3, 0)", .failures = 1, .then = SWALLOW};
	g_autoptr(GError) error = NULL;

	cr_assert_not(db_transact(db, lose_connection, &body, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
	cr_assert_eq(body.runs, 1);
}

Test(transaction, whose_answer_to_commit_is_lost_is_uncertain)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		guint code;
		int want_error; /* -1: none */
		gint64 want_runs;
		gint64 want_rows;
	} cases[] = {
	    {"answer lost", TEST_PROXY_CUT_ANSWER, 0, PH_ERROR_UNCERTAIN, 1, 3},
	    {"command lost", TEST_PROXY_CUT_COMMAND, 0, PH_ERROR_UNCERTAIN, 1, 2},
	    {"interrupted", TEST_PROXY_ERROR, 1317, PH_ERROR_UNCERTAIN, 1, 2},
	    {"failed", TEST_PROXY_ERROR, 1180, PH_ERROR_UNCERTAIN, 1, 2},
	    {"certification", TEST_PROXY_ERROR, 1213, -1, 2, 3},
	    {"unready", TEST_PROXY_ERROR, 1047, -1, 2, 3},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct body body = {.sql = NULL};
		g_autoptr(GError) error = NULL;

		test_proxy_break(proxy, cases[i].fault, TEST_PROXY_COMMIT, "", cases[i].code);
		db_transact(db, transaction_work, &body, &error);
		int got = error ? error->code : -1;
		cr_expect_eq(got, cases[i].want_error, "%s: error: got %d, want %d: %s",
		    cases[i].name, got, cases[i].want_error, error ? error->message : "");
		cr_expect_eq(body.runs, cases[i].want_runs, "%s: runs: got %" G_GINT64_FORMAT,
		    cases[i].name, body.runs);
		cr_expect_eq(db_is_dead(db), got != -1, "%s: dead?", cases[i].name);
		g_clear_error(&error);
		cr_assert(
		    db_ensure(db, &error), "%s: %s", cases[i].name, error ? error->message : "");
		gint64 rows = test_db_number(db, "SELECT COUNT(*) FROM t");
		cr_expect_eq(rows, cases[i].want_rows, "%s: rows: got %" G_GINT64_FORMAT,
		    cases[i].name, rows);
		test_db_plain(db, "DELETE FROM t WHERE n > 2");
	}
}

static bool
fail_for_good(struct db *on, void *context, GError **error)
{
	test_db_plain(on, "INSERT INTO t VALUES (3, 0)");
	g_set_error_literal(error, PH_ERROR, PH_ERROR_NOT_FOUND, "of the body");
	return false;
}

Test(transaction, that_cannot_be_rolled_back_ends_the_connection)
{
	static const enum test_proxy_fault faults[] = {TEST_PROXY_ERROR, TEST_PROXY_CUT_ANSWER};

	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autoptr(GError) error = NULL;

		test_proxy_break(proxy, faults[i], TEST_PROXY_QUERY, "ROLLBACK", 1105);
		cr_assert_not(db_transact(db, fail_for_good, NULL, &error));
		cr_assert(
		    g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND), "got %s", error->message);
		cr_assert(db_is_dead(db));
		g_clear_error(&error);
		cr_assert(db_ensure(db, &error), "%s", error ? error->message : "");
	}
}

static bool
look_and_count(struct db *on, void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(on, "SELECT n FROM t WHERE n = 1", NULL, 0, error);
	guint64 *affected = context;

	return rows && db_rows_next(rows) &&
	       db_run(on, "UPDATE t SET v = v + 1", NULL, 0, affected, error);
}

static bool
transaction_count_first(struct db *on, void *context, GError **error)
{
	return db_run(on, "UPDATE t SET v = v + 1", NULL, 0, context, error);
}

static bool
transaction_put_many(struct db *on, void *context, GError **error)
{
	const struct db_value values[] = {db_int(3), db_int(0), db_int(4), db_int(0)};

	return db_run_rows(on, "INSERT INTO t VALUES (?, ?)", values, 2, 2, NULL, error);
}

static bool
do_nothing(struct db *on, void *context, GError **error)
{
	return true;
}

Test(transaction, costs_one_round_trip_more_than_its_statements)
{
	static const struct {
		const char *name;
		db_body body;
		guint want;
		guint64 want_affected;
	} cases[] = {
	    {"a change", transaction_work, 2, 0},
	    {"a look, and a change", look_and_count, 3, 2},
	    {"a change of which the rows are counted", transaction_count_first, 3, 2},
	    {"many rows at once", transaction_put_many, 3, 0},
	    {"nothing", do_nothing, 0, 0},
	};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		struct body body = {.sql = NULL};
		guint64 affected = 0;
		gsize at = i / 2;
		void *context =
		    cases[at].body == transaction_work ? (void *)&body : (void *)&affected;
		g_autoptr(GError) error = NULL;

		guint before = test_proxy_commands(proxy);
		cr_assert(db_transact(db, cases[at].body, context, &error), "%s: %s",
		    cases[at].name, error ? error->message : "");
		guint got = test_proxy_commands(proxy) - before;
		/* The first time its statements are prepared too. */
		if (i % 2 == 1)
			cr_expect_eq(got, cases[at].want, "%s: got %u, want %u", cases[at].name,
			    got, cases[at].want);
		cr_expect_eq(affected, cases[at].want_affected, "%s: affected %d", cases[at].name,
		    (int)affected);
		test_db_plain(other, "DELETE FROM t WHERE n > 2");
	}
}

/* After a failed first statement the transaction may or may not be open. */
static bool
put_after_a_failure(struct db *on, void *context, GError **error)
{
	const char *sql = context;
	g_autoptr(GError) failure = NULL;

	cr_assert_not(db_run(on, sql, NULL, 0, NULL, &failure));
	return db_run(on, "INSERT INTO t VALUES (3, 0)", NULL, 0, NULL, error) &&
	       db_run(on, "INSERT INTO t VALUES (1, 0)", NULL, 0, NULL, error);
}

Test(transaction, is_one_after_its_first_statement_failed)
{
	static const char *const cases[] = {
	    "INSERT INTO t VALUES (2, 0)", "SELECT nonsense", "INSERT INTO nowhere VALUES (1)"};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		cr_assert_not(db_transact(db, put_after_a_failure, (void *)cases[i], &error));
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "%s: %s", cases[i],
		    error->message);
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 2, "%s", cases[i]);
	}
}

/* A compound statement that returns rows and then fails. */
static bool
look_in_vain(struct db *on, void *context, GError **error)
{
	gint64 *runs = context;
	const char *sql = ++*runs == 1 ? "SELECT n FROM t; " SIGNAL(1213) : "SELECT n FROM t";
	AUTO(db_rows) rows = db_select(on, sql, NULL, 0, NULL);

	/* The body ignores the error; its next statement must not be committed by itself. */
	db_run(on, "INSERT INTO t VALUES (3, 0)", NULL, 0, NULL, NULL);
	return true;
}

Test(transaction, is_undone_behind_the_rows_of_its_first_statement)
{
	g_autoptr(GError) error = NULL;
	gint64 runs = 0;

	cr_assert(db_transact(db, look_in_vain, &runs, &error), "%s", error ? error->message : "");
	cr_expect_eq(runs, 2, "runs: %d", (int)runs);
	cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 3);
}

/* The rest of an interrupted statement must not be committed by the next START TRANSACTION. */
static bool
put_after_an_interruption(struct db *on, void *context, GError **error)
{
	const bool *defers = context;

	cr_assert_not(
	    db_run(on, "INSERT INTO t VALUES (3, 0); " SIGNAL(1317), NULL, 0, NULL, NULL));
	if (*defers && !db_defer(on, "INSERT INTO t VALUES (4, 0)", NULL, 0, 1, error))
		return false;
	return db_run(on, "INSERT INTO t VALUES (5, 0)", NULL, 0, NULL, error);
}

Test(transaction, commits_nothing_of_a_first_statement_that_failed)
{
	for (int defers = 0; defers < 2; defers++) {
		bool context = defers;
		g_autoptr(GError) error = NULL;

		cr_assert(db_transact(db, put_after_an_interruption, &context, &error), "%s",
		    error ? error->message : "");
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t WHERE n = 3"), 0,
		    "%d: it is there", defers);
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 3 + defers);
		test_db_plain(other, "DELETE FROM t WHERE n > 2");
	}
}

static bool
transaction_nest(struct db *on, void *context, GError **error)
{
	struct body body = {.sql = NULL};

	return db_transact(on, transaction_work, &body, error);
}

Test(transaction, in_a_transaction_is_a_fault_of_the_program, .signal = SIGABRT)
{
	db_transact(db, transaction_nest, NULL, NULL);
}

static bool
transaction_ensure(struct db *on, void *context, GError **error)
{
	return db_ensure(on, error);
}

Test(transaction, does_not_reconnect_inside, .signal = SIGABRT)
{
	db_transact(db, transaction_ensure, NULL, NULL);
}

/* A block does what a transaction does, or nothing. */
Test(transaction, may_be_one_statement)
{
	static const struct {
		const char *name, *sql;
		int want_error; /* -1: none */
		gint64 want_rows;
	} cases[] = {
	    {"done", DB_BLOCK("INSERT INTO t VALUES (3, ?); INSERT INTO t VALUES (4, 0);"), -1, 4},
	    {"a duplicate", DB_BLOCK("INSERT INTO t VALUES (3, ?); INSERT INTO t VALUES (1, 0);"),
		PH_ERROR_CONFLICT, 2},
	    {"refused", DB_BLOCK("INSERT INTO t VALUES (3, ?); " DB_REFUSE("reason")),
		PH_ERROR_CONFLICT, 2},
	    {"a deadlock, always", DB_BLOCK("INSERT INTO t VALUES (3, ?); " SIGNAL(1213) ";"),
		PH_ERROR_TEMPORARY, 2},
	    {"a lock wait, once",
		DB_BLOCK("INSERT INTO t VALUES (3, ?); SET @waits = @waits + 1;"
			 " IF @waits = 1 THEN " SIGNAL(1205) "; END IF;"),
		-1, 3},
	};

	test_db_plain(db, "SET @waits = 0");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		bool done = db_transact_block(db, cases[i].sql, DB_VALUES(db_int(7)), &error);
		int got = error ? error->code : -1;
		cr_expect(done == (got == -1) && got == cases[i].want_error,
		    "%s: error: got %d, want %d: %s", cases[i].name, got, cases[i].want_error,
		    error ? error->message : "");
		gint64 rows = test_db_number(other, "SELECT COUNT(*) FROM t");
		cr_expect_eq(rows, cases[i].want_rows, "%s: got %d rows, want %d", cases[i].name,
		    (int)rows, (int)cases[i].want_rows);
		if (cases[i].want_error == PH_ERROR_CONFLICT)
			cr_expect_eq(db_cause(db), i == 1 ? DB_CAUSE_DUPLICATE : DB_CAUSE_REFUSED);
		cr_expect_eq(db_cause_is_reason(db, "reason"), i == 2, "%s: reason", cases[i].name);
		/* No transaction is left open. */
		test_db_plain(db, "INSERT INTO t VALUES (9, 0)");
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t WHERE n = 9"), 1);
		test_db_plain(other, "DELETE FROM t WHERE n > 2");
	}
	cr_expect_eq(test_db_number(db, "SELECT @waits"), 2);
}

static guint called, freed;

static void
transaction_call(void *data)
{
	called += GPOINTER_TO_UINT(data);
}

static void
transaction_release(void *data)
{
	freed += GPOINTER_TO_UINT(data);
}

static bool
transaction_nothing(struct db *on, void *context, GError **error)
{
	return true;
}

/* A body that leaves work for after COMMIT. */
static bool
work_and_follow(struct db *on, void *context, GError **error)
{
	db_tally(on, 1, 5);
	db_after_commit(on, transaction_call, GUINT_TO_POINTER(1), transaction_release);
	return transaction_work(on, context, error);
}

Test(transaction, is_followed_up_once_it_is_stored)
{
	static const struct {
		const char *name;
		struct body body;
		bool want;
		guint want_freed;
	} cases[] = {
	    {"stored", {.sql = NULL}, true, 1},
	    {"stored at the second run", {.sql = SIGNAL(1213), .failures = 1}, true, 2},
	    {"rolled back", {.sql = SIGNAL(1064), .failures = 1}, false, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct body body = cases[i].body;

		called = freed = 0;
		db_run_plain(db, "DELETE FROM t WHERE n = 3", NULL);
		bool done = db_transact(db, work_and_follow, &body, NULL);
		cr_expect_eq(done, cases[i].want, "%s", cases[i].name);
		cr_expect_eq(called, cases[i].want, "%s: %u calls", cases[i].name, called);
		cr_expect_eq(db_tally_is_any(db), cases[i].want, "%s", cases[i].name);
		cr_expect_eq(db_tally_take(db, 1), cases[i].want ? 5 : 0, "%s", cases[i].name);
		cr_expect_eq(db_tally_take(db, 1), 0);
		cr_expect(db_transact(db, transaction_nothing, NULL, NULL));
		cr_expect_eq(called, cases[i].want, "%s: again", cases[i].name);
		cr_expect_eq(freed, cases[i].want_freed, "%s: %u freed", cases[i].name, freed);
	}
}

Test(transaction, is_not_needed_for_a_tally)
{
	called = 0;
	db_tally(db, 0, -2);
	db_after_commit(db, transaction_call, GUINT_TO_POINTER(1), NULL);
	cr_expect_eq(db_tally_take(db, 0), -2);
	cr_expect_eq(called, 1);
}
