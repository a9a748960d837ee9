/* SPDX-License-Identifier: MIT */
/* Tests statements through a proxy that counts commands and injects errors. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "db/statement.h"
#include "tests/support/db.h"
#include "tests/support/proxy.h"

static struct test_proxy *proxy;
static struct config_settings *settings, *proxied;
static struct db *db;

static void
proxied_statement_begin(void)
{
	proxy = test_proxied_database(&settings, &proxied);
	db = test_db_open(proxied);
}

static void
proxied_statement_end(void)
{
	db_close(db);
	config_settings_free(settings);
	config_settings_free(proxied);
	test_proxy_stop(proxy);
}

TestSuite(proxied_statement, .init = proxied_statement_begin, .fini = proxied_statement_end);

Test(proxied_statement, is_prepared_once)
{
	static const char sql[] = "DO ?";
	guint before = test_proxy_commands(proxy);

	cr_assert(db_run(db, sql, DB_VALUES(db_int(1)), NULL, NULL));
	cr_assert(db_run(db, sql, DB_VALUES(db_int(2)), NULL, NULL));
	cr_assert(db_run(db, sql, DB_VALUES(db_text("three")), NULL, NULL));
	guint got = test_proxy_commands(proxy) - before;
	cr_assert_eq(got, 4, "got %u commands, want 4", got);
}

Test(proxied_statement, is_prepared_anew_when_the_server_has_forgotten_it)
{
	static const guint codes[] = {1615, 1243};
	static const char sql[] = "SELECT ? + 1";
	static const guint8 command = TEST_PROXY_EXECUTE;

	for (gsize i = 0; i < G_N_ELEMENTS(codes); i++) {
		g_autoptr(GError) error = NULL;

		test_proxy_break(proxy, TEST_PROXY_ERROR, command, "", codes[i]);
		AUTO(db_rows) rows = db_select(db, sql, DB_VALUES(db_int(1)), &error);
		cr_assert(rows && db_rows_next(rows), "%u: %s", codes[i],
		    error ? error->message : "no row");
		cr_assert_eq(db_rows_int(rows, 0), 2);
	}
}

Test(proxied_statement, is_run_again_when_the_server_has_rolled_it_back)
{
	static const char create[] = "CREATE TABLE t (n INT)",
			  insert[] = "INSERT INTO t VALUES (?)";
	static const guint codes[] = {1213, 1205};
	static const gsize rows[] = {1, 2};

	test_db_plain(db, create);
	for (gsize i = 0; i < G_N_ELEMENTS(codes) * G_N_ELEMENTS(rows) * 2; i++) {
		const struct db_value values[] = {db_int(1), db_int(2)};
		guint code = codes[i % 2];
		gsize count = rows[i / 2 % 2];
		guint64 affected = 0, *asked = i / 4 ? &affected : NULL;
		g_autoptr(GError) error = NULL;

		test_db_plain(db, "DELETE FROM t");
		test_proxy_break(proxy, TEST_PROXY_ERROR,
		    count == 1 ? TEST_PROXY_EXECUTE : TEST_PROXY_BULK_EXECUTE, "", code);
		cr_expect(db_run_rows(db, insert, values, 1, count, asked, &error), "%u: %s", code,
		    error ? error->message : "no error");
		cr_expect_eq((gsize)test_db_number(db, "SELECT COUNT(*) FROM t"), count,
		    "%u: not %zu rows", code, count);
		cr_expect(!asked || affected == count, "%u: affected: got %" G_GUINT64_FORMAT, code,
		    affected);
	}
}

Test(proxied_statement, whose_answer_is_lost)
{
	static const enum test_proxy_fault faults[] = {
	    TEST_PROXY_CUT_COMMAND, TEST_PROXY_CUT_ANSWER, TEST_PROXY_CUT_WITHIN};
	static const char sql[] = "SELECT REPEAT('x', ?) UNION ALL SELECT REPEAT('y', 1000)";

	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autoptr(GError) error = NULL;

		test_proxy_break(proxy, faults[i], TEST_PROXY_EXECUTE, "", 0);
		AUTO(db_rows) lost = db_select(db, sql, DB_VALUES(db_int(100000)), &error);
		cr_assert_not(lost, "%zu: rows", i);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "%zu: got %s", i,
		    error->message);
		cr_expect_eq(db_cause(db), DB_CAUSE_LOST, "%zu: cause", i);
		cr_assert(db_is_dead(db), "%zu: it lives", i);
		g_clear_error(&error);
		AUTO(db_rows) later = db_select(db, sql, DB_VALUES(db_int(1)), &error);
		cr_assert_not(later, "%zu: it came back by itself", i);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "%zu: got %s", i,
		    error->message);
		g_clear_error(&error);
		cr_assert(db_ensure(db, &error), "%zu: %s", i, error ? error->message : "");
		AUTO(db_rows) rows = db_select(db, sql, DB_VALUES(db_int(1)), &error);
		cr_assert(rows, "%zu: %s", i, error ? error->message : "");
	}
}

/* Outside a transaction what had no answer may have happened; a statement that could not be sent
   has not. */
Test(proxied_statement, that_changes_something_may_have_happened)
{
	static const char insert[] = "INSERT INTO t VALUES (?)";
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		enum test_proxy_command command;
		const char *text;
		enum ph_error want_error;
		gint64 want_rows;
	} cases[] = {
	    {"answer lost", TEST_PROXY_CUT_ANSWER, TEST_PROXY_EXECUTE, "", PH_ERROR_UNCERTAIN, 1},
	    {"command lost", TEST_PROXY_CUT_COMMAND, TEST_PROXY_EXECUTE, "", PH_ERROR_UNCERTAIN, 0},
	    {"not prepared", TEST_PROXY_CUT_ANSWER, TEST_PROXY_PREPARE, "INSERT",
		PH_ERROR_TEMPORARY, 0},
	    {"plain", TEST_PROXY_CUT_ANSWER, TEST_PROXY_QUERY, "INSERT", PH_ERROR_UNCERTAIN, 1},
	};

	test_db_plain(db, "CREATE TABLE t (n INT)");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		bool plain = cases[i].command == TEST_PROXY_QUERY;

		test_proxy_break(proxy, cases[i].fault, cases[i].command, cases[i].text, 0);
		cr_expect_not(plain ? db_run_plain(db, "INSERT INTO t VALUES (1)", &error)
				    : db_run(db, insert, DB_VALUES(db_int(1)), NULL, &error),
		    "%s went through", cases[i].name);
		cr_expect(g_error_matches(error, PH_ERROR, (int)cases[i].want_error), "%s: got %s",
		    cases[i].name, error->message);
		cr_expect_eq(db_cause(db), DB_CAUSE_LOST, "%s: cause", cases[i].name);
		g_clear_error(&error);
		cr_assert(db_ensure(db, &error), "%s", error ? error->message : "");
		gint64 got = test_db_number(db, "SELECT COUNT(*) FROM t");
		cr_expect_eq(
		    got, cases[i].want_rows, "%s: %" G_GINT64_FORMAT " rows", cases[i].name, got);
		test_db_plain(db, "DELETE FROM t");
	}
}
