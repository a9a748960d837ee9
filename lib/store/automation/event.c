/* SPDX-License-Identifier: MIT */
/* The events of automation: writes, reads and lists them. */
#include "store/automation/event.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "store/common/listing.h"
#include "store/common/rows.h"

#define FOUND_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "id")                                                                            \
	NEXT(workspace_id, "workspace_id")                                                         \
	NEXT(timestamp, "timestamp")                                                               \
	NEXT(properties, "properties")                                                             \
	NEXT(created, "created")
DB_COLUMNS_MAKER(event_read_found, struct store_automation_event, FOUND_COLUMNS)
#define LISTED_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "v.id")                                                                          \
	NEXT(name, "v.name")                                                                       \
	NEXT(email, "c.email")                                                                     \
	NEXT(timestamp, "v.timestamp")                                                             \
	NEXT(properties, "v.properties")                                                           \
	NEXT(created, "v.created")
DB_COLUMNS_MAKER(event_read_listed, struct store_automation_event, LISTED_COLUMNS)

/* Events that are told to one workflow alone. */
#define UNLISTED "'date.reached', 'schedule.due', 'workflow.started'"

enum { INSERT, THERE, PROPERTIES, STARTED, BETWEEN, LIST };
/* By checked ids: PROPERTIES, STARTED, BETWEEN. The ids come from an execution that the caller has
   claimed, or that waits for an event of the contact whom the caller has locked. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO automation_event"
	       " (id, workspace_id, contact_id, name, timestamp, properties, created)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [THERE] = "SELECT 1 FROM automation_event WHERE id = ? AND workspace_id = ?",
    [PROPERTIES] = "SELECT properties FROM automation_event WHERE id = ?",
    [STARTED] = "SELECT v.properties FROM execution x JOIN automation_event v ON v.id = x.event_id"
		" WHERE x.id = ?",
    [BETWEEN] = "SELECT " DB_COLUMNS_SQL(
	FOUND_COLUMNS) " FROM automation_event FORCE INDEX (contact) WHERE contact_id = ? AND id "
		       ">= ?"
		       " AND name = ? AND timestamp > ? AND timestamp < ? ORDER BY timestamp, id",
    [LIST] = "SELECT " DB_COLUMNS_SQL(
	LISTED_COLUMNS) " FROM automation_event v FORCE INDEX (contact)"
			" STRAIGHT_JOIN person c FORCE INDEX (PRIMARY) ON c.id = v.contact_id"
			" WHERE v.contact_id = ? AND v.workspace_id = ? AND v.id < ?"
			" AND v.name NOT IN (" UNLISTED ") ORDER BY v.id DESC LIMIT ?",
};

#define INSERT_COLUMNS 7

bool
store_automation_event_insert(
    struct db *db, const struct store_automation_event *events, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_automation_event *e = &events[i];
		const struct db_value row[INSERT_COLUMNS] = {db_id(&e->id), db_id(&e->workspace_id),
		    db_id(&e->contact_id), db_text(e->name), db_int(e->timestamp),
		    db_text(e->properties), db_int(e->created)};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
	}
	return store_rows_insert(db, sql[INSERT], values, INSERT_COLUMNS, count, error);
}

bool
store_automation_event_there(struct db *db, const struct base_id *workspace,
    const struct base_id *id, bool *there_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[THERE], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return false;
	*there_r = db_rows_next(rows);
	return true;
}

static bool
event_read_properties(
    struct db *db, const char *query, const struct base_id *id, char **text_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, query, DB_VALUES(db_id(id)), error);

	if (!rows)
		return false;
	*text_r = db_rows_next(rows) ? g_strdup(db_rows_text(rows, DB_ROWS_ONLY)) : NULL;
	return true;
}

bool
store_automation_event_properties(
    struct db *db, const struct base_id *id, char **text_r, GError **error)
{
	return event_read_properties(db, sql[PROPERTIES], id, text_r, error);
}

bool
store_automation_event_started(
    struct db *db, const struct base_id *execution, char **text_r, GError **error)
{
	return event_read_properties(db, sql[STARTED], execution, text_r, error);
}

GPtrArray *
store_automation_event_between(struct db *db, const struct base_id *contact, const char *name,
    gint64 after, gint64 before, GError **error)
{
	/* The id of an event is never older than the event. */
	struct base_id low = base_id_floor(after);
	AUTO(db_rows) rows = db_select(db, sql[BETWEEN],
	    DB_VALUES(db_id(contact), db_id(&low), db_text(name), db_int(after),
		db_int(before ? before : G_MAXINT64)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *events = g_ptr_array_new_with_free_func(store_automation_event_destroy);
	while (db_rows_next(rows)) {
		struct store_automation_event *event = event_read_found(rows);

		event->contact_id = *contact;
		event->name = g_strdup(name);
		g_ptr_array_add(events, event);
	}
	return events;
}

void
store_automation_event_free(struct store_automation_event *event)
{
	g_free(event->name);
	g_free(event->email);
	g_free(event->properties);
	g_free(event);
}

GPtrArray *
store_automation_event_list(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(contact), db_id(workspace), store_listing_before(before), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *events = g_ptr_array_new_with_free_func(store_automation_event_destroy);
	while (db_rows_next(rows)) {
		struct store_automation_event *event = event_read_listed(rows);

		event->workspace_id = *workspace;
		event->contact_id = *contact;
		g_ptr_array_add(events, event);
	}
	return events;
}
