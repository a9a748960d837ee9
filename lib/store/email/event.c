/* SPDX-License-Identifier: MIT */
/* The events of emails: lists them. */
#include "store/email/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits/email.h"
#include "db/statement.h"
#include "store/email/columns.h"

#define COLUMNS "SELECT " DB_COLUMNS_SQL(EVENT_COLUMNS) " FROM event v "
#define NEWEST_FIRST " ORDER BY timestamp DESC, id DESC LIMIT ?"
#define OLDER " AND (timestamp < ? OR (timestamp = ? AND id < ?))"

enum { FEW, OF_RECIPIENT, LAST_RECIPIENT, PAGE };
/* By checked ids: FEW, OF_RECIPIENT, LAST_RECIPIENT, PAGE. The caller has the email from its
   workspace, or has claimed an outbox entry of it. */
static const char *const sql[] = {
    [FEW] = COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? LIMIT ?",
    [OF_RECIPIENT] =
	COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? AND recipient = ?" NEWEST_FIRST,
    [LAST_RECIPIENT] = "SELECT MAX(number) FROM recipient WHERE email_id = ?",
    [PAGE] =
	COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? AND recipient = ?" OLDER NEWEST_FIRST,
};

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
    [EVENT_REPLIED] = "replied",
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
		if (names[i] && strcmp(names[i], name) == 0)
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
	copy->relay = g_strdup(event->relay);
	copy->origin = NULL;
	copy->address = NULL;
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
	g_free((char *)copy->relay);
	g_free(copy);
}

/* The number of recipients whose events are read in one round trip. */
#define TOGETHER 25

DB_COLUMNS_READER(event_read_columns, struct store_event, EVENT_COLUMNS)

struct store_event *
store_event_read(const struct db_rows *rows, guint first, const struct base_id *email)
{
	struct store_event event = {.email_id = *email};

	if (db_rows_is_null(rows, first))
		return NULL;
	event_read_columns(rows, first, &event);
	return store_event_copy(&event);
}

static GPtrArray *
event_read_events(const struct base_id *email, struct db_rows *rows)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(store_event_destroy);

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
event_oldest_first(const void *a, const void *b)
{
	return store_event_compare(
	    *(const struct store_event *const *)a, *(const struct store_event *const *)b);
}

