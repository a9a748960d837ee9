/* SPDX-License-Identifier: MIT */
/* Removes deliveries and events of webhooks in small batches. */
#include "store/webhook/retention.h"

#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/webhook/enqueue.h"

#define BATCH 500

/* The webhooks whose oldest delivery of this status is older than an id: one row is read for each
   of them. */
#define OLD(status)                                                                                \
	"SELECT w.id, " status " FROM webhook w WHERE (SELECT d.id"                                \
	" FROM webhook_delivery d FORCE INDEX (due) WHERE d.webhook_id = w.id AND d.status "       \
	"= " status " AND d.next_attempt IS NULL ORDER BY d.id LIMIT 1) < ?"

enum {
	DONE_WEBHOOKS,
	DONE,
	REMOVE_ATTEMPTS,
	REMOVE_DELIVERY,
	EVENTS,
	ORPHANS,
	ORPHAN_DELIVERIES,
	ORPHAN_BATCHES
};
/* System-wide: DONE_WEBHOOKS, EVENTS, ORPHANS. Rows grow old in all workspaces. */
/* By checked ids: DONE, REMOVE_ATTEMPTS, REMOVE_DELIVERY, ORPHAN_DELIVERIES, ORPHAN_BATCHES. The
   ids come from the statements above. */
static const char *const sql[] = {
    [DONE_WEBHOOKS] = OLD(DELIVERY_SUCCEEDED_SQL) " UNION ALL " OLD(DELIVERY_FAILED_SQL) " LIMIT 1",
    [DONE] = "SELECT webhook_id, id FROM webhook_delivery FORCE INDEX (due) WHERE webhook_id = ?"
	     " AND status = ? AND next_attempt IS NULL AND id < ? ORDER BY id LIMIT ?"
	     " FOR UPDATE SKIP LOCKED",
    [REMOVE_ATTEMPTS] = "DELETE FROM webhook_attempt WHERE webhook_id = ? AND delivery_id = ?",
    [REMOVE_DELIVERY] = "DELETE FROM webhook_delivery WHERE webhook_id = ? AND id = ?",
    [EVENTS] = "DELETE FROM webhook_event WHERE created < ? AND NOT EXISTS"
	       " (SELECT 1 FROM webhook w FORCE INDEX (workspace)"
	       " JOIN webhook_delivery d FORCE INDEX (PRIMARY) ON d.webhook_id = w.id"
	       " AND d.id = " WEBHOOK_DELIVERY_ID(
		   "webhook_event.id", "w.id") " AND d.status = " DELIVERY_PENDING_SQL
					       " WHERE w.workspace_id = webhook_event.workspace_id)"
					       " ORDER BY created LIMIT ?",
    /* The server reads one row for each webhook. */
    [ORPHANS] = "SELECT d.webhook_id, 0 FROM (SELECT DISTINCT webhook_id FROM webhook_delivery) d"
		" LEFT JOIN webhook w ON w.id = d.webhook_id WHERE w.id IS NULL LIMIT 1",
    [ORPHAN_DELIVERIES] = "SELECT webhook_id, id FROM webhook_delivery WHERE webhook_id = ?"
			  " ORDER BY id LIMIT ?",
    [ORPHAN_BATCHES] = "DELETE FROM webhook_batch WHERE webhook_id = ?",
};
/* The columns of DONE and ORPHAN_DELIVERIES. */
enum { REMOVED_WEBHOOK, REMOVED_ID, REMOVED_END };
/* The columns of DONE_WEBHOOKS and ORPHANS. */
enum { PLACE_WEBHOOK, PLACE_STATUS };

struct removal {
	gint64 before;
	bool orphans;
	guint count;
};

/* A webhook with deliveries to remove, and their status. */
struct place {
	struct base_id webhook;
	gint64 status;
};

static bool
retention_find_place(struct db *db, const struct removal *removal, struct place *place_r,
    bool *found_r, GError **error)
{
	struct base_id before = base_id_floor(removal->before);
	const struct db_value old[] = {db_id(&before), db_id(&before)};
	AUTO(db_rows) rows = removal->orphans ? db_select(db, sql[ORPHANS], NULL, 0, error)
					      : db_select(db, sql[DONE_WEBHOOKS], old, 2, error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	if (*found_r) {
		db_rows_id(rows, PLACE_WEBHOOK, &place_r->webhook);
		place_r->status = db_rows_int(rows, PLACE_STATUS);
	}
	return true;
}

/* The ids of deliveries to remove, two values for each. ids: of struct base_id, which they need. */
static bool
retention_find(struct db *db, const struct removal *removal, const struct place *place, GArray *ids,
    GError **error)
{
	struct base_id before = base_id_floor(removal->before);
	const struct db_value done[] = {
	    db_id(&place->webhook), db_int(place->status), db_id(&before), db_int(BATCH)};
	const struct db_value orphans[] = {db_id(&place->webhook), db_int(BATCH)};
	AUTO(db_rows) rows = removal->orphans
				 ? db_select(db, sql[ORPHAN_DELIVERIES], orphans, 2, error)
				 : db_select(db, sql[DONE], done, 4, error);
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
webhook_retention_remove_some(struct db *db, void *context, GError **error)
{
	struct removal *removal = context;
	struct place place;
	bool found;

	removal->count = 0;
	if (!retention_find_place(db, removal, &place, &found, error))
		return false;
	if (!found)
		return true;
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	if (!retention_find(db, removal, &place, ids, error))
		return false;
	g_autofree struct db_value *values = g_new(struct db_value, ids->len + 1);
	for (guint i = 0; i < ids->len; i++)
		values[i] = db_id(&g_array_index(ids, struct base_id, i));
	removal->count = ids->len / 2;
	return (!removal->orphans || db_run(db, sql[ORPHAN_BATCHES],
					 DB_VALUES(db_id(&place.webhook)), NULL, error)) &&
	       db_run_rows(db, sql[REMOVE_ATTEMPTS], values, 2, removal->count, NULL, error) &&
	       db_run_rows(db, sql[REMOVE_DELIVERY], values, 2, removal->count, NULL, error);
}

static bool
webhook_retention_remove_batch(
    struct db *db, struct removal removal, guint *count_r, GError **error)
{
	if (!db_transact(db, webhook_retention_remove_some, &removal, error))
		return false;
	*count_r = removal.count;
	return true;
}

bool
store_webhook_remove_done(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return webhook_retention_remove_batch(
	    db, (struct removal){.before = before}, count_r, error);
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
	return webhook_retention_remove_batch(
	    db, (struct removal){.orphans = true}, count_r, error);
}
