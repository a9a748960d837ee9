/* SPDX-License-Identifier: MIT */
/* Stores, lists and removes notes. */
#include "store/workspace/note.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/edit.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"

#define BATCH 500

#define NOTE_COLUMNS(FIRST, NEXT)                                                                  \
	FIRST(kind, "kind") NEXT(name, "name") NEXT(created, "created") NEXT(updated, "updated")
#define WHOLE_COLUMNS(FIRST, NEXT) NOTE_COLUMNS(FIRST, NEXT) NEXT(data, "data")
#define OF_USER " FROM note WHERE user_id = ? AND workspace_id = ?"

enum { LIST, GET, LOCK, COUNT, PUT, REMOVE, REMOVE_ALL, SWEEP };
/* System-wide: SWEEP. Notes grow old in all workspaces. */
static const char *const sql[] = {
    [LIST] = "SELECT " DB_COLUMNS_SQL(NOTE_COLUMNS) OF_USER " ORDER BY updated DESC, kind, name",
    [GET] = "SELECT " DB_COLUMNS_SQL(WHOLE_COLUMNS) OF_USER " AND kind = ? AND name = ?",
    /* Notes of a user are stored one after the other, so that they can be counted. */
    [LOCK] = "SELECT 1 FROM user WHERE id = ? AND workspace_id = ? FOR UPDATE",
    [COUNT] = "SELECT COUNT(*)" OF_USER " AND NOT (kind = ? AND name = ?)",
    [PUT] = "INSERT INTO note (user_id, workspace_id, kind, name, data, created, updated)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE data = VALUES(data),"
	    " updated = VALUES(updated)",
    [REMOVE] = "DELETE" OF_USER " AND kind = ? AND name = ?",
    [REMOVE_ALL] = "DELETE" OF_USER,
    [SWEEP] = "DELETE FROM note WHERE updated < ? AND kind <> " NOTE_FILTERS_SQL
	      " ORDER BY updated LIMIT ?",
};

static const char *const kinds[] = {
    [NOTE_TEMPLATE] = "template",
    [NOTE_BROADCAST] = "broadcast",
    [NOTE_SEGMENT] = "segment",
    [NOTE_WORKFLOW] = "workflow",
    [NOTE_FILTERS] = "filters",
};

DB_COLUMNS_MAKER(note_read_listed, struct store_note, NOTE_COLUMNS)
DB_COLUMNS_MAKER(note_read_whole, struct store_note, WHOLE_COLUMNS)

const char *
store_note_kind_name(enum store_note_kind kind)
{
	return kinds[kind];
}

enum store_note_kind
store_note_kind_read(const char *name)
{
	for (guint i = NOTE_TEMPLATE; i < G_N_ELEMENTS(kinds); i++)
		if (strcmp(kinds[i], name) == 0)
			return (enum store_note_kind)i;
	return 0;
}

void
store_note_free(struct store_note *note)
{
	g_free(note->name);
	g_free(note->data);
	g_free(note);
}

bool
store_note_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Note not found");
}

GPtrArray *
store_note_list(struct db *db, const struct store_note_owner *owner, GError **error)
{
	AUTO(db_rows)
	rows =
	    db_select(db, sql[LIST], DB_VALUES(db_id(owner->user), db_id(owner->workspace)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_note_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(list, note_read_listed(rows));
	return list;
}

struct store_note *
store_note_get(struct db *db, const struct store_note_owner *owner, enum store_note_kind kind,
    const char *name, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET],
	    DB_VALUES(db_id(owner->user), db_id(owner->workspace), db_int(kind), db_text(name)),
	    error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return note_read_whole(rows);
	store_note_missing(error);
	return NULL;
}

struct putting {
	const struct store_note_owner *owner;
	const struct store_note *note;
};

static bool
note_check_count(struct db *db, const struct putting *putting, GError **error)
{
	const struct db_value user = db_id(putting->owner->user),
			      workspace = db_id(putting->owner->workspace);
	AUTO(db_rows) lock = db_select(db, sql[LOCK], DB_VALUES(user, workspace), error);
	AUTO(db_rows)
	rows = lock ? db_select(db, sql[COUNT],
			  DB_VALUES(user, workspace, db_int(putting->note->kind),
			      db_text(putting->note->name)),
			  error)
		    : NULL;

	if (!rows)
		return false;
	return !db_rows_next(rows) || db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_NOTES ||
	       base_fail(error, PH_ERROR_CONFLICT, "Limit reached: at most %d notes", LIMIT_NOTES);
}

static bool
note_put(struct db *db, void *context, GError **error)
{
	const struct putting *putting = context;
	const struct store_note *note = putting->note;
	gint64 now = base_clock_now();

	return note_check_count(db, putting, error) &&
	       db_run(db, sql[PUT],
		   DB_VALUES(db_id(putting->owner->user), db_id(putting->owner->workspace),
		       db_int(note->kind), db_text(note->name), db_text(note->data), db_int(now),
		       db_int(now)),
		   NULL, error);
}

bool
store_note_put(struct db *db, const struct store_note_owner *owner, const struct store_note *note,
    GError **error)
{
	struct putting putting = {owner, note};

	return db_transact(db, note_put, &putting, error);
}

bool
store_note_remove(struct db *db, const struct store_note_owner *owner, enum store_note_kind kind,
    const char *name, GError **error)
{
	guint64 affected = 0;

	return db_run(db, sql[REMOVE],
		   DB_VALUES(
		       db_id(owner->user), db_id(owner->workspace), db_int(kind), db_text(name)),
		   &affected, error) &&
	       (affected > 0 || store_note_missing(error));
}

bool
store_note_remove_all(struct db *db, const struct store_note_owner *owner, GError **error)
{
	return db_run(db, sql[REMOVE_ALL], DB_VALUES(db_id(owner->user), db_id(owner->workspace)),
	    NULL, error);
}

bool
store_note_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[SWEEP], DB_VALUES(db_int(before), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}
