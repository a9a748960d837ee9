/* SPDX-License-Identifier: MIT */
/* Stores the ticks of schedules. */
#include "store/automation/tick.h"

#include "db/statement.h"
#include "store/automation/start.h"

enum { SET, GET, CLEAR, DUE, MOVE, RUNS, INCLUDE };
/* System-wide: DUE. The spool makes the starts of all workspaces. */
/* By checked ids: GET, CLEAR, MOVE. The caller has locked the workflow. */
static const char *const sql[] = {
    [SET] = "INSERT INTO workflow_schedule (workflow_id, workspace_id, version, next_at, since)"
	    " VALUES (?, ?, ?, ?, 0) ON DUPLICATE KEY UPDATE version = VALUES(version),"
	    " next_at = VALUES(next_at)",
    [GET] = "SELECT workflow_id, workspace_id, version, next_at FROM workflow_schedule"
	    " WHERE workflow_id = ?",
    [CLEAR] = "DELETE FROM workflow_schedule WHERE workflow_id = ?",
    [DUE] = "SELECT workflow_id, workspace_id, version, next_at FROM workflow_schedule"
	    " FORCE INDEX (next_at) WHERE next_at <= ? ORDER BY next_at LIMIT ?",
    [MOVE] = "UPDATE workflow_schedule SET next_at = ? WHERE workflow_id = ? AND next_at = ?",
    [RUNS] = "SELECT 1 FROM workflow_start FORCE INDEX (workspace_status) WHERE workspace_id = ?"
	     " AND workflow_id = ? AND scheduled_at IS NOT NULL AND status IN (" START_PENDING_SQL
	     ", " START_RUNNING_SQL ") LIMIT 1",
    [INCLUDE] = "INSERT IGNORE INTO workflow_included (workflow_id, segment_id, workspace_id)"
		" VALUES (?, ?, ?)",
};

/* The columns of DUE and GET. */
enum { DUE_WORKFLOW, DUE_WORKSPACE, DUE_VERSION, DUE_NEXT };

bool
store_tick_set(struct db *db, const struct store_tick *schedule, GError **error)
{
	return db_run(db, sql[SET],
	    DB_VALUES(db_id(&schedule->workflow_id), db_id(&schedule->workspace_id),
		db_int(schedule->version), db_int(schedule->next_at)),
	    NULL, error);
}

bool
store_tick_clear(struct db *db, const struct base_id *workflow, GError **error)
{
	return db_run(db, sql[CLEAR], DB_VALUES(db_id(workflow)), NULL, error);
}

static struct store_tick
tick_read(struct db_rows *rows)
{
	struct store_tick schedule = {.version = (guint)db_rows_int(rows, DUE_VERSION),
	    .next_at = db_rows_int(rows, DUE_NEXT)};

	db_rows_id(rows, DUE_WORKFLOW, &schedule.workflow_id);
	db_rows_id(rows, DUE_WORKSPACE, &schedule.workspace_id);
	return schedule;
}

bool
store_tick_get(struct db *db, const struct base_id *workflow, struct store_tick *schedule_r,
    bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(workflow)), error);

	*found_r = rows && db_rows_next(rows);
	if (*found_r)
		*schedule_r = tick_read(rows);
	return rows != NULL;
}

GArray *
store_tick_due(struct db *db, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[DUE], DB_VALUES(db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GArray *due = g_array_new(FALSE, FALSE, sizeof(struct store_tick));
	while (db_rows_next(rows)) {
		struct store_tick schedule = tick_read(rows);

		g_array_append_val(due, schedule);
	}
	return due;
}

bool
store_tick_move(
    struct db *db, const struct store_tick *schedule, gint64 next, bool *moved_r, GError **error)
{
	guint64 moved = 0;
	bool done = db_run(db, sql[MOVE],
	    DB_VALUES(db_int(next), db_id(&schedule->workflow_id), db_int(schedule->next_at)),
	    &moved, error);

	*moved_r = moved > 0;
	return done;
}

bool
store_tick_runs(struct db *db, const struct store_tick *schedule, bool *runs_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[RUNS],
	    DB_VALUES(db_id(&schedule->workspace_id), db_id(&schedule->workflow_id)), error);

	*runs_r = rows && db_rows_next(rows);
	return rows != NULL;
}

bool
store_tick_include(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const struct base_id *segment, bool *first_r, GError **error)
{
	guint64 added = 0;
	bool done = db_run(db, sql[INCLUDE],
	    DB_VALUES(db_id(workflow), db_id(segment), db_id(workspace)), &added, error);

	*first_r = added > 0;
	return done;
}
