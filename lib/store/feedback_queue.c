/* SPDX-License-Identifier: MIT */
/* The way in of the queue from which workflows learn what became of their emails. */
#include "store/feedback_queue.h"

#include "db/statement.h"

#define MANY 20 /* as many emails as FIND takes */
#define IDS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define OF_WORKFLOW                                                                                \
	"SELECT x.email_id, x.workspace_id, x.contact_id FROM execution_email x"                   \
	" JOIN automation_contact c ON c.id = x.contact_id WHERE x.email_id"

enum { FIND_ONE, FIND, ADD };
static const char *const sql[] = {
    [FIND_ONE] = OF_WORKFLOW " = ?",
    [FIND] = OF_WORKFLOW " IN (" IDS ")",
    [ADD] = "INSERT INTO automation_feedback"
	    " (event_id, workspace_id, contact_id, email_id, status, timestamp, link)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?)",
};

#define COLUMNS 7

static void
add_row(GArray *values, const struct store_feedback_queued *event, const struct db_rows *found)
{
	gsize size;
	const void *workspace = db_rows_bytes(found, 1, &size);
	const void *contact = db_rows_bytes(found, 2, &size);
	const struct db_value row[COLUMNS] = {db_id(event->event_id), db_bytes(workspace, size),
	    db_bytes(contact, size), db_id(event->email_id), db_int(event->status),
	    db_int(event->timestamp), db_text(event->link)};

	g_array_append_vals(values, row, COLUMNS);
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

		db_rows_id(found, 0, &email);
		for (guint i = 0; i < count; i++)
			if (base_id_equal(events[i].email_id, &email))
				add_row(values, &events[i], found);
	}
	return db_defer(db, sql[ADD], (const struct db_value *)(void *)values->data, COLUMNS,
	    values->len / COLUMNS, error);
}

bool
store_feedback_queue_add(
    struct db *db, const struct store_feedback_queued *events, guint count, GError **error)
{
	for (guint i = 0; i < count; i += MANY)
		if (!add(db, events + i, MIN(count - i, MANY), error))
			return false;
	return true;
}
