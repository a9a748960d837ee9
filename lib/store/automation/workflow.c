/* SPDX-License-Identifier: MIT */
/* Writes, reads and lists workflows and their versions, and the tasks that remain for their
   executions. */
#include "store/automation/workflow.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define MANY 20 /* the number of ids that STATES takes */
#define IDS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define STATE "SELECT id, status, deleted FROM workflow WHERE id"
/* The columns of STATE. */
enum { STATE_ID, STATE_STATUS, STATE_DELETED };

#define WORKFLOW_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(id, "w.id")                                                                          \
	NEXT(name, "w.name")                                                                       \
	NEXT(status, "w.status")                                                                   \
	NEXT(current_version, "w.current_version")                                                 \
	NEXT(active_version, "w.active_version")                                                   \
	NEXT(created_by, "w.created_by")                                                           \
	NEXT(created_by_type, "w.created_by_type")                                                 \
	NEXT(created, "w.created")                                                                 \
	NEXT(updated, "w.updated")
#define COLUMNS DB_COLUMNS_SQL(WORKFLOW_COLUMNS)
#define WHOLE_COLUMNS(FIRST, NEXT)                                                                 \
	WORKFLOW_COLUMNS(FIRST, NEXT) NEXT(design, "v.design") NEXT(form, "v.form")
#define WHOLE DB_COLUMNS_SQL(WHOLE_COLUMNS)
#define VERSION_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(version, "version") NEXT(created, "created") NEXT(created_by, "created_by")
#define WHOLE_VERSION_COLUMNS(FIRST, NEXT)                                                         \
	VERSION_COLUMNS(FIRST, NEXT) NEXT(design, "design") NEXT(form, "form")
#define OF_VERSION DB_COLUMNS_SQL(VERSION_COLUMNS)
#define OF_WHOLE_VERSION DB_COLUMNS_SQL(WHOLE_VERSION_COLUMNS)

#define PAGE(condition, order)                                                                     \
	"SELECT " COLUMNS " FROM (SELECT id FROM workflow FORCE INDEX (workspace)"                 \
	" WHERE workspace_id = ? AND deleted IS NULL AND " condition                               \
	" AND IF(status = " WORKFLOW_ACTIVE_SQL ", ?, ?)"                                          \
	" ORDER BY id " order " LIMIT ?) page JOIN workflow w ON w.id = page.id"                   \
	" ORDER BY w.id DESC"

enum {
	INSERT,
	LOCK,
	UPDATE,
	DELETE,
	INSERT_VERSION,
	ONE_STATE,
	STATES,
	DESIGN,
	GET,
	READ_DESIGN,
	ONE_VERSION,
	VERSIONS,
	CHECK,
	FIND,
	OLDER,
	NEWER,
	ADD,
	TASK_LIST,
	TAKE,
	DONE,
	SWEEP_ENTRIES,
	SWEEP_KEYS,
	SWEEP_VERSIONS
};
/* System-wide: TASK_LIST. The spool does the tasks of all workspaces. */
/* By checked ids: UPDATE, DELETE, ONE_STATE, STATES, DESIGN, TAKE, DONE, SWEEP_ENTRIES,
   SWEEP_KEYS, SWEEP_VERSIONS. The caller has locked the workflow in its workspace, or has one of
   its executions or tasks. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO workflow (id, workspace_id, name, status, current_version,"
	       " active_version, created_by, created_by_type, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LOCK] = "SELECT " COLUMNS " FROM workflow w"
	     " WHERE w.id = ? AND w.workspace_id = ? AND w.deleted IS NULL FOR UPDATE",
    [UPDATE] = "UPDATE workflow SET name = ?, status = ?, current_version = ?, active_version = ?,"
	       " updated = ? WHERE id = ?",
    [DELETE] = "UPDATE workflow SET deleted = ?, updated = ? WHERE id = ?",
    [INSERT_VERSION] = "INSERT INTO workflow_version"
		       " (workflow_id, version, workspace_id, design, form, created,"
		       " created_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [ONE_STATE] = STATE " = ? LOCK IN SHARE MODE",
    [STATES] = STATE " IN (" IDS ") ORDER BY id LOCK IN SHARE MODE",
    [DESIGN] = "SELECT design, form IS NOT NULL FROM workflow_version WHERE workflow_id = ? AND "
	       "version = ?",
    [GET] = "SELECT " WHOLE " FROM workflow w LEFT JOIN workflow_version v"
	    " ON v.workflow_id = w.id AND v.version = w.current_version"
	    " WHERE w.id = ? AND w.workspace_id = ? AND w.deleted IS NULL",
    [READ_DESIGN] = "SELECT design, form FROM workflow_version"
		    " WHERE workflow_id = ? AND version = ? AND workspace_id = ?",
    [ONE_VERSION] = "SELECT " OF_WHOLE_VERSION " FROM workflow_version"
		    " WHERE workflow_id = ? AND version = ? AND workspace_id = ?",
    [VERSIONS] = "SELECT " OF_VERSION " FROM workflow_version"
		 " WHERE workflow_id = ? AND version < ? AND workspace_id = ?"
		 " ORDER BY version DESC LIMIT ?",
    [CHECK] = "SELECT 1 FROM workflow WHERE id = ? AND workspace_id = ? AND deleted IS NULL",
    [FIND] = "SELECT id FROM workflow"
	     " WHERE workspace_id = ? AND deleted IS NULL AND name = ? LIMIT 2",
    [OLDER] = PAGE("id < ?", "DESC"),
    [NEWER] = PAGE("id > ?", ""),
    [ADD] = "INSERT INTO workflow_task (workflow_id, kind, workspace_id) VALUES (?, ?, ?)"
	    " ON DUPLICATE KEY UPDATE workspace_id = VALUES(workspace_id)",
    [TASK_LIST] = "SELECT workflow_id, kind FROM workflow_task ORDER BY workflow_id, kind",
    [TAKE] = "SELECT 1 FROM workflow_task WHERE workflow_id = ? AND kind = ?"
	     " FOR UPDATE SKIP LOCKED",
    [DONE] = "DELETE FROM workflow_task WHERE workflow_id = ? AND kind = ?",
    [SWEEP_ENTRIES] = "DELETE FROM workflow_entry WHERE workflow_id = ? ORDER BY contact_id"
		      " LIMIT ?",
    [SWEEP_KEYS] = "DELETE FROM workflow_key WHERE workflow_id = ? ORDER BY contact_id, hash"
		   " LIMIT ?",
    [SWEEP_VERSIONS] = "DELETE FROM workflow_version WHERE workflow_id = ? ORDER BY version"
		       " LIMIT ?",
};

/* The columns of DESIGN. */
enum { DESIGN_TEXT, DESIGN_HAS_FORM };

