#include "db/transaction.h"

#include <criterion/criterion.h>

#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "tests/support/mariadb.h"
#include "tests/support/proxy.h"

static struct settings *settings;
static struct db *db, *other;

static void
plain(struct db *on, const char *sql)
{
	GError *error = NULL;

	cr_assert(db_run_plain(on, sql, &error), "%s: %s", sql, error ? error->message : "");
}

static gint64
number(struct db *on, const char *sql)
{
	GError *error = NULL;
	AUTO(db_rows) rows = db_select(on, sql, NULL, 0, &error);

	cr_assert(rows, "%s: %s", sql, error ? error->message : "");
	cr_assert(db_rows_next(rows), "%s gave no row", sql);
	return db_rows_int(rows, 0);
}

static void
begin(void)
{
	GError *error = NULL;

	settings = test_mariadb_database(NULL, NULL);
	db = db_open(settings, &error);
	cr_assert(db, "%s", error ? error->message : "");
	other = db_open(settings, &error);
	cr_assert(other, "%s", error ? error->message : "");
	plain(db, "CREATE TABLE t (n INT PRIMARY KEY, v INT NOT NULL)");
	plain(db, "INSERT INTO t VALUES (1, 0), (2, 0)");
}

static void
end(void)
{
	db_close(db);
	db_close(other);
	base_settings_free(settings);
}

TestSuite(transaction, .init = begin, .fini = end);

static bool
insert(struct db *on, void *context, GError **error)
{
	const int *n = context;

	return db_run(on, "INSERT INTO t VALUES (?, 0)", DB_VALUES(db_int(*n)), NULL, error);
}

Test(transaction, commits_what_the_body_did)
{
	GError *error = NULL;
	int n = 3;

	cr_assert(db_transact(db, insert, &n, &error), "%s", error ? error->message : "");
	cr_assert_eq(number(other, "SELECT COUNT(*) FROM t"), 3);
}

static bool
insert_and_fail(struct db *on, void *context, GError **error)
{
	if (!insert(on, context, error))
		return false;
	g_set_error_literal(error, PH_ERROR, PH_ERROR_NOT_FOUND, "of the body");
	return false;
}

Test(transaction, undoes_what_a_failing_body_did)
{
	GError *error = NULL;
	int n = 3;

	cr_assert_not(db_transact(db, insert_and_fail, &n, &error));
	cr_assert_eq(error->code, PH_ERROR_NOT_FOUND, "got %s", error->message);
	cr_assert_eq(number(db, "SELECT COUNT(*) FROM t"), 2);
}
