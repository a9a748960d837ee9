/* SPDX-License-Identifier: MIT */
/* A guard that does not hold prevents each kind of statement. A guard that holds costs nothing. */
#include "db/precondition.h"

#include <string.h>

#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/proxy.h"

#define HOLDS "EXISTS (SELECT 1 FROM g WHERE n = ? AND v = ?)"
#define PUT "INSERT INTO t (n) VALUES (?)"

PROXIED_SUITE(guard, "CREATE TABLE t (n INT PRIMARY KEY)",
    "CREATE TABLE g (n INT PRIMARY KEY, v TEXT)", "INSERT INTO g VALUES (1, 'yes')");

static const struct db_precondition_form form = {HOLDS, "g", "g.n = ? AND g.v = ?"};

static struct db *
guard(gint64 number)
{
	g_autofree char *text = g_strdup("yes");
	struct db *guarded = db_guarded(db, &form, DB_VALUES(db_int(number), db_text(text)));

	/* The values are copied. */
	text[0] = 'n';
	return guarded;
}

static gint64
guard_count(void)
{
	return test_db_number(other, "SELECT COUNT(*) FROM t");
}

static bool
guard_insert(struct db *on, void *context, GError **error)
{
	return db_run(on, PUT, DB_VALUES(db_int(7)), NULL, error);
}

static bool
insert_counted(struct db *on, void *context, GError **error)
{
	guint64 affected;

	return db_run(on, PUT, DB_VALUES(db_int(7)), &affected, error);
}

static bool
insert_rows(struct db *on, void *context, GError **error)
{
	const struct db_value values[] = {db_int(7), db_int(8), db_int(9)};

	return db_run_rows(on, PUT, values, 1, G_N_ELEMENTS(values), NULL, error);
}

static bool
insert_returning(struct db *on, void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(on, PUT " RETURNING n", DB_VALUES(db_int(7)), error);

	return rows && db_rows_next(rows) && db_rows_int(rows, 0) == 7;
}

static bool
insert_plain(struct db *on, void *context, GError **error)
{
	return db_run_plain(on, "INSERT INTO t (n) VALUES (7)", error);
}

static bool
guard_put_off(struct db *on, void *context, GError **error)
{
	return db_defer(on, PUT, DB_VALUES(db_int(7)), 1, error) &&
	       db_defer(on, PUT, DB_VALUES(db_int(8)), 1, error);
}

static bool
put_off_one(struct db *on, void *context, GError **error)
{
	return db_defer(on, PUT, DB_VALUES(db_int(7)), 1, error);
}

static bool
put_off_one_and_look(struct db *on, void *context, GError **error)
{
	if (!put_off_one(on, context, error))
		return false;
	AUTO(db_rows) rows = db_select(on, "SELECT n FROM t", NULL, 0, error);
	return rows != NULL;
}

