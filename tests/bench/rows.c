/* SPDX-License-Identifier: MIT */
/* A loop that inserts what a start has to store for each person: a row of 200 bytes and one of 60,
 * 500 people in a transaction. The tables are floor_long and floor_short. Usage: rows SETTINGS
 * PEOPLE */
#include <stdio.h>
#include <stdlib.h>

#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "service/service.h"

#define PART 500

static const char long_sql[] = "INSERT INTO floor_long (id, text) VALUES (?, ?)";
static const char short_sql[] = "INSERT INTO floor_short (id, text) VALUES (?, ?)";

static bool
rows_part(struct db *db, void *context, GError **error)
{
	gint64 first = *(const gint64 *)context;
	char text[193];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (gint64 id = first; id < first + PART; id++)
		if (!db_run(db, long_sql, DB_VALUES(db_int(id), db_text(text)), NULL, error) ||
		    !db_run(db, short_sql, DB_VALUES(db_int(id), db_bytes(text, 52)), NULL, error))
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;

	if (argc != 3)
		return 64;
	AUTO(config_settings) settings = config_settings_load(argv[1], &error);
	AUTO(service) service = settings ? service_open(settings) : NULL;
	bool done = service && service_ensure(service, &error);
	for (gint64 first = 0; done && first < atoi(argv[2]); first += PART)
		done = db_transact(service->db, rows_part, &first, &error);
	if (!done)
		fprintf(stderr, "rows: %s\n", error->message);
	return done ? 0 : 1;
}
