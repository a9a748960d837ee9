/* SPDX-License-Identifier: MIT */
/* Queues the events of emails that workflows sent, for these workflows. */
#include "store/automation/feedback.h"

#include <string.h>

#include "db/statement.h"

enum { SENT, CLAIM, REMOVE, PENDING, FORGET, DROP };
/* System-wide: CLAIM. The spool tells the workflows of all workspaces. */
/* By checked ids: REMOVE, PENDING, FORGET. The caller has claimed the row, or has locked the
   contact. */
static const char *const sql[] = {
    [SENT] = "INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id,"
	     " contact_id, step_id, depth) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [CLAIM] = "SELECT f.event_id, f.workspace_id, f.contact_id, f.email_id, f.status, f.timestamp,"
	      " f.link, COALESCE(f.cause_id, x.workflow_id), x.execution_id,"
	      " COALESCE(x.depth, f.depth), f.name, f.properties, f.became, f.target_id, c.email, "
	      "c.address, c.properties,"
	      " c.first_seen, c.last_seen, c.last_event, c.event_count, c.created, c.updated"
	      " FROM automation_feedback f FORCE INDEX (PRIMARY)"
	      " STRAIGHT_JOIN person c FORCE INDEX (PRIMARY) ON c.id = f.contact_id"
	      " LEFT JOIN execution_email x FORCE INDEX (PRIMARY) ON x.email_id = f.email_id"
	      " WHERE (f.name IS NOT NULL OR x.email_id IS NOT NULL) AND f.due <= ? ORDER BY "
	      "f.event_id LIMIT ? FOR UPDATE SKIP LOCKED",
    [REMOVE] = "DELETE FROM automation_feedback WHERE event_id = ?",
    [PENDING] = "SELECT 1 FROM automation_feedback"
		" WHERE contact_id = ? AND timestamp < ? AND status = ? AND name <=> ? LIMIT 1",
    [FORGET] = "DELETE FROM automation_feedback WHERE contact_id = ?",
    [DROP] = "DELETE FROM automation_feedback WHERE email_id = ? AND workspace_id = ?"
	     " AND status IN (?, ?) AND timestamp >= ?",
};

#define SENT_COLUMNS 7

bool
store_automation_feedback_sent(
    struct db *db, const struct store_sent_email *sent, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)SENT_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_sent_email *s = &sent[i];
		const struct db_value row[SENT_COLUMNS] = {db_id(&s->email_id),
		    db_id(&s->workspace_id), db_id(&s->workflow_id), db_id(&s->execution_id),
		    db_id(&s->contact_id), db_text(s->step_id), db_int(s->depth)};

		memcpy(values + (gsize)SENT_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[SENT], values, SENT_COLUMNS, count, NULL, error);
}

/* The columns of CLAIM. */
enum {
	F_EVENT,
	F_WORKSPACE,
	F_CONTACT,
	F_EMAIL,
	F_STATUS,
	F_TIMESTAMP,
	F_LINK,
	F_WORKFLOW,
	F_EXECUTION,
	F_DEPTH,
	F_NAME,
	F_PROPERTIES,
	F_BECAME,
	F_TARGET,
	F_CONTACT_EMAIL,
	F_CONTACT_ADDRESS,
	F_CONTACT_PROPERTIES,
	F_CONTACT_FIRST_SEEN,
	F_CONTACT_LAST_SEEN,
	F_CONTACT_LAST_EVENT,
	F_CONTACT_EVENT_COUNT,
	F_CONTACT_CREATED,
	F_CONTACT_UPDATED
};

