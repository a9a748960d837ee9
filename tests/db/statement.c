#include "db/statement.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "db/connection.h"
#include "tests/support/mariadb.h"

static struct settings *settings;
static struct db *db;

static void
plain(const char *sql)
{
	GError *error = NULL;

	cr_assert(db_run_plain(db, sql, &error), "%s: %s", sql, error ? error->message : "");
}

static void
begin(void)
{
	GError *error = NULL;

	settings = test_mariadb_database(NULL, NULL);
	db = db_open(settings, &error);
	cr_assert(db, "%s", error ? error->message : "");
}

static void
end(void)
{
	db_close(db);
	base_settings_free(settings);
}

TestSuite(statement, .init = begin, .fini = end);

Test(statement, duplicate)
{
	static const char insert[] = "INSERT INTO t VALUES (?, ?)";
	GError *error = NULL;
	plain("CREATE TABLE t (n INT PRIMARY KEY, email VARCHAR(50), UNIQUE email_key (email))");
	cr_assert(db_run(db, insert, DB_VALUES(db_int(1), db_text("x")), NULL, &error));
	cr_assert_not(db_run(db, insert, DB_VALUES(db_int(2), db_text("x")), NULL, &error));
	cr_assert_eq(error->code, PH_ERROR_CONFLICT);
	cr_assert(db_cause_is_key(db, "email_key"));
}
