/* SPDX-License-Identifier: MIT */
/* Stores the requests of steps, leases them, and stores their answers. */
#include "store/automation/step_request.h"

#include "db/columns.h"
#include "db/statement.h"
#include "store/automation/execution.h"

#define REQUEST_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(execution_id, "r.execution_id")                                                      \
	NEXT(workspace_id, "r.workspace_id")                                                       \
	NEXT(sequence, "r.sequence")                                                               \
	NEXT(host, "r.host")                                                                       \
	NEXT(method, "r.method")                                                                   \
	NEXT(url, "r.url")                                                                         \
	NEXT(headers, "r.headers")                                                                 \
	NEXT(body, "r.body")                                                                       \
	NEXT(timeout, "r.timeout")                                                                 \
	NEXT(most, "r.most")                                                                       \
	NEXT(attempts, "r.attempts")                                                               \
	NEXT(token, "r.token")                                                                     \
	NEXT(due, "r.due_at")

#define RUNS                                                                                       \
	"EXISTS (SELECT 1 FROM execution e WHERE e.id = r.execution_id"                            \
	" AND e.status = " EXECUTION_IN_PROGRESS_SQL ")"

enum { INSERT, ANSWER, REMOVE, HOSTS, DUE, TAKE, REMOVE_ENDED, GIVE_BACK, RELEASE, AGAIN, END };
/* System-wide: HOSTS, DUE, RELEASE. The spool makes the requests of all workspaces. */
/* By checked ids: ANSWER, REMOVE, TAKE, REMOVE_ENDED, GIVE_BACK, AGAIN, END. The caller has claimed
   the execution, or has read the request, or has its lease. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO step_request (execution_id, workspace_id, sequence, host, method, url,"
	       " headers, body, timeout, most, attempts, due_at, token)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0)",
    [ANSWER] = "SELECT due_at IS NULL, status, answer, error, answered FROM step_request"
	       " WHERE execution_id = ? AND sequence = ?",
    [REMOVE] = "DELETE FROM step_request WHERE execution_id = ?",
    [HOSTS] = "SELECT host FROM step_request FORCE INDEX (host) GROUP BY host"
	      " HAVING MIN(due_at) <= ? ORDER BY MIN(due_at) LIMIT ?",
    [DUE] = "SELECT " DB_COLUMNS_SQL(REQUEST_COLUMNS) " FROM step_request r FORCE INDEX (host)"
						      " WHERE r.host = ? AND r.due_at <= ?"
						      " ORDER BY r.due_at LIMIT ?",
    [TAKE] = "UPDATE step_request r SET r.attempts = r.attempts + 1, r.token = ?, r.owner = ?,"
	     " r.due_at = ? WHERE r.execution_id = ? AND r.token = ? AND r.due_at = ? AND " RUNS,
    [REMOVE_ENDED] =
	"DELETE r FROM step_request r WHERE r.execution_id = ? AND r.due_at = ? AND NOT " RUNS,
    [GIVE_BACK] = "UPDATE step_request SET attempts = attempts - 1, due_at = ?, owner = NULL"
		  " WHERE execution_id = ? AND token = ?",
    [RELEASE] = "UPDATE step_request SET due_at = LEAST(due_at, ?), owner = NULL"
		" WHERE owner = ? AND due_at IS NOT NULL",
    [AGAIN] = "UPDATE step_request r JOIN execution e ON e.id = r.execution_id"
	      " AND e.status = " EXECUTION_IN_PROGRESS_SQL " SET r.due_at = ?, r.owner = NULL,"
	      " e.attempts = ?, e.error_step = e.step_id, e.error_message = ?, e.updated = ?"
	      " WHERE r.execution_id = ? AND r.token = ? AND r.due_at IS NOT NULL",
    [END] = "UPDATE step_request r JOIN execution e ON e.id = r.execution_id"
	    " AND e.status = " EXECUTION_IN_PROGRESS_SQL " SET r.due_at = NULL, r.owner = NULL,"
	    " r.status = ?, r.answer = ?, r.error = ?, r.answered = ?, e.ready_at = ?"
	    " WHERE r.execution_id = ? AND r.token = ? AND r.due_at IS NOT NULL",
};

enum { ANSWER_IS_THERE, ANSWER_STATUS, ANSWER_BODY, ANSWER_ERROR, ANSWER_TIME };

void
store_step_request_free(struct store_step_request *request)
{
	g_free(request->host);
	g_free(request->method);
	g_free(request->url);
	g_free(request->headers);
	g_free(request->body);
	g_free(request);
}

void
store_step_answer_clear(struct store_step_answer *answer)
{
	g_clear_pointer(&answer->body, g_free);
	g_clear_pointer(&answer->error, g_free);
}

bool
store_step_request_insert(struct db *db, const struct store_step_request *request, GError **error)
{
	const struct db_value values[] = {db_id(&request->execution_id),
	    db_id(&request->workspace_id), db_int(request->sequence), db_text(request->host),
	    db_text(request->method), db_text(request->url), db_text(request->headers),
	    db_text(request->body), db_int(request->timeout), db_int(request->most),
	    db_int(request->due)};

	return db_defer(db, sql[INSERT], values, G_N_ELEMENTS(values), 1, error);
}

bool
store_step_request_answer(struct db *db, const struct base_id *execution, guint sequence,
    struct store_step_answer *answer_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[ANSWER], DB_VALUES(db_id(execution), db_int(sequence)), error);

	*answer_r = (struct store_step_answer){.is_asked = false};
	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return true;
	*answer_r = (struct store_step_answer){
	    .is_asked = true,
	    .is_answered = db_rows_int(rows, ANSWER_IS_THERE) != 0,
	    .status = (guint)db_rows_int(rows, ANSWER_STATUS),
	    .body = g_strdup(db_rows_text(rows, ANSWER_BODY)),
	    .error = g_strdup(db_rows_text(rows, ANSWER_ERROR)),
	    .time = db_rows_int(rows, ANSWER_TIME),
	};
	return true;
}

bool
store_step_request_remove(struct db *db, const struct base_id *execution, GError **error)
{
	return db_defer(db, sql[REMOVE], (struct db_value[]){db_id(execution)}, 1, 1, error);
}

GPtrArray *
store_step_request_hosts(struct db *db, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[HOSTS], DB_VALUES(db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *hosts = g_ptr_array_new_with_free_func(g_free);
	while (db_rows_next(rows))
		g_ptr_array_add(hosts, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	return hosts;
}

DB_COLUMNS_MAKER(step_request_make, struct store_step_request, REQUEST_COLUMNS)

GPtrArray *
store_step_request_due(struct db *db, const char *host, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[DUE], DB_VALUES(db_text(host), db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *due = g_ptr_array_new_with_free_func(store_step_request_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(due, step_request_make(rows));
	return due;
}

bool
store_step_request_take(struct db *db, const struct store_step_request *request,
    const struct store_step_lease *lease, bool *taken_r, GError **error)
{
	const struct base_id *id = &request->execution_id;
	guint64 count;

	if (!db_run(db, sql[TAKE],
		DB_VALUES(db_int(lease->token), db_text(lease->owner), db_int(lease->until),
		    db_id(id), db_int(request->token), db_int(request->due)),
		&count, error))
		return false;
	*taken_r = count > 0;
	return *taken_r || db_run(db, sql[REMOVE_ENDED], DB_VALUES(db_id(id), db_int(request->due)),
			       NULL, error);
}

bool
store_step_request_give_back(
    struct db *db, const struct base_id *execution, gint64 token, gint64 now, GError **error)
{
	return db_run(db, sql[GIVE_BACK], DB_VALUES(db_int(now), db_id(execution), db_int(token)),
	    NULL, error);
}

bool
store_step_request_release(struct db *db, const char *owner, gint64 now, GError **error)
{
	return db_run(db, sql[RELEASE], DB_VALUES(db_int(now), db_text(owner)), NULL, error);
}

bool
store_step_request_end(
    struct db *db, const struct store_step_outcome *outcome, bool *stored_r, GError **error)
{
	guint64 count;
	bool done =
	    outcome->again
		? db_run(db, sql[AGAIN],
		      DB_VALUES(db_int(outcome->again), db_int(outcome->attempts),
			  db_text(outcome->error), db_int(outcome->time), db_id(outcome->execution),
			  db_int(outcome->token)),
		      &count, error)
		: db_run(db, sql[END],
		      DB_VALUES(db_int(outcome->status), db_text(outcome->body),
			  db_text(outcome->error), db_int(outcome->time), db_int(outcome->time),
			  db_id(outcome->execution), db_int(outcome->token)),
		      &count, error);

	*stored_r = done && count > 0;
	return done;
}
