/* SPDX-License-Identifier: MIT */
/* Tests transactions that a Galera node rolls back silently. */
#include "db/galera.h"

#include <criterion/criterion.h>

#include "base/error.h"
#include "db/precondition.h"
#include "db/transaction.h"
#include "tests/support/db.h"
#include "tests/support/mariadb.h"

/* A single server can also be a node. */
static struct test_mariadb *server;
static struct config_settings *settings;
static struct db *db, *other;

static void
galera_begin(void)
{
	static const char *const options[] = {"--wsrep-on=ON", "--binlog-format=ROW", NULL};

	server = test_mariadb_start(options);
	settings = test_mariadb_database(server, NULL);
	db = test_db_open(settings);
	other = test_db_open(settings);
	test_db_plain(other, "CREATE TABLE t (n INT PRIMARY KEY)");
	test_db_plain(other, "CREATE TABLE g (n INT PRIMARY KEY)");
	test_db_plain(other, "INSERT INTO g VALUES (1)");
}

static void
galera_end(void)
{
	db_close(db);
	db_close(other);
	config_settings_free(settings);
	test_mariadb_stop(server);
}

TestSuite(galera, .init = galera_begin, .fini = galera_end, .timeout = 900);

#define PUT(n) "INSERT INTO t VALUES (" #n ")"

enum { BEFORE_ALL, IN_THE_MIDDLE, BEFORE_WHAT_WAITS, AT_THE_END, NEVER };

struct body {
	int loss; /* when the transaction goes, of the first run */
	gint64 runs;
};

static void
lose(struct db *on, struct body *body, int when)
{
	if (body->loss == when && body->runs == 1)
		test_db_plain(on, "ROLLBACK");
}

static bool
galera_work(struct db *on, void *context, GError **error)
{
	struct body *body = context;

	body->runs++;
	lose(on, body, BEFORE_ALL);
	if (!db_run(on, PUT(1), NULL, 0, NULL, error))
		return false;
	lose(on, body, IN_THE_MIDDLE);
	if (!db_run(on, PUT(2), NULL, 0, NULL, error))
		return false;
	lose(on, body, BEFORE_WHAT_WAITS);
	if (!db_defer(on, PUT(3), NULL, 0, 1, error) || !db_defer(on, PUT(4), NULL, 0, 1, error))
		return false;
	lose(on, body, AT_THE_END);
	return true;
}

/* A node may roll back a transaction without reporting it. */
Test(galera, stores_nothing_of_a_transaction_that_was_undone_in_silence)
{
	static const struct {
		const char *name;
		int loss;
		gint64 want_runs;
	} cases[] = {
	    {"before all", BEFORE_ALL, 2},
	    {"in the middle", IN_THE_MIDDLE, 2},
	    {"before what waits", BEFORE_WHAT_WAITS, 2},
	    {"at the end", AT_THE_END, 2},
	    {"never", NEVER, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct body body = {.loss = cases[i].loss};
		g_autoptr(GError) error = NULL;

		cr_assert(db_transact(db, galera_work, &body, &error), "%s: %s", cases[i].name,
		    error ? error->message : "");
		cr_expect_eq(body.runs, cases[i].want_runs, "%s: runs: got %d", cases[i].name,
		    (int)body.runs);
		cr_expect_eq(
		    test_db_number(other, "SELECT COUNT(*) FROM t"), 4, "%s", cases[i].name);
		/* A statement outside a transaction is committed at once. */
		test_db_plain(db, "DELETE FROM t");
		cr_expect_eq(
		    test_db_number(other, "SELECT COUNT(*) FROM t"), 0, "%s", cases[i].name);
	}
}

static bool
galera_fail(struct db *on, void *context, GError **error)
{
	return db_run(on, PUT(1), NULL, 0, NULL, error) && db_run(on, PUT(1), NULL, 0, NULL, error);
}

Test(galera, tells_of_other_errors_as_ever)
{
	g_autoptr(GError) error = NULL;

	cr_assert_not(db_transact(db, galera_fail, NULL, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "%s", error->message);
	cr_expect(db_cause_is_key(db, "PRIMARY"));
	test_db_plain(db, PUT(2));
	cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), 1);
}

static bool
galera_put_off(struct db *on, void *context, GError **error)
{
	return db_defer(on, PUT(1), NULL, 0, 1, error);
}

static bool
galera_put(struct db *on, void *context, GError **error)
{
	return db_run(on, PUT(1), NULL, 0, NULL, error);
}

/* A guard is checked before the transaction, which would keep its row locks. */
static const struct db_precondition_form form = {"EXISTS (SELECT 1 FROM g WHERE n = ?)"};

Test(galera, keeps_to_guards)
{
	static const db_body bodies[] = {galera_put_off, galera_put};

	for (gint64 i = 0; i < 4; i++) {
		bool holds = i % 2 == 0;
		g_autoptr(GError) error = NULL;

		AUTO(db) guarded = db_guarded(db, &form, DB_VALUES(db_int(holds ? 1 : 2)));
		cr_expect_eq(db_transact(guarded, bodies[i / 2], NULL, &error), holds, "%d: %s",
		    (int)i, error ? error->message : "done");
		cr_expect(holds || g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN));
		cr_expect_eq(test_db_number(other, "SELECT COUNT(*) FROM t"), holds);
		test_db_plain(other, "DELETE FROM t");
	}
}

static bool
change_guarded(struct db *on, void *context, GError **error)
{
	return galera_put(on, NULL, error) &&
	       db_run(other, "UPDATE g SET n = 3", NULL, 0, NULL, error);
}

Test(galera, holds_no_rows_of_a_guard)
{
	AUTO(db) guarded = db_guarded(db, &form, DB_VALUES(db_int(1)));
	g_autoptr(GError) error = NULL;

	cr_expect(
	    db_transact(guarded, change_guarded, NULL, &error), "%s", error ? error->message : "");
}
