/* SPDX-License-Identifier: MIT */
/* Starts executions, and claims, steps, releases and ends them. */
#include "store/automation/execution.h"

#include <string.h>

#include "base/error.h"
#include "db/after_commit.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/automation/digest.h"
#include "store/common/metric.h"
#include "store/common/rows.h"
#include "store/figure/figure.h"
#include "store/webhook/enqueue.h"

#define RUNNING "status IN (" EXECUTION_IN_PROGRESS_SQL ", " EXECUTION_WAITING_SQL ")"
#define ENDED                                                                                      \
	"status = " EXECUTION_CANCELLED_SQL                                                        \
	", ready_at = NULL, parked = NULL, wait_until = NULL, exclusive = NULL,"                   \
	" cancellation = ?, updated = ?, completed = ?"

/* A claimed execution e with its contact c, behind EXECUTION_COLUMNS. */
#define CLAIMED_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(exclusive, "e.exclusive")                                                            \
	NEXT(execution.error_step, "e.error_step")                                                 \
	NEXT(execution.error_message, "e.error_message")                                           \
	NEXT(execution.goal_at, "e.goal_at")                                                       \
	NEXT(properties, "c.properties")                                                           \
	NEXT(last_seen, "c.last_seen")
#define CLAIM_BY(key)                                                                              \
	"SELECT " DB_COLUMNS_SQL(EXECUTION_COLUMNS) ", " DB_COLUMNS_SQL(                           \
	    CLAIMED_COLUMNS) " FROM execution e FORCE INDEX (" key ")"                             \
			     " STRAIGHT_JOIN person c FORCE INDEX (PRIMARY) ON c.id = "            \
			     "e.contact_id"                                                        \
			     " WHERE "