static struct store_feedback *
feedback_read_feedback(struct db_rows *rows)
{
	struct store_feedback *f = g_new0(struct store_feedback, 1);
	struct store_person *c = f->contact = g_new0(struct store_person, 1);

	db_rows_id(rows, F_EVENT, &f->event_id);
	db_rows_id(rows, F_WORKSPACE, &f->sent.workspace_id);
	db_rows_id(rows, F_CONTACT, &f->sent.contact_id);
	db_rows_id(rows, F_EMAIL, &f->sent.email_id);
	f->status = (enum store_event_status)db_rows_int(rows, F_STATUS);
	f->timestamp = db_rows_int(rows, F_TIMESTAMP);
	f->link = g_strdup(db_rows_text(rows, F_LINK));
	db_rows_id(rows, F_WORKFLOW, &f->sent.workflow_id);
	db_rows_id(rows, F_EXECUTION, &f->sent.execution_id);
	f->sent.depth = (guint)db_rows_int(rows, F_DEPTH);
	f->is_caused = !db_rows_is_null(rows, F_WORKFLOW);
	f->name = g_strdup(db_rows_text(rows, F_NAME));
	f->properties = g_strdup(db_rows_text(rows, F_PROPERTIES));
	f->became = g_strdup(db_rows_text(rows, F_BECAME));
	f->has_target = db_rows_id(rows, F_TARGET, &f->target_id);
	c->id = f->sent.contact_id;
	c->workspace_id = f->sent.workspace_id;
	c->email = g_strdup(db_rows_text(rows, F_CONTACT_EMAIL));
	c->address = g_strdup(db_rows_text(rows, F_CONTACT_ADDRESS));
	c->properties = g_strdup(db_rows_text(rows, F_CONTACT_PROPERTIES));
	c->first_seen = db_rows_int(rows, F_CONTACT_FIRST_SEEN);
	c->last_seen = db_rows_int(rows, F_CONTACT_LAST_SEEN);
	c->last_event = g_strdup(db_rows_text(rows, F_CONTACT_LAST_EVENT));
	c->event_count = db_rows_int(rows, F_CONTACT_EVENT_COUNT);
	c->created = db_rows_int(rows, F_CONTACT_CREATED);
	c->updated = db_rows_int(rows, F_CONTACT_UPDATED);
	c->entered = c->seen = true;
	return f;
}

static void
free_feedback(void *data)
{
	struct store_feedback *feedback = data;

	g_free(feedback->link);
	g_free(feedback->name);
	g_free(feedback->properties);
	g_free(feedback->became);
	g_clear_pointer(&feedback->contact, store_person_free);
	g_free(feedback);
}

GPtrArray *
store_automation_feedback_claim(struct db *db, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[CLAIM], DB_VALUES(db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *feedback = g_ptr_array_new_with_free_func(free_feedback);
	while (db_rows_next(rows))
		g_ptr_array_add(feedback, feedback_read_feedback(rows));
	return feedback;
}

bool
store_automation_feedback_remove(struct db *db, const GPtrArray *feedback, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, feedback->len);

	for (guint i = 0; i < feedback->len; i++)
		values[i] = db_id(&((const struct store_feedback *)feedback->pdata[i])->event_id);
	return db_run_rows(db, sql[REMOVE], values, 1, feedback->len, NULL, error);
}

bool
store_automation_feedback_pending(struct db *db,
    const struct store_automation_feedback_search *search, bool *pending_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[PENDING],
	    DB_VALUES(db_id(search->contact), db_int(search->before ? search->before : G_MAXINT64),
		db_int(search->status), db_text(search->name)),
	    error);

	if (!rows)
		return false;
	*pending_r = db_rows_next(rows);
	return true;
}

bool
store_automation_feedback_forget(struct db *db, const struct base_id *contact, GError **error)
{
	return db_run(db, sql[FORGET], DB_VALUES(db_id(contact)), NULL, error);
}

bool
store_automation_feedback_drop(struct db *db, const struct base_id *workspace,
    const struct base_id *email, gint64 since, GError **error)
{
	return db_run(db, sql[DROP],
	    DB_VALUES(db_id(email), db_id(workspace), db_int(EVENT_OPENED), db_int(EVENT_CLICKED),
		db_int(since)),
	    NULL, error);
}
