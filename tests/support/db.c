/* SPDX-License-Identifier: MIT */
/* Short functions for common database work of tests. */
#include "tests/support/db.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define LOCKED_S 300

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

/* The ids of the connections to all databases that wait for the lock of a row, behind "0".
   INNODB_TRX tells that too, but repeats its last answer until nobody has asked for 0.1 s, and
   tests that run side by side ask all the time. */
static char *
db_list_locked(struct db *db)
{
	GString *ids = g_string_new("0");
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(db, "SHOW ENGINE INNODB STATUS", NULL, 0, &error);

	cr_assert(rows && db_rows_next(rows), "%s", error ? error->message : "no row");
	const char *list = strstr(db_rows_text(rows, 2), "\nLIST OF TRANSACTIONS");
	g_auto(GStrv) each = g_strsplit(list ? list : "", "\n---TRANSACTION ", -1);
	for (char **transaction = each; *transaction; transaction++) {
		const char *id = strstr(*transaction, " thread id ");

		if (id && strstr(*transaction, "\nLOCK WAIT "))
			g_string_append_printf(ids, ",%lu", strtoul(id + 11, NULL, 10));
	}
	return g_string_free(ids, FALSE);
}

void
test_db_wait_locked(struct db *db, guint count)
{
	gint64 end = g_get_monotonic_time() + LOCKED_S * G_USEC_PER_SEC, found = 0;

	for (;; g_usleep(5000)) {
		g_autofree char *ids = db_list_locked(db);
		g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM"
						       " information_schema.processlist"
						       " WHERE db = DATABASE() AND id IN (%s)",
		    ids);

		found = test_db_number(db, sql);
		if (found >= count)
			return;
		cr_assert(
		    g_get_monotonic_time() < end, "%d wait for a lock, want %u", (int)found, count);
	}
}
