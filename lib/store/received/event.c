/* SPDX-License-Identifier: MIT */
/* Queues events of received mail for workflows, and counts the replies of recipients. */
#include "store/received/event.h"

#include "db/columns.h"
#include "db/statement.h"

#define EVENT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "v.id")                                                                          \
	NEXT(workspace_id, "v.workspace_id")                                                       \
	NEXT(address, "v.address")                                                                 \
	NEXT(properties, "v.properties")                                                           \
	NEXT(timestamp, "v.timestamp")

enum { ADD, LIST, REMOVE, CLAIM, FORGET, REPLIES, REPLIED };
/* System-wide: LIST. The queue is one for all workspaces. */
/* By checked ids: REPLIES, REPLIED. The caller has the email from its workspace. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO received_event (id, workspace_id, address, timestamp, properties, due)"
	    " VALUES (?, ?, ?, ?, ?, ?)",
    [LIST] = "SELECT " DB_COLUMNS_SQL(
	EVENT_COLUMNS) " FROM received_event v FORCE INDEX (due) WHERE v.due <= ?"
		       " ORDER BY v.due LIMIT ?",
    [REMOVE] = "DELETE FROM received_event WHERE workspace_id = ? AND id = ?",
    [CLAIM] = "UPDATE received_event SET due = ? WHERE workspace_id = ? AND id = ? AND due <= ?",
    [FORGET] = "DELETE FROM received_event WHERE workspace_id = ? AND address = ?",
    [REPLIES] = "SELECT replied FROM recipient WHERE email_id = ? AND number = ? FOR UPDATE",
    [REPLIED] = "UPDATE recipient SET replied = replied + 1 WHERE email_id = ? AND number = ?",
};
#define REPLIED_COLUMNS 2

DB_COLUMNS_MAKER(received_event_read, struct store_received_event, EVENT_COLUMNS)

void
store_received_event_free(struct store_received_event *event)
{
	g_free(event->address);
	g_free(event->properties);
	g_free(event);
}

bool
store_received_event_add(struct db *db, const struct base_id *workspace, const char *address,
    gint64 timestamp, const char *properties, GError **error)
{
	struct base_id id = base_id_new();

	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(&id), db_id(workspace), db_text(address), db_int(timestamp),
		db_text(properties), db_int(timestamp)),
	    NULL, error);
}

GPtrArray *
store_received_event_list(struct db *db, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], DB_VALUES(db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *events = g_ptr_array_new_with_free_func(store_received_event_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(events, received_event_read(rows));
	return events;
}

bool
store_received_event_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return db_run(db, sql[REMOVE], DB_VALUES(db_id(workspace), db_id(id)), NULL, error);
}

bool
store_received_event_claim(struct db *db, const struct store_received_event *event, gint64 now,
    gint64 until, bool *claimed_r, GError **error)
{
	guint64 affected = 0;

	*claimed_r = false;
	if (!db_run(db, sql[CLAIM],
		DB_VALUES(
		    db_int(until), db_id(&event->workspace_id), db_id(&event->id), db_int(now)),
		&affected, error))
		return false;
	*claimed_r = affected > 0;
	return true;
}

bool
store_received_event_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_run(db, sql[FORGET], DB_VALUES(db_id(workspace), db_text(address)), NULL, error);
}

bool
store_received_reply_add(struct db *db, const struct base_id *email, guint recipient, guint most,
    guint *before_r, GError **error)
{
	const struct db_value values[REPLIED_COLUMNS] = {db_id(email), db_int(recipient)};
	AUTO(db_rows) rows = db_select(db, sql[REPLIES], values, REPLIED_COLUMNS, error);

	*before_r = most;
	if (!rows)
		return false;
	if (db_rows_next(rows))
		*before_r = (guint)db_rows_int(rows, DB_ROWS_ONLY);
	return *before_r >= most || db_defer(db, sql[REPLIED], values, REPLIED_COLUMNS, 1, error);
}
