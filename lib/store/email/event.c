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

enum { FEW, OF_RECIPIENT, PAGE, PAGE_OF_RECIPIENT };
/* By checked ids: FEW, OF_RECIPIENT, PAGE, PAGE_OF_RECIPIENT. The caller has the email from its
   workspace, or has claimed an outbox entry of it. */
static const char *const sql[] = {
    [FEW] = COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? LIMIT ?",
    [OF_RECIPIENT] =
	COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? AND recipient = ?" NEWEST_FIRST,
    [PAGE] = COLUMNS "FORCE INDEX (time) WHERE email_id = ?" OLDER NEWEST_FIRST,
    [PAGE_OF_RECIPIENT] =
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
	AUTO(db_rows) rows =
	    db_select(db, sql[recipient ? PAGE_OF_RECIPIENT : PAGE], values, count, error);
	return rows ? event_read_events(email, rows) : NULL;
}
