/* SPDX-License-Identifier: MIT */
/* Reads executions, the lists of them, and the emails that they sent. */
#include "store/automation/execution.h"

#include <string.h>

#include "base/error.h"
#include "db/rows.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define COLUMNS                                                                                    \
	EXECUTION_COLUMNS ", e.error_step, e.error_message, e.cancellation, e.updated,"            \
			  " e.completed, w.deleted, w.name"
/* The columns of EXECUTION_COLUMNS, and those that COLUMNS adds. */
enum {
	E_ID,
	E_WORKSPACE,
	E_WORKFLOW,
	E_CONTACT,
	E_EVENT,
	E_EMAIL,
	E_VERSION,
	E_STATUS,
	E_STEP,
	E_STEP_COUNT,
	E_STEP_TIME,
	E_READY_AT,
	E_WAIT_UNTIL,
	E_RELEASED,
	E_ATTEMPTS,
	E_DEPTH,
	E_CREATED,
	E_DEATHS,
	E_VISITED,
	E_ERROR_STEP = EXECUTION_COLUMN_COUNT,
	E_ERROR_MESSAGE,
	E_CANCELLATION,
	E_UPDATED,
	E_COMPLETED,
	E_WORKFLOW_DELETED,
	E_WORKFLOW_NAME
};
G_STATIC_ASSERT(E_VISITED + 1 == EXECUTION_COLUMN_COUNT);

#define WORKFLOW " LEFT JOIN workflow w ON w.id = e.workflow_id"

/* The statuses of executions that are not finished. */
#define RUNNING "1, 2"

#define LIST(index, condition)                                                                     \
	"SELECT " COLUMNS " FROM execution e FORCE INDEX (" index ")" WORKFLOW " WHERE " condition \
	" AND e.workspace_id = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?"

#define NEWEST(index, condition)                                                                   \
	"SELECT id FROM execution FORCE INDEX (" index ") WHERE workflow_id = ?" condition         \
	" AND workspace_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?"

#define OF_STATUS(condition, order)                                                                \
	"(SELECT id FROM execution FORCE INDEX (workflow_status) WHERE workflow_id = ?"            \
	" AND status = ? AND " condition " ORDER BY id " order " LIMIT ?)"
#define PAGE(condition, order)                                                                     \
	"SELECT " COLUMNS " FROM (SELECT id FROM (" OF_STATUS(condition,                           \
	    order) " UNION ALL " OF_STATUS(condition, order) " UNION ALL " OF_STATUS(condition,    \
	    order) " UNION ALL " OF_STATUS(condition, order) " UNION ALL " OF_STATUS(condition,    \
	    order) ") each_status"                                                                 \
		   " ORDER BY id " order                                                           \
		   " LIMIT ?) page JOIN execution e ON e.id = page.id" WORKFLOW                    \
		   " WHERE e.workspace_id = ? ORDER BY e.id DESC"

#define EMAIL_COLUMNS                                                                              \
	"SELECT page.email_id, page.workflow_id, page.execution_id, e.subject, e.created,"         \
	" r.address, v.status, v.timestamp FROM "
/* The columns of EMAIL_COLUMNS. */
enum {
	SENT_EMAIL,
	SENT_WORKFLOW,
	SENT_EXECUTION,
	SENT_SUBJECT,
	SENT_CREATED,
	SENT_RECIPIENT,
	SENT_STATUS,
	SENT_TIMESTAMP
};

#define DETAILS                                                                                    \
	" page STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.email_id"                \
	" LEFT JOIN recipient r ON r.email_id = page.email_id AND r.number = 0"                    \
	" LEFT JOIN event v ON v.email_id = page.email_id"
#define EVENTS "v.timestamp, v.id"

/* Unfinished executions of a deleted workflow count as cancelled. Such workflows have a row in
   workflow_task. */
