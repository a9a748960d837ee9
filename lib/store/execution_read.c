/* SPDX-License-Identifier: MIT */
/* Executions, as they are read from outside. */
#include "base/error.h"
#include "db/statement.h"
#include "store/execution.h"
#include "store/execution_newest.h"
#include "store/execution_row.h"
#include "store/listing.h"

#define COLUMNS                                                                                    \
	EXECUTION_COLUMNS ", e.error_step, e.error_message, e.cancellation, e.updated,"            \
			  " e.completed, w.deleted, w.name"
#define WORKFLOW " LEFT JOIN workflow w ON w.id = e.workflow_id"

/* The statuses of executions that are not finished. */
#define RUNNING "1, 2"

#define LIST(index, condition)                                                                     \
	"SELECT " COLUMNS " FROM execution e FORCE INDEX (" index ")" WORKFLOW " WHERE " condition \
	" AND e.workspace_id = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?"

enum {
	GET,
	OF_WORKFLOW,
	OF_WORKFLOW_STATUS,
	OF_CONTACT,
	OF_CONTACT_STATUS,
	OF_CONTACT_CANCELLED,
	COUNT_STEPS
};

/* What is not finished although its workflow is deleted counts as cancelled. The workflows of which
   there are such have a row in workflow_task. */
static const char *const sql[] = {
    [GET] = "SELECT " COLUMNS " FROM execution e" WORKFLOW " WHERE e.id = ? AND e.workspace_id = ?",
    [OF_WORKFLOW] = LIST("workflow", "e.workflow_id = ?"),
    [OF_WORKFLOW_STATUS] = LIST("workflow_status", "e.workflow_id = ? AND e.status = ?"),
    [OF_CONTACT] = LIST("contact", "e.contact_id = ?"),
    [OF_CONTACT_STATUS] =
	LIST("contact_status", "e.contact_id = ? AND e.status = ?"
			       " AND (w.deleted IS NULL OR e.status NOT IN (" RUNNING "))"),
    [OF_CONTACT_CANCELLED] =
	"SELECT " COLUMNS " FROM"
	" ((SELECT id FROM execution FORCE INDEX (contact_status)"
	" WHERE contact_id = ? AND status = ? AND id < ? ORDER BY id DESC LIMIT ?)"
	" UNION ALL"
	" (SELECT DISTINCT r.id FROM workflow_task t JOIN workflow d ON d.id = t.workflow_id"
	" JOIN execution r FORCE INDEX (exclusive) ON r.workflow_id = d.id AND r.contact_id = ?"
	" WHERE t.workspace_id = ? AND d.deleted IS NOT NULL AND r.status IN (" RUNNING
	") AND r.id < ? ORDER BY r.id DESC LIMIT ?)) page"
	" JOIN execution e ON e.id = page.id" WORKFLOW
	" WHERE e.workspace_id = ? ORDER BY e.id DESC LIMIT ?",
    [COUNT_STEPS] =
	"SELECT step_id, COUNT(*) FROM execution FORCE INDEX (workflow_status)"
	" WHERE workflow_id = ? AND workspace_id = ? AND status IN (" RUNNING ") GROUP BY step_id",
};

const char *const store_execution_statuses[] = {
    "IN_PROGRESS", "WAITING", "COMPLETED", "FAILED", "CANCELLED", NULL};
const char *const store_execution_cancellations[] = {
    "manual", "contact_deleted", "workflow_deleted", NULL};

void
store_execution_free(struct store_execution *execution)
{
	g_free(execution->email);
	g_free(execution->workflow);
	g_free(execution->step_id);
	g_free(execution->error_step);
	g_free(execution->error_message);
	g_free(execution);
}

bool
store_execution_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Execution not found");
	return false;
}

static void
cancel(struct store_execution *e, gint64 deleted)
{
	if (e->status != EXECUTION_IN_PROGRESS && e->status != EXECUTION_WAITING)
		return;
	e->status = EXECUTION_CANCELLED;
	e->cancellation = CANCELLATION_WORKFLOW_DELETED;
	e->updated = e->completed = deleted;
}

