/* SPDX-License-Identifier: MIT */
/* Tests statements, their values and their errors. */
#include "db/statement.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "tests/support/db.h"
#include "tests/support/mariadb.h"

#define MAIL "\xf0\x9f\x93\xae" /* four bytes of UTF-8 */

static struct config_settings *settings;
static struct db *db;

static void
statement_begin(void)
{
	settings = test_mariadb_database(NULL, NULL);
	db = test_db_open(settings);
}

static void
statement_end(void)
{
	db_close(db);
	config_settings_free(settings);
}

TestSuite(statement, .init = statement_begin, .fini = statement_end);

static void
db_statement_run(const char *sql, const struct db_value *values, gsize count)
{
	g_autoptr(GError) error = NULL;

	cr_assert(db_run(db, sql, values, count, NULL, &error), "%s: %s", sql,
	    error ? error->message : "");
}

static bool
statement_same(const struct db_value *value, const struct db_rows *rows, guint column)
{
	if (value->type == DB_TYPE_NULL || db_rows_is_null(rows, column))
		return value->type == DB_TYPE_NULL && db_rows_is_null(rows, column);
	if (value->type == DB_TYPE_INT)
		return value->number == db_rows_int(rows, column);
	gsize size = 0;
	const void *data = db_rows_bytes(rows, column, &size);
	return size == value->size && memcmp(data, value->data, size) == 0;
}

Test(statement, writes_what_is_read_back)
{
	static const struct base_id id = {{0, 1, 2, 0xff, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0}};
	g_autofree char *mebibyte = g_malloc(1024 * 1024);
	for (gsize i = 0; i < 1024 * 1024; i++)
		mebibyte[i] = (char)(i * 31 >> 3);
	const struct {
		const char *name;
		struct db_value n, id, text, data;
	} cases[] = {
	    {"all NULL", db_null(), db_id(NULL), db_text(NULL), db_bytes(NULL, 9)},
	    {"empty", db_int(0), db_id(&id), db_text(""), db_bytes("", 0)},
	    {"least", db_int(G_MININT64), db_id(&id), db_text("a"), db_bytes("\0", 1)},
	    {"greatest", db_int(G_MAXINT64), db_id(&id), db_text(MAIL), db_bytes("a\0b\xff", 4)},
	    {"NULL again", db_int(-1), db_null(), db_text("'\"\\%"), db_null()},
	    {"1 MiB", db_int(1), db_id(&id), db_text("x"), db_bytes(mebibyte, 1024 * 1024)},
	    {"small again", db_int(1), db_id(&id), db_text("x"), db_bytes("x", 1)},
	};

	test_db_plain(db, "CREATE TABLE t (n BIGINT, id BINARY(16), text VARCHAR(20) CHARACTER SET "
			  "utf8mb4, data MEDIUMBLOB)");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		db_statement_run("DELETE FROM t", NULL, 0);
		db_statement_run("INSERT INTO t VALUES (?, ?, ?, ?)",
		    DB_VALUES(cases[i].n, cases[i].id, cases[i].text, cases[i].data));
		AUTO(db_rows) rows =
		    db_select(db, "SELECT n, id, text, data FROM t", NULL, 0, &error);
		cr_assert(rows && db_rows_next(rows), "%s: %s", cases[i].name,
		    error ? error->message : "no row");
		cr_expect(statement_same(&cases[i].n, rows, 0), "%s: n differs", cases[i].name);
		cr_expect(statement_same(&cases[i].id, rows, 1), "%s: id differs", cases[i].name);
		cr_expect(
		    statement_same(&cases[i].text, rows, 2), "%s: text differs", cases[i].name);
		cr_expect(
		    statement_same(&cases[i].data, rows, 3), "%s: data differs", cases[i].name);
		cr_expect_not(db_rows_next(rows), "%s: more than one row", cases[i].name);
	}
}

Test(statement, binds_where_and_limit)
{
	g_autoptr(GError) error = NULL;
	struct base_id id;

	test_db_plain(db, "CREATE TABLE t (id BINARY(16) PRIMARY KEY, n INT)");
	for (int i = 0; i < 5; i++) {
		id = base_id_new();
		db_statement_run("INSERT INTO t VALUES (?, ?)", DB_VALUES(db_id(&id), db_int(i)));
	}
	AUTO(db_rows) rows = db_select(db, "SELECT id FROM t WHERE id < ? ORDER BY id DESC LIMIT ?",
	    DB_VALUES(db_id(&id), db_int(3)), &error);
	cr_assert(rows, "%s", error ? error->message : "");
	int count = 0;
	struct base_id got;
	for (; db_rows_next(rows); count++)
		cr_assert(db_rows_id(rows, 0, &got) && !base_id_equal(&got, &id));
	cr_assert_eq(count, 3, "got %d rows, want 3", count);
	AUTO(db_rows) none =
	    db_select(db, "SELECT n FROM t WHERE n > ?", DB_VALUES(db_int(99)), &error);
	cr_assert(none && !db_rows_next(none));
}

