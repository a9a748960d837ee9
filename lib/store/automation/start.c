/* SPDX-License-Identifier: MIT */
/* Stores and lists starts of workflows, and what their transactions look at. */
#include "store/automation/start.h"

#include "base/error.h"
#include "base/limits/workflow.h"
#include "db/statement.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"
#include "store/common/listing.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"

#define START_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "s.id")                                                                          \
	NEXT(workspace_id, "s.workspace_id")                                                       \
	NEXT(workflow_id, "s.workflow_id")                                                         \
	NEXT(source, "s.source")                                                                   \
	NEXT(status, "s.status")                                                                   \
	NEXT(audience_id, "s.audience_id", has_audience)                                           \
	NEXT(segment_id, "s.segment_id", has_segment)                                              \
	NEXT(execution_id, "s.execution_id", has_execution)                                        \
	NEXT(properties, "s.properties")                                                           \
	NEXT(place, "s.place")                                                                     \
	NEXT(scheduled_at, "s.scheduled_at")                                                       \
	NEXT(created, "s.created")                                                                 \
	NEXT(completed, "s.completed")                                                             \
	NEXT(reason, "s.reason")                                                                   \
	NEXT(error, "s.error")                                                                     \
	NEXT(people, "s.people")                                                                   \
	NEXT(started, "s.started")                                                                 \
	NEXT(filter, "s.filter")                                                                   \
	NEXT(reentry, "s.reentry")
DB_COLUMNS_MAKER(start_read_row, struct store_start, START_COLUMNS)

#define ADDRESS_COLUMNS(FIRST, NEXT) FIRST(address, "a.address") NEXT(email, "a.email")
DB_COLUMNS_MAKER(start_read_address, struct store_start_address, ADDRESS_COLUMNS)

#define ROWS "SELECT " DB_COLUMNS_SQL(START_COLUMNS) " FROM workflow_start s"
#define OPEN "s.status IN (" START_PENDING_SQL ", " START_RUNNING_SQL ")"
#define OF_WORKFLOW " WHERE s.workspace_id = ? AND s.workflow_id = ? AND s.id = ?"
#define MANY 16
#define PAIRS_4 "(?, ?), (?, ?), (?, ?), (?, ?)"
/* Pairs, since the server may take an equality of the workflow alone for a reason to read all of
   its rows: statistics of a workflow that has just begun say that there are few. */
#define MANY_PAIRS PAIRS_4 ", " PAIRS_4 ", " PAIRS_4 ", " PAIRS_4

enum {
	TURN,
	COUNT,
	INSERT,
	INSERT_ADDRESS,
	GET,
	LOCK,
	LOCK_FREE,
	LIST,
	THERE,
	WORKFLOW_OF,
	NEXT_DUE,
	PUT,
	ADDRESSES,
	TAKE,
	FORGET,
	WORKFLOW,
	TRACES,
	SWEEP
};
/* System-wide: NEXT_DUE, SWEEP. The spool begins the starts of all workspaces. */
/* By checked ids: ADDRESSES, TAKE, FORGET, TRACES. The caller has locked the start or the people.
 */
static const char *const sql[] = {
    [TURN] = "UPDATE workspace SET turn = turn + 1 WHERE id = ?",
    [COUNT] = "SELECT COUNT(*) FROM workflow_start s FORCE INDEX (workspace_status)"
	      " WHERE s.workspace_id = ? AND " OPEN,
    [INSERT] =
	"INSERT INTO workflow_start (id, workspace_id, workflow_id, source, status, audience_id,"
	" segment_id, properties, place, scheduled_at, created, completed, execution_id, reason,"
	" people, started, filter, reentry)"
	" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_ADDRESS] = "INSERT INTO workflow_start_address (start_id, address, workspace_id, email)"
		       " VALUES (?, ?, ?, ?)",
    [GET] = ROWS OF_WORKFLOW,
    [LOCK] = ROWS OF_WORKFLOW " FOR UPDATE",
    [LOCK_FREE] = ROWS OF_WORKFLOW " FOR UPDATE SKIP LOCKED",
    [LIST] = ROWS " FORCE INDEX (workflow) WHERE s.workspace_id = ? AND s.workflow_id = ?"
		  " AND s.id < ? ORDER BY s.id DESC LIMIT ?",
    [THERE] = "SELECT 1 FROM workflow_start WHERE id = ? AND workspace_id = ?",
    [WORKFLOW_OF] = "SELECT workflow_id FROM workflow_start WHERE id = ? AND workspace_id = ?",
    [NEXT_DUE] = ROWS " FORCE INDEX (status) LEFT JOIN workflow w ON w.id = s.workflow_id"
		      " WHERE " OPEN
		      " AND s.id > ? AND (w.status IS NULL OR w.status <> " WORKFLOW_PAUSED_SQL
		      " OR w.deleted IS NOT NULL) ORDER BY s.id LIMIT 1",
    [PUT] = "UPDATE workflow_start SET status = ?, place = ?, completed = ?, execution_id = ?,"
	    " reason = ?, error = ?, people = ?, started = ?, filter = ?, reentry = ?"
	    " WHERE id = ? AND workspace_id = ?",
    [ADDRESSES] = "SELECT " DB_COLUMNS_SQL(ADDRESS_COLUMNS) " FROM workflow_start_address a"
							    " WHERE a.start_id = ?"
							    " ORDER BY a.address LIMIT ?",
    [TAKE] = "DELETE FROM workflow_start_address WHERE start_id = ? AND address <= ?",
    [FORGET] = "DELETE FROM workflow_start_address WHERE start_id = ?",
    [WORKFLOW] = "SELECT status, active_version, deleted,"
		 " EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
		     "?", "20") ") FROM workflow WHERE id = ? AND workspace_id = ?"
				" LOCK IN SHARE MODE",
    [TRACES] = "SELECT contact_id, 0 FROM workflow_entry FORCE INDEX (PRIMARY)"
	       " WHERE (workflow_id, contact_id) IN (" MANY_PAIRS
	       ") UNION ALL SELECT contact_id, 1 FROM execution FORCE INDEX (exclusive)"
	       " WHERE (workflow_id, contact_id) IN (" MANY_PAIRS
	       ") AND status IN (" EXECUTION_IN_PROGRESS_SQL ", " EXECUTION_WAITING_SQL ")",
    [SWEEP] = "DELETE FROM workflow_start WHERE completed < ? ORDER BY completed LIMIT ?",
};

