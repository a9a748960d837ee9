/* SPDX-License-Identifier: MIT */
/* Creates, finds and lists workspaces. */
#include "store/workspace/workspace.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"

#define BATCH 1000 /* rows that a sweep removes at once */

#define WORKSPACE_COLUMNS(FIRST, NEXT)                                                             \
	FIRST(id, "w.id")                                                                          \
	NEXT(name, "w.name")                                                                       \
	NEXT(default_sender, "w.default_sender")                                                   \
	NEXT(created, "w.created")
#define COLUMNS DB_COLUMNS_SQL(WORKSPACE_COLUMNS)
#define ROWS "SELECT " COLUMNS " FROM workspace w"

enum {
	CREATE,
	FIND,
	ONLY,
	OF_DOMAIN,
	GET,
	CHANGE,
	LEAVE_NAME,
	KEPT_NAME,
	TAKE_NAME,
	SWEEP_NAMES,
	LIST,
	SENDER,
	SET_SENDER
};
/* System-wide: OF_DOMAIN, KEPT_NAME, TAKE_NAME, SWEEP_NAMES. An operator gives a message, and its
   sender tells the workspace; a name is of the whole installation. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO workspace (id, name, default_sender, created) VALUES (?, ?, ?, ?)",
    [FIND] = ROWS " WHERE w.name = ?",
    [ONLY] = ROWS " LIMIT 2",
    /* The domains have no index of their names alone. */
    [OF_DOMAIN] = "SELECT STRAIGHT_JOIN " COLUMNS
		  " FROM workspace w JOIN domain d ON d.workspace_id = w.id AND d.name = ? LIMIT 2",
    [GET] = ROWS " WHERE w.id = ?",
    [CHANGE] = "UPDATE workspace SET name = COALESCE(?, name),"
	       " default_sender = COALESCE(?, default_sender) WHERE id = ?",
    [LEAVE_NAME] = "INSERT INTO workspace_name (name, workspace_id, left_at)"
		   " SELECT name, id, ? FROM workspace WHERE id = ? AND name <> ?"
		   " ON DUPLICATE KEY UPDATE workspace_id = VALUES(workspace_id),"
		   " left_at = VALUES(left_at)",
    [KEPT_NAME] = "SELECT 1 FROM workspace_name WHERE name = ? AND workspace_id <> ?"
		  " AND left_at > ? LOCK IN SHARE MODE",
    [TAKE_NAME] = "DELETE FROM workspace_name WHERE name = ?",
    [SWEEP_NAMES] = "DELETE FROM workspace_name WHERE left_at < ? LIMIT ?",
    [LIST] = ROWS " ORDER BY w.id DESC",
    [SENDER] = "SELECT default_sender FROM workspace WHERE id = ?",
    [SET_SENDER] = "UPDATE workspace SET default_sender = ? WHERE id = ?",
};

/* Readable in the database. */
const struct base_id store_workspace_system = {
    {'p', 'o', 's', 't', 'h', 'o', 'u', 's', 'e', '-', 's', 'y', 's', 't', 'e', 'm'}};

bool
store_workspace_is_system(const struct base_id *id)
{
	return base_id_equal(id, &store_workspace_system);
}

void
store_workspace_free(struct store_workspace *workspace)
{
	g_free(workspace->name);
	g_free(workspace->default_sender);
	g_free(workspace);
}

/* A workspace that is made, or changed. Texts may be NULL in a change: they stay. */
struct naming {
	const struct base_id *id;
	const char *name, *default_sender;
};

/* Takes a name that the workspace has now, unless another one left it less than a year ago. The
   name is unique, so whoever leaves it at the same time has ended. */
static bool
take_name(struct db *db, const struct naming *naming, GError **error)
{
	gint64 since = base_clock_now() - LIMIT_WORKSPACE_NAME_MS;
	AUTO(db_rows) rows = db_select(db, sql[KEPT_NAME],
	    DB_VALUES(db_text(naming->name), db_id(naming->id), db_int(since)), error);

	if (!rows)
		return false;
	if (db_rows_next(rows))
		return base_fail(error, PH_ERROR_CONFLICT, STORE_WORKSPACE_KEPT);
	g_clear_pointer(&rows, db_rows_free);
	return db_run(db, sql[TAKE_NAME], DB_VALUES(db_text(naming->name)), NULL, error);
}

