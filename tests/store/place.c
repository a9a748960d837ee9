/* SPDX-License-Identifier: MIT */
/* Makes databases with our schema. */
#include "tests/store/place.h"

#include "config/settings.h"
#include "store/common/schema.h"
#include "store/workspace/workspace.h"
#include "tests/support/mariadb.h"

struct place *
place_open(void)
{
	struct place *place = g_new0(struct place, 1);

	place->settings = test_mariadb_database(NULL, NULL);
	place->db = test_db_open(place->settings);
	MUST(store_schema_migrate(place->db, NULL, NULL, &error));
	MUST(store_workspace_create(place->db, "one", NULL, &place->workspace, &error));
	MUST(store_workspace_create(place->db, "other", NULL, &place->other, &error));
	return place;
}

void
place_close(struct place *place)
{
	db_close(place->db);
	config_settings_free(place->settings);
	g_free(place);
}

gint64
place_number(struct place *place, const char *sql)
{
	return test_db_number(place->db, sql);
}

static gint64
sum(struct place *place, const char *sql)
{
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(place->db, sql, NULL, 0, &error);
	gint64 total = 0;

	cr_assert(rows, "%s: %s", sql, error ? error->message : "");
	while (db_rows_next(rows))
		total += g_ascii_strtoll(db_rows_text(rows, 1), NULL, 10);
	return total;
}

struct place_work
place_work(struct place *place)
{
	struct place_work work = {
	    .read = sum(place, "SHOW SESSION STATUS LIKE 'Handler_read%'"),
	    .sorted = sum(place, "SHOW SESSION STATUS LIKE 'Sort_rows'"),
	};

	/* Sets all to zero, the reading of the counters too. */
	test_db_plain(place->db, "FLUSH LOCAL STATUS");
	return work;
}

struct db *
place_impatient(struct place *place)
{
	struct db *db = test_db_open(place->settings);

	test_db_plain(db, "SET innodb_lock_wait_timeout = 0");
	return db;
}

GBytes *
place_bytes(gsize size, guint seed)
{
	guint8 *bytes = g_malloc(size + 1);
	GRand *random = g_rand_new_with_seed(seed);

	for (gsize i = 0; i < size; i++)
		bytes[i] = (guint8)g_rand_int(random);
	g_rand_free(random);
	return g_bytes_new_take(bytes, size);
}