#define SWEEP_ROWS 500

/* The columns of WORKFLOW. */
enum { WORKFLOW_STATUS, WORKFLOW_VERSION, WORKFLOW_DELETED, WORKFLOW_TOLD };

/* The columns of TRACES. */
enum { TRACES_PERSON, TRACES_RUNS };

const char *const store_start_sources[] = {"api", "cli", "segment", "schedule", NULL};
const char *const store_start_statuses[] = {
    "pending", "running", "done", "cancelled", "skipped", "failed", NULL};
const char *const store_start_reasons[] = {"filter", "reentry", NULL};

void
store_start_free(struct store_start *start)
{
	g_free(start->properties);
	g_free(start->error);
	g_free(start);
}

bool
store_start_is_over(const struct store_start *start)
{
	return start->status != START_PENDING && start->status != START_RUNNING;
}

bool
store_start_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Start not found");
}

/* The row of the workspace is locked, so that two requests count one after the other. */
static bool
start_hold(struct db *db, const struct base_id *workspace, GError **error)
{
	if (!db_run(db, sql[TURN], DB_VALUES(db_id(workspace)), NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[COUNT], DB_VALUES(db_id(workspace)), error);
	if (!rows || !db_rows_next(rows))
		return false;
	return db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_STARTS ||
	       base_fail(
		   error, PH_ERROR_CONFLICT, "Limit reached: at most %d starts", LIMIT_STARTS);
}

static struct db_value
start_id_or_null(const struct base_id *id, bool is_given)
{
	return is_given ? db_id(id) : db_null();
}

static bool
start_insert_addresses(struct db *db, const struct store_start *start,
    const struct store_start_address *addresses, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, 4 * (gsize)count);

	for (guint i = 0; i < count; i++) {
		struct db_value *row = values + 4 * (gsize)i;

		row[0] = db_id(&start->id);
		row[1] = db_text(addresses[i].address);
		row[2] = db_id(&start->workspace_id);
		row[3] = db_text(addresses[i].email);
	}
	return count == 0 || db_run_rows(db, sql[INSERT_ADDRESS], values, 4, count, NULL, error);
}

bool
store_start_insert(struct db *db, const struct store_start *start,
    const struct store_start_address *addresses, guint count, GError **error)
{
	const struct db_value values[] = {db_id(&start->id), db_id(&start->workspace_id),
	    db_id(&start->workflow_id), db_int(start->source), db_int(start->status),
	    start_id_or_null(&start->audience_id, start->has_audience),
	    start_id_or_null(&start->segment_id, start->has_segment), db_text(start->properties),
	    db_id(&start->place), db_int_or_null(start->scheduled_at), db_int(start->created),
	    db_int_or_null(start->completed),
	    start_id_or_null(&start->execution_id, start->has_execution),
	    db_int_or_null(start->reason), db_int(start->people), db_int(start->started),
	    db_int(start->filter), db_int(start->reentry)};

	if (!store_start_is_over(start) && !start_hold(db, &start->workspace_id, error))
		return false;
	return db_run(db, sql[INSERT], values, G_N_ELEMENTS(values), NULL, error) &&
	       start_insert_addresses(db, start, addresses, count, error);
}

static struct store_start *
start_read_one(struct db *db, int statement, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[statement], DB_VALUES(db_id(workspace), db_id(workflow), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return start_read_row(rows);
	store_start_missing(error);
	return NULL;
}

struct store_start *
store_start_get(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const struct base_id *id, GError **error)
{
	return start_read_one(db, GET, workspace, workflow, id, error);
}

struct store_start *
store_start_lock(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const struct base_id *id, GError **error)
{
	return start_read_one(db, LOCK, workspace, workflow, id, error);
}

struct store_start *
store_start_lock_free(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[LOCK_FREE], DB_VALUES(db_id(workspace), db_id(workflow), db_id(id)), error);

	return rows && db_rows_next(rows) ? start_read_row(rows) : NULL;
}

