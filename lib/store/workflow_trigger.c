/* What an event starts, and what it lets go. */
#include "store/workflow_trigger.h"

#include "db/statement.h"
#include "store/automation_contact.h"
#include "store/workflow.h"

#define NO_ENTRY "NULL AS event_name, NULL AS started"
#define NO_WAIT "NULL AS id, NULL AS step_id, NULL AS step_time, NULL AS wait_until"

enum { SET, CLEAR, WORKFLOWS, TARGETS, ENTER_FIRST, ENTER };
static const char *const sql[] = {
    [SET] = "INSERT INTO workflow_trigger (workspace_id, event_name, workflow_id, version)"
	    " VALUES (?, ?, ?, ?)",
    [CLEAR] = "DELETE FROM workflow_trigger WHERE workflow_id = ?",
    /* Who pauses or changes a workflow waits for the events that start it. */
    [WORKFLOWS] = "SELECT workflow_id, version, " NO_ENTRY ", " NO_WAIT " FROM workflow_trigger"
		  " WHERE workspace_id = ? AND event_name = ? LOCK IN SHARE MODE",
    [TARGETS] = "(SELECT t.workflow_id, t.version, n.event_name, n.started, " NO_WAIT
		" FROM workflow_trigger t LEFT JOIN workflow_entry n"
		" ON n.workflow_id = t.workflow_id AND n.contact_id = ?"
		" WHERE t.workspace_id = ? AND t.event_name = ? LOCK IN SHARE MODE)"
		" UNION ALL (SELECT x.workflow_id, x.version, NULL, NULL, x.id, x.step_id,"
		" x.step_time, x.wait_until FROM execution_wait w JOIN execution x"
		" ON x.id = w.execution_id WHERE w.contact_id = ? AND w.event_name = ?)",
    [ENTER_FIRST] = "INSERT INTO workflow_entry"
		    " (workflow_id, contact_id, workspace_id, event_name, started)"
		    " VALUES (?, ?, ?, ?, ?)",
    [ENTER] = "INSERT INTO workflow_entry"
	      " (workflow_id, contact_id, workspace_id, event_name, started)"
	      " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	      " event_name = VALUES(event_name), started = VALUES(started)",
};

bool
store_workflow_trigger_clear(struct db *db, const struct id *workflow, GError **error)
{
	return db_run(db, sql[CLEAR], DB_VALUES(db_id(workflow)), NULL, error);
}

bool
store_workflow_trigger_set(
    struct db *db, const struct workflow *workflow, const char *event_name, GError **error)
{
	return store_workflow_trigger_clear(db, &workflow->id, error) &&
	       db_run(db, sql[SET],
		   DB_VALUES(db_id(&workflow->workspace_id), db_text(event_name),
		       db_id(&workflow->id), db_int(workflow->active_version)),
		   NULL, error);
}

static void
clear_target(void *data)
{
	struct target *target = data;

	g_free(target->last_event);
	g_free(target->step_id);
}

/* Nothing is left of a contact where it has never been, and looking there would cost the most. */
static struct db_rows *
select_targets(
    struct db *db, const struct automation_contact *contact, const char *event_name, GError **error)
{
	struct db_value workspace = db_id(&contact->workspace_id), id = db_id(&contact->id);
	struct db_value name = db_text(event_name);

	if (!contact->entered)
		return db_select(db, sql[WORKFLOWS], DB_VALUES(workspace, name), error);
	return db_select(db, sql[TARGETS], DB_VALUES(id, workspace, name, id, name), error);
}

GArray *
store_workflow_trigger_targets(
    struct db *db, const struct automation_contact *contact, const char *event_name, GError **error)
{
	AUTO(db_rows) rows = select_targets(db, contact, event_name, error);

	if (!rows)
		return NULL;
	GArray *targets = g_array_new(FALSE, TRUE, sizeof(struct target));
	g_array_set_clear_func(targets, clear_target);
	while (db_rows_next(rows)) {
		struct target target = {
		    .version = (guint)db_rows_int(rows, 1),
		    .last_event = g_strdup(db_rows_text(rows, 2)),
		    .last_time = db_rows_int(rows, 3),
		    .step_id = g_strdup(db_rows_text(rows, 5)),
		    .step_time = db_rows_int(rows, 6),
		    .wait_until = db_rows_int(rows, 7),
		};
		db_rows_id(rows, 0, &target.workflow_id);
		target.is_wait = db_rows_id(rows, 4, &target.execution_id);
		g_array_append_val(targets, target);
	}
	return targets;
}

bool
store_workflow_trigger_enter(struct db *db, const struct workflow_entry *entry, GError **error)
{
	return db_defer(db, sql[entry->first ? ENTER_FIRST : ENTER],
	    DB_VALUES(db_id(entry->workflow), db_id(entry->contact), db_id(entry->workspace),
		db_text(entry->event_name), db_int(entry->time)),
	    1, error);
}
