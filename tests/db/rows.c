/* SPDX-License-Identifier: MIT */
/* Tests reading columns of every type. */
#include "db/rows.h"

#include <criterion/criterion.h>
#include <string.h>

#include "db/connection.h"
#include "db/statement.h"
#include "tests/support/mariadb.h"

static struct config_settings *settings;
static struct db *db;

static void
rows_begin(void)
{
	GError *error = NULL;

	settings = test_mariadb_database(NULL, NULL);
	db = db_open(settings, &error);
	cr_assert(db, "%s", error ? error->message : "");
}

static void
rows_end(void)
{
	db_close(db);
	config_settings_free(settings);
}

/* One row of one value, as the server gives it. */
static struct db_rows *
rows_select_one(const char *sql)
{
	GError *error = NULL;
	struct db_rows *rows = db_select(db, sql, NULL, 0, &error);

	cr_assert(rows, "%s: %s", sql, error ? error->message : "");
	cr_assert(db_rows_next(rows), "%s gave no row", sql);
	return rows;
}

TestSuite(rows, .init = rows_begin, .fini = rows_end);

Test(rows, gives_integers_of_all_types)
{
	static const struct {
		const char *sql;
		gint64 want;
	} cases[] = {
	    {"SELECT 0", 0},
	    {"SELECT -9223372036854775808", G_MININT64},
	    {"SELECT 9223372036854775807", G_MAXINT64},
	    {"SELECT CAST(9223372036854775807 AS UNSIGNED)", G_MAXINT64},
	    {"SELECT CAST(9223372036854775808 AS UNSIGNED)", G_MAXINT64},
	    {"SELECT 18446744073709551615", G_MAXINT64},
	    {"SELECT NULL", 0},
	    {"SELECT TRUE", 1},
	    {"SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2) t", 2},
	    {"SELECT SUM(n) FROM (SELECT 1000000 n UNION SELECT 2) t", 1000002},
	    {"SELECT -12.9", -12},
	    {"SELECT tiny FROM t", -128},
	    {"SELECT utiny FROM t", 255},
	    {"SELECT small FROM t", -32768},
	    {"SELECT medium FROM t", -8388608},
	    {"SELECT i FROM t", -2147483647 - 1},
	    {"SELECT ui FROM t", 4294967295},
	};
	GError *error = NULL;

	cr_assert(
	    db_run_plain(db,
		"CREATE TABLE t (tiny TINYINT, utiny TINYINT UNSIGNED, small SMALLINT, "
		"medium MEDIUMINT, i INT, ui INT UNSIGNED)",
		&error) &&
		db_run_plain(db,
		    "INSERT INTO t VALUES (-128, 255, -32768, -8388608, -2147483648, 4294967295)",
		    &error),
	    "%s", error ? error->message : "");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(db_rows) rows = rows_select_one(cases[i].sql);
		gint64 got = db_rows_int(rows, 0);
		cr_expect_eq(got, cases[i].want,
		    "%s: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, cases[i].sql, got,
		    cases[i].want);
	}
}

Test(rows, gives_text_of_all_else)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
	    {"SELECT ''", ""},
	    {"SELECT 'abc'", "abc"},
	    {"SELECT '\xf0\x9f\x93\xae'", "\xf0\x9f\x93\xae"},
	    {"SELECT NULL", NULL},
	    {"SELECT CAST('x' AS CHAR)", "x"},
	    {"SELECT 1.50", "1.50"},
	    {"SELECT DATE'2026-11-20'", "2026-11-20"},
	    {"SELECT TIMESTAMP'2026-11-20 08:09:10.123'", "2026-11-20 08:09:10.123"},
	    {"SELECT JSON_OBJECT('a', 1)", "{\"a\": 1}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(db_rows) rows = rows_select_one(cases[i].sql);
		const char *got = db_rows_text(rows, 0);
		cr_expect_str_eq(got ? got : "(null)", cases[i].want ? cases[i].want : "(null)",
		    "%s: got %s, want %s", cases[i].sql, got, cases[i].want);
		cr_expect_eq(db_rows_is_null(rows, 0), !cases[i].want, "%s: null?", cases[i].sql);
	}
}

Test(rows, of_different_sizes_are_whole)
{
	static const gsize sizes[] = {
	    0, 1, 63, 64, 65, 255, 256, 257, 65535, 65536, 1024 * 1024, 3, 0};
	GError *error = NULL;

	cr_assert(db_run_plain(db, "CREATE TABLE b (n INT PRIMARY KEY, data MEDIUMBLOB)", &error));
	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree guint8 *data = g_malloc(sizes[i] + 1);
		for (gsize j = 0; j < sizes[i]; j++)
			data[j] = (guint8)(j * 7 + i);
		cr_assert(db_run(db, "INSERT INTO b VALUES (?, ?)",
			      DB_VALUES(db_int((gint64)i), db_bytes(data, sizes[i])), NULL, &error),
		    "%s", error ? error->message : "");
	}
	AUTO(db_rows) rows = db_select(db, "SELECT data FROM b ORDER BY n", NULL, 0, &error);
	cr_assert(rows, "%s", error ? error->message : "");
	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		gsize size = 0;
		cr_assert(db_rows_next(rows), "row %zu is missing", i);
		const guint8 *data = db_rows_bytes(rows, 0, &size);
		cr_assert_eq(size, sizes[i], "row %zu: got %zu bytes, want %zu", i, size, sizes[i]);
		cr_assert(data, "row %zu is NULL", i);
		cr_assert_eq(data[size], 0, "row %zu does not end in NUL", i);
		for (gsize j = 0; j < size; j++)
			if (data[j] != (guint8)(j * 7 + i))
				cr_assert_fail("row %zu: byte %zu is %d", i, j, data[j]);
	}
	cr_assert_not(db_rows_next(rows), "a row too many");
}

Test(rows, gives_ids_of_16_bytes_alone)
{
	static const struct {
		const char *sql;
		bool want;
	} cases[] = {
	    {"SELECT UNHEX('000102030405060708090a0b0c0d0e0f')", true},
	    {"SELECT UNHEX('000102030405060708090a0b0c0d0e')", false},
	    {"SELECT UNHEX('000102030405060708090a0b0c0d0e0f10')", false},
	    {"SELECT ''", false},
	    {"SELECT NULL", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(db_rows) rows = rows_select_one(cases[i].sql);
		struct base_id id = {.bytes = {42}};
		bool got = db_rows_id(rows, 0, &id);
		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].sql, got, cases[i].want);
		cr_expect_eq(
		    id.bytes[0], got ? 0 : 42, "%s: first byte %d", cases[i].sql, id.bytes[0]);
	}
}

Test(rows, outlive_the_statement_and_the_connection)
{
	static const char sql[] = "SELECT ? UNION ALL SELECT 'second'";
	GError *error = NULL;
	AUTO(db_rows) first = db_select(db, sql, DB_VALUES(db_text("one")), &error);
	AUTO(db_rows) again = db_select(db, sql, DB_VALUES(db_text("two")), &error);

	cr_assert(first && again, "%s", error ? error->message : "");
	g_clear_pointer(&db, db_close);
	cr_assert(db_rows_next(first) && db_rows_next(again));
	cr_assert_str_eq(db_rows_text(first, 0), "one");
	cr_assert_str_eq(db_rows_text(again, 0), "two");
	cr_assert(db_rows_next(first));
	cr_assert_str_eq(db_rows_text(first, 0), "second");
	cr_assert_not(db_rows_next(first));
	cr_assert_not(db_rows_next(first), "the end is not the end");
}
