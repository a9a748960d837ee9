/* SPDX-License-Identifier: MIT */
/* Removes deliveries and events of webhooks in small batches. */
#include "store/webhook_kept.h"

#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"

#define BATCH 500

enum { DONE, REMOVE_ATTEMPTS, REMOVE_DELIVERY, EVENTS, ORPHANS, ORPHAN_DELIVERIES, ORPHAN_BATCHES };
/* System-wide: DONE, EVENTS, ORPHANS. Rows grow old in all workspaces. */
/* By checked ids: REMOVE_ATTEMPTS, REMOVE_DELIVERY, ORPHAN_DELIVERIES, ORPHAN_BATCHES. The ids come
   from the statements above. */
static const char *const sql[] = {
    [DONE] = "SELECT webhook_id, id FROM webhook_delivery FORCE INDEX (kept)"
	     " WHERE status IN (2, 3) AND created < ? LIMIT ? FOR UPDATE SKIP LOCKED",
    [REMOVE_ATTEMPTS] = "DELETE FROM webhook_attempt WHERE webhook_id = ? AND delivery_id = ?",
    [REMOVE_DELIVERY] = "DELETE FROM webhook_delivery WHERE webhook_id = ? AND id = ?",
    [EVENTS] = "DELETE FROM webhook_event WHERE created < ? AND NOT EXISTS"
	       " (SELECT 1 FROM webhook w FORCE INDEX (workspace)"
	       " JOIN webhook_delivery d FORCE INDEX (listing) ON d.webhook_id = w.id"
	       " AND d.created = webhook_event.created AND d.event_id = webhook_event.id"
	       " AND d.status = 1 WHERE w.workspace_id = webhook_event.workspace_id)"
	       " ORDER BY created LIMIT ?",
    /* The server reads one row for each webhook. */
    [ORPHANS] = "SELECT d.webhook_id FROM (SELECT DISTINCT webhook_id FROM webhook_delivery) d"
		" LEFT JOIN webhook w ON w.id = d.webhook_id WHERE w.id IS NULL LIMIT 1",
    [ORPHAN_DELIVERIES] = "SELECT webhook_id, id FROM webhook_delivery WHERE webhook_id = ?"
			  " ORDER BY id LIMIT ?",
    [ORPHAN_BATCHES] = "DELETE FROM webhook_batch WHERE webhook_id = ?",
};
/* The columns of DONE and ORPHAN_DELIVERIES. */
enum { REMOVED_WEBHOOK, REMOVED_ID, REMOVED_END };
/* The columns of ORPHANS. */
enum { ORPHAN_WEBHOOK };

struct removal {
	gint64 before;
	bool orphans;
	guint count;
};

/* The ids of deliveries to remove, two values for each. ids: of struct base_id, which they need. */
static bool
find(struct db *db, const struct removal *removal, const struct base_id *webhook, GArray *ids,
    GError **error)
{
	const struct db_value done[] = {db_int(removal->before), db_int(BATCH)};
	const struct db_value orphans[] = {db_id(webhook), db_int(BATCH)};
	AUTO(db_rows)
	rows = db_select(db, sql[removal->orphans ? ORPHAN_DELIVERIES : DONE],
	    removal->orphans ? orphans : done, 2, error);
	struct base_id id;

	if (!rows)
		return false;
	while (db_rows_next(rows))
		for (guint column = REMOVED_WEBHOOK; column < REMOVED_END; column++) {
			db_rows_id(rows, column, &id);
			g_array_append_val(ids, id);
		}
	return true;
}

static bool
find_orphan(struct db *db, struct base_id *webhook_r, bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ORPHANS], NULL, 0, error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows) && db_rows_id(rows, ORPHAN_WEBHOOK, webhook_r);
	return true;
}

static bool
remove_some(struct db *db, void *context, GError **error)
{
	struct removal *removal = context;
	struct base_id webhook = {{0}};
	bool found = true;

	removal->count = 0;
	if (removal->orphans && !find_orphan(db, &webhook, &found, error))
		return false;
	if (!found)
		return true;
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	if (!find(db, removal, &webhook, ids, error))
		return false;
	g_autofree struct db_value *values = g_new(struct db_value, ids->len + 1);
	for (guint i = 0; i < ids->len; i++)
		values[i] = db_id(&g_array_index(ids, struct base_id, i));
	removal->count = ids->len / 2;
	return (!removal->orphans ||
		   db_run(db, sql[ORPHAN_BATCHES], DB_VALUES(db_id(&webhook)), NULL, error)) &&
	       db_run_rows(db, sql[REMOVE_ATTEMPTS], values, 2, removal->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_DELIVERY], values, 2, removal->count, NULL, error);
}

static bool
remove_batch(struct db *db, struct removal removal, guint *count_r, GError **error)
{
	if (!db_transact(db, remove_some, &removal, error))
		return false;
	*count_r = removal.count;
	return true;
}

bool
store_webhook_remove_done(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return remove_batch(db, (struct removal){.before = before}, count_r, error);
}

bool
store_webhook_remove_events(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[EVENTS], DB_VALUES(db_int(before), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_webhook_remove_orphans(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return remove_batch(db, (struct removal){.orphans = true}, count_r, error);
}
