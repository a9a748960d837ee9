/* SPDX-License-Identifier: MIT */
/* Removes old rows. Ids of emails begin with their time, so age is a range of a key. */
#include "store/upkeep/retention.h"

#include <string.h>

#include "base/array.h"
#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/execution.h"
#include "store/email/body.h"
#include "store/email/email.h"
#include "store/email/key.h"
#include "store/email/status.h"
#include "store/workspace/workspace.h"

enum {
	WORKSPACES,
	OLD_EMAILS,
	OLD_CONTENTS,
	PARTS,
	KEEP_READERS,
	KEEP_OUTCOMES,
	REMOVE_CONTENT,
	REMOVE_PARTS,
	REMOVE_EVENTS,
	REMOVE_REPORTS,
	REMOVE_HEARSAY,
	REMOVE_COPIES,
	REMOVE_TAGS,
	REMOVE_RECIPIENTS,
	REMOVE_SENDERS,
	REMOVE_FEEDBACK,
	REMOVE_OPENED,
	EMPTY_BROADCAST_PARTS,
	REMOVE_SENDING,
	REMOVE_STATUSES,
	REMOVE_EMAILS,
	EVENTS,
	AUTOMATION_EVENTS,
	FEEDBACK,
	HEARSAY,
	FINISHED,
	REMOVE_TOLD,
	REMOVE_SENT,
	REMOVE_STEPS,
	REMOVE_WATCHES,
	REMOVE_REQUESTS,
	REMOVE_FINISHED,
	REMOVE_TRACES,
	IDEMPOTENCY
};

#define PENDING(id)                                                                                \
	"(EXISTS (SELECT 1 FROM outbox o WHERE o.email_id = " id                                   \
	") OR EXISTS (SELECT 1 FROM broadcast_model m WHERE m.email_id = " id "))"

/* The oldest emails that have a row of a table and do not have to leave. The age of an email that
   was scheduled counts from its time. */
#define OLD(table)                                                                                 \
	"SELECT DISTINCT p.email_id FROM " table " p WHERE p.email_id < ? AND NOT EXISTS"          \
	" (SELECT 1 FROM email e WHERE e.workspace_id = p.workspace_id AND e.id = p.email_id"      \
	" AND e.scheduled_at >= ?) AND NOT " PENDING("p.email_id") " ORDER BY p.email_id LIMIT ?"

/* System-wide: WORKSPACES, OLD_CONTENTS, EVENTS, AUTOMATION_EVENTS, FEEDBACK, HEARSAY, FINISHED,
   IDEMPOTENCY. Rows grow old in all workspaces. */
/* By checked ids: PARTS, KEEP_OUTCOMES, REMOVE_CONTENT, REMOVE_PARTS, REMOVE_EVENTS,
   REMOVE_REPORTS, REMOVE_HEARSAY, REMOVE_COPIES, REMOVE_TAGS, REMOVE_RECIPIENTS, REMOVE_SENDERS,
   REMOVE_FEEDBACK, REMOVE_OPENED, EMPTY_BROADCAST_PARTS, REMOVE_SENDING, REMOVE_TOLD, REMOVE_SENT,
   REMOVE_STEPS, REMOVE_WATCHES, REMOVE_REQUESTS, REMOVE_FINISHED, REMOVE_TRACES. The searches for
   old rows have
   found the ids. */