enum {
	INSERT,
	RUNS,
	KEYS,
	RELEASE,
	CLAIM,
	CLAIM_ONE,
	CLAIM_ASKING,
	BLAME,
	SHARE,
	HEADS,
	PUT,
	CANCEL,
	CANCEL_CONTACT,
	FIND_RUNNING,
	FIND_PARKED,
	UNPARK,
	HAS_RUNNING,
	HAS_PARKED,
	REMOVE_WAITS,
	REMOVE_CONTACT_WAITS,
	WAIT_INSERT,
	REMOVE,
	END,
	REACH,
	OF_CONTACT
};
/* System-wide: CLAIM. The spool steps the executions of all workspaces. */
/* By checked ids: RUNS, KEYS, RELEASE, HEADS, CLAIM_ONE, CLAIM_ASKING, BLAME, PUT, CANCEL,
   CANCEL_CONTACT, FIND_RUNNING, FIND_PARKED, UNPARK, HAS_RUNNING, HAS_PARKED, REMOVE_WAITS,
   REMOVE_CONTACT_WAITS, END, REACH, OF_CONTACT. The caller has found the execution, contact or
   workflow in its workspace, or has claimed the execution or the task of the workflow. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	       " version, status, step_id, step_count, step_time, ready_at, depth, exclusive,"
	       " created, updated, start_id, entry_key, wait_until, visited)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [RUNS] = "SELECT 1 FROM execution FORCE INDEX (exclusive)"
	     " WHERE workflow_id = ? AND contact_id = ? AND " RUNNING " LIMIT 1",
    [KEYS] = "SELECT DISTINCT entry_key FROM execution FORCE INDEX (contact_status)"
	     " WHERE contact_id = ? AND " RUNNING " AND workflow_id = ?"
	     " AND entry_key IS NOT NULL LIMIT 1000",
    [RELEASE] = "UPDATE execution SET status = " EXECUTION_IN_PROGRESS_SQL
		", released = ?, ready_at = ?, parked = NULL,"
		" wait_until = NULL WHERE id = ? AND status = " EXECUTION_WAITING_SQL
		" AND released IS NULL"
		" AND (wait_until IS NULL OR wait_until > ?)",
    [CLAIM] = CLAIM_BY("ready_at") "e.ready_at >= ? AND e.ready_at <= ?"
				   " ORDER BY e.ready_at LIMIT ? FOR UPDATE SKIP LOCKED",
    [SHARE] =
	CLAIM_BY("turn") "e.workspace_id = ? AND e.ready_at >= ? AND e.ready_at <= LEAST(?, ?)"
			 " ORDER BY e.ready_at LIMIT ? FOR UPDATE SKIP LOCKED",
    [HEADS] = CLAIM_BY("PRIMARY") "e.id IN (" TURN_HEAD_IDS ") AND e.ready_at <= ?"
				  " FOR UPDATE SKIP LOCKED",
    [CLAIM_ONE] = CLAIM_BY("PRIMARY") "e.id = ? AND e.ready_at <= ? FOR UPDATE SKIP LOCKED",
    [CLAIM_ASKING] =
	CLAIM_BY("PRIMARY") "e.id IN (" DB_MARKS_50 ") AND e.status = " EXECUTION_IN_PROGRESS_SQL
			    " FOR UPDATE SKIP LOCKED",
    [BLAME] = "UPDATE execution SET deaths = LEAST(deaths + 1, 100) WHERE id = ? AND " RUNNING,
    [PUT] = "UPDATE execution SET status = ?, step_id = ?, step_count = ?, step_time = ?,"
	    " ready_at = ?, parked = ?, wait_until = ?, released = ?, attempts = ?, deaths = ?,"
	    " exclusive = ?,"
	    " visited = ?, error_step = ?, error_message = ?, cancellation = ?,"
	    " completion = ?, goal_at = ?, updated = ?,"
	    " completed = ?"
	    " WHERE id = ?",
    [CANCEL] = "UPDATE execution SET " ENDED " WHERE id = ? AND " RUNNING,
    [CANCEL_CONTACT] = "UPDATE execution SET " ENDED " WHERE contact_id = ? AND " RUNNING,
    [FIND_RUNNING] = "SELECT id, workspace_id FROM execution FORCE INDEX (workflow_status)"
		     " WHERE workflow_id = ? AND " RUNNING " LIMIT ? FOR UPDATE SKIP LOCKED",
    [FIND_PARKED] = "SELECT id, workspace_id FROM execution FORCE INDEX (parked)"
		    " WHERE workflow_id = ? AND parked IS NOT NULL LIMIT ? FOR UPDATE SKIP LOCKED",
    [UNPARK] = "UPDATE execution SET ready_at = parked, parked = NULL"
	       " WHERE id = ? AND parked IS NOT NULL",
    [HAS_RUNNING] = "SELECT 1 FROM execution FORCE INDEX (workflow_status)"
		    " WHERE workflow_id = ? AND " RUNNING " LIMIT 1",
    [HAS_PARKED] = "SELECT 1 FROM execution FORCE INDEX (parked)"
		   " WHERE workflow_id = ? AND parked IS NOT NULL LIMIT 1",
    [REMOVE_WAITS] = "DELETE FROM execution_wait WHERE execution_id = ?",
    [REMOVE_CONTACT_WAITS] = "DELETE FROM execution_wait WHERE contact_id = ?",
    [WAIT_INSERT] =
	"INSERT INTO execution_wait (contact_id, event_name, execution_id, workspace_id)"
	" VALUES (?, ?, ?, ?)",
    [REMOVE] = "DELETE FROM execution_wait"
	       " WHERE contact_id = ? AND event_name = ? AND execution_id = ? AND workspace_id = ?",
    [END] = "UPDATE execution SET status = ?, ready_at = NULL, parked = NULL, wait_until = NULL,"
	    " released = NULL, exclusive = NULL, attempts = 0, error_step = NULL,"
	    " error_message = NULL, completion = ?, cancellation = ?,"
	    " goal_at = COALESCE(goal_at, ?), updated = ?, completed = ?"
	    " WHERE id = ? AND " RUNNING,
    [REACH] = "UPDATE execution SET goal_at = ?, updated = ? WHERE id = ? AND goal_at IS NULL",
    [OF_CONTACT] = "SELECT workspace_id, workflow_id, COUNT(*) FROM execution"
		   " FORCE INDEX (contact_status) WHERE contact_id = ? AND " RUNNING
		   " GROUP BY workspace_id, workflow_id",
};

/* The columns of OF_CONTACT, and those of FIND_RUNNING and FIND_PARKED. */
enum { OF_WORKSPACE, OF_WORKFLOW, OF_COUNT };
enum { FOUND_ID, FOUND_WORKSPACE };

