/* SPDX-License-Identifier: MIT */
/* Keeps the rows of recipients whose latest status is rare.

   A transaction writes the recipient first, and holds its lock when it comes to the rows here, so
   that two transactions meet at the recipient. */
#include "store/email/status.h"

#include "db/statement.h"

#define ADD "INSERT IGNORE INTO recipient_status (workspace_id, status, email_id, number)"

/* The rows of an email's recipients r. What is known is said of the rows, too: the server does not
   look for lists of statuses by what it has read of another table. */
#define DELETE_OF_EMAIL                                                                            \
	"DELETE s FROM recipient r FORCE INDEX (PRIMARY) STRAIGHT_JOIN recipient_status s"         \
	" FORCE INDEX (PRIMARY) ON s.workspace_id = ? AND s.status IN (" STATUS_RARE_SQL ")"       \
	" AND s.email_id = ? AND s.number = "

#define PAGE 1000

enum { NOTE, NOTE_LATEST, FORGET, FORGET_ERASED, PAGE_OF, JOIN };
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
};

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

/* The page ends with *last_r. *count_r: how many it has. */
static bool
status_read_page(struct db *db, const struct base_id *after, struct base_id *last_r, guint *count_r,
    GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[PAGE_OF], DB_VALUES(db_id(after), db_int(PAGE)), error);

	*count_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); ++*count_r)
		db_rows_id(rows, DB_ROWS_ONLY, last_r);
	return true;
}

bool
store_status_join(struct db *db, GError **error)
{
	struct base_id after = {{0}}, last = {{0}};
	guint count;

	do {
		if (!status_read_page(db, &after, &last, &count, error) ||
		    (count > 0 && !db_run(db, sql[JOIN], DB_VALUES(db_id(&after), db_id(&last)),
				      NULL, error)))
			return false;
		after = last;
	} while (count == PAGE);
	return true;
}