static bool
select_together(struct db *on, void *context, GError **error)
{
	const struct db_query queries[] = {
	    {"SELECT n FROM g WHERE n = ?", DB_VALUES(db_int(1))},
	    {PUT " RETURNING n", DB_VALUES(db_int(7))},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(on, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		cr_expect(db_rows_next(rows[i]), "%zu: no row", i);
		db_rows_free(rows[i]);
	}
	return true;
}

/* Reads the text and a number of g, where the number is given. */
static struct db_rows *
guard_look(struct db *on, gint64 number, GError **error)
{
	return db_select(on, "SELECT v, n FROM g WHERE n = ?", DB_VALUES(db_int(number)), error);
}

static bool
guard_look_up(struct db *on, void *context, GError **error)
{
	AUTO(db_rows) rows = guard_look(on, 1, error);

	return rows && db_rows_next(rows) && strcmp(db_rows_text(rows, 0), "yes") == 0 &&
	       db_rows_int(rows, 1) == 1 && !db_rows_next(rows);
}

static bool
put_off_and_look(struct db *on, void *context, GError **error)
{
	if (!guard_put_off(on, context, error))
		return false;
	AUTO(db_rows) rows = db_select(on, "SELECT n FROM t", NULL, 0, error);
	return rows != NULL;
}

static bool
in_block(struct db *on, void *context, GError **error)
{
	return db_transact_block(
	    on, DB_BLOCK("INSERT INTO t VALUES (?);"), DB_VALUES(db_int(7)), error);
}

static bool
guard_nothing(struct db *on, void *context, GError **error)
{
	return true;
}

static bool
by_itself(struct db *on, void *context, GError **error)
{
	return db_precondition_settle(on, error);
}

static const struct way {
	const char *name;
	db_body body;
	bool transact;
	gint64 rows;
	guint more; /* round trips that a guard costs */
} ways[] = {
    {"a statement", guard_insert, false, 1, 0},
    {"one that is counted", insert_counted, false, 1, 1},
    {"rows", insert_rows, false, 3, 1},
    {"a result", insert_returning, false, 1, 0},
    {"a plain SELECT", guard_look_up, false, 0, 0},
    {"results", select_together, false, 1, 0},
    {"plain text", insert_plain, false, 1, 1},
    {"a block", in_block, false, 1, 0},
    {"the guard alone", by_itself, false, 0, 1},
    {"nothing", guard_nothing, true, 0, 0},
    {"a statement, in a transaction", guard_insert, true, 1, 0},
    {"one that is counted, in a transaction", insert_counted, true, 1, 1},
    {"rows, in a transaction", insert_rows, true, 3, 1},
    {"a result, in a transaction", insert_returning, true, 1, 0},
    {"a plain SELECT, in a transaction", guard_look_up, true, 0, 0},
    {"results, in a transaction", select_together, true, 1, 0},
    {"one put off until COMMIT", put_off_one, true, 1, 0},
    {"one put off until the next", put_off_one_and_look, true, 1, 0},
    {"put off until COMMIT", guard_put_off, true, 2, 0},
    {"put off until the next", put_off_and_look, true, 2, 0},
};

static bool
guard_go(struct db *on, const struct way *way, GError **error)
{
	return way->transact ? db_transact(on, way->body, NULL, error) : way->body(on, NULL, error);
}

/* How many round trips it takes, of what is prepared. */
static guint
guard_measure(const struct way *way, bool guarded)
{
	guint took = 0;

	for (guint i = 0; i < 2; i++) {
		g_autoptr(GError) error = NULL;

		test_db_plain(other, "TRUNCATE t");
		AUTO(db) handle = guarded ? guard(1) : NULL;
		guint before = test_proxy_commands(proxy);
		cr_assert(guard_go(handle ? handle : db, way, &error), "%s: %s", way->name,
		    error ? error->message : "");
		took = test_proxy_commands(proxy) - before;
		cr_expect_eq(
		    guard_count(), way->rows, "%s: %d rows", way->name, (int)guard_count());
	}
	return took;
}

Test(guard, that_holds_costs_no_round_trip)
{
	for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
		guint without = guard_measure(&ways[i], false),
		      with = guard_measure(&ways[i], true);

		cr_expect_eq(with - without, ways[i].more, "%s: %u round trips without, %u with",
		    ways[i].name, without, with);
	}
}

Test(guard, that_does_not_hold_lets_nothing_be_done)
{
	for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
		if (ways[i].body == guard_nothing)
			continue;
		AUTO(db) guarded = guard(2);
		for (guint again = 0; again < 2; again++) {
			g_autoptr(GError) error = NULL;

			cr_assert_not(guard_go(guarded, &ways[i], &error), "%s", ways[i].name);
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN), "%s: %s",
			    ways[i].name, error->message);
			cr_expect_eq(
			    guard_count(), 0, "%s: %d rows", ways[i].name, (int)guard_count());
		}
		cr_expect(guard_go(db, &ways[i], NULL), "%s: not without it", ways[i].name);
		test_db_plain(other, "TRUNCATE t");
	}
}

