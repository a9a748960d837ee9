/* SPDX-License-Identifier: MIT */
/* What is still to be done to many executions of a workflow. */
#include "store/workflow_task.h"

#include "db/statement.h"

enum { ADD, LIST, TAKE, DONE, SWEEP_ENTRIES, SWEEP_VERSIONS };
static const char *const sql[] = {
    [ADD] = "INSERT INTO workflow_task (workflow_id, kind, workspace_id) VALUES (?, ?, ?)"
	    " ON DUPLICATE KEY UPDATE workspace_id = VALUES(workspace_id)",
    [LIST] = "SELECT workflow_id, kind FROM workflow_task ORDER BY workflow_id, kind",
    [TAKE] = "SELECT 1 FROM workflow_task WHERE workflow_id = ? AND kind = ?"
	     " FOR UPDATE SKIP LOCKED",
    [DONE] = "DELETE FROM workflow_task WHERE workflow_id = ? AND kind = ?",
    [SWEEP_ENTRIES] = "DELETE FROM workflow_entry WHERE workflow_id = ? ORDER BY contact_id"
		      " LIMIT ?",
    [SWEEP_VERSIONS] = "DELETE FROM workflow_version WHERE workflow_id = ? ORDER BY version"
		       " LIMIT ?",
};

bool
store_workflow_task_add(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, enum store_workflow_task_kind kind, GError **error)
{
	return db_run(
	    db, sql[ADD], DB_VALUES(db_id(workflow), db_int(kind), db_id(workspace)), NULL, error);
}

GArray *
store_workflow_task_list(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], NULL, 0, error);
	struct store_workflow_task task;

	if (!rows)
		return NULL;
	GArray *tasks = g_array_new(FALSE, FALSE, sizeof(task));
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &task.workflow_id);
		task.kind = (enum store_workflow_task_kind)db_rows_int(rows, 1);
		g_array_append_val(tasks, task);
	}
	return tasks;
}

bool
store_workflow_task_take(
    struct db *db, const struct store_workflow_task *task, bool *taken_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[TAKE], DB_VALUES(db_id(&task->workflow_id), db_int(task->kind)), error);

	if (!rows)
		return false;
	*taken_r = db_rows_next(rows);
	return true;
}

bool
store_workflow_task_done(struct db *db, const struct store_workflow_task *task, GError **error)
{
	return db_run(
	    db, sql[DONE], DB_VALUES(db_id(&task->workflow_id), db_int(task->kind)), NULL, error);
}

bool
store_workflow_task_sweep(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error)
{
	guint64 entries = 0, versions = 0;

	if (!db_run(db, sql[SWEEP_ENTRIES], DB_VALUES(db_id(workflow), db_int(limit)), &entries,
		error) ||
	    !db_run(db, sql[SWEEP_VERSIONS], DB_VALUES(db_id(workflow), db_int(limit)), &versions,
		error))
		return false;
	*count_r = (guint)(entries + versions);
	return true;
}
