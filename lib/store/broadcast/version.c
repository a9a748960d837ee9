/* SPDX-License-Identifier: MIT */
/* Keeps, reads and lists the versions of broadcasts. */
#include "store/broadcast/version.h"

#include "base/id.h"
#include "base/limits/edit.h"
#include "db/columns.h"
#include "db/statement.h"

#define VERSION_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(version, "version")                                                                  \
	NEXT(created, "created")                                                                   \
	NEXT(created_by, "created_by")
#define WHOLE_COLUMNS(FIRST, NEXT) VERSION_COLUMNS(FIRST, NEXT) NEXT(content, "content")

#define NEWEST "(SELECT MAX(m.version) FROM broadcast_version m WHERE m.broadcast_id = b.id)"
#define INSERT                                                                                     \
	"INSERT INTO broadcast_version (broadcast_id, workspace_id, version, created, created_by," \
	" content) SELECT b.id, b.workspace_id, "
#define OF_BROADCAST " b.content FROM broadcast b WHERE b.workspace_id = ? AND b.id = ?"
#define OF_VERSIONS " FROM broadcast_version WHERE workspace_id = ? AND broadcast_id = ?"

enum { KEEP, ADD, PRUNE, LIST, GET };
static const char *const sql[] = {
    [KEEP] = INSERT "1, b.updated, NULL," OF_BROADCAST
		    " AND NOT EXISTS (SELECT 1 FROM broadcast_version v"
		    " WHERE v.broadcast_id = b.id)",
    [ADD] = INSERT "COALESCE(" NEWEST ", 0) + 1, b.updated, ?," OF_BROADCAST
		   " AND (? OR NOT EXISTS (SELECT 1 FROM broadcast_version v"
		   " WHERE v.broadcast_id = b.id AND v.version = " NEWEST
		   " AND BINARY v.content = BINARY b.content))",
    [PRUNE] = "DELETE v FROM broadcast_version v JOIN (SELECT MAX(version) AS newest" OF_VERSIONS
	      ") n ON v.version <= n.newest - ? WHERE v.workspace_id = ? AND v.broadcast_id = ?",
    [LIST] = "SELECT " DB_COLUMNS_SQL(VERSION_COLUMNS) OF_VERSIONS
    " AND version < ? ORDER BY version DESC LIMIT ?",
    [GET] = "SELECT " DB_COLUMNS_SQL(WHOLE_COLUMNS) OF_VERSIONS " AND version = ?",
};

DB_COLUMNS_MAKER(version_read_listed, struct store_edit_version, VERSION_COLUMNS)
DB_COLUMNS_MAKER(version_read_whole, struct store_broadcast_version, WHOLE_COLUMNS)

void
store_broadcast_version_free(struct store_broadcast_version *version)
{
	g_free(version->created_by);
	g_free(version->content);
	g_free(version);
}

bool
store_broadcast_version_keep(
    struct db *db, const struct base_id *workspace, const struct base_id *broadcast, GError **error)
{
	return db_run(db, sql[KEEP], DB_VALUES(db_id(workspace), db_id(broadcast)), NULL, error);
}

bool
store_broadcast_version_add(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, const struct store_edit *edit, GError **error)
{
	const struct db_value in = db_id(workspace), of = db_id(broadcast);
	guint64 added = 0;

	return db_run(db, sql[ADD],
		   DB_VALUES(
		       db_text(store_edit_author(edit)), in, of, db_int(edit && edit->is_restore)),
		   &added, error) &&
	       (added == 0 || db_run(db, sql[PRUNE],
				  DB_VALUES(in, of, db_int(LIMIT_VERSIONS), in, of), NULL, error));
}

GPtrArray *
store_broadcast_version_list(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, guint before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), db_id(broadcast), db_int(before), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_edit_version_free);
	while (db_rows_next(rows))
		g_ptr_array_add(list, version_read_listed(rows));
	return list;
}

struct store_broadcast_version *
store_broadcast_version_get(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, guint number, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[GET], DB_VALUES(db_id(workspace), db_id(broadcast), db_int(number)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return version_read_whole(rows);
	store_edit_version_missing(error);
	return NULL;
}
