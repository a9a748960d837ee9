/* SPDX-License-Identifier: MIT */
/* The events of emails: records and lists them, and queues those that automation waits for. */
#include "store/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "db/statement.h"
#include "store/warmup.h"

#define COLUMNS "SELECT " STORE_EVENT_COLUMNS " FROM event v "
enum {
	E_ID,
	E_WORKSPACE,
	E_RECIPIENT,
	E_STATUS,
	E_TIMESTAMP,
	E_SMTP_RESPONSE,
	E_ENHANCED_CODE,
	E_BOUNCE_TYPE,
	E_IP,
	E_USER_AGENT,
	E_LINK,
	E_AUTOMATED
};

#define NEWEST_FIRST " ORDER BY timestamp DESC, id DESC LIMIT ?"
#define OLDER " AND (timestamp < ? OR (timestamp = ? AND id < ?))"

#define MANY 20 /* the number of emails that FIND takes */
#define IDS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define OF_WORKFLOW                                                                                \
	"SELECT x.email_id, x.workspace_id, x.contact_id FROM execution_email x"                   \
	" JOIN automation_contact c ON c.id = x.contact_id WHERE x.email_id"

/* The columns of OF_WORKFLOW. */
enum { OF_WORKFLOW_EMAIL, OF_WORKFLOW_WORKSPACE, OF_WORKFLOW_CONTACT };

enum { INSERT, LATEST, KNOWN, FEW, OF_RECIPIENT, PAGE, PAGE_OF_RECIPIENT, FIND_ONE, FIND, ADD };
/* By checked ids: LATEST, KNOWN, FEW, OF_RECIPIENT, PAGE, PAGE_OF_RECIPIENT, FIND_ONE, FIND. The
   caller has the email from its workspace, or has claimed an outbox entry of it. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp, "
	       "smtp_response,"
	       " enhanced_code, bounce_type, ip, user_agent, link, automated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LATEST] = "UPDATE recipient SET status = ?, status_at = ?, event_id = ?"
	       " WHERE email_id = ? AND number = ? AND (status_at IS NULL OR status_at <= ?)"
	       " AND address <> ''",
    [KNOWN] = "SELECT 1 FROM recipient WHERE email_id = ? AND number = ? AND address <> ''",
    [FEW] = COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? LIMIT ?",
    [OF_RECIPIENT] =
	COLUMNS "FORCE INDEX (recipient) WHERE email_id = ? AND recipient = ?" NEWEST_FIRST,
    [PAGE] = COLUMNS "FORCE INDEX (time) WHERE email_id = ?" OLDER NEWEST_FIRST,
    [PAGE_OF_RECIPIENT] =
	COLUMNS "FORCE INDEX (recipient) WHERE email_id = ? AND recipient = ?" OLDER NEWEST_FIRST,
    [FIND_ONE] = OF_WORKFLOW " = ?",
    [FIND] = OF_WORKFLOW " IN (" IDS ")",
    [ADD] = "INSERT INTO automation_feedback"
	    " (event_id, workspace_id, contact_id, email_id, status, timestamp, link)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?)",
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

/* An event of an email. */
struct store_feedback_queued {
	const struct base_id *event_id, *email_id;
	int status;	  /* enum store_event_status */
	gint64 timestamp; /* epoch ms */
	const char *link; /* NULL: none */
};

#define QUEUE_COLUMNS 7

static void
add_row(GArray *values, const struct store_feedback_queued *event, const struct db_rows *found)
{
	gsize size;
	const void *workspace = db_rows_bytes(found, OF_WORKFLOW_WORKSPACE, &size);
	const void *contact = db_rows_bytes(found, OF_WORKFLOW_CONTACT, &size);
	const struct db_value row[QUEUE_COLUMNS] = {db_id(event->event_id),
	    db_bytes(workspace, size), db_bytes(contact, size), db_id(event->email_id),
	    db_int(event->status), db_int(event->timestamp), db_text(event->link)};

	g_array_append_vals(values, row, QUEUE_COLUMNS);
}

static bool
add(struct db *db, const struct store_feedback_queued *events, guint count, GError **error)
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
				add_row(values, &events[i], found);
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
		if (!add(db, events + i, MIN(count - i, MANY), error))
			return false;
	return true;
}

