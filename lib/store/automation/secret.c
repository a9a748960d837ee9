/* SPDX-License-Identifier: MIT */
/* Stores, lists and removes secrets. */
#include "store/automation/secret.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define SECRET_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(name, "s.name") NEXT(created, "s.created") NEXT(updated, "s.updated")

enum { TURN, CREATED, COUNT, INSERT, CHANGE, LIST, VALUE, REMOVE };
static const char *const sql[] = {
    [TURN] = "UPDATE workspace SET turn = turn + 1 WHERE id = ?",
    [CREATED] = "SELECT created FROM secret WHERE workspace_id = ? AND name = ?",
    [COUNT] = "SELECT COUNT(*) FROM secret WHERE workspace_id = ?",
    [INSERT] = "INSERT INTO secret (workspace_id, name, value, created, updated)"
	       " VALUES (?, ?, ?, ?, ?)",
    [CHANGE] = "UPDATE secret SET value = ?, updated = ? WHERE workspace_id = ? AND name = ?",
    [LIST] = "SELECT " DB_COLUMNS_SQL(SECRET_COLUMNS) " FROM secret s WHERE s.workspace_id = ?"
						      " AND s.name > ? ORDER BY s.name LIMIT ?",
    [VALUE] = "SELECT value FROM secret WHERE workspace_id = ? AND name = ?",
    [REMOVE] = "DELETE FROM secret WHERE workspace_id = ? AND name = ?",
};

STORE_LISTING_READER(secret_read_row, struct store_secret, SECRET_COLUMNS)

void
store_secret_free(struct store_secret *secret)
{
	g_free(secret->name);
	g_free(secret);
}

static bool
secret_hold(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[COUNT], DB_VALUES(db_id(workspace)), error);

	if (!rows || !db_rows_next(rows))
		return false;
	return db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_SECRETS ||
	       base_fail(
		   error, PH_ERROR_CONFLICT, "Limit reached: at most %d secrets", LIMIT_SECRETS);
}

bool
store_secret_put(
    struct db *db, struct store_secret *secret, GBytes *value, bool *made_r, GError **error)
{
	const struct base_id *workspace = &secret->workspace_id;
	gsize size;
	const void *bytes = g_bytes_get_data(value, &size);

	/* The row of the workspace is locked, so that two requests count one after the other. */
	if (!db_run(db, sql[TURN], DB_VALUES(db_id(workspace)), NULL, error))
		return false;
	AUTO(db_rows)
	rows =
	    db_select(db, sql[CREATED], DB_VALUES(db_id(workspace), db_text(secret->name)), error);
	if (!rows)
		return false;
	*made_r = !db_rows_next(rows);
	secret->updated = base_clock_now();
	secret->created = *made_r ? secret->updated : db_rows_int(rows, DB_ROWS_ONLY);
	if (!*made_r)
		return db_run(db, sql[CHANGE],
		    DB_VALUES(db_bytes(bytes, size), db_int(secret->updated), db_id(workspace),
			db_text(secret->name)),
		    NULL, error);
	return secret_hold(db, workspace, error) &&
	       db_run(db, sql[INSERT],
		   DB_VALUES(db_id(workspace), db_text(secret->name), db_bytes(bytes, size),
		       db_int(secret->created), db_int(secret->updated)),
		   NULL, error);
}

GPtrArray *
store_secret_list(
    struct db *db, const struct base_id *workspace, const char *after, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[LIST], DB_VALUES(db_id(workspace), db_text(after), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)store_secret_free);
	while (db_rows_next(rows))
		g_ptr_array_add(list, secret_read_row(rows, workspace));
	return list;
}

/* The column is ASCII, and the database refuses to compare it with anything else. */
static const char *
secret_comparable(const char *name)
{
	return g_str_is_ascii(name) ? name : "";
}

GBytes *
store_secret_value(struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[VALUE], DB_VALUES(db_id(workspace), db_text(secret_comparable(name))), error);
	gsize size;

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Secret not found");
		return NULL;
	}
	const void *bytes = db_rows_bytes(rows, DB_ROWS_ONLY, &size);
	return g_bytes_new(bytes, size);
}

bool
store_secret_remove(
    struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	guint64 affected = 0;

	return db_run(db, sql[REMOVE],
		   DB_VALUES(db_id(workspace), db_text(secret_comparable(name))), &affected,
		   error) &&
	       (affected > 0 || base_fail(error, PH_ERROR_NOT_FOUND, "Secret not found"));
}