#define INSERT_COLUMNS 20
#define PUT_COLUMNS 20
#define CANCEL_COLUMNS 4

/* Adds to the number of executions of a status, if that is counted. Those that are cancelled are
   taken for such that wait, as most do: the next count knows (service/metrics.c). */
static void
tally(struct db *db, enum store_execution_status status, gint64 more)
{
	if (status == EXECUTION_WAITING)
		db_tally(db, STORE_EXECUTIONS_WAITING, more);
	else if (status == EXECUTION_IN_PROGRESS)
		db_tally(db, STORE_EXECUTIONS_IN_PROGRESS, more);
}

void
store_execution_count_start(struct db *db, const struct store_execution *e)
{
	store_figure_count_run(db, &e->workspace_id, &e->workflow_id, RUN_STARTED, e->created, 1);
	store_figure_count_step(
	    db, &e->workspace_id, &e->workflow_id, e->step_id, STEP_ENTERED, e->created);
}

/* The size of the visits without the zeros at the end. */
static gsize
visited_size(const struct store_execution *e)
{
	gsize size = EXECUTION_VISITED;

	while (size > 0 && e->visited[size - 1] == 0)
		size--;
	return size;
}

bool
store_execution_insert(struct db *db, const struct store_execution *executions, guint count,
    bool exclusive, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_execution *e = &executions[i];
		const struct db_value row[INSERT_COLUMNS] = {db_id(&e->id), db_id(&e->workspace_id),
		    db_id(&e->workflow_id), db_id(&e->contact_id), db_id(&e->event_id),
		    db_text(e->email), db_int(e->version), db_int(e->status), db_text(e->step_id),
		    db_int(e->step_count), db_int(e->step_time), db_int_or_null(e->ready_at),
		    db_int(e->depth), db_int_or_null(exclusive), db_int(e->created),
		    db_int(e->updated), e->has_start ? db_id(&e->start_id) : db_null(),
		    db_text(e->key), db_int_or_null(e->wait_until),
		    db_bytes((const char *)e->visited, visited_size(e))};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
		tally(db, e->status, 1);
	}
	return store_rows_insert(db, sql[INSERT], values, INSERT_COLUMNS, count, error);
}

static bool
is_any(struct db *db, int statement, const struct db_value *values, gsize count, bool *any_r,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[statement], values, count, error);

	if (!rows)
		return false;
	*any_r = db_rows_next(rows);
	return true;
}

bool
store_execution_runs(struct db *db, const struct base_id *workflow, const struct base_id *contact,
    bool *runs_r, GError **error)
{
	return is_any(db, RUNS, DB_VALUES(db_id(workflow), db_id(contact)), runs_r, error);
}

GPtrArray *
store_execution_keys(
    struct db *db, const struct base_id *workflow, const struct base_id *contact, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[KEYS], DB_VALUES(db_id(contact), db_id(workflow)), error);
	g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);

	while (rows && db_rows_next(rows))
		g_ptr_array_add(keys, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	return rows ? g_steal_pointer(&keys) : NULL;
}

bool
store_execution_has_running(
    struct db *db, const struct base_id *workflow, bool *has_r, GError **error)
{
	return is_any(db, HAS_RUNNING, DB_VALUES(db_id(workflow)), has_r, error);
}

bool
store_execution_has_parked(
    struct db *db, const struct base_id *workflow, bool *has_r, GError **error)
{
	return is_any(db, HAS_PARKED, DB_VALUES(db_id(workflow)), has_r, error);
}