/* Keeps the rows of events whose recipients exist; *count becomes their number. */
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
	return queue_feedback(db, told, rows, error);
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

/* Whether the next event is a later one of the same recipient, which becomes the latest. */
static bool
is_passed(const struct store_event *events, guint i, guint count)
{
	const struct store_event *event = &events[i], *next = &events[i + 1];

	return i + 1 < count && event->recipient == next->recipient &&
	       base_id_equal(&event->email_id, &next->email_id) &&
	       event->timestamp <= next->timestamp;
}

bool
store_event_insert(struct db *db, struct store_event *events, guint count, GError **error)
{
	g_autofree struct db_value *inserts = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree struct db_value *latest = g_new(struct db_value, (gsize)LATEST_COLUMNS * count);
	guint kept = count, updates = 0;
	guint64 known = 0;

	for (guint i = 0; i < count; i++) {
		struct store_event *e = &events[i];

		e->id = base_id_new();
		const struct db_value insert[INSERT_COLUMNS] = {db_id(&e->email_id), db_id(&e->id),
		    db_id(&e->workspace_id), db_int(e->recipient), db_int(e->status),
		    db_int(e->timestamp), db_text(e->smtp_response), db_text(e->enhanced_code),
		    db_int_or_null(e->bounce_type), db_text(e->ip), db_text(e->user_agent),
		    db_text(e->link), db_int(e->automated)};
		const struct db_value update[LATEST_COLUMNS] = {db_int(e->status),
		    db_int(e->timestamp), db_id(&e->id), db_id(&e->email_id), db_int(e->recipient),
		    db_int(e->timestamp)};

		memcpy(inserts + (gsize)INSERT_COLUMNS * i, insert, sizeof(insert));
		if (!is_passed(events, i, count))
			memcpy(latest + (gsize)LATEST_COLUMNS * updates++, update, sizeof(update));
	}
	/* LATEST changes no row when the recipient is gone, or has a later event: keep_known
	   tells which. */
	return db_run_rows(db, sql[LATEST], latest, LATEST_COLUMNS, updates, &known, error) &&
	       (known == updates || keep_known(db, events, inserts, &kept, error)) &&
	       db_defer(db, sql[INSERT], inserts, INSERT_COLUMNS, kept, error) &&
	       tell_workflows(db, events, count, error) && count_arrivals(db, events, count, error);
}

/* The number of recipients whose events are read in one round trip. */
#define TOGETHER 25

static void
free_event(void *event)
{
	store_event_free(event);
}

struct store_event *
store_event_read(const struct db_rows *rows, guint from, const struct base_id *email)
{
	struct store_event e = {
	    .email_id = *email,
	    .recipient = (guint)db_rows_int(rows, from + E_RECIPIENT),
	    .status = (enum store_event_status)db_rows_int(rows, from + E_STATUS),
	    .timestamp = db_rows_int(rows, from + E_TIMESTAMP),
	    .smtp_response = db_rows_text(rows, from + E_SMTP_RESPONSE),
	    .enhanced_code = db_rows_text(rows, from + E_ENHANCED_CODE),
	    .bounce_type = (enum store_bounce_type)db_rows_int(rows, from + E_BOUNCE_TYPE),
	    .ip = db_rows_text(rows, from + E_IP),
	    .user_agent = db_rows_text(rows, from + E_USER_AGENT),
	    .link = db_rows_text(rows, from + E_LINK),
	    .automated = db_rows_int(rows, from + E_AUTOMATED) != 0,
	};

	if (!db_rows_id(rows, from + E_ID, &e.id))
		return NULL;
	db_rows_id(rows, from + E_WORKSPACE, &e.workspace_id);
	return store_event_copy(&e);
}

static GPtrArray *
read_events(const struct base_id *email, struct db_rows *rows)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(free_event);

	while (db_rows_next(rows))
		g_ptr_array_add(events, store_event_read(rows, 0, email));
	return events;
}