static const char *const sql[] = {
    /* Those whose oldest email is old. */
    [WORKSPACES] =
	"SELECT w.id FROM workspace w FORCE INDEX (PRIMARY) WHERE (SELECT e.id FROM email "
	"e " STORE_EMAIL_BY_TIME " WHERE e.workspace_id = w.id ORDER BY e.id LIMIT 1) < ?",
    [OLD_EMAILS] = "SELECT e.id FROM email e " STORE_EMAIL_BY_TIME
		   " WHERE e.workspace_id = ? AND e.id < ? AND (e.scheduled_at IS NULL"
		   " OR e.scheduled_at < ?) AND NOT " PENDING(
		       "e.id") " ORDER BY e.id LIMIT ? FOR UPDATE SKIP LOCKED",
    [OLD_CONTENTS] = "(" OLD("email_part") ") UNION (" OLD("email_content") ") ORDER BY 1 LIMIT ?",
    [PARTS] = "SELECT workspace_id, body FROM email_part WHERE email_id = ?",
    /* The links of a mailing go on to work. */
    [KEEP_READERS] =
	"INSERT IGNORE INTO reader_kept (email_id, number, workspace_id, address, sender, topic_id)"
	" SELECT r.email_id, r.number, r.workspace_id, r.address, e.sender, e.topic_id"
	" FROM recipient r STRAIGHT_JOIN email e ON e.id = r.email_id"
	" AND e.workspace_id = r.workspace_id WHERE r.email_id = ? AND (e.tracking & "
	"(" TRACK_UNSUBSCRIBE_SQL " | " TRACK_TEST_SQL ")) = " TRACK_UNSUBSCRIBE_SQL
	" AND r.address <> ''",
    [KEEP_OUTCOMES] = "UPDATE broadcast_part t STRAIGHT_JOIN recipient m ON m.email_id = t.email_id"
		      " STRAIGHT_JOIN broadcast_recipient r ON r.broadcast_id = t.broadcast_id"
		      " AND r.person_id = SUBSTRING(t.people, m.number * 16 + 1, 16)"
		      " SET r.outcome = m.status WHERE t.email_id = ? AND m.status IS NOT NULL",
    [REMOVE_CONTENT] = "DELETE FROM email_content WHERE email_id = ?",
    [REMOVE_PARTS] = "DELETE FROM email_part WHERE email_id = ?",
    [REMOVE_EVENTS] = "DELETE FROM event WHERE email_id = ?",
    [REMOVE_REPORTS] = "DELETE FROM report WHERE email_id = ?",
    [REMOVE_HEARSAY] = "DELETE FROM hearsay WHERE email_id = ?",
    [REMOVE_COPIES] = "DELETE FROM relay_copy WHERE email_id = ?",
    [REMOVE_TAGS] = "DELETE FROM email_tag WHERE email_id = ?",
    [REMOVE_RECIPIENTS] = "DELETE FROM recipient WHERE email_id = ?",
    [REMOVE_SENDERS] = "DELETE FROM execution_email WHERE email_id = ?",
    [REMOVE_FEEDBACK] = "DELETE FROM automation_feedback WHERE email_id = ?",
    [REMOVE_OPENED] = "DELETE FROM workflow_opened WHERE email_id = ?",
    /* Histories still tell of the broadcast. */
    [EMPTY_BROADCAST_PARTS] = "UPDATE broadcast_part SET people = '' WHERE email_id = ?",
    [REMOVE_SENDING] = "DELETE FROM email_sending WHERE email_id = ?",
    [REMOVE_STATUSES] = STATUS_REMOVE_SQL,
    [REMOVE_EMAILS] = "DELETE FROM email WHERE id = ? AND workspace_id = ?",
    [EVENTS] = "DELETE FROM event WHERE email_id < ? AND timestamp < ? ORDER BY email_id LIMIT ?",
    /* Steps may still need the properties of the event that started their execution. */
    [AUTOMATION_EVENTS] =
	"DELETE FROM automation_event WHERE id < ? AND timestamp < ? AND NOT EXISTS"
	" (SELECT 1 FROM execution x FORCE INDEX (contact_status)"
	" WHERE x.contact_id = automation_event.contact_id AND x.status IN "
	"(" EXECUTION_IN_PROGRESS_SQL ", " EXECUTION_WAITING_SQL ")"
	" AND x.event_id = automation_event.id) ORDER BY id LIMIT ?",
    /* Own events, which have a name, are of no email. */
    [FEEDBACK] = "DELETE FROM automation_feedback WHERE event_id < ? AND timestamp < ?"
		 " AND (NOT EXISTS (SELECT 1 FROM person c"
		 " WHERE c.id = automation_feedback.contact_id)"
		 " OR (name IS NULL AND NOT EXISTS (SELECT 1 FROM execution_email m"
		 " JOIN execution x ON x.id = m.execution_id"
		 " WHERE m.email_id = automation_feedback.email_id))) ORDER BY event_id LIMIT ?",
    [HEARSAY] = "DELETE FROM hearsay WHERE created < ? ORDER BY created LIMIT ?",
    /* Finds the oldest ones workflow by workflow, without reading unfinished executions. */
    [FINISHED] = "SELECT x.id, x.contact_id FROM (SELECT DISTINCT workflow_id FROM execution) w"
		 " STRAIGHT_JOIN execution x FORCE INDEX (workflow_status)"
		 " ON x.workflow_id = w.workflow_id AND x.status IN (" EXECUTION_COMPLETED_SQL
		 ", " EXECUTION_FAILED_SQL ", " EXECUTION_CANCELLED_SQL ") AND x.id < ?"
		 " WHERE x.completed < ? LIMIT ?",
    [REMOVE_TOLD] = "DELETE f FROM execution_email m"
		    " JOIN automation_feedback f ON f.email_id = m.email_id"
		    " WHERE m.execution_id = ?",
    [REMOVE_SENT] = "DELETE FROM execution_email WHERE execution_id = ?",
    [REMOVE_REQUESTS] = "DELETE FROM step_request WHERE execution_id = ?",
    [REMOVE_STEPS] = "DELETE FROM execution_step WHERE execution_id = ?",
    [REMOVE_WATCHES] = "DELETE FROM execution_watch WHERE execution_id = ?",
    [REMOVE_FINISHED] = "DELETE FROM execution WHERE id = ?",
    [REMOVE_TRACES] =
	"DELETE FROM execution_trace WHERE contact_id = ? AND NOT EXISTS"
	" (SELECT 1 FROM execution x WHERE x.contact_id = execution_trace.contact_id)",
    [IDEMPOTENCY] = "DELETE FROM idempotency WHERE created < ? ORDER BY created LIMIT ?",
};

