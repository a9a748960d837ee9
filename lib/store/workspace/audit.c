/* SPDX-License-Identifier: MIT */
/* Stores, lists and removes the record of changes. */
#include "store/workspace/audit.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define BATCH 500
#define NAME_LENGTH 254 /* characters */

#define AUDIT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "a.id")                                                                          \
	NEXT(actor, "a.actor")                                                                     \
	NEXT(actor_id, "a.actor_id", has_actor)                                                    \
	NEXT(actor_name, "COALESCE(a.actor_name, k.name)")                                         \
	NEXT(action, "a.action")                                                                   \
	NEXT(target_type, "a.target_type")                                                         \
	NEXT(target_id, "a.target_id")                                                             \
	NEXT(target_name, "a.target_name")                                                         \
	NEXT(address, "a.address")                                                                 \
	NEXT(request_id, "a.request_id")
#define LIST(which)                                                                                \
	"SELECT " DB_COLUMNS_SQL(AUDIT_COLUMNS) " FROM audit a"                                    \
						" LEFT JOIN api_key k ON k.workspace_id = "        \
						"a.workspace_id AND k.id = a.actor_id"             \
						" AND a.actor = 2 WHERE a.workspace_id = ?" which  \
						" AND a.id < ? ORDER BY a.id DESC LIMIT ?"

enum { ADD, ALL, OF_ACTION, OF_ACTOR, OF_BOTH, SWEEP };
/* System-wide: SWEEP. Rows grow old in all workspaces. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO audit (id, workspace_id, actor, actor_id, actor_name, action,"
	    " target_type, target_id, target_name, address, request_id)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ALL] = LIST(""),
    [OF_ACTION] = LIST(" AND a.action = ?"),
    [OF_ACTOR] = LIST(" AND a.actor_id = ?"),
    [OF_BOTH] = LIST(" AND a.action = ? AND a.actor_id = ?"),
    [SWEEP] = "DELETE FROM audit WHERE id < ? ORDER BY id LIMIT ?",
};

#define ADD_COLUMNS 11

const char *
store_audit_actor_name(enum store_audit_actor actor)
{
	static const char *const names[] = {
	    [AUDIT_USER] = "user", [AUDIT_KEY] = "key", [AUDIT_OPERATOR] = "operator"};

	return names[actor];
}

static char *
audit_cut(const char *name)
{
	g_autofree char *valid = name ? g_utf8_make_valid(name, -1) : NULL;

	return valid ? g_utf8_substring(valid, 0, MIN(NAME_LENGTH, g_utf8_strlen(valid, -1)))
		     : NULL;
}

bool
store_audit_add(struct db *db, const struct store_audit *audit, GError **error)
{
	struct base_id id = base_id_new();
	g_autofree char *actor = audit_cut(audit->actor_name),
			*target = audit_cut(audit->target_name);
	const struct db_value values[ADD_COLUMNS] = {db_id(&id), db_id(&audit->workspace_id),
	    db_int(audit->actor), db_id(audit->actor_id), db_text(actor), db_text(audit->action),
	    db_text(audit->target_type), db_text(audit->target_id), db_text(target),
	    db_text(audit->address), db_text(audit->request_id)};

	return db_defer_row(db, sql[ADD], values, ADD_COLUMNS, error);
}

static void
audit_free_row(void *data)
{
	struct store_audit_row *row = data;

	g_free(row->actor_name);
	g_free(row->action);
	g_free(row->target_type);
	g_free(row->target_id);
	g_free(row->target_name);
	g_free(row->address);
	g_free(row->request_id);
	g_free(row);
}

DB_COLUMNS_MAKER(audit_read_row, struct store_audit_row, AUDIT_COLUMNS)

GPtrArray *
store_audit_page(struct db *db, const struct base_id *workspace,
    const struct store_audit_search *search, GError **error)
{
	const char *action = search->action;
	const struct base_id *actor = search->actor;
	static const int statements[2][2] = {{ALL, OF_ACTOR}, {OF_ACTION, OF_BOTH}};
	struct db_value values[5] = {db_id(workspace)};
	guint count = 1;

	if (action)
		values[count++] = db_text(action);
	if (actor)
		values[count++] = db_id(actor);
	values[count++] = store_listing_before(search->before);
	values[count++] = db_int(search->limit);
	AUTO(db_rows)
	rows = db_select(db, sql[statements[action != NULL][actor != NULL]], values, count, error);
	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(audit_free_row);
	while (db_rows_next(rows))
		g_ptr_array_add(list, audit_read_row(rows));
	return list;
}

bool
store_audit_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct base_id id = base_id_floor(before);
	guint64 affected = 0;

	if (!db_run(db, sql[SWEEP], DB_VALUES(db_id(&id), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}