enum {
	GET,
	OF_WORKFLOW,
	OF_WORKFLOW_STATUS,
	OF_CONTACT,
	OF_CONTACT_STATUS,
	OF_CONTACT_CANCELLED,
	COUNT_STEPS,
	WORKFLOW_IDS,
	NEWEST_ANY,
	NEWEST_STATUS,
	OLDER,
	NEWER,
	EMAIL_LIST,
	EMAIL_OF
};
static const char *const sql[] = {
    [GET] = "SELECT " COLUMNS " FROM execution e" WORKFLOW " WHERE e.id = ? AND e.workspace_id = ?",
    [OF_WORKFLOW] = LIST("workflow", "e.workflow_id = ?"),
    [OF_WORKFLOW_STATUS] = LIST("workflow_status", "e.workflow_id = ? AND e.status = ?"),
    [OF_CONTACT] = LIST("contact", "e.contact_id = ?"),
    [OF_CONTACT_STATUS] =
	LIST("contact_status", "e.contact_id = ? AND e.status = ?"
			       " AND (w.deleted IS NULL OR e.status NOT IN (" RUNNING "))"),
    [OF_CONTACT_CANCELLED] =
	"SELECT " COLUMNS " FROM"
	" ((SELECT id FROM execution FORCE INDEX (contact_status)"
	" WHERE contact_id = ? AND status = ? AND id < ? ORDER BY id DESC LIMIT ?)"
	" UNION ALL"
	" (SELECT DISTINCT r.id FROM workflow_task t JOIN workflow d ON d.id = t.workflow_id"
	" JOIN execution r FORCE INDEX (exclusive) ON r.workflow_id = d.id AND r.contact_id = ?"
	" WHERE t.workspace_id = ? AND d.deleted IS NOT NULL AND r.status IN (" RUNNING
	") AND r.id < ? ORDER BY r.id DESC LIMIT ?)) page"
	" JOIN execution e ON e.id = page.id" WORKFLOW
	" WHERE e.workspace_id = ? ORDER BY e.id DESC LIMIT ?",
    [COUNT_STEPS] =
	"SELECT step_id, COUNT(*) FROM execution FORCE INDEX (workflow_status)"
	" WHERE workflow_id = ? AND workspace_id = ? AND status IN (" RUNNING ") GROUP BY step_id",
    [WORKFLOW_IDS] =
	"SELECT id, deleted FROM workflow FORCE INDEX (workspace) WHERE workspace_id = ?",
    [NEWEST_ANY] = NEWEST("workflow", ""),
    [NEWEST_STATUS] = NEWEST("workflow_status", " AND status = ?"),
    [OLDER] = PAGE("id < ?", "DESC"),
    [NEWER] = PAGE("id > ?", ""),
    [EMAIL_LIST] = EMAIL_COLUMNS "(SELECT email_id, workflow_id, execution_id"
				 " FROM execution_email FORCE INDEX (workflow)"
				 " WHERE workflow_id = ? AND workspace_id = ? AND email_id < ?"
				 " ORDER BY email_id DESC LIMIT ?)" DETAILS
				 " ORDER BY page.email_id DESC, " EVENTS,
    [EMAIL_OF] = EMAIL_COLUMNS "execution_email" DETAILS
			       " WHERE page.execution_id = ? AND page.workspace_id = ?"
			       " ORDER BY page.email_id, " EVENTS,
};

/* The columns of WORKFLOW_IDS. */
enum { IDS_WORKFLOW, IDS_DELETED };

/* The columns of COUNT_STEPS. */
enum { STEPS_STEP, STEPS_COUNT };

const char *const store_execution_statuses[] = {
    "IN_PROGRESS", "WAITING", "COMPLETED", "FAILED", "CANCELLED", NULL};
const char *const store_execution_cancellations[] = {
    "manual", "contact_deleted", "workflow_deleted", NULL};

void
store_execution_free(struct store_execution *execution)
{
	g_free(execution->email);
	g_free(execution->workflow);
	g_free(execution->step_id);
	g_free(execution->error_step);
	g_free(execution->error_message);
	g_free(execution);
}

bool
store_execution_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Execution not found");
	return false;
}

static void
execution_read_cancel(struct store_execution *e, gint64 deleted)
{
	if (e->status != EXECUTION_IN_PROGRESS && e->status != EXECUTION_WAITING)
		return;
	e->status = EXECUTION_CANCELLED;
	e->cancellation = CANCELLATION_WORKFLOW_DELETED;
	e->updated = e->completed = deleted;
}