/* The columns of PARTS. */
enum { PARTS_WORKSPACE, PARTS_BODY };

/* The columns of FINISHED. */
enum { FINISHED_EXECUTION, FINISHED_CONTACT };

#define BATCH 100
#define ROWS 500

/* A content that an email no longer uses. */
struct used {
	struct base_id workspace_id;
	guint8 hash[SHA256_SIZE];
};

/* Of what emails. */
enum removal_of { OF_CONTENTS, OF_SERVICE, OF_ALL };

struct removal {
	enum removal_of of;    /* OF_CONTENTS: the emails stay */
	const int *remove;     /* ends with -1 */
	gint64 time;	       /* older ones go */
	struct base_id before; /* the first id of this time */
	GArray *emails;	       /* struct base_id */
	GArray *workspaces;    /* struct base_id: theirs; empty if the emails stay */
	GArray *bodies;	       /* struct used */
};

static bool
find_with_contents(struct db *db, struct removal *removal, GError **error)
{
	const struct db_value before = db_id(&removal->before), time = db_int(removal->time);
	const struct db_value batch = db_int(BATCH);
	AUTO(db_rows)
	rows = db_select(db, sql[OLD_CONTENTS],
	    DB_VALUES(before, time, batch, before, time, batch, batch), error);
	struct base_id id;

	while (rows && db_rows_next(rows))
		if (db_rows_id(rows, DB_ROWS_ONLY, &id))
			g_array_append_val(removal->emails, id);
	return rows != NULL;
}

/* Adds emails of a workspace, as far as the batch has room. */
static bool
find_of_workspace(
    struct db *db, struct removal *removal, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OLD_EMAILS],
	    DB_VALUES(db_id(workspace), db_id(&removal->before), db_int(removal->time),
		db_int(BATCH - removal->emails->len)),
	    error);
	struct base_id id;

	while (rows && db_rows_next(rows)) {
		db_rows_id(rows, DB_ROWS_ONLY, &id);
		g_array_append_val(removal->emails, id);
		g_array_append_vals(removal->workspaces, workspace, 1);
	}
	return rows != NULL;
}

