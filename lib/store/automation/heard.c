/* SPDX-License-Identifier: MIT */
/* Stores the names of events that workflows hear, and tells which are heard now. */
#include "store/automation/heard.h"

#include "db/statement.h"

enum { MARK, ADD, UNMARK, PAUSE, CLEAR_TRIGGER, CLEAR_ENDED, CLEAR, LOOK };
/* By checked ids: MARK, UNMARK, PAUSE, CLEAR_TRIGGER, CLEAR_ENDED, CLEAR. The caller has locked the
 * workflow. */
static const char *const sql[] = {
    /* 3: the trigger of the version before, whose time a trigger of the same name keeps. */
    [MARK] = "UPDATE workflow_heard SET is_trigger = 3 WHERE workflow_id = ? AND is_trigger = 1",
    [ADD] =
	"INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	" is_trigger, goal_within, since) SELECT ?, ?, ?, ?, ?, ?, COALESCE((SELECT MAX(o.since)"
	" FROM workflow_heard o WHERE o.workflow_id = ? AND o.event_name = ?"
	" AND o.segment_id = ? AND o.is_trigger = 3), ?) FROM DUAL"
	" ON DUPLICATE KEY UPDATE since = workflow_heard.since, goal_within ="
	" GREATEST(workflow_heard.goal_within, VALUES(goal_within))",
    [UNMARK] = "DELETE FROM workflow_heard WHERE workflow_id = ? AND is_trigger IN (2, 3)",
    [PAUSE] = "UPDATE workflow_heard SET is_trigger = 2 WHERE workflow_id = ? AND is_trigger = 1",
    [CLEAR_TRIGGER] = "DELETE FROM workflow_heard WHERE workflow_id = ? AND is_trigger > 0",
    [CLEAR_ENDED] =
	"DELETE FROM workflow_heard WHERE workflow_id = ? AND is_trigger = 0 AND NOT EXISTS"
	" (SELECT 1 FROM execution x FORCE INDEX (workflow_status)"
	" WHERE x.workflow_id = ? AND x.status IN (" EXECUTION_IN_PROGRESS_SQL
	", " EXECUTION_WAITING_SQL ")) AND NOT " STORE_HEARD_GOAL("workflow_heard"),
    [CLEAR] = "DELETE FROM workflow_heard WHERE workflow_id = ?",
    [LOOK] = "UPDATE workspace_look SET next_at = 0 WHERE workspace_id = ? AND EXISTS (SELECT 1"
	     " FROM workflow_heard h WHERE h.workflow_id = ? AND h.since = ? AND (h.event_name ="
	     " 'date.reached' OR h.event_name LIKE 'segment.%'))",
};

static bool
heard_add(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const struct store_heard *one, gint64 now, GError **error)
{
	const struct db_value name = db_text(one->event_name), segment = db_id(&one->segment_id);

	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(workspace), name, segment, db_id(workflow), db_int(one->is_trigger),
		db_int(one->goal_within), db_id(workflow), name, segment, db_int(now)),
	    NULL, error);
}

bool
store_heard_set(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const GArray *heard, gint64 now, GError **error)
{
	const struct db_value id = db_id(workflow);

	if (!db_run(db, sql[CLEAR_ENDED], DB_VALUES(id, id), NULL, error) ||
	    !db_run(db, sql[MARK], DB_VALUES(id), NULL, error))
		return false;
	for (guint i = 0; i < heard->len; i++)
		if (!heard_add(db, workspace, workflow,
			&g_array_index(heard, struct store_heard, i), now, error))
			return false;
	return db_run(db, sql[UNMARK], DB_VALUES(id), NULL, error) &&
	       db_run(db, sql[LOOK], DB_VALUES(db_id(workspace), id, db_int(now)), NULL, error);
}

bool
store_heard_pause(struct db *db, const struct base_id *workflow, GError **error)
{
	return db_run(db, sql[PAUSE], DB_VALUES(db_id(workflow)), NULL, error);
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