/* Takes ownership of the events, sorts them, and keeps the newest. */
static void
keep_newest(struct store_event_history *history, GPtrArray *events)
{
	g_ptr_array_sort(events, event_oldest_first);
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
		histories_r[i] = (struct store_event_history){
		    g_ptr_array_new_with_free_func(store_event_destroy), false};
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
event_read_some(struct db *db, const struct base_id *email, struct store_event_history *histories,
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
		keep_newest(&histories[first + i], event_read_events(email, rows[i]));
	db_rows_free_all(rows, TOGETHER);
	return true;
}

bool
store_event_newest(struct db *db, const struct base_id *email,
    struct store_event_history *histories_r, guint count, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[FEW], DB_VALUES(db_id(email), db_int(STORE_EVENT_FEW + 1)), error);

	if (!rows)
		return false;
	g_autoptr(GPtrArray) few = event_read_events(email, rows);
	bool all = few->len <= STORE_EVENT_FEW;
	if (!all)
		g_ptr_array_set_size(few, 0);
	store_event_share(few, histories_r, count);
	for (guint first = 0; first < count && !all; first += TOGETHER)
		if (!event_read_some(db, email, histories_r, first, count, error)) {
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

/* The events of a recipient that a page has read so far. */
struct event_reach {
	guint recipient;
	struct store_event_place last; /* the oldest of them */
	bool more;		       /* it may have older ones */
};

/* A page of events of an email, and its recipients. */
struct event_page {
	const struct base_id *email;
	struct event_reach *reaches;
	guint count;	   /* of reaches */
	guint limit;	   /* of the page */
	GPtrArray *events; /* of struct store_event */
};

#define PAGE_VALUES 6
#define PAGE_FEW 4 /* recipients that most emails do not have more of */

/* The values of PAGE: those behind a place. */
static void
event_page_values(const struct base_id *email, const struct event_reach *reach, guint limit,
    struct db_value values_r[PAGE_VALUES])
{
	const struct db_value values[PAGE_VALUES] = {db_id(email), db_int(reach->recipient),
	    db_int(reach->last.timestamp), db_int(reach->last.timestamp), db_id(&reach->last.id),
	    db_int(limit)};

	memcpy(values_r, values, sizeof(values));
}

/* Adds rows to a page; they are all that the recipient has if they are fewer than the limit. */
static void
event_page_add(
    struct event_page *page, struct event_reach *reach, struct db_rows *rows, guint limit)
{
	reach->more = db_rows_count(rows) == limit;
	while (db_rows_next(rows)) {
		struct store_event *event = store_event_read(rows, 0, page->email);

		reach->last = (struct store_event_place){event->timestamp, event->id};
		g_ptr_array_add(page->events, event);
	}
}

/* Reads on for some recipients, at most limit events of each. */
static bool
event_page_read(struct db *db, struct event_page *page, struct event_reach *const *reaches,
    guint count, guint limit, GError **error)
{
	struct db_value values[TOGETHER][PAGE_VALUES];
	struct db_query queries[TOGETHER];
	struct db_rows *rows[TOGETHER];

	for (guint begin = 0, size; begin < count; begin += size) {
		guint left = count - begin;

		size = left == 1 ? 1 : left <= PAGE_FEW ? PAGE_FEW : TOGETHER;
		for (guint i = 0; i < size; i++) {
			event_page_values(page->email, reaches[begin + MIN(i, left - 1)],
			    i < left ? limit : 0, values[i]);
			queries[i] = (struct db_query){sql[PAGE], values[i], PAGE_VALUES};
		}
		if (!db_select_together(db, queries, size, rows, error))
			return false;
		for (guint i = 0; i < MIN(size, left); i++)
			event_page_add(page, reaches[begin + i], rows[i], limit);
		db_rows_free_all(rows, size);
	}
	return true;
}

static int
event_newest_first(const void *a, const void *b)
{
	return event_oldest_first(b, a);
}

/* Finds the recipients that may have further events of the page, which is sorted. */
static guint
event_page_find(const struct event_page *page, struct event_reach **found_r)
{
	const GPtrArray *events = page->events;
	const struct store_event *end =
	    events->len >= page->limit ? events->pdata[page->limit - 1] : NULL;
	guint found = 0;

	for (guint i = 0; i < page->count; i++) {
		struct event_reach *reach = &page->reaches[i];
		const struct store_event last = {
		    .timestamp = reach->last.timestamp, .id = reach->last.id};

		if (reach->more && (!end || store_event_compare(&last, end) > 0))
			found_r[found++] = reach;
	}
	return found;
}

/* The tree of the events has those of each recipient in the order of time: a page is merged of
   them. First it reads twice as many events as it has room for, an equal share of each recipient,
   and then on where a recipient's last one is in the page. */
static bool
event_page_merge(struct db *db, struct event_page *page, GError **error)
{
	g_autofree struct event_reach **found = g_new(struct event_reach *, page->count);
	guint limit = page->limit, share = MIN(limit, 2 * limit / page->count + 1);

	for (guint some; (some = event_page_find(page, found)) > 0; share = MIN(limit, 2 * share)) {
		if (!event_page_read(db, page, found, some, share, error))
			return false;
		g_ptr_array_sort(page->events, event_newest_first);
	}
	if (page->events->len > limit)
		g_ptr_array_set_size(page->events, (gint)limit);
	return true;
}

/* The number of the email's recipients. */
static bool
event_count_recipients(struct db *db, const struct base_id *email, guint *count_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LAST_RECIPIENT], DB_VALUES(db_id(email)), error);

	if (!rows)
		return false;
	*count_r = db_rows_next(rows) && !db_rows_is_null(rows, DB_ROWS_ONLY)
		       ? (guint)db_rows_int(rows, DB_ROWS_ONLY) + 1
		       : 0;
	return true;
}

GPtrArray *
store_event_page(struct db *db, const struct base_id *email, const guint *recipient,
    const struct store_event_place *before, guint limit, GError **error)
{
	static const struct store_event_place newest = {G_MAXINT64, {{0}}};
	g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(store_event_destroy);
	guint count = 1;

	if (!recipient && !event_count_recipients(db, email, &count, error))
		return NULL;
	g_autofree struct event_reach *reaches = g_new(struct event_reach, count);
	for (guint i = 0; i < count; i++)
		reaches[i] = (struct event_reach){
		    recipient ? *recipient : i, before ? *before : newest, true};
	struct event_page page = {email, reaches, count, limit, events};
	if (count > 0 && !event_page_merge(db, &page, error))
		return NULL;
	return g_steal_pointer(&events);
}
