/* SPDX-License-Identifier: MIT */
/* Stores the requests of steps, leases them, and stores their answers. */
#include "store/automation/step_request.h"

#include "base/array.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/execution.h"

#define MANY STORE_STEP_REQUESTS_MOST

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

enum {
	INSERT,
	ANSWER,
	REMOVE,
	REMOVE_MANY,
	HOSTS,
	DUE,
	LEASE,
	HELD,
	GIVE_BACK,
	RELEASE,
	AGAIN,
	END
};
/* System-wide: HOSTS, DUE, RELEASE. The spool makes the requests of all workspaces. */
/* By checked ids: ANSWER, REMOVE, REMOVE_MANY, LEASE, HELD, GIVE_BACK, AGAIN, END. The caller has
   claimed the execution, or has locked the request, or has its lease. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO step_request (execution_id, workspace_id, sequence, host, method, url,"
	       " headers, body, timeout, most, attempts, due_at, token)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0)",
    [ANSWER] = "SELECT due_at IS NULL, status, answer, error, answered FROM step_request"
	       " WHERE execution_id = ? AND sequence = ?",
    [REMOVE] = "DELETE FROM step_request WHERE execution_id = ?",
    [REMOVE_MANY] = "DELETE FROM step_request WHERE execution_id IN (" DB_MARKS_50 ")",
    [HOSTS] = "SELECT host FROM step_request FORCE INDEX (host) GROUP BY host"
	      " HAVING MIN(due_at) <= ? ORDER BY MIN(due_at) LIMIT ?",
    [DUE] = "SELECT " DB_COLUMNS_SQL(REQUEST_COLUMNS) ", " RUNS
						      " FROM step_request r FORCE INDEX (host)"
						      " WHERE r.host = ? AND r.due_at <= ?"
						      " ORDER BY r.due_at LIMIT ?"
						      " FOR UPDATE SKIP LOCKED",
    [LEASE] = "UPDATE step_request SET attempts = attempts + 1, token = ?, owner = ?,"
	      " due_at = ? + timeout * 1000 WHERE execution_id IN (" DB_MARKS_50 ")",
    [HELD] = "SELECT execution_id, token FROM step_request WHERE execution_id IN (" DB_MARKS_50
	     ") AND due_at IS NOT NULL FOR UPDATE SKIP LOCKED",
    [GIVE_BACK] = "UPDATE step_request SET attempts = attempts - 1, due_at = ?, owner = NULL"
		  " WHERE execution_id = ? AND token = ? AND owner IS NOT NULL"
		  " AND due_at IS NOT NULL",
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

/* Behind REQUEST_COLUMNS. */
#define DUE_RUNS DB_COLUMNS_END(REQUEST_COLUMNS)
/* The columns of HELD. */
enum { HELD_ID, HELD_TOKEN };
/* The columns of ANSWER. */
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

/* The ids of at most MANY executions; a list that is not full repeats its last id. */
static void
step_request_list(
    const struct base_id *const *executions, guint count, struct db_value values_r[MANY])
{
	for (guint i = 0; i < MANY; i++)
		values_r[i] = db_id(executions[MIN(i, count - 1)]);
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
store_step_request_remove(
    struct db *db, const struct base_id *const *executions, guint count, GError **error)
{
	struct db_value ids[MANY];

	if (count == 1)
		return db_defer(db, sql[REMOVE], DB_VALUES(db_id(executions[0])), 1, error);
	for (guint done = 0; done < count; done += MANY) {
		step_request_list(executions + done, count - done, ids);
		if (!db_defer(db, sql[REMOVE_MANY], ids, MANY, 1, error))
			return false;
	}
	return true;
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

struct leasing {
	const struct store_step_lease *lease;
	GPtrArray *taken; /* of struct store_step_request */
};

/* Locks the requests that are due, and reads them. Those whose execution has ended are removed. */
static bool
step_request_lock(struct db *db, const struct leasing *leasing, GError **error)
{
	const struct store_step_lease *lease = leasing->lease;
	AUTO(db_rows)
	rows = db_select(db, sql[DUE],
	    DB_VALUES(db_text(lease->host), db_int(lease->now), db_int(lease->limit)), error);

	while (rows && db_rows_next(rows)) {
		AUTO(store_step_request) request = step_request_make(rows);
		const struct base_id *id = &request->execution_id;

		if (db_rows_int(rows, DUE_RUNS))
			g_ptr_array_add(leasing->taken, g_steal_pointer(&request));
		else if (!store_step_request_remove(db, &id, 1, error))
			return false;
	}
	return rows != NULL;
}

static bool
step_request_lease(struct db *db, void *context, GError **error)
{
	const struct leasing *leasing = context;
	const struct store_step_lease *lease = leasing->lease;
	const struct base_id *ids[MANY];

	g_ptr_array_set_size(leasing->taken, 0);
	if (!step_request_lock(db, leasing, error))
		return false;
	for (guint i = 0; i < leasing->taken->len; i++) {
		struct store_step_request *request = leasing->taken->pdata[i];

		ids[i] = &request->execution_id;
		request->token = lease->token;
	}
	if (leasing->taken->len == 0)
		return true;
	struct db_value values[3 + MANY] = {
	    db_int(lease->token), db_text(lease->owner), db_int(lease->until)};
	step_request_list(ids, leasing->taken->len, values + 3);
	return db_defer(db, sql[LEASE], values, G_N_ELEMENTS(values), 1, error);
}

GPtrArray *
store_step_request_lease(struct db *db, const struct store_step_lease *lease, GError **error)
{
	g_autoptr(GPtrArray) taken = g_ptr_array_new_with_free_func(store_step_request_destroy);
	struct leasing leasing = {lease, taken};

	g_assert(lease->limit <= MANY);
	return db_transact(db, step_request_lease, &leasing, error) ? g_steal_pointer(&taken)
								    : NULL;
}

bool
store_step_request_hold(struct db *db, const struct store_step_outcome *outcomes, guint count,
    bool *held_r, GError **error)
{
	const struct base_id *executions[MANY];
	struct db_value ids[MANY];

	g_assert(count > 0 && count <= MANY);
	base_array_clear(held_r, count, sizeof(*held_r));
	for (guint i = 0; i < count; i++)
		executions[i] = outcomes[i].execution;
	step_request_list(executions, count, ids);
	AUTO(db_rows) rows = db_select(db, sql[HELD], ids, MANY, error);
	while (rows && db_rows_next(rows)) {
		gint64 token = db_rows_int(rows, HELD_TOKEN);
		struct base_id id;

		db_rows_id(rows, HELD_ID, &id);
		for (guint i = 0; i < count; i++)
			held_r[i] |=
			    base_id_equal(outcomes[i].execution, &id) && outcomes[i].token == token;
	}
	return rows != NULL;
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