static struct store_execution *
execution_read_read_row(struct db_rows *rows)
{
	struct store_execution *e = g_new0(struct store_execution, 1);

	store_execution_read(rows, e);
	e->error_step = g_strdup(db_rows_text(rows, E_ERROR_STEP));
	e->error_message = g_strdup(db_rows_text(rows, E_ERROR_MESSAGE));
	e->cancellation = (enum store_execution_cancellation)db_rows_int(rows, E_CANCELLATION);
	e->updated = db_rows_int(rows, E_UPDATED);
	e->completed = db_rows_int(rows, E_COMPLETED);
	if (!db_rows_is_null(rows, E_WORKFLOW_DELETED))
		execution_read_cancel(e, db_rows_int(rows, E_WORKFLOW_DELETED));
	e->workflow = g_strdup(db_rows_text(rows, E_WORKFLOW_NAME));
	return e;
}

struct store_execution *
store_execution_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return execution_read_read_row(rows);
	store_execution_missing(error);
	return NULL;
}

static struct db_rows *
select_any(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, const struct db_value *before, guint limit,
    GError **error)
{
	const struct base_id *workflow = filter->workflow_id;

	return db_select(db, sql[workflow ? OF_WORKFLOW : OF_CONTACT],
	    DB_VALUES(db_id(workflow ? workflow : filter->contact_id), db_id(workspace), *before,
		db_int(limit)),
	    error);
}

static struct db_rows *
select_status(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, const struct db_value *before, guint limit,
    GError **error)
{
	const struct base_id *workflow = filter->workflow_id;

	return db_select(db, sql[workflow ? OF_WORKFLOW_STATUS : OF_CONTACT_STATUS],
	    DB_VALUES(db_id(workflow ? workflow : filter->contact_id), db_int(filter->status),
		db_id(workspace), *before, db_int(limit)),
	    error);
}

static struct db_rows *
select_cancelled(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, const struct db_value *before, guint limit,
    GError **error)
{
	struct db_value contact = db_id(filter->contact_id);

	return db_select(db, sql[OF_CONTACT_CANCELLED],
	    DB_VALUES(contact, db_int(EXECUTION_CANCELLED), *before, db_int(limit), contact,
		db_id(workspace), *before, db_int(limit), db_id(workspace), db_int(limit)),
	    error);
}

struct search {
	struct db *db;
	const struct base_id *workspace;
	const struct store_execution_filter *filter;
	guint limit;
	GArray *found; /* struct base_id, the newest so far */
};

struct source {
	struct base_id workflow;
	bool deleted;
};

static int
execution_read_newest_first(const void *a, const void *b)
{
	return memcmp(b, a, sizeof(struct base_id));
}

/* Merges the executions of a workflow, in this status (0: any), that are newer than the last of
   a full list. */
static bool
execution_read_merge(
    struct search *search, const struct base_id *workflow, guint status, GError **error)
{
	GArray *found = search->found;
	static const struct base_id none = {{0}};
	const struct base_id *after = found->len < search->limit
					  ? &none
					  : &g_array_index(found, struct base_id, found->len - 1);
	struct db_value values[6];
	guint count = 0;
	struct base_id id;

	values[count++] = db_id(workflow);
	if (status)
		values[count++] = db_int(status);
	values[count++] = db_id(search->workspace);
	values[count++] = db_id(after);
	values[count++] = store_listing_before(search->filter->before);
	values[count++] = db_int(search->limit);
	AUTO(db_rows) rows =
	    db_select(search->db, sql[status ? NEWEST_STATUS : NEWEST_ANY], values, count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id))
		g_array_append_val(found, id);
	g_array_sort(found, execution_read_newest_first);
	g_array_set_size(found, MIN(found->len, search->limit));
	return true;
}

/* Unfinished executions of a deleted workflow count as cancelled. */
static bool
merge_source(struct search *search, const struct source *source, GError **error)
{
	enum store_execution_status status = search->filter->status;

	if (!source->deleted || !status)
		return execution_read_merge(search, &source->workflow, status, error);
	if (status == EXECUTION_IN_PROGRESS || status == EXECUTION_WAITING)
		return true;
	return (status != EXECUTION_CANCELLED ||
		   (execution_read_merge(search, &source->workflow, EXECUTION_IN_PROGRESS, error) &&
		       execution_read_merge(
			   search, &source->workflow, EXECUTION_WAITING, error))) &&
	       execution_read_merge(search, &source->workflow, status, error);
}

