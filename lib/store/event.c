/* SPDX-License-Identifier: MIT */
/* What became of each recipient. */
#include "store/event.h"

#include <string.h>

#include "db/statement.h"
#include "store/feedback_queue.h"
#include "store/warmup.h"

enum { INSERT, LATEST, KNOWN };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp, "
	       "smtp_response,"
	       " enhanced_code, bounce_type, ip, user_agent, link, automated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LATEST] = "UPDATE recipient SET status = ?, status_at = ?, event_id = ?"
	       " WHERE email_id = ? AND number = ? AND (status_at IS NULL OR status_at <= ?)"
	       " AND address <> ''",
    [KNOWN] = "SELECT 1 FROM recipient WHERE email_id = ? AND number = ? AND address <> ''",
};

#define INSERT_COLUMNS 13
#define LATEST_COLUMNS 6

static const char *const names[] = {
    [EVENT_SENT] = "sent",
    [EVENT_DELIVERED] = "delivered",
    [EVENT_DELAYED] = "delayed",
    [EVENT_COMPLAINED] = "complained",
    [EVENT_OPENED] = "opened",
    [EVENT_CLICKED] = "clicked",
    [EVENT_UNSUBSCRIBED] = "unsubscribed",
    [EVENT_SUPPRESSED] = "suppressed",
    [EVENT_BOUNCED] = "bounced",
    [EVENT_FAILED] = "failed",
};

const char *
store_event_name(enum store_event_status status)
{
	return names[status];
}

enum store_event_status
store_event_status(const char *name)
{
	for (guint i = 1; i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum store_event_status)i;
	return EVENT_NONE;
}

struct store_event *
store_event_copy(const struct store_event *event)
{
	struct store_event *copy = g_memdup2(event, sizeof(*event));

	copy->smtp_response = g_strdup(event->smtp_response);
	copy->enhanced_code = g_strdup(event->enhanced_code);
	copy->ip = g_strdup(event->ip);
	copy->user_agent = g_strdup(event->user_agent);
	copy->link = g_strdup(event->link);
	return copy;
}

void
store_event_free(struct store_event *copy)
{
	g_free((char *)copy->smtp_response);
	g_free((char *)copy->enhanced_code);
	g_free((char *)copy->ip);
	g_free((char *)copy->user_agent);
	g_free((char *)copy->link);
	g_free(copy);
}

static struct db_value
number_or_null(gint64 number)
{
	return number ? db_int(number) : db_null();
}

/* Keeps the rows of those events whose recipients are known; *count is how many these are. */
static bool
keep_known(struct db *db, const struct store_event *events, struct db_value *inserts, guint *count,
    GError **error)
{
	guint kept = 0;

	for (guint i = 0; i < *count; i++) {
		AUTO(db_rows)
		rows = db_select(db, sql[KNOWN],
		    DB_VALUES(db_id(&events[i].email_id), db_int(events[i].recipient)), error);

		if (!rows)
			return false;
		if (!db_rows_next(rows))
			continue;
		memmove(inserts + (gsize)INSERT_COLUMNS * kept++,
		    inserts + (gsize)INSERT_COLUMNS * i, INSERT_COLUMNS * sizeof(*inserts));
	}
	*count = kept;
	return true;
}

static bool
is_told(const struct store_event *event)
{
	return event->type != EMAIL_TRANSACTIONAL && event->status != EVENT_DELAYED &&
	       event->status != EVENT_SUPPRESSED && event->status != EVENT_FAILED;
}

static bool
tell_workflows(struct db *db, const struct store_event *events, guint count, GError **error)
{
	g_autofree struct store_feedback_queued *told = g_new(struct store_feedback_queued, count);
	guint rows = 0;

	for (guint i = 0; i < count; i++) {
		const struct store_event *e = &events[i];

		if (is_told(e))
			told[rows++] = (struct store_feedback_queued){
			    &e->id, &e->email_id, e->status, e->timestamp, e->link};
	}
	return store_feedback_queue_add(db, told, rows, error);
}

static bool
count_arrivals(struct db *db, const struct store_event *events, guint count, GError **error)
{
	g_autofree struct store_arrival *arrivals = g_new(struct store_arrival, count);
	guint found = 0;

	for (guint i = 0; i < count; i++) {
		const struct store_event *e = &events[i];

		if (e->status == EVENT_DELIVERED || e->status == EVENT_BOUNCED)
			arrivals[found++] = (struct store_arrival){
			    &e->email_id, e->timestamp, e->status == EVENT_BOUNCED};
	}
	return store_warmup_count(db, arrivals, found, error);
}

bool
store_event_insert(struct db *db, struct store_event *events, guint count, GError **error)
{
	g_autofree struct db_value *inserts = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree struct db_value *latest = g_new(struct db_value, (gsize)LATEST_COLUMNS * count);
	guint kept = count;
	guint64 known = 0;

	for (guint i = 0; i < count; i++) {
		struct store_event *e = &events[i];

		e->id = base_id_new();
		const struct db_value insert[INSERT_COLUMNS] = {db_id(&e->email_id), db_id(&e->id),
		    db_id(&e->workspace_id), db_int(e->recipient), db_int(e->status),
		    db_int(e->timestamp), db_text(e->smtp_response), db_text(e->enhanced_code),
		    number_or_null(e->bounce_type), db_text(e->ip), db_text(e->user_agent),
		    db_text(e->link), db_int(e->automated)};
		const struct db_value update[LATEST_COLUMNS] = {db_int(e->status),
		    db_int(e->timestamp), db_id(&e->id), db_id(&e->email_id), db_int(e->recipient),
		    db_int(e->timestamp)};

		memcpy(inserts + (gsize)INSERT_COLUMNS * i, insert, sizeof(insert));
		memcpy(latest + (gsize)LATEST_COLUMNS * i, update, sizeof(update));
	}
	/* Where a row was not the latest one, it may be that its recipient is gone. */
	return db_run_rows(db, sql[LATEST], latest, LATEST_COLUMNS, count, &known, error) &&
	       (known == count || keep_known(db, events, inserts, &kept, error)) &&
	       db_defer(db, sql[INSERT], inserts, INSERT_COLUMNS, kept, error) &&
	       tell_workflows(db, events, count, error) && count_arrivals(db, events, count, error);
}
