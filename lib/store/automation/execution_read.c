/* SPDX-License-Identifier: MIT */
/* Reads executions, the lists of them, and the emails that they sent. */
#include "store/automation/execution.h"

#include <string.h>

#include "base/error.h"
#include "db/columns.h"
#include "db/rows.h"
#include "db/statement.h"
#include "store/common/listing.h"

DB_COLUMNS_READER(execution_read_columns, struct store_execution, EXECUTION_COLUMNS)
#define SHOWN_COLUMNS(FIRST, NEXT)                                                                 \
	EXECUTION_COLUMNS(FIRST, NEXT)                                                             \
	NEXT(error_step, "e.error_step")                                                           \
	NEXT(error_message, "e.error_message")                                                     \
	NEXT(cancellation, "e.cancellation")                                                       \
	NEXT(updated, "e.updated")                                                                 \
	NEXT(completed, "e.completed")                                                             \
	NEXT(completion, "e.completion")                                                           \
	NEXT(key, "e.entry_key")                                                                   \
	NEXT(goal_at, "e.goal_at")                                                                 \
	NEXT(start_id, "e.start_id", has_start)                                                    \
	NEXT(workflow, "w.name")
DB_COLUMNS_MAKER(execution_read_shown, struct store_execution, SHOWN_COLUMNS)
#define COLUMNS DB_COLUMNS_SQL(SHOWN_COLUMNS) ", w.deleted"
enum { E_WORKFLOW_DELETED = DB_COLUMNS_END(SHOWN_COLUMNS) };

#define WORKFLOW " LEFT JOIN workflow w ON w.id = e.workflow_id"

/* The statuses of executions that are not finished. */
#define RUNNING EXECUTION_IN_PROGRESS_SQL ", " EXECUTION_WAITING_SQL

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

/* An email that an execution sent, and the events of it. */
#define SENT_COLUMNS(FIRST, NEXT)                                                                  \
	FIRST(email_id, "page.email_id")                                                           \
	NEXT(workflow_id, "page.workflow_id")                                                      \
	NEXT(execution_id, "page.execution_id")                                                    \
	NEXT(subject, "e.subject")                                                                 \
	NEXT(created, "e.created")                                                                 \
	NEXT(recipient, "r.address")
DB_COLUMNS_MAKER(execution_read_sent, struct store_execution_email, SENT_COLUMNS)
#define SENT_EVENT_COLUMNS(FIRST, NEXT)                                                            \
	FIRST(status, "v.status")                                                                  \
	NEXT(timestamp, "v.timestamp")
DB_COLUMNS_READER(execution_read_sent_event, struct store_execution_email_event, SENT_EVENT_COLUMNS)
#define EMAIL_COLUMNS                                                                              \
	"SELECT " DB_COLUMNS_SQL(SENT_COLUMNS) ", " DB_COLUMNS_SQL(SENT_EVENT_COLUMNS) " FROM "
enum { SENT_EMAIL, SENT_EVENT = DB_COLUMNS_END(SENT_COLUMNS) };

#define DETAILS                                                                                    \
	" page STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.email_id"                \
	" AND e.workspace_id = page.workspace_id"                                                  \
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
	EMAIL_OF,
	EMAIL_ENDINGS
};
/* By checked ids: EMAIL_ENDINGS. The caller has claimed the emails. */
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
    [EMAIL_LIST] = EMAIL_COLUMNS "(SELECT email_id, workspace_id, workflow_id, execution_id"
				 " FROM execution_email FORCE INDEX (workflow)"
				 " WHERE workflow_id = ? AND workspace_id = ? AND email_id < ?"
				 " ORDER BY email_id DESC LIMIT ?)" DETAILS
				 " ORDER BY page.email_id DESC, " EVENTS,
    [EMAIL_OF] = EMAIL_COLUMNS "execution_email" DETAILS
			       " WHERE page.execution_id = ? AND page.workspace_id = ?"
			       " ORDER BY page.email_id, " EVENTS,
    [EMAIL_ENDINGS] =
	"SELECT m.email_id, x.completion FROM execution_email m FORCE INDEX (PRIMARY)"
	" STRAIGHT_JOIN execution x FORCE INDEX (PRIMARY) ON x.id = m.execution_id"
	" WHERE m.email_id IN (" DB_MARKS_8 ") AND (x.completion = " COMPLETION_GOAL_SQL
	" OR x.cancellation = " CANCELLATION_EXIT_SQL ")",
};

/* The columns of EMAIL_ENDINGS. */
enum { ENDINGS_EMAIL, ENDINGS_COMPLETION };
#define ENDINGS_TOGETHER 8

/* The columns of WORKFLOW_IDS. */
enum { IDS_WORKFLOW, IDS_DELETED };

/* The columns of COUNT_STEPS. */
enum { STEPS_STEP, STEPS_COUNT };

const char *const store_execution_statuses[] = {
    "IN_PROGRESS", "WAITING", "COMPLETED", "FAILED", "CANCELLED", NULL};
const char *const store_execution_cancellations[] = {
    "manual", "contact_deleted", "workflow_deleted", "exit", NULL};
const char *const store_execution_completions[] = {"end", "goal", "digest"};

void
store_execution_free(struct store_execution *execution)
{
	g_free(execution->email);
	g_free(execution->workflow);
	g_free(execution->step_id);
	g_free(execution->error_step);
	g_free(execution->error_message);
	g_free(execution->key);
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
	struct store_execution *e = execution_read_shown(rows);

	if (!db_rows_is_null(rows, E_WORKFLOW_DELETED))
		execution_read_cancel(e, db_rows_int(rows, E_WORKFLOW_DELETED));
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
	struct store_execution_email *email = execution_read_sent(rows);

	email->updated = email->created;
	email->events = g_array_new(FALSE, FALSE, sizeof(struct store_execution_email_event));
	return email;
}

static void
execution_read_add_event(struct store_execution_email *email, const struct db_rows *rows)
{
	struct store_execution_email_event event;

	execution_read_sent_event(rows, SENT_EVENT, &event);
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
store_execution_read(const struct db_rows *rows, guint first, struct store_execution *execution_r)
{
	execution_read_columns(rows, first, execution_r);
}

static void
execution_read_ending(const struct db_rows *rows, const struct base_id *const *emails, guint count,
    enum store_execution_ending *endings_r)
{
	struct base_id email;

	for (guint i = 0; db_rows_id(rows, ENDINGS_EMAIL, &email) && i < count; i++)
		if (base_id_equal(emails[i], &email))
			endings_r[i] =
			    db_rows_is_null(rows, ENDINGS_COMPLETION) ? ENDING_EXIT : ENDING_GOAL;
}

bool
store_execution_email_endings(struct db *db, const struct base_id *const *emails, guint count,
    enum store_execution_ending *endings_r, GError **error)
{
	for (guint done = 0; done < count; done += ENDINGS_TOGETHER) {
		struct db_value values[ENDINGS_TOGETHER];

		for (guint i = 0; i < ENDINGS_TOGETHER; i++)
			values[i] = db_id(emails[MIN(done + i, count - 1)]);
		for (guint i = done; i < MIN(done + ENDINGS_TOGETHER, count); i++)
			endings_r[i] = ENDING_NONE;
		AUTO(db_rows)
		rows = db_select(db, sql[EMAIL_ENDINGS], values, ENDINGS_TOGETHER, error);
		if (!rows)
			return false;
		while (db_rows_next(rows))
			execution_read_ending(rows, emails, count, endings_r);
	}
	return true;
}
