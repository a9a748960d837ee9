/* SPDX-License-Identifier: MIT */
/* The events of automation contacts, as they are read. */
#include "db/statement.h"
#include "store/automation_event.h"
#include "store/listing.h"

enum { LIST };
static const char *const sql[] = {
    [LIST] = "SELECT v.id, v.name, c.email, v.timestamp, v.properties, v.created"
	     " FROM automation_event v FORCE INDEX (contact)"
	     " STRAIGHT_JOIN automation_contact c FORCE INDEX (PRIMARY) ON c.id = v.contact_id"
	     " WHERE v.contact_id = ? AND v.workspace_id = ? AND v.id < ?"
	     " ORDER BY v.id DESC LIMIT ?",
};

void
store_automation_event_free(struct store_automation_event *event)
{
	g_free(event->name);
	g_free(event->email);
	g_free(event->properties);
	g_free(event);
}

static void
free_event(void *event)
{
	store_automation_event_free(event);
}

GPtrArray *
store_automation_event_list(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(contact), db_id(workspace), store_listing_before(before), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *events = g_ptr_array_new_with_free_func(free_event);
	while (db_rows_next(rows)) {
		struct store_automation_event *event = g_new0(struct store_automation_event, 1);

		g_ptr_array_add(events, event);
		db_rows_id(rows, 0, &event->id);
		event->workspace_id = *workspace;
		event->contact_id = *contact;
		event->name = g_strdup(db_rows_text(rows, 1));
		event->email = g_strdup(db_rows_text(rows, 2));
		event->timestamp = db_rows_int(rows, 3);
		event->properties = g_strdup(db_rows_text(rows, 4));
		event->created = db_rows_int(rows, 5);
	}
	return events;
}
