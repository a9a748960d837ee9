/* SPDX-License-Identifier: MIT */
/* Workflows, as they are read. */
#include <string.h>

#include "base/error.h"
#include "db/statement.h"
#include "store/listing.h"
#include "store/workflow.h"

#define COLUMNS                                                                                    \
	"w.id, w.name, w.status, w.current_version, w.active_version, w.created_by,"               \
	" w.created_by_type, w.created, w.updated"
#define DESIGN_COLUMN 9

enum { GET, DESIGN, CHECK, FIND, LIST };
static const char *const sql[] = {
    [GET] = "SELECT " COLUMNS ", v.design FROM workflow w LEFT JOIN workflow_version v"
	    " ON v.workflow_id = w.id AND v.version = w.current_version"
	    " WHERE w.id = ? AND w.workspace_id = ? AND w.deleted IS NULL",
    [DESIGN] = "SELECT design FROM workflow_version"
	       " WHERE workflow_id = ? AND version = ? AND workspace_id = ?",
    [CHECK] = "SELECT 1 FROM workflow WHERE id = ? AND workspace_id = ? AND deleted IS NULL",
    [FIND] = "SELECT id FROM workflow"
	     " WHERE workspace_id = ? AND deleted IS NULL AND name = ? LIMIT 2",
    [LIST] = "SELECT " COLUMNS ", NULL FROM workflow w FORCE INDEX (workspace)"
	     " WHERE w.workspace_id = ? AND w.deleted IS NULL AND w.id < ?"
	     " ORDER BY w.id DESC LIMIT ?",
};

static const char *const statuses[] = {
    [WORKFLOW_DRAFT] = "draft",
    [WORKFLOW_ACTIVE] = "active",
    [WORKFLOW_PAUSED] = "paused",
};

void
store_workflow_free(struct store_workflow *workflow)
{
	g_free(workflow->name);
	g_free(workflow->created_by);
	g_free(workflow->design);
	g_free(workflow);
}

const char *
store_workflow_status_name(enum store_workflow_status status)
{
	return statuses[status];
}

enum store_workflow_status
store_workflow_status(const char *name)
{
	for (guint i = 1; i < G_N_ELEMENTS(statuses); i++)
		if (strcmp(statuses[i], name) == 0)
			return (enum store_workflow_status)i;
	return 0;
}

const char *
store_workflow_author_name(enum store_workflow_author author)
{
	return author == AUTHOR_USER ? "user" : "apiKey";
}

bool
store_workflow_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Workflow not found");
	return false;
}

static void *
read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_workflow *workflow = g_new0(struct store_workflow, 1);

	db_rows_id(rows, 0, &workflow->id);
	workflow->workspace_id = *workspace;
	workflow->name = g_strdup(db_rows_text(rows, 1));
	workflow->status = (enum store_workflow_status)db_rows_int(rows, 2);
	workflow->current_version = (guint)db_rows_int(rows, 3);
	workflow->active_version = (guint)db_rows_int(rows, 4);
	workflow->created_by = g_strdup(db_rows_text(rows, 5));
	workflow->created_by_type = (enum store_workflow_author)db_rows_int(rows, 6);
	workflow->created = db_rows_int(rows, 7);
	workflow->updated = db_rows_int(rows, 8);
	workflow->design = g_strdup(db_rows_text(rows, DESIGN_COLUMN));
	return workflow;
}

struct store_workflow *
store_workflow_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace);
	store_workflow_missing(error);
	return NULL;
}

char *
store_workflow_version(struct db *db, const struct base_id *workspace, const struct base_id *id,
    guint version, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[DESIGN], DB_VALUES(db_id(id), db_int(version), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return g_strdup(db_rows_text(rows, 0));
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "the workflow has no version %u", version);
	return NULL;
}

bool
store_workflow_check(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[CHECK], DB_VALUES(db_id(id), db_id(workspace)), error);

	return rows && (db_rows_next(rows) || store_workflow_missing(error));
}

bool
store_workflow_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error)
{
	return store_listing_find(db, sql[FIND], workspace, name, "workflow", id_r, error);
}

static void
free_workflow(void *workflow)
{
	store_workflow_free(workflow);
}

GPtrArray *
store_workflow_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(
	    db, sql[LIST], workspace, before, limit, read_row, free_workflow, error);
}
