/* SPDX-License-Identifier: MIT */
/* Queues the events of emails that workflows sent, for these workflows.

   Two processes take no two events of a person in the wrong order:
   1. A claim reads the oldest events of the queue without a lock.
   2. It locks their people, and passes over those whom another transaction has locked.
   3. It locks the events of these people. One that another transaction has locked without its
      person is passed over, and so are the later ones of its person.
   4. When the people of the oldest events are all locked, it looks behind these for the oldest
   event of each other person. */
#include "store/automation/feedback.h"

#include <string.h>

#include "db/statement.h"

/* Events among which a claim looks for those of people whom no other transaction has locked. */
#define WINDOW (8 * STORE_FEEDBACK_MOST)

/* Events among which it looks for people where all of those are locked. */
#define BEHIND (25 * WINDOW)

/* The oldest events that are due, and their people. */
#define QUEUE                                                                                      \
	"SELECT f.event_id, f.contact_id FROM automation_feedback f FORCE INDEX (PRIMARY)"         \
	" STRAIGHT_JOIN person p FORCE INDEX (PRIMARY) ON p.id = f.contact_id"                     \
	" LEFT JOIN execution_email x FORCE INDEX (PRIMARY) ON x.email_id = f.email_id"            \
	" WHERE (f.name IS NOT NULL OR x.email_id IS NOT NULL) AND f.due <= ?"                     \
	" ORDER BY f.event_id LIMIT ?"

/* Locks the people of events. */
#define LOCK(events)                                                                               \
	"SELECT q.event_id, c.id, c.workspace_id, c.email, c.address, c.properties, c.first_seen," \
	" c.last_seen, c.last_event, c.event_count, c.created, c.updated, c.seen FROM (" events    \
	") q"                                                                                      \
	" STRAIGHT_JOIN person c FORCE INDEX (PRIMARY) ON c.id = q.contact_id"                     \
	" ORDER BY q.event_id LIMIT ? FOR UPDATE SKIP LOCKED"

enum { SENT, LOCK_PEOPLE, LOCK_BEHIND, CLAIM, REMOVE, PENDING, FORGET, DROP };
/* System-wide: LOCK_PEOPLE, LOCK_BEHIND. The spool tells the workflows of all workspaces. */
/* By checked ids: CLAIM, REMOVE, PENDING, FORGET. The caller has locked the contact, or has claimed
   the row. */