static bool
find_of_all(struct db *db, struct removal *removal, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[WORKSPACES], DB_VALUES(db_id(&removal->before)), error);
	struct base_id workspace;
	bool found = rows != NULL;

	while (found && removal->emails->len < BATCH && db_rows_next(rows)) {
		db_rows_id(rows, DB_ROWS_ONLY, &workspace);
		found = find_of_workspace(db, removal, &workspace, error);
	}
	return found;
}

static bool
find_emails(struct db *db, struct removal *removal, GError **error)
{
	g_array_set_size(removal->emails, 0);
	g_array_set_size(removal->workspaces, 0);
	if (removal->of == OF_CONTENTS)
		return find_with_contents(db, removal, error);
	return find_of_workspace(db, removal, &store_workspace_system, error) &&
	       (removal->of == OF_SERVICE || find_of_all(db, removal, error));
}

static bool
find_bodies(struct db *db, struct removal *removal, GError **error)
{
	g_array_set_size(removal->bodies, 0);
	for (guint i = 0; i < removal->emails->len; i++) {
		AUTO(db_rows) rows = db_select(db, sql[PARTS],
		    DB_VALUES(db_id(&g_array_index(removal->emails, struct base_id, i))), error);

		if (!rows)
			return false;
		while (db_rows_next(rows)) {
			struct used used;
			gsize size;
			const void *hash = db_rows_bytes(rows, PARTS_BODY, &size);

			db_rows_id(rows, PARTS_WORKSPACE, &used.workspace_id);
			base_array_copy(used.hash, hash, MIN(size, SHA256_SIZE), 1);
			g_array_append_val(removal->bodies, used);
		}
	}
	return true;
}

/* Keeps what is known of the readers of emails that go. One by one: the server takes no arrays for
   these statements. */
static bool
keep_readers(struct db *db, const struct removal *removal, GError **error)
{
	for (guint i = 0; removal->of != OF_CONTENTS && i < removal->emails->len; i++) {
		const struct db_value email =
		    db_id(&g_array_index(removal->emails, struct base_id, i));

		if (!db_run(db, sql[KEEP_READERS], &email, 1, NULL, error) ||
		    !db_run(db, sql[KEEP_OUTCOMES], &email, 1, NULL, error))
			return false;
	}
	return true;
}

/* Removes the rows of the emails themselves, and those that are found by their workspace. */
static bool
remove_emails(struct db *db, const struct removal *removal, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)2 * removal->workspaces->len);

	for (guint i = 0; i < removal->workspaces->len; i++) {
		values[2 * i] = db_id(&g_array_index(removal->emails, struct base_id, i));
		values[2 * i + 1] = db_id(&g_array_index(removal->workspaces, struct base_id, i));
	}
	return db_run_rows(
		   db, sql[REMOVE_STATUSES], values, 2, removal->workspaces->len, NULL, error) &&
	       db_run_rows(
		   db, sql[REMOVE_EMAILS], values, 2, removal->workspaces->len, NULL, error);
}

static bool
retention_remove_some(struct db *db, void *context, GError **error)
{
	struct removal *removal = context;

	if (!find_emails(db, removal, error) || !find_bodies(db, removal, error) ||
	    !keep_readers(db, removal, error))
		return false;
	g_autofree struct db_value *values = g_new(struct db_value, removal->emails->len);
	for (guint i = 0; i < removal->emails->len; i++)
		values[i] = db_id(&g_array_index(removal->emails, struct base_id, i));
	for (const int *statement = removal->remove; *statement >= 0; statement++)
		if (!db_run_rows(db, sql[*statement], values, 1, removal->emails->len, NULL, error))
			return false;
	return remove_emails(db, removal, error);
}

static bool
retention_remove_batch(struct db *db, enum removal_of of, const int *remove, gint64 before,
    guint *count_r, GError **error)
{
	g_autoptr(GArray) emails = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	g_autoptr(GArray) workspaces = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	g_autoptr(GArray) bodies = g_array_new(FALSE, FALSE, sizeof(struct used));
	struct removal removal = {
	    of, remove, before, base_id_floor(before), emails, workspaces, bodies};

	if (!db_transact(db, retention_remove_some, &removal, error))
		return false;
	*count_r = emails->len;
	/* Removes contents that nothing uses: the foreign keys refuse the others. */
	for (guint i = 0; i < bodies->len; i++) {
		const struct used *used = &g_array_index(bodies, struct used, i);

		if (!store_body_drop(db, &used->workspace_id, used->hash, error))
			return false;
	}
	return true;
}

