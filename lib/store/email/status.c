/* SPDX-License-Identifier: MIT */
/* Keeps the rows of recipients whose latest status is rare.

   A transaction writes the recipient first, and holds its lock when it comes to the rows here, so
   that two transactions meet at the recipient. */
#include "store/email/status.h"

#include <string.h>

#include "db/statement.h"
#include "store/common/pages.h"

#define ADD "INSERT IGNORE INTO recipient_status (workspace_id, status, email_id, number)"

/* The rows of an email's recipients r. What is known is said of the rows, too: the server does not
   look for lists of statuses by what it has read of another table. */
#define DELETE_OF_EMAIL                                                                            \
	"DELETE s FROM recipient r FORCE INDEX (PRIMARY) STRAIGHT_JOIN recipient_status s"         \
	" FORCE INDEX (PRIMARY) ON s.workspace_id = ? AND s.status IN (" STATUS_RARE_SQL ")"       \
	" AND s.email_id = ? AND s.number = "

#define PAGE 1000

enum { NOTE, NOTE_LATEST, FORGET, FORGET_ERASED, PAGE_OF, JOIN, ROWS, REMOVE_ROW };
/* System-wide: PAGE_OF. The step goes through the recipients of all workspaces. */
static const char *const sql[] = {
    [NOTE] = ADD " VALUES (?, ?, ?, ?)",
    [NOTE_LATEST] = ADD " SELECT workspace_id, status, email_id, number FROM recipient"
			" WHERE email_id = ? AND number = ? AND status = ?",
    [FORGET] = DELETE_OF_EMAIL "? WHERE r.email_id = ? AND r.number = ?"
			       " AND COALESCE(r.status, 0) <= " EVENT_DELIVERED_SQL,
    [FORGET_ERASED] = DELETE_OF_EMAIL "r.number WHERE r.email_id = ? AND r.address = ''",
    [PAGE_OF] = "SELECT email_id FROM recipient WHERE email_id > ? ORDER BY email_id LIMIT ?",
    /* Locks no recipient. One whose status changes meanwhile may get a row too many. */
    [JOIN] = ADD " SELECT r.workspace_id, r.status, r.email_id, r.number"
		 " FROM recipient r FORCE INDEX (PRIMARY) STRAIGHT_JOIN email e"
		 " ON e.id = r.email_id AND e.workspace_id = r.workspace_id"
		 " AND e.type <> " EMAIL_BROADCAST_SQL " WHERE r.email_id > ? AND r.email_id <= ?"
		 " AND r.status > " EVENT_DELIVERED_SQL,
    /* Locks nothing, and sees both tables at one time. */
    [ROWS] = "SELECT s.workspace_id, s.status, s.email_id, s.number, r.email_id IS NULL"
	     " FROM recipient_status s FORCE INDEX (PRIMARY) LEFT JOIN recipient r"
	     " FORCE INDEX (PRIMARY) ON r.email_id = s.email_id AND r.number = s.number"
	     " WHERE s.workspace_id > ? OR (s.workspace_id = ? AND (s.status > ? OR (s.status = ?"
	     " AND (s.email_id > ? OR (s.email_id = ? AND s.number > ?)))))"
	     " ORDER BY s.workspace_id, s.status, s.email_id, s.number LIMIT ?",
    [REMOVE_ROW] = "DELETE FROM recipient_status WHERE workspace_id = ? AND status = ?"
		   " AND email_id = ? AND number = ?",
};

/* The columns of ROWS. */
enum { ROW_WORKSPACE, ROW_STATUS, ROW_EMAIL, ROW_NUMBER, ROW_IS_LONE };

static bool
status_note(struct db *db, const struct store_event *event, bool is_latest, GError **error)
{
	const struct db_value email = db_id(&event->email_id), status = db_int(event->status),
			      number = db_int(event->recipient);

	return is_latest
		   ? db_defer_row(db, sql[NOTE],
			 DB_VALUES(db_id(&event->workspace_id), status, email, number), error)
		   : db_defer(db, sql[NOTE_LATEST], DB_VALUES(email, number, status), 1, error);
}

bool
store_status_note(
    struct db *db, const struct store_event *const *events, guint count, bool all, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (events[i]->status > STATUS_COMMON && events[i]->type != EMAIL_BROADCAST &&
		    !status_note(db, events[i], all, error))
			return false;
	return true;
}

bool
store_status_forget(
    struct db *db, const struct store_event *const *events, guint count, GError **error)
{
	for (guint i = 0; i < count; i++) {
		const struct store_event *e = events[i];
		const struct db_value email = db_id(&e->email_id), number = db_int(e->recipient);

		if (e->status <= STATUS_COMMON &&
		    !db_defer(db, sql[FORGET],
			DB_VALUES(db_id(&e->workspace_id), email, number, email, number), 1, error))
			return false;
	}
	return true;
}

bool
store_status_forget_erased(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	return db_run(db, sql[FORGET_ERASED],
	    DB_VALUES(db_id(workspace), db_id(email), db_id(email)), NULL, error);
}

bool
store_status_join(struct db *db, GError **error)
{
	const struct store_pages pages = {.read = sql[PAGE_OF], .change = sql[JOIN], .size = PAGE};

	return store_pages_run(db, &pages, error);
}

/* The key of a row. */
struct status_row {
	struct base_id workspace, email;
	gint64 status, number;
};

#define ROW_COLUMNS 4

/* The page ends with *last_r. *count_r: how many rows it has; those without a recipient are added
   to lone. */
static bool
status_read_rows(struct db *db, const struct status_row *after, struct status_row *last_r,
    GArray *lone, guint *count_r, GError **error)
{
	const struct db_value workspace = db_id(&after->workspace), status = db_int(after->status),
			      email = db_id(&after->email);
	AUTO(db_rows)
	rows = db_select(db, sql[ROWS],
	    DB_VALUES(workspace, workspace, status, status, email, email, db_int(after->number),
		db_int(PAGE)),
	    error);

	*count_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); ++*count_r) {
		db_rows_id(rows, ROW_WORKSPACE, &last_r->workspace);
		last_r->status = db_rows_int(rows, ROW_STATUS);
		db_rows_id(rows, ROW_EMAIL, &last_r->email);
		last_r->number = db_rows_int(rows, ROW_NUMBER);
		if (db_rows_int(rows, ROW_IS_LONE))
			g_array_append_vals(lone, last_r, 1);
	}
	return true;
}

static bool
status_remove_rows(struct db *db, const GArray *lone, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)ROW_COLUMNS * lone->len);

	for (guint i = 0; i < lone->len; i++) {
		const struct status_row *r = &g_array_index(lone, struct status_row, i);
		const struct db_value row[ROW_COLUMNS] = {
		    db_id(&r->workspace), db_int(r->status), db_id(&r->email), db_int(r->number)};

		memcpy(values + (gsize)ROW_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[REMOVE_ROW], values, ROW_COLUMNS, lone->len, NULL, error);
}

bool
store_status_clean(struct db *db, GError **error)
{
	struct status_row after = {.status = 0}, last = after;
	guint count;

	do {
		g_autoptr(GArray) lone = g_array_new(FALSE, FALSE, sizeof(struct status_row));

		if (!status_read_rows(db, &after, &last, lone, &count, error) ||
		    !status_remove_rows(db, lone, error))
			return false;
		after = last;
	} while (count == PAGE);
	return true;
}
