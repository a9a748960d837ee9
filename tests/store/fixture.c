/* SPDX-License-Identifier: MIT */
/* Makes databases with our schema. */
#include "tests/store/fixture.h"

#include "config/settings.h"
#include "store/common/schema.h"
#include "store/workspace/workspace.h"
#include "tests/support/mariadb.h"

struct fixture *
fixture_open(void)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->settings = test_mariadb_database(NULL, NULL);
	fixture->db = test_db_open(fixture->settings);
	MUST(store_schema_migrate(fixture->db, NULL, NULL, &error));
	MUST(store_workspace_create(fixture->db, "one", NULL, &fixture->workspace, &error));
	MUST(store_workspace_create(fixture->db, "other", NULL, &fixture->other, &error));
	return fixture;
}

void
fixture_close(struct fixture *fixture)
{
	db_close(fixture->db);
	config_settings_free(fixture->settings);
	g_free(fixture);
}

gint64
fixture_number(struct fixture *fixture, const char *sql)
{
	return test_db_number(fixture->db, sql);
}

static gint64
sum(struct fixture *fixture, const char *sql)
{
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(fixture->db, sql, NULL, 0, &error);
	gint64 total = 0;

	cr_assert(rows, "%s: %s", sql, error ? error->message : "");
	while (db_rows_next(rows))
		total += g_ascii_strtoll(db_rows_text(rows, 1), NULL, 10);
	return total;
}

struct fixture_work
fixture_work(struct fixture *fixture)
{
	struct fixture_work work = {
	    .read = sum(fixture, "SHOW SESSION STATUS LIKE 'Handler_read%'"),
	    .sorted = sum(fixture, "SHOW SESSION STATUS LIKE 'Sort_rows'"),
	};

	/* Sets all to zero, the reading of the counters too. */
	test_db_plain(fixture->db, "FLUSH LOCAL STATUS");
	return work;
}

struct db *
fixture_impatient(struct fixture *fixture)
{
	struct db *db = test_db_open(fixture->settings);

	test_db_plain(db, "SET innodb_lock_wait_timeout = 0");
	return db;
}

GBytes *
fixture_bytes(gsize size, guint seed)
{
	guint8 *bytes = g_malloc(size + 1);
	GRand *random = g_rand_new_with_seed(seed);

	for (gsize i = 0; i < size; i++)
		bytes[i] = (guint8)g_rand_int(random);
	g_rand_free(random);
	return g_bytes_new_take(bytes, size);
}
