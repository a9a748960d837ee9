/* SPDX-License-Identifier: MIT */
/* Records events of emails, counts them, queues those that automation waits for, and tells
   webhooks. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "db/statement.h"
#include "store/broadcast/mark.h"
#include "store/common/finished.h"
#include "store/email/email.h"
#include "store/email/event.h"
#include "store/email/status.h"
#include "store/figure/figure.h"
#include "store/outbox/warmup.h"
#include "store/person/activity.h"
#include "store/webhook/enqueue.h"

#define MANY 20 /* the number of emails that FIND takes */
#define IDS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define OF_WORKFLOW                                                                                \
	"SELECT x.email_id, x.workspace_id, x.contact_id FROM execution_email x"                   \
	" JOIN person c ON c.id = x.contact_id AND c.seen = 1 WHERE x.email_id"

/* The columns of OF_WORKFLOW. */
enum { OF_WORKFLOW_EMAIL, OF_WORKFLOW_WORKSPACE, OF_WORKFLOW_CONTACT };

#define BY_EMAIL "CASE email_id" DB_WHEN_25 " END"

#define BY_NUMBER "CASE number" DB_WHEN_25 " END"

/* The first time at which a relay accepted a message for the recipient; status and status_at have
   the new values already. */
#define FIRST_SENT                                                                                 \
	", sent_at = IF(status = " EVENT_SENT_SQL ", COALESCE(sent_at, status_at), sent_at)"

/* A common status is first set where the recipient's is common, too, so that the number of rows
   tells whether any has a row to be taken away (store/email/status.h). */
#define UP_TO " AND COALESCE(status, 0) <= ?"
#define UP_TO_ANY G_MAXINT8

enum { INSERT, LATEST, LATEST_MANY, LATEST_PART, KNOWN, FIND_ONE, FIND, ADD };
/* By checked ids: LATEST, LATEST_MANY, LATEST_PART, KNOWN, FIND_ONE, FIND. The caller has the email
   from its workspace, or has claimed an outbox entry of it. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp, "
	       "smtp_response,"
	       " enhanced_code, bounce_type, ip, user_agent, link, automated, relay)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LATEST] = "UPDATE recipient SET status = ?, status_at = ?, event_id = ?" FIRST_SENT
	       " WHERE email_id = ? AND number = ? AND (status_at IS NULL OR status_at <= ?)"
	       " AND address <> ''" UP_TO,
    /* status_at is compared with the earliest of the times: a recipient that this passes over may
       have an event between that and its own. */
    [LATEST_MANY] =
	"UPDATE recipient FORCE INDEX (PRIMARY) SET status = ?, status_at = " BY_EMAIL
	", event_id = " BY_EMAIL FIRST_SENT " WHERE number = ? AND (status_at IS NULL"
	" OR status_at <= ?) AND address <> ''" UP_TO " AND email_id IN (" DB_MARKS_25 ")",
    [LATEST_PART] =
	"UPDATE recipient FORCE INDEX (PRIMARY) SET status = ?, status_at = " BY_NUMBER
	", event_id = " BY_NUMBER FIRST_SENT " WHERE email_id = ? AND (status_at IS NULL"
	" OR status_at <= ?) AND address <> ''" UP_TO " AND number IN (" DB_MARKS_25 ")",
    [KNOWN] = "SELECT 1 FROM recipient WHERE email_id = ? AND number = ? AND address <> ''",
    [FIND_ONE] = OF_WORKFLOW " = ?",
    [FIND] = OF_WORKFLOW " IN (" IDS ")",
    [ADD] = "INSERT INTO automation_feedback"
	    " (event_id, workspace_id, contact_id, email_id, status, timestamp, link, due)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
};

#define INSERT_COLUMNS 14
#define LATEST_COLUMNS 7
#define LATEST_ROWS 25 /* LATEST_MANY and LATEST_PART take so many recipients */
#define LATEST_MANY_COLUMNS (4 + 5 * LATEST_ROWS)

