/* SPDX-License-Identifier: MIT */
/* Tests deferred statements: their order, round trips and errors. */
#include "db/deferred.h"

#include <string.h>

#include "base/error.h"
#include "db/compound.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/proxy.h"

PROXIED_SUITE(deferred,
    "CREATE TABLE t (n INT PRIMARY KEY, v LONGTEXT, i INT NOT NULL AUTO_INCREMENT UNIQUE)");

#define PUT "INSERT INTO t (n, v) VALUES (?, ?)"

/* A body that puts in rows from 1 on, so many at a time, and looks in between where that is asked.
 */
struct body {
	gint64 puts, rows, size; /* size: bytes of v; 0 for NULL */
	bool looks_first, looks_last;
	bool joins;   /* the row of each put joins the statement of those before */
	gint64 taken; /* a row to put in a second time */
	gint64 runs;
};

static bool
deferred_look(struct db *on, gint64 want, GError **error)
{
	AUTO(db_rows) rows = db_select(on, "SELECT COUNT(*) FROM t", NULL, 0, error);

	if (!rows)
		return false;
	cr_assert(db_rows_next(rows));
	cr_expect_eq(db_rows_int(rows, 0), want, "it sees %d rows, not %d",
	    (int)db_rows_int(rows, 0), (int)want);
	return true;
}

static bool
deferred_put(struct db *on, struct body *body, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, 2 * body->rows);
	gint64 n = 0;

	for (gint64 i = 0; i < body->puts; i++) {
		g_autofree char *text = g_strnfill((gsize)body->size, 'x');

		for (gint64 row = 0; row < body->rows; row++) {
			values[2 * row] = db_int(++n);
			values[2 * row + 1] = body->size ? db_text(text) : db_null();
		}
		if (!(body->joins ? db_defer_row(on, PUT, values, 2, error)
				  : db_defer(on, PUT, values, 2, (gsize)body->rows, error)))
			return false;
		/* The values are copied. */
		memset(text, 'y', (gsize)body->size);
	}
	return !body->taken ||
	       db_defer(on, PUT, DB_VALUES(db_int(body->taken), db_null()), 1, error);
}

static bool
deferred_work(struct db *on, void *context, GError **error)
{
	struct body *body = context;

	body->runs++;
	return (!body->looks_first || deferred_look(on, 0, error)) &&
	       deferred_put(on, body, error) &&
	       (!body->looks_last || deferred_look(on, body->puts * body->rows, error));
}

Test(deferred, goes_with_the_next_statement_or_commit)
{
	static const struct {
		const char *name;
		struct body body;
		guint want; /* round trips */
	} cases[] = {
	    {"one", {.puts = 1, .rows = 1}, 1},
	    {"three", {.puts = 3, .rows = 1}, 1},
	    {"after a look", {.puts = 3, .rows = 1, .looks_first = true}, 2},
	    {"before a look", {.puts = 3, .rows = 1, .looks_last = true}, 3},
	    {"between two", {.puts = 3, .rows = 1, .looks_first = true, .looks_last = true}, 4},
	    {"one between two", {.puts = 1, .rows = 1, .looks_first = true, .looks_last = true}, 4},
	    {"three rows", {.puts = 2, .rows = 3}, 1},
	    {"32 rows", {.puts = 2, .rows = 32}, 1},
	    {"33 rows go at once", {.puts = 2, .rows = 33}, 4},
	    {"no row", {.puts = 2, .rows = 0}, 0},
	    {"16 statements", {.puts = 16, .rows = 1}, 1},
	    {"17 statements", {.puts = 17, .rows = 1}, 2},
	    {"17 statements of 2 rows", {.puts = 17, .rows = 2}, 2},
	    {"texts", {.puts = 3, .rows = 2, .size = 1000}, 1},
	    {"256 KiB in all", {.puts = 3, .rows = 1, .size = 100000}, 1},
	    {"more", {.puts = 4, .rows = 1, .size = 100000}, 2},
	    {"one that is large goes at once", {.puts = 1, .rows = 1, .size = 262145}, 2},
	    {"as do three", {.puts = 3, .rows = 1, .size = 262145}, 4},
	    {"16 statements of 32 joined rows", {.puts = 512, .rows = 1, .joins = true}, 1},
	    {"a joined row more", {.puts = 513, .rows = 1, .joins = true}, 2},
	    {"joined texts", {.puts = 3, .rows = 1, .size = 100000, .joins = true}, 1},
	    {"more", {.puts = 4, .rows = 1, .size = 100000, .joins = true}, 2},
	    {"joined large ones", {.puts = 3, .rows = 1, .size = 262145, .joins = true}, 4},
	    {"after a look, joined", {.puts = 3, .rows = 1, .looks_first = true, .joins = true}, 2},
	};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		struct body body = cases[i / 2].body;
		const char *name = cases[i / 2].name;
		g_autoptr(GError) error = NULL;

		guint before = test_proxy_commands(proxy);
		cr_assert(db_transact(db, deferred_work, &body, &error), "%s: %s", name,
		    error ? error->message : "");
		guint got = test_proxy_commands(proxy) - before;
		/* The first time they are prepared too. */
		if (i % 2 == 1)
			cr_expect_eq(got, cases[i / 2].want, "%s: %u round trips, not %u", name,
			    got, cases[i / 2].want);
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), body.puts * body.rows,
		    "%s", name);
		cr_expect_eq(test_db_number(other,
				 "SELECT COUNT(*) FROM t a JOIN t b ON a.n < b.n AND a.i > b.i"),
		    0, "%s: not in their order", name);
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t WHERE v LIKE '%y%'"), 0,
		    "%s: not copied", name);
		test_db_plain(other, "TRUNCATE t");
	}
}

