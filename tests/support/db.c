/* SPDX-License-Identifier: MIT */
/* Short functions for common database work of tests. */
#include "tests/support/db.h"

#include <criterion/criterion.h>

struct db *
test_db_open(const struct config_settings *settings)
{
	g_autoptr(GError) error = NULL;
	struct db *db = db_open(settings, &error);

	cr_assert(db, "%s", error ? error->message : "");
	return db;
}

void
test_db_plain(struct db *db, const char *sql)
{
	g_autoptr(GError) error = NULL;

	cr_assert(db_run_plain(db, sql, &error), "%s: %s", sql, error ? error->message : "");
}

static struct db_rows *
db_select_one(struct db *db, const char *sql)
{
	g_autoptr(GError) error = NULL;
	/* Statements are kept by the address of their text, which no other text may have. */
	struct db_rows *rows = db_select(db, g_intern_string(sql), NULL, 0, &error);

	cr_assert(rows, "%s: %s", sql, error ? error->message : "");
	cr_assert(db_rows_next(rows), "%s gave no row", sql);
	return rows;
}

gint64
test_db_number(struct db *db, const char *sql)
{
	AUTO(db_rows) rows = db_select_one(db, sql);

	return db_rows_int(rows, 0);
}

char *
test_db_text(struct db *db, const char *sql)
{
	AUTO(db_rows) rows = db_select_one(db, sql);

	return g_strdup(db_rows_text(rows, 0));
}

void
test_db_outbox_of_before(struct db *db)
{
	test_db_plain(db, "ALTER TABLE outbox DROP PRIMARY KEY, ADD PRIMARY KEY (id),"
			  " ADD KEY email (email_id)");
	test_db_plain(db, "DELETE FROM schema_version WHERE version = 493");
}
