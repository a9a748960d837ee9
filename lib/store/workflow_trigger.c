/* SPDX-License-Identifier: MIT */
/* The triggers of workflows: finds the workflows that an event starts and the executions that
   wait for it. */
#include "store/workflow.h"

#include "db/statement.h"
#include "store/person.h"
#include "store/limit.h"
#include "store/webhook_tell.h"

enum { SET, CLEAR, WORKFLOWS, LEFT, ENTER_FIRST, ENTER, OPEN };
/* By checked ids: CLEAR, LEFT. The caller has locked the workflow or the contact, or has the
   contact from its workspace. */
static const char *const sql[] = {
    [SET] = "INSERT INTO workflow_trigger (workspace_id, event_name, workflow_id, version)"
	    " VALUES (?, ?, ?, ?)",
    [CLEAR] = "DELETE FROM workflow_trigger WHERE workflow_id = ?",
    /* A transaction that pauses or changes a workflow waits for the events that start it. */
    [WORKFLOWS] =
	"SELECT workflow_id, version, EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
	    "t.workspace_id",
	    "20") ") FROM workflow_trigger t"
		  " WHERE t.workspace_id = ? AND t.event_name = ? LOCK IN SHARE MODE",
    [LEFT] = "(SELECT workflow_id, event_name, started, NULL AS id, NULL AS version,"
	     " NULL AS step_id, NULL AS step_time, NULL AS wait_until"
	     " FROM workflow_entry WHERE contact_id = ?)"
	     " UNION ALL (SELECT x.workflow_id, NULL, NULL, x.id, x.version, x.step_id,"
	     " x.step_time, x.wait_until FROM execution_wait w JOIN execution x"
	     " ON x.id = w.execution_id WHERE w.contact_id = ? AND w.event_name = ?)",
    [ENTER_FIRST] = "INSERT INTO workflow_entry"
		    " (workflow_id, contact_id, workspace_id, event_name, started)"
		    " VALUES (?, ?, ?, ?, ?)",
    [ENTER] = "INSERT INTO workflow_entry"
	      " (workflow_id, contact_id, workspace_id, event_name, started)"
	      " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	      " event_name = VALUES(event_name), started = VALUES(started)",
    [OPEN] = "INSERT IGNORE INTO workflow_opened (workflow_id, email_id, status, workspace_id)"
	     " VALUES (?, ?, ?, ?)",
};

/* The columns of WORKFLOWS. */
enum { WORKFLOWS_ID, WORKFLOWS_VERSION, WORKFLOWS_TOLD };

/* The columns of LEFT. */
enum {
	LEFT_WORKFLOW,
	LEFT_EVENT,
	LEFT_STARTED,
	LEFT_EXECUTION,
	LEFT_VERSION,
	LEFT_STEP,
	LEFT_STEP_TIME,
	LEFT_WAIT_UNTIL
};

bool
store_workflow_trigger_clear(struct db *db, const struct base_id *workflow, GError **error)
{
	return db_run(db, sql[CLEAR], DB_VALUES(db_id(workflow)), NULL, error);
}

bool
store_workflow_trigger_set(
    struct db *db, const struct store_workflow *workflow, const char *event_name, GError **error)
{
	return store_workflow_trigger_clear(db, &workflow->id, error) &&
	       store_limit_hold_event(db, &workflow->workspace_id, event_name, error) &&
	       db_run(db, sql[SET],
		   DB_VALUES(db_id(&workflow->workspace_id), db_text(event_name),
		       db_id(&workflow->id), db_int(workflow->active_version)),
		   NULL, error);
}

static void
clear_target(void *data)
{
	struct store_target *target = data;

	g_free(target->last_event);
	g_free(target->step_id);
}

static GArray *
read_workflows(struct db_rows *rows)
{
	GArray *targets = g_array_new(FALSE, TRUE, sizeof(struct store_target));

	g_array_set_clear_func(targets, clear_target);
	while (db_rows_next(rows)) {
		struct store_target target = {
		    .version = (guint)db_rows_int(rows, WORKFLOWS_VERSION),
		    .is_told = db_rows_int(rows, WORKFLOWS_TOLD)};

		db_rows_id(rows, WORKFLOWS_ID, &target.workflow_id);
		g_array_append_val(targets, target);
	}
	return targets;
}

static void
add_entry(GArray *targets, const struct base_id *workflow, const struct db_rows *rows)
{
	for (guint i = 0; i < targets->len; i++) {
		struct store_target *target = &g_array_index(targets, struct store_target, i);

		if (target->is_wait || !base_id_equal(&target->workflow_id, workflow))
			continue;
		target->last_event = g_strdup(db_rows_text(rows, LEFT_EVENT));
		target->last_time = db_rows_int(rows, LEFT_STARTED);
	}
}