#define FACT "SELECT BIT_OR(n) FROM t WHERE n <= ?"

/* Defers a row for each bit of the sum of the numbers up to 3, then up to 8, as it is then. */
static bool
deferred_choose(struct db *on, void *context, GError **error)
{
	for (int i = 0; i < 6; i++) {
		const struct db_value most = db_int(i < 4 ? 3 : 8),
				      row[] = {db_int(100 + i), db_null()};
		const struct db_query fact = {FACT, &most, 1}, put = {PUT, row, 2};

		if (!db_defer_if(on, &fact, 1u << i % 4, &put, error) ||
		    (i == 1 && !db_defer(on, PUT, DB_VALUES(db_int(2), db_null()), 1, error)))
			return false;
	}
	return true;
}

Test(deferred, happens_where_a_fact_has_a_bit)
{
	static const struct {
		const char *name, *rows;
		gint64 want; /* bits of the rows that are stored */
	} cases[] = {
	    {"the first fact is asked for once, the second after the row 2", "(8, NULL)", 0x20},
	    {"of two bits", "(1, NULL), (3, NULL)", 0x33},
	    {"of none, then of one", "(16, NULL)", 0x20},
	};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		const char *name = cases[i / 2].name;
		g_autofree char *insert =
		    g_strdup_printf("INSERT INTO t (n, v) VALUES %s", cases[i / 2].rows);
		g_autoptr(GError) error = NULL;

		test_db_plain(other, insert);
		guint before = test_proxy_commands(proxy);
		cr_assert(db_transact(db, deferred_choose, NULL, &error), "%s: %s", name,
		    error ? error->message : "");
		guint got = test_proxy_commands(proxy) - before;
		if (i > 0) /* else it is prepared, too */
			cr_expect_eq(got, 1, "%s: %u round trips", name, got);
		gint64 bits = test_db_number(
		    other, "SELECT COALESCE(BIT_OR(1 << (n - 100)), 0) FROM t WHERE n >= 100");
		cr_expect_eq(bits, cases[i / 2].want, "%s: %#x", name, (guint)bits);
		test_db_plain(other, "TRUNCATE t");
	}
}

/* A row that is stored in any case does not join one that has a condition. */
static bool
deferred_join_none(struct db *on, void *context, GError **error)
{
	const struct db_value most = db_int(3), first[] = {db_int(100), db_null()},
			      second[] = {db_int(101), db_null()};
	const struct db_query fact = {FACT, &most, 1}, put = {PUT, first, 2};

	return db_defer_if(on, &fact, 1, &put, error) && db_defer_row(on, PUT, second, 2, error);
}

Test(deferred, joins_nothing_that_depends_on_a_fact)
{
	cr_assert(db_transact(db, deferred_join_none, NULL, NULL));
	cr_expect_eq(test_db_number(other, "SELECT SUM(n) FROM t"), 101);
}