bool
store_execution_release(struct db *db, const struct base_id *id, gint64 time, GError **error)
{
	tally(db, EXECUTION_WAITING, -1);
	tally(db, EXECUTION_IN_PROGRESS, 1);
	return db_defer(db, sql[RELEASE],
	    DB_VALUES(db_int(time), db_int(time), db_id(id), db_int(time)), 1, error);
}

void
store_execution_claimed_free(struct store_execution_claimed *claimed)
{
	g_free(claimed->execution.email);
	g_free(claimed->execution.step_id);
	g_free(claimed->execution.error_step);
	g_free(claimed->execution.error_message);
	g_free(claimed->properties);
	g_free(claimed);
}

DB_COLUMNS_READER(execution_write_read_columns, struct store_execution_claimed, CLAIMED_COLUMNS)

static struct store_execution_claimed *
read_claimed(struct db_rows *rows)
{
	struct store_execution_claimed *claimed = g_new0(struct store_execution_claimed, 1);

	store_execution_read(rows, 0, &claimed->execution);
	execution_write_read_columns(rows, DB_COLUMNS_END(EXECUTION_COLUMNS), claimed);
	claimed->before = claimed->execution.status;
	return claimed;
}

static void
execution_write_read_all(struct db_rows *rows, GPtrArray *claimed)
{
	while (db_rows_next(rows))
		g_ptr_array_add(claimed, read_claimed(rows));
}

static bool
execution_write_claim_turns(
    struct db *db, struct store_execution_search *search, GPtrArray *claimed, GError **error)
{
	const struct store_turn_search by_turns = {TURN_EXECUTION, search->turn, search->low,
	    search->now, search->limit, sql[SHARE], sql[HEADS]};
	struct db_rows *rows[TURN_RESULTS];
	guint results;

	if (!store_turn_plan(db, &by_turns, &search->plan, error))
		return false;
	if (search->plan.count == 0)
		return true;
	if (!store_turn_select(db, &by_turns, &search->plan, rows, &results, error))
		return false;
	for (guint i = 0; i < results; i++)
		execution_write_read_all(rows[i], claimed);
	db_rows_free_all(rows, results);
	return true;
}

GPtrArray *
store_execution_claim(struct db *db, struct store_execution_search *search, GError **error)
{
	g_autoptr(GPtrArray) claimed =
	    g_ptr_array_new_with_free_func(store_execution_claimed_destroy);

	search->turns = search->full = false;
	if (!execution_write_claim_turns(db, search, claimed, error))
		return NULL;
	search->turns = claimed->len > 0;
	if (search->turns)
		return g_steal_pointer(&claimed);
	AUTO(db_rows) rows = db_select(db, sql[CLAIM],
	    DB_VALUES(db_int(search->low), db_int(search->now), db_int(search->limit)), error);
	if (!rows)
		return NULL;
	execution_write_read_all(rows, claimed);
	search->full = claimed->len == search->limit;
	return g_steal_pointer(&claimed);
}

GPtrArray *
store_execution_claim_one(struct db *db, const struct base_id *id, gint64 now, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[CLAIM_ONE], DB_VALUES(db_id(id), db_int(now)), error);

	if (!rows)
		return NULL;
	GPtrArray *claimed = g_ptr_array_new_with_free_func(store_execution_claimed_destroy);
	execution_write_read_all(rows, claimed);
	return claimed;
}

GPtrArray *
store_execution_claim_asking(
    struct db *db, const struct base_id *const *ids, guint count, GError **error)
{
	struct db_value values[EXECUTIONS_ASKING];

	g_assert(count > 0 && count <= EXECUTIONS_ASKING);
	/* A list that is not full repeats its last id. */
	for (guint i = 0; i < EXECUTIONS_ASKING; i++)
		values[i] = db_id(ids[MIN(i, count - 1)]);
	AUTO(db_rows)
	rows = db_select(db, sql[CLAIM_ASKING], values, EXECUTIONS_ASKING, error);
	if (!rows)
		return NULL;
	GPtrArray *claimed = g_ptr_array_new_with_free_func(store_execution_claimed_destroy);
	execution_write_read_all(rows, claimed);
	return claimed;
}