/* Reads the contact's entries into workflows, and its executions that wait. */
static void
read_left(struct db_rows *rows, GArray *targets)
{
	while (db_rows_next(rows)) {
		struct store_target wait = {.is_wait = true};

		db_rows_id(rows, LEFT_WORKFLOW, &wait.workflow_id);
		if (!db_rows_id(rows, LEFT_EXECUTION, &wait.execution_id)) {
			add_entry(targets, &wait.workflow_id, rows);
			continue;
		}
		wait.version = (guint)db_rows_int(rows, LEFT_VERSION);
		wait.step_id = g_strdup(db_rows_text(rows, LEFT_STEP));
		wait.step_time = db_rows_int(rows, LEFT_STEP_TIME);
		wait.wait_until = db_rows_int(rows, LEFT_WAIT_UNTIL);
		g_array_append_val(targets, wait);
	}
}

GArray *
store_workflow_trigger_targets(
    struct db *db, const struct store_person *contact, const char *event_name, GError **error)
{
	struct db_value id = db_id(&contact->id), name = db_text(event_name);
	const struct db_query queries[] = {
	    {sql[WORKFLOWS], DB_VALUES(db_id(&contact->workspace_id), name)},
	    {sql[LEFT], DB_VALUES(id, id, name)},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	GArray *targets = read_workflows(rows[0]);
	read_left(rows[1], targets);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return targets;
}

#define LEFT_VALUES 3

/* A contact that never entered a workflow has neither. */
static bool
add_left(struct db *db, struct store_workflow_sought *sought, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)LEFT_VALUES * count);
	g_autofree struct db_query *queries = g_new(struct db_query, count);
	g_autofree struct db_rows **rows = g_new0(struct db_rows *, count);
	guint asked = 0, read = 0;

	for (guint i = 0; i < count; i++) {
		struct db_value *row = values + (gsize)LEFT_VALUES * asked;

		if (!sought[i].contact || !sought[i].contact->entered)
			continue;
		row[0] = row[1] = db_id(&sought[i].contact->id);
		row[2] = db_text(sought[i].event_name);
		queries[asked++] = (struct db_query){sql[LEFT], row, LEFT_VALUES};
	}
	if (asked > 0 && !db_select_together(db, queries, asked, rows, error))
		return false;
	for (guint i = 0; i < count; i++)
		if (sought[i].contact && sought[i].contact->entered)
			read_left(rows[read++], sought[i].targets);
	db_rows_free_all(rows, asked);
	return true;
}

static void
clear_sought(struct store_workflow_sought *sought, guint count)
{
	for (guint i = 0; i < count; i++) {
		g_clear_pointer(&sought[i].contact, store_person_free);
		g_clear_pointer(&sought[i].targets, g_array_unref);
	}
}

#define LOCK_VALUES 4

bool
store_workflow_trigger_lock(
    struct db *db, struct store_workflow_sought *sought, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)LOCK_VALUES * count);
	gsize asked = 2 * (gsize)count;
	g_autofree struct db_query *queries = g_new(struct db_query, asked);
	g_autofree struct db_rows **rows = g_new0(struct db_rows *, asked);

	for (guint i = 0; i < count; i++) {
		struct db_value *row = values + (gsize)LOCK_VALUES * i;

		row[2] = db_id(sought[i].workspace);
		row[3] = db_text(sought[i].event_name);
		queries[2 * i] = store_person_ask(sought[i].workspace, sought[i].address, row);
		queries[2 * i + 1] = (struct db_query){sql[WORKFLOWS], row + 2, 2};
	}
	if (!db_select_together(db, queries, asked, rows, error))
		return false;
	for (guint i = 0; i < count; i++) {
		sought[i].contact = store_person_read(rows[2 * i], sought[i].workspace);
		sought[i].targets = read_workflows(rows[2 * i + 1]);
	}
	db_rows_free_all(rows, asked);
	if (add_left(db, sought, count, error))
		return true;
	clear_sought(sought, count);
	return false;
}

bool
store_workflow_trigger_enter(
    struct db *db, const struct store_workflow_entry *entry, GError **error)
{
	const struct db_value values[] = {db_id(entry->workflow), db_id(entry->contact),
	    db_id(entry->workspace), db_text(entry->event_name), db_int(entry->time)};

	return db_defer_row(
	    db, sql[entry->first ? ENTER_FIRST : ENTER], values, G_N_ELEMENTS(values), error);
}

bool
store_workflow_trigger_open(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *email, int status, bool *first_r,
    GError **error)
{
	guint64 added = 0;
	bool done = db_run(db, sql[OPEN],
	    DB_VALUES(db_id(workflow), db_id(email), db_int(status), db_id(workspace)), &added,
	    error);

	*first_r = added > 0;
	return done;
}