/* An event of an email. */
struct store_feedback_queued {
	const struct base_id *event_id, *email_id;
	int status;	  /* enum store_event_status */
	gint64 timestamp; /* epoch ms */
	const char *link; /* NULL: none */
	gint64 due;	  /* epoch ms; 0: now */
};

#define QUEUE_COLUMNS 8

static void
event_insert_add_row(
    GArray *values, const struct store_feedback_queued *event, const struct db_rows *found)
{
	gsize size;
	const void *workspace = db_rows_bytes(found, OF_WORKFLOW_WORKSPACE, &size);
	const void *contact = db_rows_bytes(found, OF_WORKFLOW_CONTACT, &size);
	const struct db_value row[QUEUE_COLUMNS] = {db_id(event->event_id),
	    db_bytes(workspace, size), db_bytes(contact, size), db_id(event->email_id),
	    db_int(event->status), db_int(event->timestamp), db_text(event->link),
	    db_int(event->due)};

	g_array_append_vals(values, row, QUEUE_COLUMNS);
}

static bool
event_insert_add(
    struct db *db, const struct store_feedback_queued *events, guint count, GError **error)
{
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(struct db_value));
	guint given = count == 1 ? 1 : MANY;
	struct db_value ids[MANY];

	for (guint i = 0; i < given; i++)
		ids[i] = db_id(events[MIN(i, count - 1)].email_id);
	AUTO(db_rows) found = db_select(db, sql[count == 1 ? FIND_ONE : FIND], ids, given, error);
	if (!found)
		return false;
	while (db_rows_next(found)) {
		struct base_id email;

		db_rows_id(found, OF_WORKFLOW_EMAIL, &email);
		for (guint i = 0; i < count; i++)
			if (base_id_equal(events[i].email_id, &email))
				event_insert_add_row(values, &events[i], found);
	}
	return db_defer(db, sql[ADD], (const struct db_value *)(void *)values->data, QUEUE_COLUMNS,
	    values->len / QUEUE_COLUMNS, error);
}

/* Inside a transaction: queues the events of emails that workflows sent to contacts who still
   exist. */
static bool
queue_feedback(
    struct db *db, const struct store_feedback_queued *events, guint count, GError **error)
{
	for (guint i = 0; i < count; i += MANY)
		if (!event_insert_add(db, events + i, MIN(count - i, MANY), error))
			return false;
	return true;
}

/* Keeps the events whose recipients exist, and their rows; *count becomes their number. */
static bool
keep_known(struct db *db, const struct store_event **events, struct db_value *inserts, guint *count,
    GError **error)
{
	guint kept = 0;

	for (guint i = 0; i < *count; i++) {
		AUTO(db_rows) rows = db_select(db, sql[KNOWN],
		    DB_VALUES(db_id(&events[i]->email_id), db_int(events[i]->recipient)), error);

		if (!rows)
			return false;
		if (!db_rows_next(rows))
			continue;
		events[kept] = events[i];
		memmove(inserts + (gsize)INSERT_COLUMNS * kept++,
		    inserts + (gsize)INSERT_COLUMNS * i, INSERT_COLUMNS * sizeof(*inserts));
	}
	*count = kept;
	return true;
}

static bool
event_insert_is_told(const struct store_event *event)
{
	return event->type != EMAIL_TRANSACTIONAL && event->type != EMAIL_BROADCAST &&
	       event->status != EVENT_DELAYED && event->status != EVENT_SUPPRESSED &&
	       event->status != EVENT_FAILED && !event->automated;
}

static bool
tell_workflows(struct db *db, const struct store_event *events, guint count, GError **error)
{
	g_autofree struct store_feedback_queued *told = g_new(struct store_feedback_queued, count);
	guint rows = 0;

	for (guint i = 0; i < count; i++) {
		const struct store_event *e = &events[i];

		if (event_insert_is_told(e))
			told[rows++] = (struct store_feedback_queued){
			    &e->id, &e->email_id, e->status, e->timestamp, e->link, e->feedback_at};
	}
	return queue_feedback(db, told, rows, error);
}