static const char *const sql[] = {
    [SENT] = "INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id,"
	     " contact_id, step_id, depth) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [LOCK_PEOPLE] = LOCK(QUEUE),
    [LOCK_BEHIND] = LOCK("SELECT MIN(o.event_id) AS event_id, o.contact_id FROM (" QUEUE
			 ") o GROUP BY o.contact_id ORDER BY 1 LIMIT ?"),
    [CLAIM] =
	"SELECT f.event_id, f.contact_id, f.email_id, f.status, f.timestamp,"
	" f.link, COALESCE(f.cause_id, x.workflow_id), x.execution_id,"
	" COALESCE(x.depth, f.depth), f.name, f.properties, f.became, f.target_id"
	" FROM automation_feedback f FORCE INDEX (PRIMARY)"
	" LEFT JOIN execution_email x FORCE INDEX (PRIMARY) ON x.email_id = f.email_id"
	" WHERE f.event_id IN (" DB_MARKS_50 ") AND (f.name IS NOT NULL OR x.email_id IS NOT NULL)"
	" ORDER BY f.event_id FOR UPDATE SKIP LOCKED",
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

/* The columns of LOCK_PEOPLE. */
enum {
	P_EVENT,
	P_ID,
	P_WORKSPACE,
	P_EMAIL,
	P_ADDRESS,
	P_PROPERTIES,
	P_FIRST_SEEN,
	P_LAST_SEEN,
	P_LAST_EVENT,
	P_EVENT_COUNT,
	P_CREATED,
	P_UPDATED,
	P_SEEN
};

/* Reads an event of which no more is known than its id and its person. */
static struct store_feedback *
feedback_read_person(struct db_rows *rows)
{
	struct store_feedback *f = g_new0(struct store_feedback, 1);
	struct store_person *c = f->contact = g_new0(struct store_person, 1);

	db_rows_id(rows, P_EVENT, &f->event_id);
	db_rows_id(rows, P_ID, &c->id);
	db_rows_id(rows, P_WORKSPACE, &c->workspace_id);
	c->email = g_strdup(db_rows_text(rows, P_EMAIL));
	c->address = g_strdup(db_rows_text(rows, P_ADDRESS));
	c->properties = g_strdup(db_rows_text(rows, P_PROPERTIES));
	c->first_seen = db_rows_int(rows, P_FIRST_SEEN);
	c->last_seen = db_rows_int(rows, P_LAST_SEEN);
	c->last_event = g_strdup(db_rows_text(rows, P_LAST_EVENT));
	c->event_count = db_rows_int(rows, P_EVENT_COUNT);
	c->created = db_rows_int(rows, P_CREATED);
	c->updated = db_rows_int(rows, P_UPDATED);
	c->seen = db_rows_int(rows, P_SEEN) != 0;
	c->entered = true;
	f->sent.contact_id = c->id;
	f->sent.workspace_id = c->workspace_id;
	return f;
}

/* The columns of CLAIM. */
enum {
	F_EVENT,
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
	F_TARGET
};

static void
feedback_read_event(struct db_rows *rows, struct store_feedback *f)
{
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

/* Locks the people of events. */
static GPtrArray *
feedback_lock_people(
    struct db *db, int statement, const struct db_value *values, guint count, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[statement], values, count, error);

	if (!rows)
		return NULL;
	GPtrArray *found = g_ptr_array_new_with_free_func(free_feedback);
	while (db_rows_next(rows))
		g_ptr_array_add(found, feedback_read_person(rows));
	return found;
}

/* Locks the people of the oldest events, or of events behind these. */
static GPtrArray *
feedback_lock(struct db *db, gint64 now, GError **error)
{
	const struct db_value due = db_int(now), most = db_int(STORE_FEEDBACK_MOST);
	GPtrArray *found =
	    feedback_lock_people(db, LOCK_PEOPLE, DB_VALUES(due, db_int(WINDOW), most), error);

	if (!found || found->len > 0)
		return found;
	g_ptr_array_unref(found);
	return feedback_lock_people(
	    db, LOCK_BEHIND, DB_VALUES(due, db_int(BEHIND), db_int(WINDOW), most), error);
}

/* Removes an event that cannot be claimed, and the later ones of its person. */
static void
feedback_pass_over(GPtrArray *feedback, guint place)
{
	const struct base_id contact =
	    ((struct store_feedback *)feedback->pdata[place])->contact->id;

	for (guint i = feedback->len; i > place; i--) {
		const struct store_feedback *f = feedback->pdata[i - 1];

		if (base_id_equal(&f->contact->id, &contact))
			g_ptr_array_remove_index(feedback, i - 1);
	}
}

/* Reads the events of people who are locked. Those without a row are gone or locked, or have moved
   to another person. */
static void
feedback_read_events(GPtrArray *feedback, struct db_rows *rows)
{
	bool is_there = db_rows_next(rows);

	for (guint i = 0; i < feedback->len;) {
		struct store_feedback *f = feedback->pdata[i];
		struct base_id event, contact;
		int order = -1;

		if (is_there) {
			db_rows_id(rows, F_EVENT, &event);
			db_rows_id(rows, F_CONTACT, &contact);
			order = memcmp(&f->event_id, &event, sizeof(event));
		}
		if (order == 0 && base_id_equal(&f->contact->id, &contact)) {
			feedback_read_event(rows, f);
			i++;
		} else if (order <= 0) {
			feedback_pass_over(feedback, i);
		}
		if (order >= 0)
			is_there = db_rows_next(rows);
	}
}

GPtrArray *
store_automation_feedback_claim(struct db *db, gint64 now, GError **error)
{
	g_autoptr(GPtrArray) feedback = feedback_lock(db, now, error);
	struct db_value ids[STORE_FEEDBACK_MOST];

	if (!feedback || feedback->len == 0)
		return g_steal_pointer(&feedback);
	for (guint i = 0; i < STORE_FEEDBACK_MOST; i++) {
		const struct store_feedback *f = feedback->pdata[MIN(i, feedback->len - 1)];

		ids[i] = db_id(&f->event_id);
	}
	AUTO(db_rows) rows = db_select(db, sql[CLAIM], ids, STORE_FEEDBACK_MOST, error);
	if (!rows)
		return NULL;
	feedback_read_events(feedback, rows);
	return g_steal_pointer(&feedback);
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