static struct store_execution *
read_row(struct db_rows *rows)
{
	struct store_execution *e = g_new0(struct store_execution, 1);
	guint column = EXECUTION_COLUMN_COUNT;

	store_execution_read(rows, e);
	e->error_step = g_strdup(db_rows_text(rows, column));
	e->error_message = g_strdup(db_rows_text(rows, column + 1));
	e->cancellation = (enum store_execution_cancellation)db_rows_int(rows, column + 2);
	e->updated = db_rows_int(rows, column + 3);
	e->completed = db_rows_int(rows, column + 4);
	if (!db_rows_is_null(rows, column + 5))
		cancel(e, db_rows_int(rows, column + 5));
	e->workflow = g_strdup(db_rows_text(rows, column + 6));
	return e;
}

struct store_execution *
store_execution_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows);
	store_execution_missing(error);
	return NULL;
}

static struct db_rows *
select_any(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, const struct db_value *before, guint limit,
    GError **error)
{
	const struct base_id *workflow = filter->workflow_id;

	return db_select(db, sql[workflow ? OF_WORKFLOW : OF_CONTACT],
	    DB_VALUES(db_id(workflow ? workflow : filter->contact_id), db_id(workspace), *before,
		db_int(limit)),
	    error);
}

static struct db_rows *
select_status(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, const struct db_value *before, guint limit,
    GError **error)
{
	const struct base_id *workflow = filter->workflow_id;

	return db_select(db, sql[workflow ? OF_WORKFLOW_STATUS : OF_CONTACT_STATUS],
	    DB_VALUES(db_id(workflow ? workflow : filter->contact_id), db_int(filter->status),
		db_id(workspace), *before, db_int(limit)),
	    error);
}

static struct db_rows *
select_cancelled(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, const struct db_value *before, guint limit,
    GError **error)
{
	struct db_value contact = db_id(filter->contact_id);

	return db_select(db, sql[OF_CONTACT_CANCELLED],
	    DB_VALUES(contact, db_int(EXECUTION_CANCELLED), *before, db_int(limit), contact,
		db_id(workspace), *before, db_int(limit), db_id(workspace), db_int(limit)),
	    error);
}

static void
free_execution(void *execution)
{
	store_execution_free(execution);
}

/* One by one; what is gone meanwhile is left out. */
static GPtrArray *
read_newest(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error)
{
	g_autoptr(GArray) ids = store_execution_newest(db, workspace, filter, limit, error);
	g_autoptr(GPtrArray) executions = g_ptr_array_new_with_free_func(free_execution);

	for (guint i = 0; ids && i < ids->len; i++) {
		g_autoptr(GError) failure = NULL;
		struct store_execution *execution = store_execution_get(
		    db, workspace, &g_array_index(ids, struct base_id, i), &failure);

		if (execution) {
			g_ptr_array_add(executions, execution);
		} else if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return NULL;
		}
	}
	return ids ? g_steal_pointer(&executions) : NULL;
}

GPtrArray *
store_execution_list(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error)
{
	struct db_value before = store_listing_before(filter->before);
	bool cancelled = !filter->workflow_id && filter->status == EXECUTION_CANCELLED;

	if (!filter->workflow_id && !filter->contact_id)
		return read_newest(db, workspace, filter, limit, error);
	AUTO(db_rows)
	rows = (cancelled	 ? select_cancelled
		: filter->status ? select_status
				 : select_any)(db, workspace, filter, &before, limit, error);

	if (!rows)
		return NULL;
	GPtrArray *executions = g_ptr_array_new_with_free_func(free_execution);
	while (db_rows_next(rows))
		g_ptr_array_add(executions, read_row(rows));
	return executions;
}

GHashTable *
store_execution_count_steps(
    struct db *db, const struct base_id *workspace, const struct base_id *workflow, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[COUNT_STEPS], DB_VALUES(db_id(workflow), db_id(workspace)), error);

	if (!rows)
		return NULL;
	GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	while (db_rows_next(rows)) {
		gint64 count = db_rows_int(rows, 1);
		g_hash_table_insert(
		    counts, g_strdup(db_rows_text(rows, 0)), g_memdup2(&count, sizeof(count)));
	}
	return counts;
}