bool
store_execution_blame(struct db *db, const struct base_id *id, GError **error)
{
	return db_run(db, sql[BLAME], DB_VALUES(db_id(id)), NULL, error);
}

/* Tells webhooks of those that have ended. */
static bool
tell_ended(struct db *db, const struct store_execution_claimed *const *claimed, guint count,
    GError **error)
{
	g_autofree const struct base_id **ended = g_new(const struct base_id *, count);
	guint found = 0;

	for (guint i = 0; i < count; i++)
		if (claimed[i]->execution.completed)
			ended[found++] = &claimed[i]->execution.id;
	return store_webhook_enqueue_ended(db, ended, found, error);
}

/* Counts an execution that has ended. */
static void
execution_write_count(struct db *db, const struct store_execution *e)
{
	enum store_figure_run figure = RUN_COMPLETED;

	if (!e->completed)
		return;
	if (e->status == EXECUTION_FAILED)
		figure = RUN_FAILED;
	else if (e->status == EXECUTION_CANCELLED)
		figure = e->cancellation == CANCELLATION_EXIT ? RUN_EXITED : RUN_CANCELLED;
	store_figure_count_run(db, &e->workspace_id, &e->workflow_id, figure, e->completed, 1);
	if (figure == RUN_FAILED && e->error_step)
		store_figure_count_step(db, &e->workspace_id, &e->workflow_id, e->error_step,
		    STEP_FAILED, e->completed);
}

bool
store_execution_put(struct db *db, const struct store_execution_claimed *const *claimed,
    guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)PUT_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_execution *e = &claimed[i]->execution;
		const struct db_value row[PUT_COLUMNS] = {db_int(e->status), db_text(e->step_id),
		    db_int(e->step_count), db_int(e->step_time), db_int_or_null(e->ready_at),
		    db_int_or_null(claimed[i]->parked), db_int_or_null(e->wait_until),
		    db_int_or_null(e->released), db_int(e->attempts), db_int(e->deaths),
		    db_int_or_null(claimed[i]->exclusive),
		    db_bytes((const char *)e->visited, visited_size(e)), db_text(e->error_step),
		    db_text(e->error_message), db_int_or_null(e->cancellation),
		    db_int_or_null(e->completion), db_int_or_null(e->goal_at), db_int(e->updated),
		    db_int_or_null(e->completed), db_id(&e->id)};

		memcpy(values + (gsize)PUT_COLUMNS * i, row, sizeof(row));
		execution_write_count(db, e);
		tally(db, claimed[i]->before, -1);
		tally(db, e->status, 1);
	}
	return db_run_rows(db, sql[PUT], values, PUT_COLUMNS, count, NULL, error) &&
	       tell_ended(db, claimed, count, error);
}

/* Removes what waits for an execution that has ended, and tells webhooks of it. */
static bool
execution_write_clear(struct db *db, const struct base_id *id, GError **error)
{
	return db_run(db, sql[REMOVE_WAITS], DB_VALUES(db_id(id)), NULL, error) &&
	       store_watch_end(db, &id, 1, error) && store_digest_remove(db, id, error) &&
	       store_webhook_enqueue_ended(db, &id, 1, error);
}

bool
store_execution_cancel(struct db *db, const struct store_execution *execution, gint64 now,
    guint *count_r, GError **error)
{
	const struct base_id *id = &execution->id;
	guint64 affected = 0;

	if (!db_run(db, sql[CANCEL],
		DB_VALUES(db_int(CANCELLATION_MANUAL), db_int(now), db_int(now), db_id(id)),
		&affected, error))
		return false;
	*count_r = (guint)affected;
	if (*count_r == 0)
		return true;
	tally(db, EXECUTION_WAITING, -1);
	store_figure_count_run(
	    db, &execution->workspace_id, &execution->workflow_id, RUN_CANCELLED, now, 1);
	return execution_write_clear(db, id, error);
}

