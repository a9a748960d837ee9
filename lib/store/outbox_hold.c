/* SPDX-License-Identifier: MIT */
/* What an operator sees of the outbox, and does with it. */
#include "db/statement.h"
#include "store/outbox.h"

enum { HOLD, RELEASE, HASTEN, COUNT, HELD };
static const char *const sql[] = {
    [HOLD] = "UPDATE outbox SET ready_at = NULL WHERE email_id = ? AND workspace_id = ? AND owner "
	     "IS NULL",
    [RELEASE] =
	"UPDATE outbox SET ready_at = GREATEST(?, COALESCE((SELECT scheduled_at FROM email"
	" WHERE email.id = outbox.email_id AND email.workspace_id = outbox.workspace_id), 0))"
	" WHERE email_id = ? AND workspace_id = ? AND ready_at IS NULL",
    [HASTEN] =
	"UPDATE outbox SET ready_at = ? WHERE email_id = ? AND workspace_id = ? AND owner IS NULL"
	" AND ready_at > ? AND attempts > 0",
    [COUNT] = "SELECT COALESCE(SUM(owner IS NULL AND ready_at <= ?), 0), COALESCE(SUM(owner IS "
	      "NULL AND ready_at > ?), 0),"
	      " COALESCE(SUM(owner IS NOT NULL), 0), COALESCE(SUM(ready_at IS NULL), 0),"
	      " MIN(CASE WHEN since <= ? THEN since END) FROM outbox",
    [HELD] = "SELECT " COPY_COLUMNS " FROM outbox"
	     " WHERE ready_at IS NULL AND workspace_id = ? ORDER BY id",
};

static bool
change(struct db *db, int statement, const struct db_value *values, gsize count, guint *count_r,
    GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], values, count, &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_outbox_hold(struct db *db, const struct base_id *workspace, const struct base_id *email,
    guint *count_r, GError **error)
{
	return change(db, HOLD, DB_VALUES(db_id(email), db_id(workspace)), count_r, error);
}

bool
store_outbox_release(struct db *db, const struct base_id *workspace, const struct base_id *email,
    gint64 now, guint *count_r, GError **error)
{
	return change(
	    db, RELEASE, DB_VALUES(db_int(now), db_id(email), db_id(workspace)), count_r, error);
}

bool
store_outbox_hasten(struct db *db, const struct base_id *workspace, const struct base_id *email,
    gint64 now, guint *count_r, GError **error)
{
	return change(db, HASTEN,
	    DB_VALUES(db_int(now), db_id(email), db_id(workspace), db_int(now)), count_r, error);
}

bool
store_outbox_count(struct db *db, gint64 now, struct store_outbox_counts *counts_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[COUNT], DB_VALUES(db_int(now), db_int(now), db_int(now)), error);

	if (!rows || !db_rows_next(rows))
		return false;
	*counts_r = (struct store_outbox_counts){db_rows_int(rows, 0), db_rows_int(rows, 1),
	    db_rows_int(rows, 2), db_rows_int(rows, 3), db_rows_int(rows, 4)};
	return true;
}

bool
store_outbox_list_held(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_outbox_entry *copy, void *context), void *context,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[HELD], DB_VALUES(db_id(workspace)), error);
	struct store_outbox_entry copy;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		store_outbox_entry_read(rows, &copy);
		row(&copy, context);
	}
	return true;
}
