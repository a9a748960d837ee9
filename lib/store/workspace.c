/* SPDX-License-Identifier: MIT */
/* Creates, finds and lists workspaces and their users. */
#include "store/workspace.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"

#define COLUMNS "id, name, default_sender, created"
/* The columns of COLUMNS. */
enum { W_ID, W_NAME, W_DEFAULT_SENDER, W_CREATED };

enum {
	CREATE,
	FIND,
	ONLY,
	GET,
	CHANGE,
	LIST,
	SENDER,
	SET_SENDER,
	ADD_USER,
	LIST_USERS,
	FIND_USER,
	FIRST_USER
};
static const char *const sql[] = {
    [CREATE] = "INSERT INTO workspace (id, name, default_sender, created) VALUES (?, ?, ?, ?)",
    [FIND] = "SELECT " COLUMNS " FROM workspace WHERE name = ?",
    [ONLY] = "SELECT " COLUMNS " FROM workspace LIMIT 2",
    [GET] = "SELECT " COLUMNS " FROM workspace WHERE id = ?",
    [CHANGE] = "UPDATE workspace SET name = COALESCE(?, name),"
	       " default_sender = COALESCE(?, default_sender) WHERE id = ?",
    [LIST] = "SELECT " COLUMNS " FROM workspace ORDER BY id",
    [SENDER] = "SELECT default_sender FROM workspace WHERE id = ?",
    [SET_SENDER] = "UPDATE workspace SET default_sender = ? WHERE id = ?",
    [ADD_USER] =
	"INSERT INTO user (id, workspace_id, email, first_name, last_name, picture, created)"
	" VALUES (?, ?, ?, ?, ?, ?, ?)",
    [LIST_USERS] = "SELECT id, email, first_name, last_name, picture, created FROM user"
		   " WHERE workspace_id = ? ORDER BY id",
    [FIND_USER] = "SELECT id FROM user WHERE workspace_id = ? AND email = ?",
    [FIRST_USER] = "SELECT email FROM user WHERE workspace_id = ? ORDER BY id LIMIT 1",
};

/* The columns of LIST_USERS. */
enum { USERS_ID, USERS_EMAIL, USERS_FIRST_NAME, USERS_LAST_NAME, USERS_PICTURE, USERS_CREATED };

void
store_workspace_free(struct store_workspace *workspace)
{
	g_free(workspace->name);
	g_free(workspace->default_sender);
	g_free(workspace);
}

bool
store_workspace_create(struct db *db, const char *name, const char *default_sender,
    struct base_id *id_r, GError **error)
{
	*id_r = base_id_new();
	return db_run(db, sql[CREATE],
	    DB_VALUES(
		db_id(id_r), db_text(name), db_text(default_sender), db_int(base_clock_now())),
	    NULL, error);
}

static struct store_workspace *
read_row(struct db_rows *rows)
{
	struct store_workspace *workspace = g_new0(struct store_workspace, 1);

	db_rows_id(rows, W_ID, &workspace->id);
	workspace->name = g_strdup(db_rows_text(rows, W_NAME));
	workspace->default_sender = g_strdup(db_rows_text(rows, W_DEFAULT_SENDER));
	workspace->created = db_rows_int(rows, W_CREATED);
	return workspace;
}

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
	AUTO(store_workspace) workspace = read_row(rows);
	if (db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "there are several workspaces: say which with --workspace");
		return NULL;
	}
	return g_steal_pointer(&workspace);
}

struct store_workspace *
store_workspace_get(struct db *db, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows);
	base_fail(error, PH_ERROR_NOT_FOUND, "Workspace not found");
	return NULL;
}

bool
store_workspace_change(struct db *db, const struct base_id *id, const char *name,
    const char *default_sender, GError **error)
{
	return db_run(db, sql[CHANGE], DB_VALUES(db_text(name), db_text(default_sender), db_id(id)),
	    NULL, error);
}

static void
free_workspace(void *workspace)
{
	store_workspace_free(workspace);
}

GPtrArray *
store_workspace_list(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], NULL, 0, error);

	if (!rows)
		return NULL;
	GPtrArray *workspaces = g_ptr_array_new_with_free_func(free_workspace);
	while (db_rows_next(rows))
		g_ptr_array_add(workspaces, read_row(rows));
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

bool
store_workspace_add_user(
    struct db *db, const struct base_id *workspace, struct store_user *user, GError **error)
{
	user->id = base_id_new();
	return db_run(db, sql[ADD_USER],
	    DB_VALUES(db_id(&user->id), db_id(workspace), db_text(user->email),
		db_text(user->first_name), db_text(user->last_name), db_text(user->picture),
		db_int(base_clock_now())),
	    NULL, error);
}

bool
store_workspace_list_users(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_user *user, gint64 created, void *context), void *context,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST_USERS], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_user user = {
		    .email = db_rows_text(rows, USERS_EMAIL),
		    .first_name = db_rows_text(rows, USERS_FIRST_NAME),
		    .last_name = db_rows_text(rows, USERS_LAST_NAME),
		    .picture = db_rows_text(rows, USERS_PICTURE),
		};
		db_rows_id(rows, USERS_ID, &user.id);
		row(&user, db_rows_int(rows, USERS_CREATED), context);
	}
	return true;
}

bool
store_workspace_find_user(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error)
{
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (g_str_is_ascii(email)) {
		AUTO(db_rows) rows = db_select(
		    db, sql[FIND_USER], DB_VALUES(db_id(workspace), db_text(email)), error);

		if (!rows)
			return false;
		if (db_rows_next(rows))
			return db_rows_id(rows, DB_ROWS_ONLY, id_r);
	}
	g_set_error(
	    error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no user %s in this workspace", email);
	return false;
}

char *
store_workspace_user(
    struct db *db, const struct base_id *workspace, const char *email, GError **error)
{
	struct base_id id;

	if (email)
		return store_workspace_find_user(db, workspace, email, &id, error) ? g_strdup(email)
										   : NULL;
	AUTO(db_rows) rows = db_select(db, sql[FIRST_USER], DB_VALUES(db_id(workspace)), error);
	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return g_strdup(db_rows_text(rows, DB_ROWS_ONLY));
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "there is no user in this workspace yet: add one with \"posthouse user add EMAIL\"");
	return NULL;
}