/* Row i of a table whose columns hold NULL now and then, and in the last one always. */
static void
make_row(struct db_value *values, gsize i, const struct base_id *id, const char *text)
{
	values[0] = db_int((gint64)i);
	values[1] = i % 3 ? db_int(-(gint64)i) : db_null();
	values[2] = i % 4 ? db_id(id) : db_null();
	values[3] = i % 5 ? db_text(text) : db_null();
	values[4] = db_null();
}

Test(statement, runs_for_many_rows_at_once)
{
	static const gsize counts[] = {0, 1, 2, 3, 1000};
	const struct base_id id = base_id_new();

	test_db_plain(db, "CREATE TABLE t (i INT PRIMARY KEY, n BIGINT, id BINARY(16), text "
			  "VARCHAR(20), nothing INT)");
	for (gsize c = 0; c < G_N_ELEMENTS(counts); c++) {
		g_autoptr(GError) error = NULL;
		gsize count = counts[c], seen = 0;
		guint64 affected = 99;
		g_autofree struct db_value *values = g_new(struct db_value, 5 * count + 1);

		db_statement_run("DELETE FROM t", NULL, 0);
		for (gsize i = 0; i < count; i++)
			make_row(&values[5 * i], i, &id, MAIL);
		cr_assert(db_run_rows(db, "INSERT INTO t VALUES (?, ?, ?, ?, ?)", values, 5, count,
			      &affected, &error),
		    "%zu rows: %s", count, error ? error->message : "");
		cr_expect_eq(
		    affected, count, "%zu rows: affected %" G_GUINT64_FORMAT, count, affected);
		AUTO(db_rows) rows = db_select(db, "SELECT * FROM t ORDER BY i", NULL, 0, &error);
		for (; db_rows_next(rows); seen++)
			for (guint j = 0; j < 5; j++)
				cr_expect(statement_same(&values[5 * seen + j], rows, j),
				    "%zu rows: row %zu, column %u differs", count, seen, j);
		cr_expect_eq(seen, count, "%zu rows: read %zu", count, seen);
	}
}

Test(statement, for_many_rows_counts_what_it_changed)
{
	g_autoptr(GError) error = NULL;
	guint64 affected = 0;
	const struct db_value numbers[] = {db_int(1), db_int(2), db_int(3), db_int(9)};

	test_db_plain(db, "CREATE TABLE t (n INT PRIMARY KEY, v INT)");
	test_db_plain(db, "INSERT INTO t VALUES (1, 0), (2, 0), (3, 7)");
	cr_assert(
	    db_run_rows(db, "UPDATE t SET v = 7 WHERE n = ?", numbers, 1, 4, &affected, &error),
	    "%s", error ? error->message : "");
	cr_expect_eq(affected, 3, "updated %" G_GUINT64_FORMAT ", want 3", affected);
	cr_assert(db_run_rows(db, "DELETE FROM t WHERE n = ?", numbers, 1, 4, &affected, &error),
	    "%s", error ? error->message : "");
	cr_expect_eq(affected, 3, "deleted %" G_GUINT64_FORMAT ", want 3", affected);
}

Test(statement, for_many_large_rows_is_sent_in_parts)
{
	enum { ROWS = 20, SIZE = 1024 * 1024 };
	g_autoptr(GError) error = NULL;
	g_autofree char *data = g_malloc0(SIZE);
	struct db_value values[2 * ROWS];
	guint64 affected = 0;

	/* All of it is more than the server takes at once. */
	test_db_plain(db, "CREATE TABLE t (n INT PRIMARY KEY, data MEDIUMBLOB)");
	for (int i = 0; i < ROWS; i++) {
		values[2 * i] = db_int(i);
		values[2 * i + 1] = db_bytes(data, SIZE);
	}
	cr_assert(
	    db_run_rows(db, "INSERT INTO t VALUES (?, ?)", values, 2, ROWS, &affected, &error),
	    "%s", error ? error->message : "");
	cr_assert_eq(affected, ROWS);
	cr_assert_eq(test_db_number(db, "SELECT SUM(LENGTH(data)) FROM t"), (gint64)ROWS * SIZE);
}