Test(deferred, repeats_the_list_of_an_insert)
{
	static const struct {
		const char *sql;
		bool want;
	} cases[] = {
	    {"INSERT INTO t (n, v) VALUES (?, ?)", true},
	    {"INSERT IGNORE INTO t (n, v) VALUES (?, CONCAT(?, LOWER('a')))", true},
	    {"INSERT INTO t (n) VALUES (?) ON DUPLICATE KEY UPDATE n = VALUES(n)", true},
	    {"INSERT INTO t (n) VALUES (?) ON DUPLICATE KEY UPDATE n = ?", false},
	    {"INSERT INTO t (n) SELECT ?", false},
	    {"UPDATE t SET n = ?", false},
	    {"REPLACE INTO t (n) VALUES (?)", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(
		    db_compound_takes_rows(cases[i].sql), cases[i].want, "%s", cases[i].sql);
}

Test(deferred, fails_with_its_transaction)
{
	static const struct {
		const char *name;
		struct body body;
	} cases[] = {
	    {"all in one", {.puts = 2, .rows = 1, .taken = 1}},
	    {"after a look", {.puts = 2, .rows = 1, .taken = 1, .looks_first = true}},
	    {"before a look", {.puts = 2, .rows = 1, .taken = 1, .looks_last = true}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct body body = cases[i].body, good = {.puts = 2, .rows = 1};
		g_autoptr(GError) error = NULL;

		cr_assert_not(db_transact(db, deferred_work, &body, &error), "%s", cases[i].name);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "%s: %s",
		    cases[i].name, error->message);
		cr_expect(db_cause_is_key(db, "PRIMARY"), "%s: the cause is lost", cases[i].name);
		cr_expect_eq(body.runs, 1, "%s: it was run again", cases[i].name);
		cr_expect_eq(
		    test_db_number(other, "SELECT COUNT(*) FROM t"), 0, "%s", cases[i].name);
		/* The queue is empty again. */
		g_clear_error(&error);
		cr_assert(db_transact(db, deferred_work, &good, &error), "%s: %s", cases[i].name,
		    error ? error->message : "");
		cr_expect_eq(
		    test_db_number(other, "SELECT COUNT(*) FROM t"), 2, "%s", cases[i].name);
		test_db_plain(other, "TRUNCATE t");
	}
}

static bool
make_light_of_it(struct db *on, void *context, GError **error)
{
	struct body *body = context;

	cr_assert(deferred_put(on, body, error));
	cr_assert_not(deferred_look(on, 0, NULL));
	cr_assert_not(db_run(on, "INSERT INTO t (n) VALUES (9)", NULL, 0, NULL, NULL));
	cr_assert_not(db_defer(on, "INSERT INTO t (n) VALUES (8)", NULL, 0, 1, NULL));
	return true;
}

Test(deferred, that_failed_lets_nothing_more_be_done)
{
	struct body body = {.puts = 2, .rows = 1, .taken = 2};
	g_autoptr(GError) error = NULL;

	cr_assert_not(db_transact(db, make_light_of_it, &body, &error));
	cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 0);
}

static bool
deferred_give_up(struct db *on, void *context, GError **error)
{
	struct body *body = context;

	cr_assert(deferred_put(on, body, error));
	g_set_error_literal(error, PH_ERROR, PH_ERROR_NOT_FOUND, "of the body");
	return false;
}

Test(deferred, of_a_body_that_fails_does_not_happen)
{
	struct body body = {.puts = 2, .rows = 1}, other_body = {.puts = 1, .rows = 1};
	g_autoptr(GError) error = NULL;

	cr_assert_not(db_transact(db, deferred_give_up, &body, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND), "%s", error->message);
	g_clear_error(&error);
	cr_assert(
	    db_transact(db, deferred_work, &other_body, &error), "%s", error ? error->message : "");
	cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 1);
}

/* The server's answer decides whether the commit may have happened. */
Test(deferred, whose_commit_had_no_answer_is_uncertain)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		guint code;
		bool looks_first;
		int want_error; /* -1: none */
		gint64 want_runs, want_rows;
	} cases[] = {
	    {"answer lost", TEST_PROXY_CUT_ANSWER, 0, true, PH_ERROR_UNCERTAIN, 1, 2},
	    {"answer lost, all in one", TEST_PROXY_CUT_ANSWER, 0, false, PH_ERROR_UNCERTAIN, 1, 2},
	    {"command lost", TEST_PROXY_CUT_COMMAND, 0, true, PH_ERROR_UNCERTAIN, 1, 0},
	    {"interrupted before COMMIT", TEST_PROXY_ERROR, 1317, true, PH_ERROR_TEMPORARY, 1, 0},
	    {"interrupted, and nothing is open", TEST_PROXY_ERROR, 1317, false, PH_ERROR_UNCERTAIN,
		1, 0},
	    {"deadlock", TEST_PROXY_ERROR, 1213, true, -1, 2, 2},
	    {"lock wait", TEST_PROXY_ERROR, 1205, true, -1, 2, 2},
	    {"unready", TEST_PROXY_ERROR, 1047, false, -1, 2, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct body body = {.puts = 2, .rows = 1, .looks_first = cases[i].looks_first};
		g_autoptr(GError) error = NULL;

		test_proxy_break(proxy, cases[i].fault, TEST_PROXY_COMMIT, "", cases[i].code);
		db_transact(db, deferred_work, &body, &error);
		int got = error ? error->code : -1;
		cr_expect_eq(got, cases[i].want_error, "%s: error: got %d, want %d: %s",
		    cases[i].name, got, cases[i].want_error, error ? error->message : "");
		cr_expect_eq(body.runs, cases[i].want_runs, "%s: runs: got %d", cases[i].name,
		    (int)body.runs);
		g_clear_error(&error);
		cr_assert(
		    db_ensure(db, &error), "%s: %s", cases[i].name, error ? error->message : "");
		cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM t"), cases[i].want_rows,
		    "%s: rows", cases[i].name);
		test_db_plain(db, "TRUNCATE t");
	}
}

