/* SPDX-License-Identifier: MIT */
/* How fast workflows step, beside a loop that only does what a batch must: claims 100 rows, inserts
 * 100 and updates 100 in a transaction. Prints the seconds that all took. Usage: steps SETTINGS
 * floor|engine JOBS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "automation/engine.h"
#include "base/clock.h"
#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "service/service.h"

#define BATCH 100

enum { CLAIM, INSERT, UPDATE };
static const char *const sql[] = {
    [CLAIM] = "SELECT id, text FROM floor_job WHERE ready_at <= ? ORDER BY ready_at LIMIT 100"
	      " FOR UPDATE SKIP LOCKED",
    [INSERT] = "INSERT INTO floor_done (id, text) VALUES (?, ?)",
    [UPDATE] = "UPDATE floor_job SET ready_at = ? WHERE id = ?",
};

static bool
floor_batch(struct db *db, void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[CLAIM], DB_VALUES(db_int(base_clock_now())), error);
	struct db_value inserts[2 * BATCH], updates[2 * BATCH];
	struct base_id ids[BATCH];
	guint *count = context;

	*count = 0;
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		guint i = (*count)++;

		db_rows_id(rows, 0, &ids[i]);
		inserts[2 * i] = updates[2 * i + 1] = db_id(&ids[i]);
		inserts[2 * i + 1] = db_text("a row of about the size of a small event");
		updates[2 * i] = db_int(4000000000000);
	}
	return db_run_rows(db, sql[INSERT], inserts, 2, *count, NULL, error) &&
	       db_run_rows(db, sql[UPDATE], updates, 2, *count, NULL, error);
}

static int
steps_work(const struct config_settings *settings, const char *mode)
{
	g_autoptr(GError) error = NULL, trouble = NULL;
	AUTO(service) service = service_open(settings);
	AUTO(automation_engine) engine = automation_engine_new(service);
	guint count = 1;
	bool done = service_ensure(service, &error);

	while (done && count > 0)
		done = strcmp(mode, "floor") == 0
			   ? db_transact(service->db, floor_batch, &count, &error)
			   : automation_engine_run(engine, &count, &trouble, &error);
	if (error || trouble)
		fprintf(stderr, "steps: %s\n", (error ? error : trouble)->message);
	return done && !trouble ? 0 : 1;
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	int failed = 0, status;

	if (argc != 4)
		return 64;
	AUTO(config_settings) settings = config_settings_load(argv[1], &error);
	if (!settings) {
		fprintf(stderr, "steps: %s\n", error->message);
		return 1;
	}
	gint64 begin = g_get_monotonic_time();
	for (int i = atoi(argv[3]); i > 0; i--)
		if (fork() == 0)
			_exit(steps_work(settings, argv[2]));
	while (wait(&status) > 0)
		failed |= status;
	printf("%.6f\n", (double)(g_get_monotonic_time() - begin) / 1e6);
	return failed ? 1 : 0;
}