Test(statement, runs_once_more_after_each_kind)
{
	static const char sql[] = "INSERT INTO t VALUES (?)";
	g_autoptr(GError) error = NULL;
	const struct db_value values[] = {db_int(1), db_int(2), db_null(), db_text("4")};

	test_db_plain(db, "CREATE TABLE t (n INT)");
	db_statement_run(sql, values, 1);
	cr_assert(db_run_rows(db, sql, values, 1, 3, NULL, &error));
	db_statement_run(sql, values + 3, 1);
	db_statement_run(sql, values + 2, 1);
	cr_assert(db_run_rows(db, sql, values + 1, 1, 2, NULL, &error));
	db_statement_run(sql, values, 1);
	cr_assert_eq(test_db_number(db, "SELECT COUNT(*) FROM t"), 9);
	cr_assert_eq(test_db_number(db, "SELECT SUM(n) FROM t"), 1 + 1 + 2 + 4 + 2 + 1);
}

Test(statement, counts_matched_rows)
{
	g_autoptr(GError) error = NULL;
	guint64 affected = 0;

	test_db_plain(db, "CREATE TABLE t (n INT PRIMARY KEY, v INT)");
	test_db_plain(db, "INSERT INTO t VALUES (1, 7), (2, 0)");
	cr_assert(db_run(db, "UPDATE t SET v = 7", NULL, 0, &affected, &error));
	cr_expect_eq(affected, 2, "update: %" G_GUINT64_FORMAT, affected);
	cr_assert(db_run(db, "INSERT INTO t VALUES (1, 7) ON DUPLICATE KEY UPDATE v = 7", NULL, 0,
	    &affected, &error));
	cr_expect_eq(affected, 1, "old row: %" G_GUINT64_FORMAT, affected);
	cr_assert(db_run(db, "INSERT INTO t VALUES (1, 7) ON DUPLICATE KEY UPDATE v = 8", NULL, 0,
	    &affected, &error));
	cr_expect_eq(affected, 2, "changed row: %" G_GUINT64_FORMAT, affected);
	cr_assert(db_run(db, "INSERT INTO t VALUES (3, 7) ON DUPLICATE KEY UPDATE v = 7", NULL, 0,
	    &affected, &error));
	cr_expect_eq(affected, 1, "new row: %" G_GUINT64_FORMAT, affected);
	cr_assert(db_run(db, "INSERT IGNORE INTO t VALUES (3, 7)", NULL, 0, &affected, &error));
	cr_expect_eq(affected, 0, "ignored: %" G_GUINT64_FORMAT, affected);
}

Test(statement, returns_rows_of_a_change)
{
	g_autoptr(GError) error = NULL;

	test_db_plain(db, "CREATE TABLE t (n INT PRIMARY KEY)");
	AUTO(db_rows) rows =
	    db_select(db, "INSERT INTO t VALUES (?) RETURNING n + 1", DB_VALUES(db_int(4)), &error);
	cr_assert(rows && db_rows_next(rows), "%s", error ? error->message : "no row");
	cr_assert_eq(db_rows_int(rows, 0), 5);
}

