/* SPDX-License-Identifier: MIT */
/* Locks, moves and cancels scheduled emails with their outbox entries. */
#include "store/outbox/schedule.h"

#include "base/error.h"
#include "db/statement.h"
#include "store/email/event.h"
#include "store/outbox/key.h"

/* The lock order is email, then outbox. The recipients are read behind both locks: an entry that is
   gone by then has left events. */
enum { LOCK_EMAIL, LOCK_ENTRIES, HAS_EVENTS, LOCK_COUNT, MOVE, MOVE_ENTRIES, CANCEL, WITHDRAW };
static const char *const sql[] = {
    [LOCK_EMAIL] = "SELECT scheduled_at, cancelled FROM email WHERE id = ? AND workspace_id = ?"
		   " FOR UPDATE",
    [LOCK_ENTRIES] = "SELECT owner IS NULL AND attempts = 0 FROM outbox " STORE_OUTBOX_OF_EMAIL
		     " WHERE email_id = ? AND workspace_id = ? FOR UPDATE",
    [HAS_EVENTS] = "SELECT 1 FROM recipient WHERE email_id = ? AND workspace_id = ?"
		   " AND status <> ? LIMIT 1",
    [MOVE] = "UPDATE email SET scheduled_at = ? WHERE id = ? AND workspace_id = ?",
    [MOVE_ENTRIES] = "UPDATE outbox " STORE_OUTBOX_OF_EMAIL " SET since = ?,"
		     " ready_at = IF(ready_at IS NULL, NULL, ?), turn_at = ready_at"
		     " WHERE email_id = ? AND workspace_id = ?",
    [CANCEL] = "UPDATE email SET cancelled = ? WHERE id = ? AND workspace_id = ?",
    [WITHDRAW] = "DELETE FROM outbox WHERE email_id = ? AND workspace_id = ? AND owner IS NULL"
		 " AND attempts = 0",
};

/* The columns of LOCK_EMAIL. */
enum { EMAIL_SCHEDULED_AT, EMAIL_CANCELLED };

static bool
schedule_read_all(struct db_rows *const *rows, struct store_schedule *schedule, GError **error)
{
	*schedule = (struct store_schedule){.has_begun = db_rows_next(rows[HAS_EVENTS])};
	if (!db_rows_next(rows[LOCK_EMAIL]))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Email not found");
	schedule->scheduled_at = db_rows_int(rows[LOCK_EMAIL], EMAIL_SCHEDULED_AT);
	schedule->cancelled = db_rows_int(rows[LOCK_EMAIL], EMAIL_CANCELLED);
	while (db_rows_next(rows[LOCK_ENTRIES])) {
		bool waits = db_rows_int(rows[LOCK_ENTRIES], DB_ROWS_ONLY);

		schedule->waiting += waits;
		schedule->has_begun |= !waits;
	}
	return true;
}

bool
store_schedule_lock(struct db *db, const struct base_id *workspace, const struct base_id *id,
    struct store_schedule *schedule_r, GError **error)
{
	const struct db_query queries[] = {
	    [LOCK_EMAIL] = {sql[LOCK_EMAIL], DB_VALUES(db_id(id), db_id(workspace))},
	    [LOCK_ENTRIES] = {sql[LOCK_ENTRIES], DB_VALUES(db_id(id), db_id(workspace))},
	    [HAS_EVENTS] = {sql[HAS_EVENTS],
		DB_VALUES(db_id(id), db_id(workspace), db_int(EVENT_SUPPRESSED))},
	};
	struct db_rows *rows[LOCK_COUNT];

	if (!db_select_together(db, queries, LOCK_COUNT, rows, error))
		return false;
	bool found = schedule_read_all(rows, schedule_r, error);
	db_rows_free_all(rows, LOCK_COUNT);
	return found;
}

bool
store_schedule_move(struct db *db, const struct base_id *workspace, const struct base_id *id,
    gint64 scheduled_at, GError **error)
{
	return db_defer(db, sql[MOVE], DB_VALUES(db_int(scheduled_at), db_id(id), db_id(workspace)),
		   1, error) &&
	       db_defer(db, sql[MOVE_ENTRIES],
		   DB_VALUES(
		       db_int(scheduled_at), db_int(scheduled_at), db_id(id), db_id(workspace)),
		   1, error);
}

bool
store_schedule_cancel(struct db *db, const struct base_id *workspace, const struct base_id *id,
    gint64 now, GError **error)
{
	return db_defer(db, sql[CANCEL], DB_VALUES(db_int(now), db_id(id), db_id(workspace)), 1,
		   error) &&
	       db_defer(db, sql[WITHDRAW], DB_VALUES(db_id(id), db_id(workspace)), 1, error);
}