static bool
store_workspace_workspace_create(struct db *db, void *context, GError **error)
{
	const struct naming *naming = context;

	return db_run(db, sql[CREATE],
		   DB_VALUES(db_id(naming->id), db_text(naming->name),
		       db_text(naming->default_sender), db_int(base_clock_now())),
		   NULL, error) &&
	       take_name(db, naming, error);
}

bool
store_workspace_create(struct db *db, const char *name, const char *default_sender,
    struct base_id *id_r, GError **error)
{
	struct naming naming = {id_r, name, default_sender};

	*id_r = base_id_new();
	return db_transact(db, store_workspace_workspace_create, &naming, error);
}

DB_COLUMNS_MAKER(workspace_read_row, struct store_workspace, WORKSPACE_COLUMNS)

struct store_workspace *
store_workspace_find(struct db *db, const char *name, GError **error)
{
	AUTO(db_rows) rows = name ? db_select(db, sql[FIND], DB_VALUES(db_text(name)), error)
				  : db_select(db, sql[ONLY], NULL, 0, error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		if (name)
			g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
			    "there is no workspace \"%s\"", name);
		else
			g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
			    "there is no workspace yet: run \"posthouse workspace create NAME\"");
		return NULL;
	}
	AUTO(store_workspace) workspace = workspace_read_row(rows);
	if (db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "there are several workspaces: say which with --workspace");
		return NULL;
	}
	return g_steal_pointer(&workspace);
}

struct store_workspace *
store_workspace_of_domain(struct db *db, const char *name, GError **error)
{
	for (const char *suffix = name; suffix && strchr(suffix, '.');
	     suffix = strchr(suffix, '.') + 1) {
		AUTO(db_rows) rows =
		    db_select(db, sql[OF_DOMAIN], DB_VALUES(db_text(suffix)), error);

		if (!rows)
			return NULL;
		if (!db_rows_next(rows))
			continue;
		AUTO(store_workspace) workspace = workspace_read_row(rows);
		if (!db_rows_next(rows))
			return g_steal_pointer(&workspace);
		break;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "there is no one workspace that has a domain for %s", name);
	return NULL;
}

struct store_workspace *
store_workspace_get(struct db *db, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return workspace_read_row(rows);
	base_fail(error, PH_ERROR_NOT_FOUND, "Workspace not found");
	return NULL;
}

static bool
workspace_change(struct db *db, void *context, GError **error)
{
	const struct naming *naming = context;

	return (!naming->name || db_run(db, sql[LEAVE_NAME],
				     DB_VALUES(db_int(base_clock_now()), db_id(naming->id),
					 db_text(naming->name)),
				     NULL, error)) &&
	       db_run(db, sql[CHANGE],
		   DB_VALUES(
		       db_text(naming->name), db_text(naming->default_sender), db_id(naming->id)),
		   NULL, error) &&
	       (!naming->name || take_name(db, naming, error));
}

bool
store_workspace_change(struct db *db, const struct base_id *id, const char *name,
    const char *default_sender, GError **error)
{
	struct naming naming = {id, name, default_sender};

	return db_transact(db, workspace_change, &naming, error);
}

bool
store_workspace_sweep_names(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(
		db, sql[SWEEP_NAMES], DB_VALUES(db_int(before), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

GPtrArray *
store_workspace_list(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], NULL, 0, error);

	if (!rows)
		return NULL;
	GPtrArray *workspaces = g_ptr_array_new_with_free_func(store_workspace_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(workspaces, workspace_read_row(rows));
	return workspaces;
}

bool
store_workspace_sender(
    struct db *db, const struct base_id *workspace, char **sender_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[SENDER], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return false;
	*sender_r = db_rows_next(rows) ? g_strdup(db_rows_text(rows, DB_ROWS_ONLY)) : NULL;
	return true;
}

bool
store_workspace_set_sender(
    struct db *db, const struct base_id *workspace, const char *sender, GError **error)
{
	return db_run(
	    db, sql[SET_SENDER], DB_VALUES(db_text(sender), db_id(workspace)), NULL, error);
}
