/* SPDX-License-Identifier: MIT */
/* Keeps the time of the newest event of each kind that a mailing had at an address. */
#include "store/person/activity.h"

#include <string.h>

#include "base/array.h"
#include "db/statement.h"
#include "store/email/email.h"
#include "store/email/event.h"

#define INSERT "INSERT INTO person_activity (workspace_id, address, sent, opened, clicked, bounced)"
#define LATER                                                                                      \
	" ON DUPLICATE KEY UPDATE sent = GREATEST(person_activity.sent, VALUES(sent)),"            \
	" opened = GREATEST(person_activity.opened, VALUES(opened)),"                              \
	" clicked = GREATEST(person_activity.clicked, VALUES(clicked)),"                           \
	" bounced = GREATEST(person_activity.bounced, VALUES(bounced))"

enum { NOTE, NOTE_UNKNOWN, REMOVE, REMOVE_OF };
/* 4 is TRACK_UNSUBSCRIBE, 16 TRACK_TEST. */
static const char *const sql[] = {
    [NOTE] = INSERT " VALUES (?, ?, ?, ?, ?, ?)" LATER,
    [NOTE_UNKNOWN] =
	INSERT " SELECT r.workspace_id, LOWER(r.address), ?, ?, ?, ? FROM recipient r"
	       " STRAIGHT_JOIN email e ON e.id = r.email_id AND e.workspace_id = r.workspace_id"
	       " AND ((e.tracking & " TRACK_UNSUBSCRIBE_SQL ") <> 0 OR e.topic_id IS NOT NULL)"
	       " AND (e.tracking & " TRACK_TEST_SQL ") = 0"
	       " WHERE r.email_id = ? AND r.number = ? AND r.address <> ''" LATER,
    [REMOVE] = "DELETE FROM person_activity WHERE workspace_id = ? AND address = ?",
    [REMOVE_OF] = "DELETE v FROM person p JOIN person_activity v"
		  " ON v.workspace_id = p.workspace_id AND v.address = p.address"
		  " WHERE p.id = ? AND p.workspace_id = ?",
};

#define NOTE_COLUMNS 6

/* The place of an event's time among the four columns; -1: no column has it. */
static int
activity_place_of(const struct store_event *event)
{
	if (event->automated)
		return -1;
	switch (event->status) {
	case EVENT_SENT:
		return 0;
	case EVENT_OPENED:
		return 1;
	case EVENT_CLICKED:
		return 2;
	case EVENT_BOUNCED:
		return 3;
	default:
		return -1;
	}
}

static void
fill_times(const struct store_event *event, int place, struct db_value values_r[4])
{
	for (int i = 0; i < 4; i++)
		values_r[i] = db_int(i == place ? event->timestamp : 0);
}

static bool
note_unknown(struct db *db, const struct store_event *event, int place, GError **error)
{
	struct db_value values[NOTE_COLUMNS];

	fill_times(event, place, values);
	values[4] = db_id(&event->email_id);
	values[5] = db_int(event->recipient);
	return db_defer(db, sql[NOTE_UNKNOWN], values, NOTE_COLUMNS, 1, error);
}

static int
activity_by_address(const void *a, const void *b)
{
	const struct db_value *one = a, *other = b;
	int order = memcmp(one[0].data, other[0].data, sizeof(struct base_id));

	return order ? order : strcmp(one[1].data, other[1].data);
}

bool
store_activity_note(
    struct db *db, const struct store_event *const *events, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)NOTE_COLUMNS * count);
	g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < count; i++) {
		const struct store_event *event = events[i];
		int place = activity_place_of(event);

		if (place >= 0 && event->type == 0 && !note_unknown(db, event, place, error))
			return false;
		if (place < 0 || event->type == 0 || !event->mailed)
			continue;
		struct db_value *row = values + (gsize)NOTE_COLUMNS * addresses->len;
		char *address = g_ascii_strdown(event->mailed, -1);
		g_ptr_array_add(addresses, address);
		row[0] = db_id(&event->workspace_id);
		row[1] = db_text(address);
		fill_times(event, place, row + 2);
	}
	if (addresses->len == 0)
		return true;
	/* Transactions that write several addresses do not wait for each other in a circle. */
	base_array_sort(
	    values, addresses->len, NOTE_COLUMNS * sizeof(*values), activity_by_address);
	return db_defer(db, sql[NOTE], values, NOTE_COLUMNS, addresses->len, error);
}

bool
store_activity_remove(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_run(db, sql[REMOVE], DB_VALUES(db_id(workspace), db_text(address)), NULL, error);
}

bool
store_activity_remove_of(
    struct db *db, const struct base_id *workspace, const struct base_id *person, GError **error)
{
	return db_run(db, sql[REMOVE_OF], DB_VALUES(db_id(person), db_id(workspace)), NULL, error);
}