static bool
join_in_turns(struct db *on, void *context, GError **error)
{
	static const char *const ways[] = {
	    "INSERT INTO t (n) VALUES (?)", "INSERT INTO t (n, v) VALUES (?, 'a')"};
	const gint64 *count = context;

	for (gint64 i = 0; i < *count; i++) {
		const struct db_value value = db_int(i);

		if (!db_defer_row(on, ways[i % 2], &value, 1, error))
			return false;
	}
	return true;
}

/* Rows join the first deferred statement of their text that has room, in their order. */
Test(deferred, joins_rows_of_one_text)
{
	g_autoptr(GError) error = NULL;
	gint64 count = 66;

	cr_assert(
	    db_transact(db, join_in_turns, &count, &error), "%s", error ? error->message : "");
	g_autofree char *order = test_db_text(
	    other, "SELECT GROUP_CONCAT(n ORDER BY i) FROM t WHERE n IN (0, 2, 62, 1, 63, 64, 65)");
	cr_expect_str_eq(order, "0,2,62,1,63,64,65");
}

static bool
put_in_many_ways(struct db *on, void *context, GError **error)
{
	static const char *const ways[] = {"INSERT INTO t (n) VALUES (?)",
	    "INSERT INTO t (n, v) VALUES (?, 'a')", "INSERT INTO t SET n = ?"};
	guint *way = context;

	for (guint i = 0, left = *way; i < 6; i++, left /= 3)
		if (!db_defer(on, ways[left % 3], DB_VALUES(db_int(i)), 1, error))
			return false;
	return true;
}

/* The server keeps no statement for each of any number of sets. */
Test(deferred, comes_in_any_number_of_sets)
{
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < 600; i++) {
		guint way = i / 2, before = test_proxy_commands(proxy);

		cr_assert(db_transact(db, put_in_many_ways, &way, &error), "%u: %s", way,
		    error ? error->message : "");
		guint got = test_proxy_commands(proxy) - before;
		/* The first time it is prepared too. */
		if (i % 2 == 1)
			cr_expect_eq(got, 1, "%u: %u round trips", way, got);
		cr_assert_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 6, "%u", way);
		test_db_plain(other, "DELETE FROM t");
	}
	/* This connection's own: other tests use the server as well. */
	gint64 kept =
	    test_db_number(db, "SELECT CAST(SUM(IF(VARIABLE_NAME = 'COM_STMT_PREPARE', 1, -1) * "
			       "VARIABLE_VALUE) AS INT)"
			       " FROM information_schema.SESSION_STATUS"
			       " WHERE VARIABLE_NAME IN ('COM_STMT_PREPARE', 'COM_STMT_CLOSE')");
	cr_expect_gt(kept, 0);
	cr_expect_lt(kept, 160, "%d statements are kept", (int)kept);
}

/* Whether one transaction of this way takes one round trip. */
static bool
goes_at_once(guint way)
{
	g_autoptr(GError) error = NULL;
	guint before = test_proxy_commands(proxy);

	cr_assert(db_transact(db, put_in_many_ways, &way, &error), "%u: %s", way,
	    error ? error->message : "");
	guint got = test_proxy_commands(proxy) - before;
	test_db_plain(other, "DELETE FROM t");
	return got == 1;
}

/* A set that comes again and again stays prepared, however many others come once. */
Test(deferred, stays_prepared_while_it_is_used)
{
	cr_expect_not(goes_at_once(0));
	for (guint other_way = 1; other_way <= 300; other_way++) {
		cr_expect_not(goes_at_once(other_way), "%u", other_way);
		cr_expect(goes_at_once(0), "after %u", other_way);
	}
	cr_expect(goes_at_once(300));
	cr_expect_not(goes_at_once(1), "the oldest one is kept");
}
