/* SPDX-License-Identifier: MIT */
/* Stores, lists and removes requests of the compatible front. */
#include "store/workspace/request_log.h"

#include "base/error.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define BATCH 500

/* The columns that lists show. */
#define LOG_COLUMNS(FIRST, NEXT)                                                                   \
	FIRST(id, "id")                                                                            \
	NEXT(endpoint, "endpoint")                                                                 \
	NEXT(method, "method")                                                                     \
	NEXT(status, "status")                                                                     \
	NEXT(user_agent, "user_agent")
#define WHOLE_COLUMNS(FIRST, NEXT)                                                                 \
	LOG_COLUMNS(FIRST, NEXT) NEXT(request, "request") NEXT(response, "response")
#define ROWS(LIST) "SELECT " DB_COLUMNS_SQL(LIST) " FROM resend_log WHERE workspace_id = ?"
#define NAMES(column) "INSTR(LOWER(COALESCE(" column ", '')), ?) > 0"

enum { ADD, GET, SWEEP, FORGET };
/* System-wide: SWEEP. Rows grow old in all workspaces. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO resend_log (id, workspace_id, endpoint, method, status, user_agent,"
	    " request, response) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [GET] = ROWS(WHOLE_COLUMNS) " AND id = ?",
    [SWEEP] = "DELETE FROM resend_log WHERE id < ? ORDER BY id LIMIT ?",
    [FORGET] = "DELETE FROM resend_log WHERE workspace_id = ? AND (" NAMES("endpoint") " OR " NAMES(
	"request") " OR " NAMES("response") ")",
};

void
store_request_log_free(struct store_request_log *log)
{
	g_free(log->endpoint);
	g_free(log->method);
	g_free(log->user_agent);
	g_free(log->request);
	g_free(log->response);
	g_free(log);
}

bool
store_request_log_add(struct db *db, const struct store_request_log *log, GError **error)
{
	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(&log->id), db_id(&log->workspace_id), db_text(log->endpoint),
		db_text(log->method), db_int(log->status), db_text(log->user_agent),
		db_text(log->request), db_text(log->response)),
	    NULL, error);
}

STORE_LISTING_READER(request_log_read_row, struct store_request_log, LOG_COLUMNS)
STORE_LISTING_READER(request_log_read_whole, struct store_request_log, WHOLE_COLUMNS)

static bool
request_log_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Log not found");
}

STORE_LISTING(listing, request_log_read_row, store_request_log_destroy, ROWS(LOG_COLUMNS), "id");

GPtrArray *
store_request_log_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

struct store_request_log *
store_request_log_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_id(id)), error), workspace,
	    request_log_read_whole, request_log_missing, error);
}

bool
store_request_log_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct base_id id = base_id_floor(before);
	guint64 affected = 0;

	if (!db_run(db, sql[SWEEP], DB_VALUES(db_id(&id), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_request_log_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	const struct db_value text = db_text(address);

	return db_run(db, sql[FORGET], DB_VALUES(db_id(workspace), text, text, text), NULL, error);
}