static bool
count_arrivals(struct db *db, const struct store_event *events, guint count, GError **error)
{
	g_autofree struct store_arrival *arrivals = g_new(struct store_arrival, count);
	guint found = 0;

	for (guint i = 0; i < count; i++) {
		const struct store_event *e = &events[i];

		if (!e->is_test && (e->status == EVENT_DELIVERED || e->status == EVENT_BOUNCED))
			arrivals[found++] = (struct store_arrival){
			    &e->email_id, e->timestamp, e->status == EVENT_BOUNCED};
	}
	return store_warmup_count(db, arrivals, found, error);
}

static void
count_figures(struct db *db, const struct store_event *const *events, guint count)
{
	for (guint i = 0; i < count; i++)
		store_figure_count_event(db, events[i]);
}

/* Whether the next event is a later one of the same recipient, which becomes the latest. */
static bool
is_passed(const struct store_event *events, guint i, guint count)
{
	const struct store_event *event = &events[i], *next = &events[i + 1];

	return i + 1 < count && event->recipient == next->recipient &&
	       base_id_equal(&event->email_id, &next->email_id) &&
	       event->timestamp <= next->timestamp;
}

static int
by_recipient(const void *a, const void *b)
{
	const struct store_event *left = *(const struct store_event *const *)a;
	const struct store_event *right = *(const struct store_event *const *)b;
	int order = memcmp(&left->email_id, &right->email_id, sizeof(left->email_id));

	return order ? order : (int)left->recipient - (int)right->recipient;
}

static int
by_kind(const void *a, const void *b)
{
	const struct store_event *left = *(const struct store_event *const *)a;
	const struct store_event *right = *(const struct store_event *const *)b;

	return left->status != right->status ? (int)left->status - (int)right->status
					     : (int)left->recipient - (int)right->recipient;
}

/* Events of one status: of one email, or of one number. */
static int
by_part(const void *a, const void *b)
{
	const struct store_event *left = *(const struct store_event *const *)a;
	const struct store_event *right = *(const struct store_event *const *)b;

	return left->status != right->status
		   ? (int)left->status - (int)right->status
		   : memcmp(&left->email_id, &right->email_id, sizeof(left->email_id));
}

static bool
is_of_same(const struct store_event *const *events, guint i, guint other, guint count)
{
	return other < count && base_id_equal(&events[i]->email_id, &events[other]->email_id);
}

/* Sorts the events so that those that one statement can set are neighbours: first those of emails
   that have several, *parts_r, by status and email; then the others, by status and number. False
   where a recipient has several: their order matters, and it is kept. */
static bool
sort_alike(const struct store_event **events, guint count, guint *parts_r)
{
	g_autofree const struct store_event **sorted = g_memdup2(events, count * sizeof(*events));
	guint parts = 0, others = 0;

	base_array_sort(sorted, count, sizeof(*sorted), by_recipient);
	for (guint i = 1; i < count; i++)
		if (by_recipient(&sorted[i - 1], &sorted[i]) == 0)
			return false;
	for (guint i = 0; i < count; i++)
		if (is_of_same(sorted, i, i + 1, count) || is_of_same(sorted, i, i - 1, count))
			events[parts++] = sorted[i];
		else
			events[count - ++others] = sorted[i];
	base_array_sort(events, parts, sizeof(*events), by_part);
	base_array_sort(events + parts, others, sizeof(*events), by_kind);
	*parts_r = parts;
	return true;
}

/* The number of the first events that one statement can set. */
static guint
count_alike(const struct store_event **events, guint count, bool parts)
{
	guint alike = 1;

	while (alike < MIN(count, LATEST_ROWS) &&
	       (parts ? by_part : by_kind)(&events[0], &events[alike]) == 0)
		alike++;
	return alike;
}

static int
event_insert_up_to(const struct store_event *event)
{
	return event->status <= STATUS_COMMON ? STATUS_COMMON : UP_TO_ANY;
}

/* Makes events that are alike the latest ones: those of one email, or of one number. The statement
   repeats the last event. *known_r: the number of recipients that were set. */
