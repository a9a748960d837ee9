/* SPDX-License-Identifier: MIT */
/* Stores and reads snoozes. */
#include "store/consent/snooze.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"

enum { GET, LOCK, PUT, END, COPY, SWEEP };
/* System-wide: SWEEP. The spool removes what is over in all workspaces. */
#define OF_ADDRESS "SELECT until, author FROM snooze WHERE workspace_id = ? AND address = ?"
static const char *const sql[] = {
    [GET] = OF_ADDRESS,
    [LOCK] = OF_ADDRESS " FOR UPDATE",
    [PUT] = "INSERT INTO snooze (workspace_id, address, until, author) VALUES (?, ?, ?, ?)"
	    " ON DUPLICATE KEY UPDATE until = VALUES(until), author = VALUES(author)",
    [END] = "DELETE FROM snooze WHERE workspace_id = ? AND address = ?",
    /* From left to right. */
    [COPY] = "INSERT INTO snooze (workspace_id, address, until, author)"
	     " SELECT workspace_id, ?, until, author FROM snooze o"
	     " WHERE o.workspace_id = ? AND o.address = ? ON DUPLICATE KEY UPDATE"
	     " snooze.author = IF(snooze.until < VALUES(until), VALUES(author), snooze.author),"
	     " snooze.until = GREATEST(snooze.until, VALUES(until))",
    [SWEEP] = "DELETE FROM snooze WHERE until < ? ORDER BY until LIMIT ?",
};

/* The columns of GET and LOCK. */
enum { S_UNTIL, S_AUTHOR };

#define SWEPT 1000

bool
store_snooze_refuse(GError **error)
{
	return base_fail(error, PH_ERROR_CONFLICT, "This person has snoozed; override is required");
}

char *
store_snooze_text(gint64 until)
{
	char time[CLOCK_ISO_SIZE];

	return g_strdup_printf("snoozed until %s", base_clock_format(until, time));
}

bool
store_snooze_get(struct db *db, const struct base_id *workspace, const char *address, bool lock,
    struct store_snooze *snooze_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[lock ? LOCK : GET], DB_VALUES(db_id(workspace), db_text(address)), error);

	*snooze_r = (struct store_snooze){0};
	if (rows && db_rows_next(rows) && db_rows_int(rows, S_UNTIL) > base_clock_now())
		*snooze_r = (struct store_snooze){db_rows_int(rows, S_UNTIL),
		    (enum store_consent_author)db_rows_int(rows, S_AUTHOR)};
	return rows != NULL;
}

bool
store_snooze_put(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_snooze *snooze, GError **error)
{
	return db_defer(db, sql[PUT],
	    DB_VALUES(
		db_id(workspace), db_text(address), db_int(snooze->until), db_int(snooze->author)),
	    1, error);
}

bool
store_snooze_end(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_defer(db, sql[END], DB_VALUES(db_id(workspace), db_text(address)), 1, error);
}

bool
store_snooze_copy(struct db *db, const struct base_id *workspace, const char *from, const char *to,
    GError **error)
{
	return db_defer(
	    db, sql[COPY], DB_VALUES(db_text(to), db_id(workspace), db_text(from)), 1, error);
}

bool
store_snooze_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 removed;
	bool done =
	    db_run(db, sql[SWEEP], DB_VALUES(db_int(before), db_int(SWEPT)), &removed, error);

	*count_r = done ? (guint)removed : 0;
	return done;
}
