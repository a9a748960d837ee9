/* SPDX-License-Identifier: MIT */
/* Workflows, as they are made, changed and looked at by the engine. */
#include "store/workflow_write.h"

#include <string.h>

#include "db/statement.h"

#define MANY 20 /* as many ids as STATES takes */
#define IDS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define STATE "SELECT id, status, deleted FROM workflow WHERE id"

enum { INSERT, LOCK, UPDATE, DELETE, INSERT_VERSION, ONE_STATE, STATES, DESIGN };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO workflow (id, workspace_id, name, status, current_version,"
	       " active_version, created_by, created_by_type, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LOCK] = "SELECT name, status, current_version, active_version, created_by, created_by_type,"
	     " created, updated FROM workflow"
	     " WHERE id = ? AND workspace_id = ? AND deleted IS NULL FOR UPDATE",
    [UPDATE] = "UPDATE workflow SET name = ?, status = ?, current_version = ?, active_version = ?,"
	       " updated = ? WHERE id = ?",
    [DELETE] = "UPDATE workflow SET deleted = ?, updated = ? WHERE id = ?",
    [INSERT_VERSION] = "INSERT INTO workflow_version"
		       " (workflow_id, version, workspace_id, design, created)"
		       " VALUES (?, ?, ?, ?, ?)",
    [ONE_STATE] = STATE " = ? LOCK IN SHARE MODE",
    [STATES] = STATE " IN (" IDS ") ORDER BY id LOCK IN SHARE MODE",
    [DESIGN] = "SELECT design FROM workflow_version WHERE workflow_id = ? AND version = ?",
};

bool
store_workflow_insert(struct db *db, const struct store_workflow *w, GError **error)
{
	return db_run(db, sql[INSERT],
	    DB_VALUES(db_id(&w->id), db_id(&w->workspace_id), db_text(w->name), db_int(w->status),
		db_int(w->current_version), db_int(w->active_version), db_text(w->created_by),
		db_int(w->created_by_type), db_int(w->created), db_int(w->updated)),
	    NULL, error);
}

struct store_workflow *
store_workflow_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LOCK], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		store_workflow_missing(error);
		return NULL;
	}
	struct store_workflow *workflow = g_new0(struct store_workflow, 1);
	workflow->id = *id;
	workflow->workspace_id = *workspace;
	workflow->name = g_strdup(db_rows_text(rows, 0));
	workflow->status = (enum store_workflow_status)db_rows_int(rows, 1);
	workflow->current_version = (guint)db_rows_int(rows, 2);
	workflow->active_version = (guint)db_rows_int(rows, 3);
	workflow->created_by = g_strdup(db_rows_text(rows, 4));
	workflow->created_by_type = (enum store_workflow_author)db_rows_int(rows, 5);
	workflow->created = db_rows_int(rows, 6);
	workflow->updated = db_rows_int(rows, 7);
	return workflow;
}

bool
store_workflow_update(struct db *db, const struct store_workflow *w, GError **error)
{
	return db_run(db, sql[UPDATE],
	    DB_VALUES(db_text(w->name), db_int(w->status), db_int(w->current_version),
		db_int(w->active_version), db_int(w->updated), db_id(&w->id)),
	    NULL, error);
}

bool
store_workflow_delete(struct db *db, const struct base_id *id, gint64 now, GError **error)
{
	return db_run(db, sql[DELETE], DB_VALUES(db_int(now), db_int(now), db_id(id)), NULL, error);
}

bool
store_workflow_version_insert(struct db *db, const struct store_workflow *workflow, guint version,
    const char *design, gsize size, GError **error)
{
	return db_run(db, sql[INSERT_VERSION],
	    DB_VALUES(db_id(&workflow->id), db_int(version), db_id(&workflow->workspace_id),
		db_bytes(design, size), db_int(workflow->updated)),
	    NULL, error);
}

static bool
read_states(struct db *db, struct store_workflow_state *states, guint count, GError **error)
{
	struct db_value ids[MANY];
	guint given = count == 1 ? 1 : MANY;

	for (guint i = 0; i < given; i++)
		ids[i] = db_id(&states[MIN(i, count - 1)].id);
	AUTO(db_rows) rows = db_select(db, sql[count == 1 ? ONE_STATE : STATES], ids, given, error);
	if (!rows)
		return false;
	for (guint i = 0; i < count; i++)
		states[i].deleted = true;
	while (db_rows_next(rows)) {
		struct base_id id;

		db_rows_id(rows, 0, &id);
		for (guint i = 0; i < count; i++)
			if (base_id_equal(&states[i].id, &id)) {
				states[i].status = (enum store_workflow_status)db_rows_int(rows, 1);
				states[i].deleted = !db_rows_is_null(rows, 2);
			}
	}
	return true;
}

bool
store_workflow_states(
    struct db *db, struct store_workflow_state *states, guint count, GError **error)
{
	for (guint i = 0; i < count; i += MANY)
		if (!read_states(db, states + i, MIN(count - i, MANY), error))
			return false;
	return true;
}

bool
store_workflow_design(struct db *db, const struct base_id *id, guint version, char **text_r,
    gsize *size_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[DESIGN], DB_VALUES(db_id(id), db_int(version)), error);

	*text_r = NULL;
	*size_r = 0;
	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return true;
	const char *text = db_rows_bytes(rows, 0, size_r);
	*text_r = g_strndup(text, *size_r);
	return true;
}