Test(statement, conflicts)
{
	static const struct {
		const char *sql;
		enum ph_error want_error;
		enum db_cause want_cause;
		const char *want_key;
	} cases[] = {
	    {"INSERT INTO child VALUES (1, 1, 'z')", PH_ERROR_CONFLICT, DB_CAUSE_DUPLICATE,
		"PRIMARY"},
	    {"INSERT INTO child VALUES (2, 1, 'a for key ''b''')", PH_ERROR_CONFLICT,
		DB_CAUSE_DUPLICATE, "by_text"},
	    {"UPDATE child SET text = 'z' WHERE n IN (1, 3)", PH_ERROR_CONFLICT, DB_CAUSE_DUPLICATE,
		"by_text"},
	    {"INSERT INTO child VALUES (2, 9, 'z')", PH_ERROR_CONFLICT, DB_CAUSE_MISSING, NULL},
	    {"DELETE FROM parent", PH_ERROR_CONFLICT, DB_CAUSE_REFERRED, NULL},
	    {"INSERT INTO parent VALUES (-1)", PH_ERROR_LIMITED, DB_CAUSE_CHECK, NULL},
	    {"INSERT INTO child VALUES (2, 1, REPEAT('x', 51))", PH_ERROR_FAILED, DB_CAUSE_OTHER,
		NULL},
	    {"INSERT INTO child VALUES (2147483648, 1, '')", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO child VALUES (2, 1, NULL)", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO child (n) VALUES (2)", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO dates VALUES ('0000-00-00')", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO dates VALUES ('2026-00-01')", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO parent VALUES (1 / 0)", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"CREATE TABLE other (n INT) ENGINE = nonsense", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO nowhere VALUES (1)", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"INSERT INTO", PH_ERROR_FAILED, DB_CAUSE_OTHER, NULL},
	    {"SIGNAL SQLSTATE '40001'", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, NULL},
	};

	test_db_plain(db, "CREATE TABLE parent (n INT PRIMARY KEY CHECK (n >= 0))");
	test_db_plain(db,
	    "CREATE TABLE child (n INT PRIMARY KEY, p INT NOT NULL, text VARCHAR(50) "
	    "NOT NULL, UNIQUE by_text (text), FOREIGN KEY (p) REFERENCES parent (n))");
	test_db_plain(db, "CREATE TABLE dates (d DATE)");
	test_db_plain(db, "INSERT INTO parent VALUES (1)");
	test_db_plain(db, "INSERT INTO child VALUES (1, 1, 'a for key ''b'''), (3, 1, 'c')");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		const char *sql = cases[i].sql;

		cr_expect_not(db_run(db, sql, NULL, 0, NULL, &error), "%s went through", sql);
		cr_expect(g_error_matches(error, PH_ERROR, (int)cases[i].want_error), "%s: got %s",
		    sql, error ? error->message : "nothing");
		cr_expect_eq(db_cause(db), cases[i].want_cause, "%s: cause: got %d, want %d", sql,
		    db_cause(db), cases[i].want_cause);
		cr_expect(!cases[i].want_key || db_cause_is_key(db, cases[i].want_key),
		    "%s: not the key %s: %s", sql, cases[i].want_key, error->message);
		cr_expect_not(db_cause_is_key(db, "b"), "%s: the value was read as a key", sql);
		cr_expect_not(db_is_dead(db), "%s killed the connection", sql);
	}
}

Test(statement, refuses_text_that_is_not_utf8)
{
	g_autoptr(GError) error = NULL;

	test_db_plain(db, "CREATE TABLE t (text VARCHAR(20)) CHARACTER SET utf8mb4");
	cr_assert_not(
	    db_run(db, "INSERT INTO t VALUES (?)", DB_VALUES(db_text("\xff")), NULL, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED), "got %s", error->message);
}

Test(statement, lock_wait)
{
	AUTO(db) other = test_db_open(settings);
	g_autoptr(GError) error = NULL;

	test_db_plain(db, "CREATE TABLE t (n INT PRIMARY KEY)");
	test_db_plain(db, "INSERT INTO t VALUES (1)");
	test_db_plain(other, "START TRANSACTION");
	test_db_plain(other, "UPDATE t SET n = 2");
	AUTO(db_rows) rows = db_select(db, "SELECT n FROM t FOR UPDATE NOWAIT", NULL, 0, &error);
	cr_assert_not(rows);
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
	cr_assert_eq(db_cause(db), DB_CAUSE_LOCK_WAIT);
	cr_assert_eq(test_db_number(db, "SELECT n FROM t"), 1, "what comes after is out of step");
}

Test(statement, works_after_its_table_was_changed)
{
	static const char select[] = "SELECT n FROM t";
	static const char insert[] = "INSERT INTO t (n) VALUES (?)";

	test_db_plain(db, "CREATE TABLE t (n INT)");
	db_statement_run(insert, DB_VALUES(db_int(1)));
	cr_assert_eq(test_db_number(db, select), 1);
	test_db_plain(db, "ALTER TABLE t ADD COLUMN first TEXT DEFAULT 'new' FIRST");
	db_statement_run(insert, DB_VALUES(db_int(2)));
	cr_assert_eq(test_db_number(db, select), 1);
	test_db_plain(db, "DROP TABLE t");
	test_db_plain(db, "CREATE TABLE t (n VARCHAR(5))");
	db_statement_run(insert, DB_VALUES(db_int(3)));
	g_autofree char *text = test_db_text(db, select);
	cr_expect_str_eq(text, "3");
}

Test(statement, of_all_columns_fails_once_when_there_are_more)
{
	const char *all = g_intern_static_string("SELECT * FROM t"); /* as test_db_number */
	g_autoptr(GError) error = NULL;

	test_db_plain(db, "CREATE TABLE t (n INT)");
	test_db_plain(db, "INSERT INTO t VALUES (7)");
	cr_assert_eq(test_db_number(db, all), 7);
	test_db_plain(db, "ALTER TABLE t ADD COLUMN m INT");
	AUTO(db_rows) rows = db_select(db, all, NULL, 0, &error);
	cr_assert_not(rows);
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
	g_clear_error(&error);
	cr_assert(db_ensure(db, &error), "%s", error ? error->message : "");
	cr_assert_eq(test_db_number(db, all), 7);
}

