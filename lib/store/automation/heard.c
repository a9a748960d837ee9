/* SPDX-License-Identifier: MIT */
/* Stores the names of events that workflows hear, and tells which are heard now. */
#include "store/automation/heard.h"

#include "db/statement.h"

enum { ADD, CLEAR_TRIGGER, CLEAR_ENDED, CLEAR, NAMES };
/* By checked ids: CLEAR_TRIGGER, CLEAR_ENDED, CLEAR. The caller has locked the workflow. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	    " is_trigger, since) VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE since = since",
    [CLEAR_TRIGGER] = "DELETE FROM workflow_heard WHERE workflow_id = ? AND is_trigger = 1",
    [CLEAR_ENDED] = "DELETE FROM workflow_heard WHERE workflow_id = ? AND NOT EXISTS"
		    " (SELECT 1 FROM execution x FORCE INDEX (workflow_status)"
		    " WHERE x.workflow_id = ? AND x.status IN (" EXECUTION_IN_PROGRESS_SQL
		    ", " EXECUTION_WAITING_SQL "))",
    [CLEAR] = "DELETE FROM workflow_heard WHERE workflow_id = ?",
    [NAMES] = "SELECT DISTINCT h.event_name FROM workflow_heard h WHERE h.workspace_id = ?"
	      " AND " STORE_HEARD_RUNS,
};

#define ADD_COLUMNS 6

bool
store_heard_set(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const GArray *heard, gint64 now, GError **error)
{
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(struct db_value));

	for (guint i = 0; i < heard->len; i++) {
		const struct store_heard *one = &g_array_index(heard, struct store_heard, i);
		const struct db_value row[ADD_COLUMNS] = {db_id(workspace),
		    db_text(one->event_name), db_id(&one->segment_id), db_id(workflow),
		    db_int(one->is_trigger), db_int(now)};

		g_array_append_vals(values, row, ADD_COLUMNS);
	}
	return store_heard_clear_trigger(db, workflow, error) &&
	       db_run(db, sql[CLEAR_ENDED], DB_VALUES(db_id(workflow), db_id(workflow)), NULL,
		   error) &&
	       db_run_rows(db, sql[ADD], (const struct db_value *)(const void *)values->data,
		   ADD_COLUMNS, heard->len, NULL, error);
}

bool
store_heard_clear_trigger(struct db *db, const struct base_id *workflow, GError **error)
{
	return db_run(db, sql[CLEAR_TRIGGER], DB_VALUES(db_id(workflow)), NULL, error);
}

bool
store_heard_clear(struct db *db, const struct base_id *workflow, GError **error)
{
	return db_run(db, sql[CLEAR], DB_VALUES(db_id(workflow)), NULL, error);
}

GHashTable *
store_heard_names(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NAMES], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return NULL;
	GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	while (db_rows_next(rows))
		g_hash_table_add(names, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	return names;
}