int
store_event_compare(const struct store_event *a, const struct store_event *b)
{
	int order = (a->timestamp > b->timestamp) - (a->timestamp < b->timestamp);

	return order ? order : memcmp(&a->id, &b->id, sizeof(a->id));
}

static int
oldest_first(const void *a, const void *b)
{
	return store_event_compare(
	    *(const struct store_event *const *)a, *(const struct store_event *const *)b);
}

/* Takes ownership of the events, sorts them, and keeps the newest. */
static void
keep_newest(struct store_event_history *history, GPtrArray *events)
{
	g_ptr_array_sort(events, oldest_first);
	history->more = events->len > LIMIT_RECIPIENT_EVENTS;
	if (history->more)
		g_ptr_array_remove_range(events, 0, events->len - LIMIT_RECIPIENT_EVENTS);
	g_clear_pointer(&history->events, g_ptr_array_unref);
	history->events = events;
}

void
store_event_share(GPtrArray *events, struct store_event_history *histories_r, guint count)
{
	for (guint i = 0; i < count; i++)
		histories_r[i] =
		    (struct store_event_history){g_ptr_array_new_with_free_func(free_event), false};
	for (guint i = 0; i < events->len; i++) {
		struct store_event *event = g_steal_pointer(&events->pdata[i]);

		if (event->recipient < count)
			g_ptr_array_add(histories_r[event->recipient].events, event);
		else
			store_event_free(event);
	}
	g_ptr_array_set_free_func(events, NULL);
	for (guint i = 0; i < count; i++)
		keep_newest(&histories_r[i], g_ptr_array_ref(histories_r[i].events));
}

/* Reads the newest events of some recipients, from number first on. */
static bool
read_some(struct db *db, const struct base_id *email, struct store_event_history *histories,
    guint first, guint count, GError **error)
{
	struct db_value values[TOGETHER][3];
	struct db_query queries[TOGETHER];
	struct db_rows *rows[TOGETHER];

	for (guint i = 0; i < TOGETHER; i++) {
		values[i][0] = db_id(email);
		values[i][1] = db_int(first + i);
		values[i][2] = db_int(LIMIT_RECIPIENT_EVENTS + 1);
		queries[i] = (struct db_query){sql[OF_RECIPIENT], values[i], 3};
	}
	if (!db_select_together(db, queries, TOGETHER, rows, error))
		return false;
	for (guint i = 0; i < TOGETHER && first + i < count; i++)
		keep_newest(&histories[first + i], read_events(email, rows[i]));
	db_rows_free_all(rows, TOGETHER);
	return true;
}

bool
store_event_newest(struct db *db, const struct base_id *email,
    struct store_event_history *histories_r, guint count, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[FEW], DB_VALUES(db_id(email), db_int(STORE_EVENT_FEW + 1)), error);

	if (!rows)
		return false;
	g_autoptr(GPtrArray) few = read_events(email, rows);
	bool all = few->len <= STORE_EVENT_FEW;
	if (!all)
		g_ptr_array_set_size(few, 0);
	store_event_share(few, histories_r, count);
	for (guint first = 0; first < count && !all; first += TOGETHER)
		if (!read_some(db, email, histories_r, first, count, error)) {
			store_event_history_clear(histories_r, count);
			return false;
		}
	return true;
}

void
store_event_history_clear(struct store_event_history *histories, guint count)
{
	for (guint i = 0; i < count; i++)
		g_clear_pointer(&histories[i].events, g_ptr_array_unref);
}

GPtrArray *
store_event_page(struct db *db, const struct base_id *email, const guint *recipient,
    const struct store_event_place *before, guint limit, GError **error)
{
	struct store_event_place newest = {G_MAXINT64, {{0}}};
	struct db_value values[6];
	guint count = 0;

	if (!before)
		before = &newest;
	values[count++] = db_id(email);
	if (recipient)
		values[count++] = db_int(*recipient);
	values[count++] = db_int(before->timestamp);
	values[count++] = db_int(before->timestamp);
	values[count++] = db_id(&before->id);
	values[count++] = db_int(limit);
	AUTO(db_rows)
	rows = db_select(db, sql[recipient ? PAGE_OF_RECIPIENT : PAGE], values, count, error);
	return rows ? read_events(email, rows) : NULL;
}