bool
store_retention_bodies(struct db *db, gint64 before, guint *count_r, GError **error)
{
	static const int remove[] = {REMOVE_CONTENT, REMOVE_PARTS, -1};

	return retention_remove_batch(db, OF_CONTENTS, remove, before, count_r, error);
}

static const int whole[] = {REMOVE_CONTENT, REMOVE_PARTS, REMOVE_EVENTS, REMOVE_REPORTS,
    REMOVE_HEARSAY, REMOVE_COPIES, REMOVE_TAGS, REMOVE_RECIPIENTS, REMOVE_SENDERS, REMOVE_FEEDBACK,
    REMOVE_OPENED, EMPTY_BROADCAST_PARTS, REMOVE_SENDING, -1};

bool
store_retention_emails(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return retention_remove_batch(db, OF_ALL, whole, before, count_r, error);
}

bool
store_retention_service(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return retention_remove_batch(db, OF_SERVICE, whole, before, count_r, error);
}

static bool
retention_remove_rows(struct db *db, int statement, gint64 before, guint *count_r, GError **error)
{
	struct base_id id = base_id_floor(before);
	guint64 affected = 0;

	if (!db_run(db, sql[statement], DB_VALUES(db_id(&id), db_int(before), db_int(ROWS)),
		&affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_retention_events(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return retention_remove_rows(db, EVENTS, before, count_r, error);
}

bool
store_retention_automation_events(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return retention_remove_rows(db, AUTOMATION_EVENTS, before, count_r, error);
}

bool
store_retention_feedback(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return retention_remove_rows(db, FEEDBACK, before, count_r, error);
}

/* Finished executions never change again, so nothing needs a lock. */
struct finished {
	gint64 before;
	struct base_id ids[BATCH], contacts[BATCH];
	guint count;
};

static bool
find_finished(struct db *db, struct finished *finished, GError **error)
{
	struct base_id floor = base_id_floor(finished->before);
	AUTO(db_rows) rows = db_select(db, sql[FINISHED],
	    DB_VALUES(db_id(&floor), db_int(finished->before), db_int(BATCH)), error);

	finished->count = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); finished->count++) {
		db_rows_id(rows, FINISHED_EXECUTION, &finished->ids[finished->count]);
		db_rows_id(rows, FINISHED_CONTACT, &finished->contacts[finished->count]);
	}
	return true;
}

static bool
remove_finished(struct db *db, void *context, GError **error)
{
	struct finished *finished = context;
	struct db_value ids[BATCH], contacts[BATCH];

	if (!find_finished(db, finished, error))
		return false;
	for (guint i = 0; i < finished->count; i++) {
		ids[i] = db_id(&finished->ids[i]);
		contacts[i] = db_id(&finished->contacts[i]);
		/* One by one: the server takes no arrays for this statement. */
		if (!db_run(db, sql[REMOVE_TOLD], &ids[i], 1, NULL, error))
			return false;
	}
	return db_run_rows(db, sql[REMOVE_SENT], ids, 1, finished->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_STEPS], ids, 1, finished->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_WATCHES], ids, 1, finished->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_REQUESTS], ids, 1, finished->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_FINISHED], ids, 1, finished->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_TRACES], contacts, 1, finished->count, NULL, error);
}

bool
store_retention_executions(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct finished finished = {.before = before};

	if (!db_transact(db, remove_finished, &finished, error))
		return false;
	*count_r = finished.count;
	return true;
}

static bool
remove_created(struct db *db, int statement, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], DB_VALUES(db_int(before), db_int(ROWS)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_retention_hearsay(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return remove_created(db, HEARSAY, before, count_r, error);
}

bool
store_retention_idempotency(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return remove_created(db, IDEMPOTENCY, before, count_r, error);
}