static bool
set_many(struct db *db, const struct store_event *const *events, guint count, bool parts,
    guint64 *known_r, GError **error)
{
	struct db_value keys[LATEST_ROWS], values[LATEST_MANY_COLUMNS], *value = values;
	gint64 earliest = events[0]->timestamp;

	*value++ = db_int(events[0]->status);
	for (guint i = 0; i < LATEST_ROWS; i++) {
		const struct store_event *event = events[MIN(i, count - 1)];

		keys[i] = parts ? db_int(event->recipient) : db_id(&event->email_id);
		*value++ = keys[i];
		*value++ = db_int(event->timestamp);
		earliest = MIN(earliest, event->timestamp);
	}
	for (guint i = 0; i < LATEST_ROWS; i++) {
		*value++ = keys[i];
		*value++ = db_id(&events[MIN(i, count - 1)]->id);
	}
	*value++ = parts ? db_id(&events[0]->email_id) : db_int(events[0]->recipient);
	*value++ = db_int(earliest);
	*value++ = db_int(event_insert_up_to(events[0]));
	memcpy(value, keys, sizeof(keys));
	return db_run(db, sql[parts ? LATEST_PART : LATEST_MANY], values, G_N_ELEMENTS(values),
	    known_r, error);
}

/* The latest events that were set. */
struct latest {
	guint64 known;	  /* the number of recipients that are known and had no later one */
	GPtrArray *again; /* borrowed events: recipients among these may have had a rare status */
};

/* Makes each event its recipient's latest one, unless that has a later one. any: whatever status
   the recipient has. *known_r: the number of recipients that were set. */
static bool
set_each(struct db *db, const struct store_event *const *events, guint count, bool any,
    guint64 *known_r, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)LATEST_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_event *e = events[i];
		const struct db_value row[LATEST_COLUMNS] = {db_int(e->status),
		    db_int(e->timestamp), db_id(&e->id), db_id(&e->email_id), db_int(e->recipient),
		    db_int(e->timestamp), db_int(any ? UP_TO_ANY : event_insert_up_to(e))};

		memcpy(values + (gsize)LATEST_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[LATEST], values, LATEST_COLUMNS, count, known_r, error);
}

/* Does it whatever statuses the recipients have, of which some were not set. A row that was set is
   set to the same once more. */
static bool
event_insert_set_rest(struct db *db, const struct store_event *const *events, guint count,
    struct latest *latest, GError **error)
{
	guint64 known = 0;

	if (!set_each(db, events, count, true, &known, error))
		return false;
	latest->known += known;
	for (guint i = 0; i < count; i++)
		g_ptr_array_add(latest->again, (void *)events[i]);
	return true;
}

static bool
has_common(const struct store_event *const *events, guint count)
{
	for (guint i = 0; i < count; i++)
		if (events[i]->status <= STATUS_COMMON)
			return true;
	return false;
}

static bool
set_alone(struct db *db, const struct store_event *const *events, guint count,
    struct latest *latest, GError **error)
{
	guint64 known = 0;

	if (!set_each(db, events, count, false, &known, error))
		return false;
	if (known < count && has_common(events, count))
		return event_insert_set_rest(db, events, count, latest, error);
	latest->known += known;
	return true;
}

static bool
set_together(struct db *db, const struct store_event *const *events, guint count, bool parts,
    struct latest *latest, GError **error)
{
	guint64 known = 0;

	if (!set_many(db, events, count, parts, &known, error))
		return false;
	if (known < count)
		return event_insert_set_rest(db, events, count, latest, error);
	latest->known += known;
	return true;
}

/* Does the same by few statements. parts: the events are of emails that have several. */
static bool
set_alike(struct db *db, const struct store_event **events, guint count, bool parts,
    struct latest *latest, GError **error)
{
	for (guint i = 0, some; i < count; i += some) {
		some = count_alike(events + i, count - i, parts);
		if (some > 1 ? !set_together(db, events + i, some, parts, latest, error)
			     : !set_alone(db, events + i, some, latest, error))
			return false;
	}
	return true;
}

/* Makes each event its recipient's latest one, unless that has a later one, by few statements where
   it can; the order of events may change. */