/* A guard is checked once: a key that ends afterwards does not matter. */
Test(guard, that_has_held_is_not_looked_at_again)
{
	AUTO(db) guarded = guard(1);

	cr_assert(guard_insert(guarded, NULL, NULL));
	test_db_plain(other, "DELETE FROM g");
	test_db_plain(other, "TRUNCATE t");
	cr_assert(guard_insert(guarded, NULL, NULL));
	cr_assert(db_precondition_settle(guarded, NULL));
}

/* A SELECT that finds no row has not read the condition: the next statement does. */
Test(guard, stays_when_nothing_is_found)
{
	static const struct {
		gint64 guarded, sought;
		bool want; /* whether the guard is still there */
	} cases[] = {{1, 1, false}, {1, 2, true}, {2, 2, true}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		AUTO(db) guarded = guard(cases[i].guarded);
		AUTO(db_rows) rows = guard_look(guarded, cases[i].sought, &error);
		cr_assert(rows, "%zu: %s", i, error ? error->message : "");
		guint before = test_proxy_commands(proxy);
		cr_expect_eq(
		    db_precondition_settle(guarded, &error), cases[i].guarded == 1, "%zu", i);
		cr_expect_eq(test_proxy_commands(proxy) > before, cases[i].want, "%zu", i);
		cr_expect(!error || g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN));
	}
}

Test(guard, is_checked_with_any_select)
{
	static const char *const sql[] = {
	    "SELECT n FROM g UNION ALL SELECT n + 1 FROM g",
	    "SELECT DISTINCT n FROM g",
	    "(SELECT n FROM g)",
	    "SELECT MAX(n) FROM g",
	    "SELECT n FROM g ORDER BY v LIMIT 1 FOR UPDATE",
	    "SELECT a.n FROM (SELECT DISTINCT n FROM g) a JOIN g b ON b.n = a.n GROUP BY a.n",
	};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(sql); i++) {
		bool holds = i % 2 == 0;
		g_autoptr(GError) error = NULL;

		AUTO(db) guarded = guard(holds ? 1 : 2);
		AUTO(db_rows) rows = db_select(guarded, sql[i / 2], NULL, 0, &error);
		cr_expect_eq(
		    rows != NULL, holds, "%s: %s", sql[i / 2], error ? error->message : "");
		cr_expect(holds || g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN));
		cr_expect(holds || db_cause(db) == DB_CAUSE_DENIED);
		if (rows)
			cr_expect(
			    db_rows_next(rows) && db_rows_int(rows, 0) == 1, "%s", sql[i / 2]);
	}
}

/* A failure of the statement does not mean that the guard did not hold. */
Test(guard, stays_when_the_statement_fails)
{
	AUTO(db) guarded = guard(1);

	test_db_plain(other, "INSERT INTO t VALUES (7)");
	cr_assert_not(guard_insert(guarded, NULL, NULL));
	cr_expect_eq(db_cause(db), DB_CAUSE_DUPLICATE);
	test_db_plain(other, "DELETE FROM g");
	test_db_plain(other, "TRUNCATE t");
	cr_assert_not(guard_insert(guarded, NULL, NULL));
	cr_expect_eq(guard_count(), 0);
}

Test(guard, stays_when_the_connection_is_lost)
{
	static const enum test_proxy_fault faults[] = {
	    TEST_PROXY_CUT_COMMAND, TEST_PROXY_CUT_ANSWER};

	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		AUTO(db) guarded = guard(2);
		test_proxy_break(proxy, faults[i], TEST_PROXY_EXECUTE, "BEGIN", 0);
		cr_assert_not(db_transact(guarded, guard_insert, NULL, NULL));
		cr_assert(db_is_dead(db));
		cr_assert(db_ensure(db, NULL));
		g_autoptr(GError) error = NULL;
		cr_assert_not(db_transact(guarded, guard_insert, NULL, &error));
		cr_expect(
		    g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN), "%s", error->message);
		cr_expect_eq(guard_count(), 0);
	}
}

