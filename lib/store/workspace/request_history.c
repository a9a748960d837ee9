/* SPDX-License-Identifier: MIT */
/* Stores, lists and removes the newest requests of workspaces. */
#include "store/workspace/request_history.h"

#include <string.h>

#include "base/limits/request.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define BATCH 1000

enum { ADD, PAGE, TRIM, SWEEP, FORGET };
/* System-wide: SWEEP. Rows grow old in all workspaces. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO api_call (id, workspace_id, actor, actor_id, method, route, status, ms,"
	    " address, request_id, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [PAGE] = "SELECT c.id, c.actor, c.actor_id, COALESCE(k.name, u.email), c.method, c.route,"
	     " c.status, c.ms, c.address, c.request_id, c.message"
	     " FROM api_call c FORCE INDEX (newest)"
	     " LEFT JOIN api_key k ON k.workspace_id = c.workspace_id AND k.id = c.actor_id"
	     " AND c.actor = 2"
	     " LEFT JOIN user u ON u.workspace_id = c.workspace_id AND u.id = c.actor_id"
	     " AND c.actor = 1"
	     " WHERE c.workspace_id = ? AND c.id < ? AND c.id >= ? AND c.status BETWEEN ? AND ?"
	     " AND (? IS NULL OR c.actor_id = ?) AND (? IS NULL OR c.method = ?)"
	     " AND (? IS NULL OR LOCATE(?, c.route) > 0) ORDER BY c.id DESC LIMIT ?",
    [TRIM] = "DELETE FROM api_call WHERE workspace_id = ? AND id <= (SELECT id FROM"
	     " (SELECT id FROM api_call FORCE INDEX (newest) WHERE workspace_id = ?"
	     " ORDER BY id DESC LIMIT 1 OFFSET ?) oldest) ORDER BY id LIMIT ?",
    [SWEEP] = "DELETE FROM api_call WHERE id < ? ORDER BY id LIMIT ?",
    [FORGET] = "DELETE FROM api_call WHERE workspace_id = ?"
	       " AND INSTR(LOWER(COALESCE(message, '')), ?) > 0",
};

/* The columns of PAGE. */
enum {
	C_ID,
	C_ACTOR,
	C_ACTOR_ID,
	C_ACTOR_NAME,
	C_METHOD,
	C_ROUTE,
	C_STATUS,
	C_MS,
	C_ADDRESS,
	C_REQUEST_ID,
	C_MESSAGE
};

#define ADD_COLUMNS 11

void
store_request_history_free(struct store_request_history *call)
{
	g_free(call->actor_name);
	g_free(call->method);
	g_free(call->route);
	g_free(call->address);
	g_free(call->request_id);
	g_free(call->message);
	g_free(call);
}

bool
store_request_history_add(
    struct db *db, struct store_request_history *const *calls, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)ADD_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_request_history *call = calls[i];
		const struct db_value row[ADD_COLUMNS] = {db_id(&call->id),
		    db_id(&call->workspace_id), db_int(call->actor), db_id(&call->actor_id),
		    db_text(call->method), db_text(call->route), db_int(call->status),
		    db_int(MIN(call->ms, G_MAXINT32)), db_text(call->address),
		    db_text(call->request_id), db_text(call->message)};

		memcpy(values + (gsize)ADD_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[ADD], values, ADD_COLUMNS, count, NULL, error);
}

static struct store_request_history *
request_history_read_row(const struct db_rows *rows, const struct base_id *workspace)
{
	struct store_request_history *call = g_new0(struct store_request_history, 1);

	db_rows_id(rows, C_ID, &call->id);
	call->workspace_id = *workspace;
	call->actor = (enum store_audit_actor)db_rows_int(rows, C_ACTOR);
	db_rows_id(rows, C_ACTOR_ID, &call->actor_id);
	call->actor_name = g_strdup(db_rows_text(rows, C_ACTOR_NAME));
	call->method = g_strdup(db_rows_text(rows, C_METHOD));
	call->route = g_strdup(db_rows_text(rows, C_ROUTE));
	call->status = (guint)db_rows_int(rows, C_STATUS);
	call->ms = db_rows_int(rows, C_MS);
	call->address = g_strdup(db_rows_text(rows, C_ADDRESS));
	call->request_id = g_strdup(db_rows_text(rows, C_REQUEST_ID));
	call->message = g_strdup(db_rows_text(rows, C_MESSAGE));
	return call;
}

GPtrArray *
store_request_history_page(struct db *db, const struct base_id *workspace,
    const struct store_request_history_filter *filter, const struct base_id *before, guint limit,
    GError **error)
{
	const struct db_value actor = db_id(filter->actor), method = db_text(filter->method),
			      route = db_text(filter->route);
	struct base_id first = {{0}}, end;
	const struct base_id *below = before;

	if (filter->since)
		first = base_id_floor(*filter->since);
	if (filter->until) {
		end = base_id_floor(*filter->until);
		below = !before || memcmp(&end, before, sizeof(end)) < 0 ? &end : before;
	}
	AUTO(db_rows)
	rows = db_select(db, sql[PAGE],
	    DB_VALUES(db_id(workspace), store_listing_before(below), db_id(&first),
		db_int(filter->from), db_int(filter->to), actor, actor, method, method, route,
		route, db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *calls = g_ptr_array_new_with_free_func(store_request_history_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(calls, request_history_read_row(rows, workspace));
	return calls;
}

static bool
request_history_remove_some(struct db *db, int statement, const struct db_value *values,
    gsize count, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], values, count, &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_request_history_trim(
    struct db *db, const struct base_id *workspace, guint *count_r, GError **error)
{
	return request_history_remove_some(db, TRIM,
	    DB_VALUES(db_id(workspace), db_id(workspace), db_int(LIMIT_CALLS), db_int(BATCH)),
	    count_r, error);
}

bool
store_request_history_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct base_id id = base_id_floor(before);

	return request_history_remove_some(
	    db, SWEEP, DB_VALUES(db_id(&id), db_int(BATCH)), count_r, error);
}

bool
store_request_history_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_run(db, sql[FORGET], DB_VALUES(db_id(workspace), db_text(address)), NULL, error);
}
