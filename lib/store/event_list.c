/* SPDX-License-Identifier: MIT */
/* An email's events: the newest of each recipient, and pages of them. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "db/statement.h"
#include "store/event.h"

#define COLUMNS                                                                                    \
	"SELECT id, workspace_id, recipient, status, timestamp, smtp_response, enhanced_code,"     \
	" bounce_type, ip, user_agent, link, automated FROM event "
#define NEWEST_FIRST " ORDER BY timestamp DESC, id DESC LIMIT ?"
#define OLDER " AND (timestamp < ? OR (timestamp = ? AND id < ?))"

enum { FEW, OF_RECIPIENT, PAGE, PAGE_OF_RECIPIENT };
static const char *const sql[] = {
    [FEW] = COLUMNS "FORCE INDEX (PRIMARY) WHERE email_id = ? LIMIT ?",
    [OF_RECIPIENT] =
	COLUMNS "FORCE INDEX (recipient) WHERE email_id = ? AND recipient = ?" NEWEST_FIRST,
    [PAGE] = COLUMNS "FORCE INDEX (time) WHERE email_id = ?" OLDER NEWEST_FIRST,
    [PAGE_OF_RECIPIENT] =
	COLUMNS "FORCE INDEX (recipient) WHERE email_id = ? AND recipient = ?" OLDER NEWEST_FIRST,
};

/* Up to here all events of an email are read at once, beyond that each recipient's newest ones. */
#define FEW_EVENTS 1000

/* Recipients that are asked for in one round trip. */
#define TOGETHER 25

static void
free_event(void *event)
{
	store_event_free(event);
}

static GPtrArray *
read_events(const struct base_id *email, struct db_rows *rows)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(free_event);

	while (db_rows_next(rows)) {
		struct store_event e = {
		    .email_id = *email,
		    .recipient = (guint)db_rows_int(rows, 2),
		    .status = (enum store_event_status)db_rows_int(rows, 3),
		    .timestamp = db_rows_int(rows, 4),
		    .smtp_response = db_rows_text(rows, 5),
		    .enhanced_code = db_rows_text(rows, 6),
		    .bounce_type = (enum store_bounce_type)db_rows_int(rows, 7),
		    .ip = db_rows_text(rows, 8),
		    .user_agent = db_rows_text(rows, 9),
		    .link = db_rows_text(rows, 10),
		    .automated = db_rows_int(rows, 11) != 0,
		};
		db_rows_id(rows, 0, &e.id);
		db_rows_id(rows, 1, &e.workspace_id);
		g_ptr_array_add(events, store_event_copy(&e));
	}
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

/* Puts the events, which are taken, into order, and keeps the newest of them. */
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

static void
share_out(GPtrArray *events, struct store_event_history *histories, guint count)
{
	for (guint i = 0; i < events->len; i++) {
		struct store_event *event = g_steal_pointer(&events->pdata[i]);

		if (event->recipient < count)
			g_ptr_array_add(histories[event->recipient].events, event);
		else
			store_event_free(event);
	}
	g_ptr_array_set_free_func(events, NULL);
	for (guint i = 0; i < count; i++)
		keep_newest(&histories[i], g_ptr_array_ref(histories[i].events));
}

/* The newest events of some recipients from the one at first on. */
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
	rows = db_select(db, sql[FEW], DB_VALUES(db_id(email), db_int(FEW_EVENTS + 1)), error);

	if (!rows)
		return false;
	for (guint i = 0; i < count; i++)
		histories_r[i] =
		    (struct store_event_history){g_ptr_array_new_with_free_func(free_event), false};
	g_autoptr(GPtrArray) few = read_events(email, rows);
	if (few->len <= FEW_EVENTS) {
		share_out(few, histories_r, count);
		return true;
	}
	for (guint first = 0; first < count; first += TOGETHER)
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