GPtrArray *
store_start_list(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(workspace), db_id(workflow), store_listing_before(before), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_start_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(list, start_read_row(rows));
	return list;
}

bool
store_start_there(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *there_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[THERE], DB_VALUES(db_id(id), db_id(workspace)), error);

	*there_r = rows && db_rows_next(rows);
	return rows != NULL;
}

bool
store_start_workflow_of(struct db *db, const struct base_id *workspace, const struct base_id *id,
    struct base_id *workflow_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[WORKFLOW_OF], DB_VALUES(db_id(id), db_id(workspace)), error);

	return rows && ((db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, workflow_r)) ||
			   store_start_missing(error));
}

struct store_start *
store_start_next(struct db *db, const struct base_id *after, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NEXT_DUE], DB_VALUES(db_id(after)), error);

	return rows && db_rows_next(rows) ? start_read_row(rows) : NULL;
}

bool
store_start_put(struct db *db, const struct store_start *start, GError **error)
{
	const struct db_value values[] = {db_int(start->status), db_id(&start->place),
	    db_int_or_null(start->completed),
	    start_id_or_null(&start->execution_id, start->has_execution),
	    db_int_or_null(start->reason), db_text(start->error), db_int(start->people),
	    db_int(start->started), db_int(start->filter), db_int(start->reentry),
	    db_id(&start->id), db_id(&start->workspace_id)};

	return db_run(db, sql[PUT], values, G_N_ELEMENTS(values), NULL, error) &&
	       (!store_start_is_over(start) ||
		   db_run(db, sql[FORGET], DB_VALUES(db_id(&start->id)), NULL, error));
}

static void
start_address_free(void *data)
{
	struct store_start_address *address = data;

	g_free(address->address);
	g_free(address->email);
	g_free(address);
}

GPtrArray *
store_start_addresses(struct db *db, const struct base_id *start, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[ADDRESSES], DB_VALUES(db_id(start), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(start_address_free);
	while (db_rows_next(rows))
		g_ptr_array_add(list, start_read_address(rows));
	return list;
}

bool
store_start_addresses_take(
    struct db *db, const struct base_id *start, const char *last, GError **error)
{
	return db_run(db, sql[TAKE], DB_VALUES(db_id(start), db_text(last)), NULL, error);
}

bool
store_start_workflow(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    struct store_start_workflow *workflow_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[WORKFLOW],
	    DB_VALUES(db_id(workspace), db_id(workflow), db_id(workspace)), error);

	*workflow_r = (struct store_start_workflow){.is_deleted = true};
	if (!rows || !db_rows_next(rows))
		return rows != NULL;
	workflow_r->status = (guint)db_rows_int(rows, WORKFLOW_STATUS);
	workflow_r->version = (guint)db_rows_int(rows, WORKFLOW_VERSION);
	workflow_r->is_deleted = !db_rows_is_null(rows, WORKFLOW_DELETED);
	workflow_r->is_told = db_rows_int(rows, WORKFLOW_TOLD) != 0;
	return true;
}

static void
start_give_trace(const struct store_person *const *people, guint count,
    struct store_start_trace *traces, const struct db_rows *rows)
{
	struct base_id person;

	db_rows_id(rows, TRACES_PERSON, &person);
	for (guint i = 0; i < count; i++)
		if (!base_id_equal(&people[i]->id, &person))
			continue;
		else if (db_rows_int(rows, TRACES_RUNS))
			traces[i].runs = true;
		else
			traces[i].entered = true;
}

bool
store_start_traces(struct db *db, const struct base_id *workflow,
    const struct store_person *const *people, guint count, struct store_start_trace *traces_r,
    GError **error)
{
	const guint half = 2 * MANY, size = 2 * half;
	guint shares = (count + MANY - 1) / MANY;
	g_autofree struct db_query *queries = g_new(struct db_query, shares);
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)size * shares);
	g_autofree struct db_rows **rows = g_new0(struct db_rows *, shares);

	if (count == 0)
		return true;
	for (guint share = 0; share < shares; share++) {
		struct db_value *of = values + (gsize)size * share;

		for (guint i = 0; i < MANY; i++) {
			of[2 * i] = of[half + 2 * i] = db_id(workflow);
			of[2 * i + 1] = of[half + 2 * i + 1] =
			    db_id(&people[MIN(share * MANY + i, count - 1)]->id);
		}
		queries[share] = (struct db_query){sql[TRACES], of, size};
	}
	if (!db_select_together(db, queries, shares, rows, error))
		return false;
	for (guint share = 0; share < shares; share++) {
		guint first = share * MANY;

		while (db_rows_next(rows[share]))
			start_give_trace(people + first, MIN(MANY, count - first), traces_r + first,
			    rows[share]);
	}
	db_rows_free_all(rows, shares);
	return true;
}

bool
store_start_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(
		db, sql[SWEEP], DB_VALUES(db_int(before), db_int(SWEEP_ROWS)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}