static GArray *
execution_read_read_sources(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[WORKFLOW_IDS], DB_VALUES(db_id(workspace)), error);
	struct source source;

	if (!rows)
		return NULL;
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(struct source));
	while (db_rows_next(rows) && db_rows_id(rows, IDS_WORKFLOW, &source.workflow)) {
		source.deleted = !db_rows_is_null(rows, IDS_DELETED);
		g_array_append_val(sources, source);
	}
	return sources;
}

/* The ids of the newest executions of all workflows of a workspace, as an array of struct
   base_id; the filter's status and before hold. No index has them all in one order, so the
   newest of each workflow are merged. */
static GArray *
list_newest(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error)
{
	g_autoptr(GArray) sources = execution_read_read_sources(db, workspace, error);
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct search search = {db, workspace, filter, limit, found};

	if (!sources)
		return NULL;
	for (guint i = 0; i < sources->len; i++)
		if (!merge_source(&search, &g_array_index(sources, struct source, i), error))
			return NULL;
	return g_steal_pointer(&found);
}

/* Reads the executions one by one, without those that were removed meanwhile. */
static GPtrArray *
read_newest(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error)
{
	g_autoptr(GArray) ids = list_newest(db, workspace, filter, limit, error);
	g_autoptr(GPtrArray) executions = g_ptr_array_new_with_free_func(store_execution_destroy);

	for (guint i = 0; ids && i < ids->len; i++) {
		g_autoptr(GError) failure = NULL;
		struct store_execution *execution = store_execution_get(
		    db, workspace, &g_array_index(ids, struct base_id, i), &failure);

		if (execution) {
			g_ptr_array_add(executions, execution);
		} else if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return NULL;
		}
	}
	return ids ? g_steal_pointer(&executions) : NULL;
}

