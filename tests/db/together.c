/* SPDX-License-Identifier: MIT */
/* Tests several queries in one round trip. */
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/proxy.h"

PROXIED_SUITE(together, "CREATE TABLE t (n INT PRIMARY KEY, v LONGTEXT)",
    "INSERT INTO t VALUES (1, 'one'), (2, NULL), (3, REPEAT('x', 100000))");

#define QUERIES 3

/* All rows of t from a number on; how many there are; and a row whose value is given. */
static bool
together_ask(gint64 from, struct db_rows **rows_r, GError **error)
{
	const struct db_query queries[QUERIES] = {
	    {"SELECT n, v FROM t WHERE n >= ? ORDER BY n", DB_VALUES(db_int(from))},
	    {"SELECT COUNT(*) FROM t", NULL, 0},
	    {"SELECT ? FROM t WHERE n = ?", DB_VALUES(db_text("given"), db_int(1))},
	};

	return db_select_together(db, queries, QUERIES, rows_r, error);
}

Test(together, gives_the_rows_of_each)
{
	struct db_rows *rows[QUERIES];
	guint before = 0;

	for (gint64 from = 1; from <= 4; from++) {
		g_autoptr(GError) error = NULL;
		gint64 n = from;

		before = test_proxy_commands(proxy);
		cr_assert(together_ask(from, rows, &error), "%s", error ? error->message : "");
		/* Prepared the first time. */
		guint took = test_proxy_commands(proxy) - before;
		cr_expect_eq(took, from == 1 ? 2 : 1, "%u round trips", took);
		for (; db_rows_next(rows[0]); n++) {
			cr_expect_eq(db_rows_int(rows[0], 0), n);
			cr_expect_eq(db_rows_is_null(rows[0], 1), n == 2);
		}
		cr_expect_eq(n, 4, "up to %d", (int)n);
		cr_assert(db_rows_next(rows[1]));
		cr_expect_eq(db_rows_int(rows[1], 0), 3);
		cr_assert(db_rows_next(rows[2]));
		cr_expect_str_eq(db_rows_text(rows[2], 0), "given");
		db_rows_free_all(rows, QUERIES);
	}
}

/* An error after rows have come leaves none, and the connection as it was. */
Test(together, gives_none_where_one_fails)
{
	struct db_rows *rows[QUERIES] = {NULL};
	g_autoptr(GError) error = NULL;
	const struct db_query queries[] = {
	    {"SELECT n FROM t", NULL, 0},
	    {"SELECT n FROM t WHERE n = (SELECT n FROM t)", NULL, 0},
	};

	cr_assert_not(db_select_together(db, queries, G_N_ELEMENTS(queries), rows, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED), "%s", error->message);
	cr_expect_null(rows[0]);
	cr_expect_null(rows[1]);
	cr_assert(together_ask(1, rows, NULL));
	db_rows_free_all(rows, QUERIES);
}

Test(together, whose_answer_is_lost)
{
	static const enum test_proxy_fault faults[] = {
	    TEST_PROXY_CUT_COMMAND, TEST_PROXY_CUT_ANSWER, TEST_PROXY_CUT_WITHIN};

	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		struct db_rows *rows[QUERIES];
		g_autoptr(GError) error = NULL;

		test_proxy_break(proxy, faults[i], TEST_PROXY_EXECUTE, "BEGIN", 0);
		cr_assert_not(together_ask(1, rows, &error), "%zu: rows", i);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "%zu: %s", i,
		    error->message);
		cr_assert(db_is_dead(db));
		for (gsize j = 0; j < QUERIES; j++)
			cr_expect_null(rows[j], "%zu: rows", i);
		cr_assert(db_ensure(db, NULL));
		cr_assert(together_ask(1, rows, NULL));
		db_rows_free_all(rows, QUERIES);
	}
}

static bool
together_lock(struct db *on, void *context, GError **error)
{
	const struct db_query queries[] = {
	    {"SELECT n FROM t WHERE n = 1 FOR UPDATE", NULL, 0},
	    {"SELECT COUNT(*) FROM t", NULL, 0},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_defer(on, "INSERT INTO t VALUES (4, NULL)", NULL, 0, 1, error) ||
	    !db_select_together(on, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	cr_assert(db_rows_next(rows[1]));
	cr_expect_eq(db_rows_int(rows[1], 0), 4, "what was put off comes first");
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return db_run(on, "UPDATE t SET v = 'locked' WHERE n = 1", NULL, 0, NULL, error);
}

Test(together, may_be_of_a_transaction)
{
	g_autoptr(GError) error = NULL;

	cr_assert(db_transact(db, together_lock, NULL, &error), "%s", error ? error->message : "");
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM t WHERE v = 'locked'"), 1);
}