void
store_execution_count_goal(
    struct db *db, const struct base_id *workspace, const struct base_id *workflow, gint64 time)
{
	store_figure_count_run(db, workspace, workflow, RUN_GOALS, time, 1);
}

bool
store_execution_end(
    struct db *db, const struct store_execution_end *end, bool *ended_r, GError **error)
{
	const struct base_id *workspace = &end->workspace_id, *workflow = &end->workflow_id;
	bool is_goal = end->is_goal;
	guint64 affected = 0;

	*ended_r = false;
	if (!db_run(db, sql[END],
		DB_VALUES(db_int(is_goal ? EXECUTION_COMPLETED : EXECUTION_CANCELLED),
		    db_int_or_null(is_goal ? COMPLETION_GOAL : 0),
		    db_int_or_null(is_goal ? 0 : CANCELLATION_EXIT),
		    db_int_or_null(is_goal ? end->goal_at : 0), db_int(end->now), db_int(end->now),
		    db_id(&end->id)),
		&affected, error))
		return false;
	if (affected == 0)
		return true;
	*ended_r = true;
	tally(db, EXECUTION_WAITING, -1);
	store_figure_count_run(
	    db, workspace, workflow, is_goal ? RUN_COMPLETED : RUN_EXITED, end->now, 1);
	if (is_goal)
		store_execution_count_goal(db, workspace, workflow, end->goal_at);
	return (!is_goal || store_watch_remove(db, &end->id, WATCH_GOAL, error)) &&
	       execution_write_clear(db, &end->id, error);
}

bool
store_execution_reach(struct db *db, const struct store_execution_end *end, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[REACH],
		DB_VALUES(db_int(end->goal_at), db_int(end->now), db_id(&end->id)), &affected,
		error))
		return false;
	if (affected > 0)
		store_execution_count_goal(db, &end->workspace_id, &end->workflow_id, end->goal_at);
	return store_watch_remove(db, &end->id, WATCH_GOAL, error);
}

/* Counts the unfinished executions of a contact as cancelled. */
static bool
execution_write_count_contact(
    struct db *db, const struct base_id *contact, gint64 now, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[OF_CONTACT], DB_VALUES(db_id(contact)), error);
	struct base_id workspace, workflow;

	while (rows && db_rows_next(rows))
		if (db_rows_id(rows, OF_WORKSPACE, &workspace) &&
		    db_rows_id(rows, OF_WORKFLOW, &workflow))
			store_figure_count_run(db, &workspace, &workflow, RUN_CANCELLED, now,
			    (gint)db_rows_int(rows, OF_COUNT));
	return rows != NULL;
}

bool
store_execution_cancel_contact(
    struct db *db, const struct base_id *contact, gint64 now, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!execution_write_count_contact(db, contact, now, error) ||
	    !db_run(db, sql[CANCEL_CONTACT],
		DB_VALUES(
		    db_int(CANCELLATION_CONTACT_DELETED), db_int(now), db_int(now), db_id(contact)),
		&affected, error))
		return false;
	*count_r = (guint)affected;
	tally(db, EXECUTION_WAITING, -(gint64)*count_r);
	return (*count_r == 0 || store_webhook_enqueue_deleted(db, contact, error)) &&
	       store_watch_forget(db, contact, error) && store_digest_forget(db, contact, error) &&
	       db_defer(db, sql[REMOVE_CONTACT_WAITS], DB_VALUES(db_id(contact)), 1, error);
}

/* *workspace_r: that of all of them. */
static GArray *
execution_write_find(struct db *db, int statement, const struct base_id *workflow, guint limit,
    struct base_id *workspace_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[statement], DB_VALUES(db_id(workflow), db_int(limit)), error);
	struct base_id id;

	if (!rows)
		return NULL;
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(id));
	while (db_rows_next(rows))
		if (db_rows_id(rows, FOUND_ID, &id) &&
		    db_rows_id(rows, FOUND_WORKSPACE, workspace_r))
			g_array_append_val(ids, id);
	return ids;
}

