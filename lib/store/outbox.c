/* SPDX-License-Identifier: MIT */
/* The outbox: what has to leave, and what is left of it. */
#include "store/outbox.h"

#include <string.h>

#include "db/statement.h"

enum { INSERT, FIND, REMOVE, KEEP, WITHDRAW, NEXT };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, "
	       "ready_at, owner, token)"
	       " VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)",
    [FIND] = "SELECT " COPY_COLUMNS " FROM "
	     "outbox"
	     " WHERE id = ? AND token = ?",
    [REMOVE] = "DELETE FROM outbox WHERE id = ? AND token = ?",
    [KEEP] =
	"UPDATE outbox SET recipients = ?, attempts = ?, deaths = ?, delayed_at = ?, ready_at = ?,"
	" owner = NULL, token = NULL"
	" WHERE id = ? AND token = ?",
    [WITHDRAW] = "DELETE FROM outbox WHERE email_id = ? AND workspace_id = ? AND owner IS NULL AND "
		 "attempts = 0",
    [NEXT] = "SELECT MIN(ready_at) FROM outbox",
};

#define INSERT_COLUMNS 8
#define REMOVE_COLUMNS 2
#define KEEP_COLUMNS 7

static struct db_value
time_or_null(gint64 time)
{
	return time ? db_int(time) : db_null();
}

bool
store_outbox_insert(struct db *db, const struct store_outbox_entry *copies, guint count,
    gint64 ready_at, const struct store_outbox_claim *claim, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree struct store_packed *packed = g_new(struct store_packed, count);

	for (guint i = 0; i < count; i++) {
		const struct store_outbox_entry *copy = &copies[i];
		const struct db_value row[INSERT_COLUMNS] = {db_id(&copy->id),
		    db_id(&copy->workspace_id), db_id(&copy->email_id),
		    store_outbox_entry_pack(copy, &packed[i]), db_int(copy->since),
		    db_int(claim ? claim->until : ready_at), db_text(claim ? claim->owner : NULL),
		    claim ? db_int(claim->token) : db_null()};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[INSERT], values, INSERT_COLUMNS, count, error);
}

bool
store_outbox_find(struct db *db, const struct base_id *id, gint64 token,
    struct store_outbox_entry *copy_r, bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIND], DB_VALUES(db_id(id), db_int(token)), error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	if (*found_r)
		store_outbox_entry_read(rows, copy_r);
	return true;
}

static bool
end_some(struct db *db, const struct store_outbox_claim *claim, const struct store_outbox_end *ends,
    guint count, bool removed, guint *kept, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)KEEP_COLUMNS * count);
	g_autofree struct store_packed *packed = g_new(struct store_packed, count);
	guint columns = removed ? REMOVE_COLUMNS : KEEP_COLUMNS;
	guint rows = 0;
	guint64 affected = 0;

	for (guint i = 0; i < count; i++) {
		const struct store_outbox_entry *copy = ends[i].copy;
		struct db_value *row = values + (gsize)columns * rows;

		if ((copy->count == 0) != removed)
			continue;
		if (!removed) {
			row[0] = store_outbox_entry_pack(copy, &packed[i]);
			row[1] = db_int(copy->attempts);
			row[2] = db_int(copy->deaths);
			row[3] = time_or_null(copy->delayed);
			row[4] = time_or_null(ends[i].ready_at);
		}
		row[columns - 2] = db_id(&copy->id);
		row[columns - 1] = db_int(claim->token);
		rows++;
	}
	if (!db_run_rows(db, sql[removed ? REMOVE : KEEP], values, columns, rows, &affected, error))
		return false;
	*kept += (guint)affected;
	return true;
}

bool
store_outbox_end(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_end *ends, guint count, guint *kept_r, GError **error)
{
	*kept_r = 0;
	return end_some(db, claim, ends, count, true, kept_r, error) &&
	       end_some(db, claim, ends, count, false, kept_r, error);
}

bool
store_outbox_withdraw(struct db *db, const struct base_id *workspace, const struct base_id *email,
    guint *count_r, GError **error)
{
	guint64 affected;

	if (!db_run(db, sql[WITHDRAW], DB_VALUES(db_id(email), db_id(workspace)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_outbox_next(struct db *db, gint64 *ready_at_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NEXT], NULL, 0, error);

	if (!rows)
		return false;
	*ready_at_r = db_rows_next(rows) ? db_rows_int(rows, 0) : 0;
	return true;
}
