/* SPDX-License-Identifier: MIT */
/* Which executions wait for which event of their contact. */
#include "store/execution_wait.h"

#include "db/statement.h"

enum { INSERT, REMOVE };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO execution_wait (contact_id, event_name, execution_id, workspace_id)"
	       " VALUES (?, ?, ?, ?)",
    [REMOVE] = "DELETE FROM execution_wait"
	       " WHERE contact_id = ? AND event_name = ? AND execution_id = ? AND workspace_id = ?",
};

#define COLUMNS 4

static bool
run(struct db *db, int statement, const struct store_execution_wait *waits, guint count,
    GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		struct db_value *row = values + (gsize)COLUMNS * i;

		row[0] = db_id(waits[i].contact);
		row[1] = db_text(waits[i].event_name);
		row[2] = db_id(waits[i].execution);
		row[3] = db_id(waits[i].workspace);
	}
	return db_run_rows(db, sql[statement], values, COLUMNS, count, NULL, error);
}

bool
store_execution_wait_insert(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error)
{
	return run(db, INSERT, waits, count, error);
}

bool
store_execution_wait_remove(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error)
{
	return run(db, REMOVE, waits, count, error);
}