Test(statement, takes_as_much_as_the_server_does)
{
	static const char sql[] = "SELECT LENGTH(?)";
	gint64 most = test_db_number(db, "SELECT @@max_allowed_packet");
	/* The estimated overhead; the server needs less. */
	gsize size = (gsize)most - 64 - 12;
	g_autoptr(GError) error = NULL;
	g_autofree char *data = g_malloc0(size + 1);

	AUTO(db_rows) rows = db_select(db, sql, DB_VALUES(db_bytes(data, size)), &error);
	cr_assert(rows && db_rows_next(rows), "%s", error ? error->message : "no row");
	cr_assert_eq(db_rows_int(rows, 0), (gint64)size);
	AUTO(db_rows) more = db_select(db, sql, DB_VALUES(db_bytes(data, size + 1)), &error);
	cr_assert_not(more);
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED), "got %s", error->message);
	cr_assert(strstr(error->message, "max_allowed_packet"), "got %s", error->message);
	cr_assert_not(db_is_dead(db));
}

Test(statement, that_cannot_be_sent_has_not_happened)
{
	static const char sql[] = "DO ?";
	g_autoptr(GError) error = NULL;

	db_statement_run(sql, DB_VALUES(db_int(1)));
	test_mariadb_disconnect(NULL, db_connection_id(db));
	cr_assert_not(db_run(db, sql, DB_VALUES(db_int(1)), NULL, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "got %s", error->message);
}

/* Rows of one round trip are one INSERT for the server. */
Test(statement, for_many_rows_of_which_one_is_refused)
{
	static const char sql[] = "INSERT INTO t VALUES (?)";
	const struct db_value values[] = {db_int(1), db_int(2), db_int(1), db_int(3)};
	g_autoptr(GError) error = NULL;
	guint64 affected = 99;

	test_db_plain(db, "CREATE TABLE t (n INT PRIMARY KEY)");
	cr_assert_not(db_run_rows(db, sql, values, 1, G_N_ELEMENTS(values), &affected, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "got %s", error->message);
	cr_expect(db_cause_is_key(db, "PRIMARY"));
	cr_expect_eq(affected, 99, "affected_r was touched");
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM t"), 0);
}

Test(statement, plain)
{
	g_autoptr(GError) error = NULL;

	test_db_plain(db, "SELECT 1 UNION SELECT 2");
	test_db_plain(db, "CREATE TABLE t (n INT)");
	cr_expect_not(
	    db_run_plain(db, "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)", &error),
	    "two statements in one went through");
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED));
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM t"), 0);
}

Test(statement, with_too_few_values_is_a_fault_of_the_program, .signal = SIGABRT)
{
	db_statement_run("SELECT ?, ?", DB_VALUES(db_int(1)));
}

Test(statement, with_rows_that_nobody_reads_is_a_fault_of_the_program, .signal = SIGABRT)
{
	db_statement_run("SELECT 1", NULL, 0);
}

/* Other connections have prepared theirs. */
Test(statement, is_prepared_though_the_server_keeps_few)
{
	static const char *const options[] = {"--max-prepared-stmt-count=3", NULL};
	static const char *const all[] = {
	    "SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4", "SELECT 5", "SELECT 6"};
	AUTO(test_mariadb) server = test_mariadb_start(options);
	struct config_settings *own = test_mariadb_database(server, NULL);
	AUTO(db) one = test_db_open(own);
	AUTO(db) two = test_db_open(own);
	g_autoptr(GError) error = NULL;

	cr_assert_eq(test_db_number(two, "SELECT 7"), 7);
	for (guint i = 0; i < 3 * G_N_ELEMENTS(all); i++)
		cr_expect_eq(test_db_number(one, all[i % G_N_ELEMENTS(all)]),
		    i % G_N_ELEMENTS(all) + 1, "%u", i);
	/* There is none left for a third connection. */
	test_db_number(two, "SELECT 8");
	AUTO(db) three = test_db_open(own);
	while (test_db_number(two, "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
				   " WHERE VARIABLE_NAME = 'Prepared_stmt_count'") < 3)
		test_db_number(one, "SELECT 1");
	AUTO(db_rows) rows = db_select(three, "SELECT 9", NULL, 0, &error);
	cr_expect_not(rows);
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "%s",
	    error ? error->message : "");
	config_settings_free(own);
}