static bool
deadlock_once(struct db *on, void *context, GError **error)
{
	guint *runs = context;

	if (++*runs > 1)
		return guard_insert(on, NULL, error);
	test_proxy_break(proxy, TEST_PROXY_ERROR, TEST_PROXY_EXECUTE, "BEGIN", 1213);
	return guard_insert(on, NULL, error);
}

Test(guard, stays_when_a_transaction_is_run_again)
{
	guint runs = 0;
	g_autoptr(GError) error = NULL;
	AUTO(db) guarded = guard(2);

	cr_assert_not(db_transact(guarded, deadlock_once, &runs, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN), "%s", error->message);
	cr_expect_eq(runs, 2);
	cr_expect_eq(guard_count(), 0);
}

/* The guard may say no, or there may be no row: only a row tells that it holds. */
Test(guard, is_joined_with_what_is_read)
{
	static const struct {
		const char *name;
		gint64 guard, row;
		guint want_rows;
		bool want_waits, want_holds;
	} cases[] = {
	    {"holds", 1, 3, 2, false, true},
	    {"holds, and there is no row", 1, 4, 0, true, true},
	    {"does not hold", 2, 3, 0, true, false},
	    {"does not hold, and there is no row", 2, 4, 0, true, false},
	};

	test_db_plain(other, "INSERT INTO t VALUES (3)");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		guint rows = 0;

		AUTO(db) guarded = guard(cases[i].guard);
		AUTO(db_rows)
		got = db_select_row(guarded,
		    "SELECT (SELECT COUNT(*) FROM t WHERE n > 0), u.n FROM t LEFT JOIN"
		    " (SELECT 1 AS n UNION SELECT 2) u ON u.n < 9 WHERE t.n = ?",
		    DB_VALUES(db_int(cases[i].row)), &error);
		cr_assert(got, "%s: %s", cases[i].name, error ? error->message : "");
		while (db_rows_next(got))
			rows++;
		cr_expect_eq(rows, cases[i].want_rows, "%s: got %u rows", cases[i].name, rows);
		cr_expect_eq(db_precondition_waits(guarded), cases[i].want_waits, "%s: waits",
		    cases[i].name);
		cr_expect_eq(db_precondition_settle(guarded, &error), cases[i].want_holds,
		    "%s: holds", cases[i].name);
	}
}

Test(guard, is_a_column_where_it_is_no_table)
{
	static const struct db_precondition_form column = {HOLDS};
	g_autoptr(GError) error = NULL;

	test_db_plain(other, "INSERT INTO t VALUES (3)");
	AUTO(db) guarded = db_guarded(db, &column, DB_VALUES(db_int(2), db_text("yes")));
	cr_expect_null(db_select_row(
	    guarded, "SELECT t.n FROM t WHERE t.n = ?", DB_VALUES(db_int(3)), &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN));
}

/* A statement through another handle does not ask the guard, and leaves it as it is. */
Test(guard, belongs_to_its_handle)
{
	AUTO(db) ends = guard(2);
	AUTO(db) holds = guard(1);
	g_autoptr(GError) error = NULL;

	cr_expect(guard_insert(db, NULL, NULL));
	cr_expect(db_precondition_waits(ends) && db_precondition_waits(holds));
	cr_expect_not(guard_insert(ends, NULL, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN));
	cr_expect(db_run(holds, PUT, DB_VALUES(db_int(8)), NULL, NULL));
	cr_expect(db_run(db, PUT, DB_VALUES(db_int(9)), NULL, NULL));
	cr_expect_not(db_precondition_settle(ends, NULL), "it was refused");
	cr_expect_eq(guard_count(), 3);
}

Test(guard, is_nothing_once_it_is_known_to_hold)
{
	AUTO(db) guarded = guard(2);

	db_precondition_drop(guarded);
	cr_expect_not(db_precondition_waits(guarded));
	cr_expect(guard_insert(guarded, NULL, NULL));
}