/* The columns of READ_DESIGN. */
enum { READ_DESIGN_DESIGN, READ_DESIGN_FORM };

/* The columns of TASK_LIST. */
enum { TASK_WORKFLOW, TASK_KIND };

STORE_LISTING_READER(workflow_read_row, struct store_workflow, WORKFLOW_COLUMNS)
STORE_LISTING_READER(workflow_read_whole, struct store_workflow, WHOLE_COLUMNS)
DB_COLUMNS_MAKER(workflow_read_version, struct store_workflow_version, VERSION_COLUMNS)
DB_COLUMNS_MAKER(workflow_read_whole_version, struct store_workflow_version, WHOLE_VERSION_COLUMNS)

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
	return store_listing_one(
	    db_select(db, sql[LOCK], DB_VALUES(db_id(id), db_id(workspace)), error), workspace,
	    workflow_read_row, store_workflow_missing, error);
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
store_workflow_version_insert(struct db *db, const struct store_workflow *workflow,
    const struct store_workflow_saved *saved, GError **error)
{
	return db_run(db, sql[INSERT_VERSION],
	    DB_VALUES(db_id(&workflow->id), db_int(workflow->current_version),
		db_id(&workflow->workspace_id), db_bytes(saved->design, saved->size),
		db_text(saved->form), db_int(workflow->updated), db_text(saved->created_by)),
	    NULL, error);
}

static bool
workflow_read_states(
    struct db *db, struct store_workflow_state *states, guint count, GError **error)
{
	struct db_value ids[MANY];
	guint given = count == 1 ? 1 : MANY;

	for (guint i = 0; i < given; i++)
		ids[i] = db_id(&states[MIN(i, count - 1)].id);
	AUTO(db_rows) rows = db_select(db, sql[count == 1 ? ONE_STATE : STATES], ids, given, error);
	if (!rows)
		return false;
	for (guint i = 0; i < count; i++)
		states[i].deleted = base_clock_now();
	while (db_rows_next(rows)) {
		struct base_id id;

		db_rows_id(rows, STATE_ID, &id);
		for (guint i = 0; i < count; i++)
			if (base_id_equal(&states[i].id, &id)) {
				states[i].status =
				    (enum store_workflow_status)db_rows_int(rows, STATE_STATUS);
				states[i].deleted = db_rows_int(rows, STATE_DELETED);
			}
	}
	return true;
}

bool
store_workflow_states(
    struct db *db, struct store_workflow_state *states, guint count, GError **error)
{
	for (guint i = 0; i < count; i += MANY)
		if (!workflow_read_states(db, states + i, MIN(count - i, MANY), error))
			return false;
	return true;
}