static bool
set_latest(struct db *db, const struct store_event **events, guint count, struct latest *latest,
    GError **error)
{
	guint parts = 0;

	if (count < 2 || !sort_alike(events, count, &parts))
		return set_alone(db, events, count, latest, error);
	return set_alike(db, events, parts, true, latest, error) &&
	       set_alike(db, events + parts, count - parts, false, latest, error);
}

/* Keeps the rows by which lists find rare statuses. */
static bool
note_latest(struct db *db, const struct store_event *const *events, guint count,
    const struct latest *latest, GError **error)
{
	return store_status_note(db, events, count, latest->known == count, error) &&
	       store_status_forget(db, (const struct store_event *const *)latest->again->pdata,
		   latest->again->len, error);
}

/* Adds when the email was sent, if the event tells it. */
static void
note_sent(GArray *sent, const struct store_event *event)
{
	const struct store_email_sent one = {
	    event->workspace_id, event->email_id, event->timestamp};

	if (event->status == EVENT_SENT)
		g_array_append_val(sent, one);
}

/* Stores in the emails when they were sent, where the rows of their recipients do not tell it:
   passed are emails whose recipients have a later event in the same call. all: so may others, whose
   recipients have a later event, or are gone. Programs of the version before read it there alone.
 */
static bool
event_insert_write_sent(struct db *db, const struct store_event *events, guint count, bool all,
    GArray *passed, GError **error)
{
	g_autoptr(GArray) sent = g_array_new(FALSE, FALSE, sizeof(struct store_email_sent));
	bool finished = true;

	for (guint i = 0; i < count; i++)
		note_sent(sent, &events[i]);
	if (sent->len > 0 && !all && !store_finished(db, FINISHED_SENT, &finished, error))
		return false;
	const GArray *told = all || !finished ? sent : passed;
	return store_email_sent(
	    db, (const struct store_email_sent *)(void *)told->data, told->len, error);
}

bool
store_event_insert(struct db *db, struct store_event *events, guint count, GError **error)
{
	g_autofree struct db_value *inserts = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree const struct store_event **stored = g_new(const struct store_event *, count);
	g_autofree const struct store_event **latest = g_new(const struct store_event *, count);
	g_autoptr(GArray) passed = g_array_new(FALSE, FALSE, sizeof(struct store_email_sent));
	guint kept = count, updates = 0;
	g_autoptr(GPtrArray) again = g_ptr_array_new();
	struct latest now = {.again = again};

	for (guint i = 0; i < count; i++) {
		struct store_event *e = &events[i];

		e->id = base_id_new();
		stored[i] = e;
		const struct db_value insert[INSERT_COLUMNS] = {db_id(&e->email_id), db_id(&e->id),
		    db_id(&e->workspace_id), db_int(e->recipient), db_int(e->status),
		    db_int(e->timestamp), db_text(e->smtp_response), db_text(e->enhanced_code),
		    db_int_or_null(e->bounce_type), db_text(e->ip), db_text(e->user_agent),
		    db_text(e->link), db_int(e->automated), db_text(e->relay)};

		memcpy(inserts + (gsize)INSERT_COLUMNS * i, insert, sizeof(insert));
		if (is_passed(events, i, count))
			note_sent(passed, e);
		else
			latest[updates++] = e;
	}
	/* set_latest changes no row when the recipient is gone, or has a later event: keep_known
	   tells which. The deferred statements come last, so that they go with COMMIT. */
	if (!set_latest(db, latest, updates, &now, error) ||
	    !event_insert_write_sent(db, events, count, now.known != updates, passed, error) ||
	    (now.known != updates && !keep_known(db, stored, inserts, &kept, error)))
		return false;
	count_figures(db, stored, kept);
	return store_broadcast_mark_events(db, stored, kept, error) &&
	       tell_workflows(db, events, count, error) &&
	       db_defer(db, sql[INSERT], inserts, INSERT_COLUMNS, kept, error) &&
	       store_activity_note(db, stored, kept, error) &&
	       count_arrivals(db, events, count, error) &&
	       store_webhook_enqueue_events(db, stored, kept, error) &&
	       note_latest(db, latest, updates, &now, error);
}