GPtrArray *
store_execution_list(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error)
{
	struct db_value before = store_listing_before(filter->before);
	bool cancelled = !filter->workflow_id && filter->status == EXECUTION_CANCELLED;

	if (!filter->workflow_id && !filter->contact_id)
		return read_newest(db, workspace, filter, limit, error);
	AUTO(db_rows) rows =
	    (cancelled		 ? select_cancelled
		: filter->status ? select_status
				 : select_any)(db, workspace, filter, &before, limit, error);

	if (!rows)
		return NULL;
	GPtrArray *executions = g_ptr_array_new_with_free_func(store_execution_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(executions, execution_read_read_row(rows));
	return executions;
}

GPtrArray *
store_execution_page(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const struct store_page *page, const enum store_execution_status statuses[EXECUTION_STATUSES],
    GError **error)
{
	const struct base_id *cursor = page->side == STORE_PAGE_FIRST ? NULL : &page->cursor;
	struct db_value values[4 * EXECUTION_STATUSES + 2];
	guint count = 0;

	for (guint i = 0; i < EXECUTION_STATUSES; i++) {
		values[count++] = db_id(workflow);
		values[count++] = db_int(statuses[i]);
		values[count++] = store_listing_before(cursor);
		values[count++] = db_int(page->limit);
	}
	values[count++] = db_int(page->limit);
	values[count++] = db_id(workspace);
	AUTO(db_rows)
	rows = db_select(
	    db, sql[page->side == STORE_PAGE_NEWER ? NEWER : OLDER], values, count, error);
	if (!rows)
		return NULL;
	GPtrArray *executions = g_ptr_array_new_with_free_func(store_execution_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(executions, execution_read_read_row(rows));
	return executions;
}

GHashTable *
store_execution_count_steps(
    struct db *db, const struct base_id *workspace, const struct base_id *workflow, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[COUNT_STEPS], DB_VALUES(db_id(workflow), db_id(workspace)), error);

	if (!rows)
		return NULL;
	GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	while (db_rows_next(rows)) {
		gint64 count = db_rows_int(rows, STEPS_COUNT);
		g_hash_table_insert(counts, g_strdup(db_rows_text(rows, STEPS_STEP)),
		    g_memdup2(&count, sizeof(count)));
	}
	return counts;
}

void
store_execution_email_free(struct store_execution_email *email)
{
	g_free(email->subject);
	g_free(email->recipient);
	g_array_unref(email->events);
	g_free(email);
}

static struct store_execution_email *
execution_read_read_email(const struct db_rows *rows)
{
	struct store_execution_email *email = g_new0(struct store_execution_email, 1);

	db_rows_id(rows, SENT_EMAIL, &email->email_id);
	db_rows_id(rows, SENT_WORKFLOW, &email->workflow_id);
	db_rows_id(rows, SENT_EXECUTION, &email->execution_id);
	email->subject = g_strdup(db_rows_text(rows, SENT_SUBJECT));
	email->created = email->updated = db_rows_int(rows, SENT_CREATED);
	email->recipient = g_strdup(db_rows_text(rows, SENT_RECIPIENT));
	email->events = g_array_new(FALSE, FALSE, sizeof(struct store_execution_email_event));
	return email;
}

static void
execution_read_add_event(struct store_execution_email *email, const struct db_rows *rows)
{
	const struct store_execution_email_event event = {
	    .status = (enum store_event_status)db_rows_int(rows, SENT_STATUS),
	    .timestamp = db_rows_int(rows, SENT_TIMESTAMP),
	};

	if (event.status == EVENT_NONE)
		return;
	g_array_append_val(email->events, event);
	email->updated = MAX(email->updated, event.timestamp);
}

/* An email has a row for each event; its rows stand together. */
static GPtrArray *
execution_read_read_all(struct db_rows *rows)
{
	struct store_execution_email *email = NULL;
	struct base_id id;

	if (!rows)
		return NULL;
	GPtrArray *emails = g_ptr_array_new_with_free_func(store_execution_email_destroy);
	while (db_rows_next(rows)) {
		db_rows_id(rows, SENT_EMAIL, &id);
		if (!email || !base_id_equal(&email->email_id, &id)) {
			email = execution_read_read_email(rows);
			g_ptr_array_add(emails, email);
		}
		execution_read_add_event(email, rows);
	}
	return emails;
}

GPtrArray *
store_execution_email_list(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[EMAIL_LIST],
	    DB_VALUES(
		db_id(workflow), db_id(workspace), store_listing_before(before), db_int(limit)),
	    error);

	return execution_read_read_all(rows);
}

GPtrArray *
store_execution_email_of(
    struct db *db, const struct base_id *workspace, const struct base_id *execution, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[EMAIL_OF], DB_VALUES(db_id(execution), db_id(workspace)), error);

	return execution_read_read_all(rows);
}

void
store_execution_read(struct db_rows *rows, struct store_execution *e)
{
	db_rows_id(rows, E_ID, &e->id);
	db_rows_id(rows, E_WORKSPACE, &e->workspace_id);
	db_rows_id(rows, E_WORKFLOW, &e->workflow_id);
	db_rows_id(rows, E_CONTACT, &e->contact_id);
	db_rows_id(rows, E_EVENT, &e->event_id);
	e->email = g_strdup(db_rows_text(rows, E_EMAIL));
	e->version = (guint)db_rows_int(rows, E_VERSION);
	e->status = (enum store_execution_status)db_rows_int(rows, E_STATUS);
	e->step_id = g_strdup(db_rows_text(rows, E_STEP));
	e->step_count = (guint)db_rows_int(rows, E_STEP_COUNT);
	e->step_time = db_rows_int(rows, E_STEP_TIME);
	e->ready_at = db_rows_int(rows, E_READY_AT);
	e->wait_until = db_rows_int(rows, E_WAIT_UNTIL);
	e->released = db_rows_int(rows, E_RELEASED);
	e->attempts = (guint)db_rows_int(rows, E_ATTEMPTS);
	e->depth = (guint)db_rows_int(rows, E_DEPTH);
	e->created = db_rows_int(rows, E_CREATED);
	e->deaths = (guint)db_rows_int(rows, E_DEATHS);
	gsize size;
	const char *visited = db_rows_bytes(rows, E_VISITED, &size);
	if (visited)
		memcpy(e->visited, visited, MIN(size, sizeof(e->visited)));
}