bool
store_execution_cancel_workflow(struct db *db, const struct store_execution_cancelling *cancelling,
    guint *count_r, GError **error)
{
	const struct base_id *workflow = cancelling->workflow;
	gint64 now = cancelling->now;
	struct base_id workspace;
	g_autoptr(GArray) ids =
	    execution_write_find(db, FIND_RUNNING, workflow, cancelling->limit, &workspace, error);

	if (!ids)
		return false;
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)CANCEL_COLUMNS * ids->len);
	g_autofree struct db_value *waits = g_new(struct db_value, ids->len);
	g_autofree const struct base_id **ended = g_new(const struct base_id *, ids->len);
	for (guint i = 0; i < ids->len; i++) {
		struct db_value *row = values + (gsize)CANCEL_COLUMNS * i;

		row[0] = db_int(cancelling->reason);
		row[1] = row[2] = db_int(now);
		ended[i] = &g_array_index(ids, struct base_id, i);
		row[3] = waits[i] = db_id(ended[i]);
		if (!store_digest_remove(db, ended[i], error))
			return false;
	}
	*count_r = ids->len;
	tally(db, EXECUTION_WAITING, -(gint64)*count_r);
	if (ids->len > 0)
		store_figure_count_run(
		    db, &workspace, workflow, RUN_CANCELLED, now, (gint)ids->len);
	return db_run_rows(db, sql[CANCEL], values, CANCEL_COLUMNS, ids->len, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_WAITS], waits, 1, ids->len, NULL, error) &&
	       store_watch_end(db, ended, ids->len, error) &&
	       store_webhook_enqueue_ended(db, ended, ids->len, error);
}

bool
store_execution_unpark(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error)
{
	struct base_id workspace;
	g_autoptr(GArray) ids =
	    execution_write_find(db, FIND_PARKED, workflow, limit, &workspace, error);

	if (!ids)
		return false;
	g_autofree struct db_value *values = g_new(struct db_value, ids->len);
	for (guint i = 0; i < ids->len; i++)
		values[i] = db_id(&g_array_index(ids, struct base_id, i));
	*count_r = ids->len;
	return db_run_rows(db, sql[UNPARK], values, 1, ids->len, NULL, error);
}

#define COLUMNS 4

/* The waits that are found by the value of a property are watches. */
static bool
execution_write_run(struct db *db, int statement, const struct store_execution_wait *waits,
    guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)COLUMNS * count);
	guint plain = 0;

	for (guint i = 0; i < count; i++) {
		struct db_value *row = values + (gsize)COLUMNS * plain;

		if (waits[i].property)
			continue;
		row[0] = db_id(waits[i].contact);
		row[1] = db_text(waits[i].event_name);
		row[2] = db_id(waits[i].execution);
		row[3] = db_id(waits[i].workspace);
		plain++;
	}
	return db_run_rows(db, sql[statement], values, COLUMNS, plain, NULL, error);
}

bool
store_execution_wait_insert(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error)
{
	for (guint i = 0; i < count; i++) {
		struct store_watch watch = {.workspace = waits[i].workspace,
		    .contact = waits[i].contact,
		    .execution = waits[i].execution,
		    .kind = WATCH_WAIT,
		    .event_name = waits[i].event_name,
		    .property = waits[i].property};

		memcpy(watch.hash, waits[i].hash, sizeof(watch.hash));
		if (watch.property && !store_watch_insert(db, &watch, 1, error))
			return false;
	}
	return execution_write_run(db, WAIT_INSERT, waits, count, error);
}

bool
store_execution_wait_remove(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if ((waits[i].property || waits[i].asks_results) &&
		    !store_watch_remove(db, waits[i].execution, WATCH_WAIT, error))
			return false;
	return execution_write_run(db, REMOVE, waits, count, error);
}
