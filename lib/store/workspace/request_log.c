/* SPDX-License-Identifier: MIT */
/* Stores, lists and removes requests under /resend. */
#include "store/workspace/request_log.h"

#include "base/error.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define BATCH 500

/* The columns that lists show. */
#define SHORT "id, endpoint, method, status, user_agent"
#define NAMES(column) "INSTR(LOWER(COALESCE(" column ", '')), ?) > 0"

enum { ADD, OLDER, NEWER, GET, SWEEP, FORGET };
/* System-wide: SWEEP. Rows grow old in all workspaces. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO resend_log (id, workspace_id, endpoint, method, status, user_agent,"
	    " request, response) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [OLDER] = "SELECT " SHORT " FROM resend_log WHERE workspace_id = ? AND id < ?"
	      " ORDER BY id DESC LIMIT ?",
    [NEWER] = "SELECT " SHORT " FROM resend_log WHERE workspace_id = ? AND id > ?"
	      " ORDER BY id LIMIT ?",
    [GET] = "SELECT " SHORT ", request, response FROM resend_log"
	    " WHERE workspace_id = ? AND id = ?",
    [SWEEP] = "DELETE FROM resend_log WHERE id < ? ORDER BY id LIMIT ?",
    [FORGET] = "DELETE FROM resend_log WHERE workspace_id = ? AND (" NAMES("endpoint") " OR " NAMES(
	"request") " OR " NAMES("response") ")",
};

/* The columns of SHORT. */
enum { LOG_ID, LOG_ENDPOINT, LOG_METHOD, LOG_STATUS, LOG_USER_AGENT, LOG_END };
/* The columns of GET, behind SHORT. */
enum { LOG_REQUEST = LOG_END, LOG_RESPONSE };

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

static void *
request_log_read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_request_log *log = g_new0(struct store_request_log, 1);

	db_rows_id(rows, LOG_ID, &log->id);
	log->workspace_id = *workspace;
	log->endpoint = g_strdup(db_rows_text(rows, LOG_ENDPOINT));
	log->method = g_strdup(db_rows_text(rows, LOG_METHOD));
	log->status = (guint)db_rows_int(rows, LOG_STATUS);
	log->user_agent = g_strdup(db_rows_text(rows, LOG_USER_AGENT));
	return log;
}

GPtrArray *
store_request_log_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	const struct store_page_sql statements = {sql[OLDER], sql[NEWER]};

	return store_listing_page(db, &statements, workspace, page, request_log_read_row,
	    store_request_log_destroy, error);
}

struct store_request_log *
store_request_log_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_id(id)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Log not found");
		return NULL;
	}
	struct store_request_log *log = request_log_read_row(rows, workspace);
	log->request = g_strdup(db_rows_text(rows, LOG_REQUEST));
	log->response = g_strdup(db_rows_text(rows, LOG_RESPONSE));
	return log;
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