bool
store_workflow_design(struct db *db, const struct base_id *id, guint version,
    struct store_workflow_design *design_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[DESIGN], DB_VALUES(db_id(id), db_int(version)), error);

	*design_r = (struct store_workflow_design){.text = NULL};
	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return true;
	const char *text = db_rows_bytes(rows, DESIGN_TEXT, &design_r->size);
	design_r->text = g_strndup(text, design_r->size);
	design_r->has_form = db_rows_int(rows, DESIGN_HAS_FORM) != 0;
	return true;
}

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
	g_free(workflow->form);
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

struct store_workflow *
store_workflow_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error), workspace,
	    workflow_read_whole, store_workflow_missing, error);
}

struct store_workflow_version *
store_workflow_version_form(struct db *db, const struct base_id *workspace,
    const struct base_id *id, guint version, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[READ_DESIGN], DB_VALUES(db_id(id), db_int(version), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "the workflow has no version %u", version);
		return NULL;
	}
	struct store_workflow_version *found = g_new0(struct store_workflow_version, 1);
	found->version = version;
	found->design = g_strdup(db_rows_text(rows, READ_DESIGN_DESIGN));
	found->form = g_strdup(db_rows_text(rows, READ_DESIGN_FORM));
	return found;
}

char *
store_workflow_version(struct db *db, const struct base_id *workspace, const struct base_id *id,
    guint version, GError **error)
{
	AUTO(store_workflow_version)
	found = store_workflow_version_form(db, workspace, id, version, error);

	return found ? g_steal_pointer(&found->design) : NULL;
}

void
store_workflow_version_free(struct store_workflow_version *version)
{
	g_free(version->created_by);
	g_free(version->design);
	g_free(version->form);
	g_free(version);
}

struct store_workflow_version *
store_workflow_version_get(struct db *db, const struct base_id *workspace, const struct base_id *id,
    guint version, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[ONE_VERSION], DB_VALUES(db_id(id), db_int(version), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return workflow_read_whole_version(rows);
	base_fail(error, PH_ERROR_NOT_FOUND, "Version not found");
	return NULL;
}

GPtrArray *
store_workflow_version_list(struct db *db, const struct base_id *workspace,
    const struct base_id *id, guint before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[VERSIONS],
	    DB_VALUES(db_id(id), db_int(before), db_id(workspace), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *versions = g_ptr_array_new_with_free_func(store_workflow_version_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(versions, workflow_read_version(rows));
	return versions;
}

bool
store_workflow_check(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[CHECK], DB_VALUES(db_id(id), db_id(workspace)), error);

	return rows && (db_rows_next(rows) || store_workflow_missing(error));
}

bool
store_workflow_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error)
{
	return store_listing_find(db, sql[FIND], workspace, name, "workflow", id_r, error);
}

STORE_LISTING(listing, workflow_read_row, store_workflow_destroy,
    "SELECT " COLUMNS " FROM workflow w FORCE INDEX (workspace)"
    " WHERE w.workspace_id = ? AND w.deleted IS NULL",
    "w.id");

GPtrArray *
store_workflow_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

GPtrArray *
store_workflow_page(struct db *db, const struct base_id *workspace, const struct store_page *page,
    struct store_workflow_wanted wanted, GError **error)
{
	const struct base_id *cursor = page->side == STORE_PAGE_FIRST ? NULL : &page->cursor;
	AUTO(db_rows)
	rows = db_select(db, sql[page->side == STORE_PAGE_NEWER ? NEWER : OLDER],
	    DB_VALUES(db_id(workspace), store_listing_before(cursor), db_int(wanted.active),
		db_int(wanted.other), db_int(page->limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *workflows = g_ptr_array_new_with_free_func(store_workflow_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(workflows, workflow_read_row(rows, workspace));
	return workflows;
}

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
	AUTO(db_rows) rows = db_select(db, sql[TASK_LIST], NULL, 0, error);
	struct store_workflow_task task;

	if (!rows)
		return NULL;
	GArray *tasks = g_array_new(FALSE, FALSE, sizeof(task));
	while (db_rows_next(rows)) {
		db_rows_id(rows, TASK_WORKFLOW, &task.workflow_id);
		task.kind = (enum store_workflow_task_kind)db_rows_int(rows, TASK_KIND);
		g_array_append_val(tasks, task);
	}
	return tasks;
}

bool
store_workflow_task_take(
    struct db *db, const struct store_workflow_task *task, bool *taken_r, GError **error)
{
	AUTO(db_rows) rows = db_select(
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
	guint64 entries = 0, keys = 0, versions = 0;

	if (!db_run(db, sql[SWEEP_ENTRIES], DB_VALUES(db_id(workflow), db_int(limit)), &entries,
		error) ||
	    !db_run(db, sql[SWEEP_KEYS], DB_VALUES(db_id(workflow), db_int(limit)), &keys, error) ||
	    !db_run(db, sql[SWEEP_VERSIONS], DB_VALUES(db_id(workflow), db_int(limit)), &versions,
		error))
		return false;
	*count_r = (guint)(entries + keys + versions);
	return true;
}
