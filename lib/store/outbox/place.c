/* SPDX-License-Identifier: MIT */
/* Takes, reads and keeps places.

   A place is a row for a person and an outbox entry. It is one of three:
   - sent: it has the time at which the relay took the mailing. It counts for as long as a cap says.
   - being sent: it has the token of the entry's claim. It counts while the entry has this token.
   - given back: the entry has another token, none, or is gone. It counts for nothing.
   So the end of a claim gives places back without a statement, and the place of a process that died
   counts until its entry is recorded or claimed by another. Only what was sent is written.

   Two processes that take a place for one person come one after the other, since both lock the row
   of the person that has zeros for an entry. */
#include "store/outbox/place.h"

#include <string.h>

#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/common/finished.h"

#define PLACE_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(address, "p.address")                                                                \
	NEXT(entry_id, "p.entry_id")                                                               \
	NEXT(topic_id, "p.topic_id", has_topic)                                                    \
	NEXT(taken, "p.taken")                                                                     \
	NEXT(sent, "p.sent")
#define BATCH 500
#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define LATE_DAYS 2 /* a mailing may be sent so long after its place was taken */

static const struct base_id lock_id = {{0}};

#define PLACES(entry)                                                                              \
	"SELECT " DB_COLUMNS_SQL(PLACE_COLUMNS) " FROM sending_place p FORCE INDEX (PRIMARY)"      \
						" LEFT JOIN outbox o FORCE INDEX (PRIMARY)"        \
						" ON p.sent IS NULL AND " entry                    \
						" AND o.token = p.token"                           \
						" WHERE p.workspace_id = ?"                        \
						" AND p.address IN (" DB_MARKS_50 ")"              \
						" AND (p.sent > ? OR o.id IS NOT NULL)"

enum { LOCK, LIST, LIST_BEFORE, HOLD, TAKE, KEEP, LONGEST, SWEEP };
/* System-wide: LONGEST, SWEEP. Places grow old in all workspaces. */
/* By checked ids: HOLD. The caller has claimed the entries. */
static const char *const sql[] = {
    [LOCK] = "INSERT INTO sending_place (workspace_id, address, entry_id, taken)"
	     " VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE taken = taken",
    [LIST] = PLACES("o.email_id = p.email_id AND o.id = p.entry_id"),
    [LIST_BEFORE] = PLACES("o.id = p.entry_id"),
    [HOLD] = "SELECT id FROM outbox FORCE INDEX (PRIMARY) WHERE (email_id, id) IN (" DB_PAIRS_50
	     ") AND token = ? FOR UPDATE",
    [TAKE] = "INSERT INTO sending_place (workspace_id, address, entry_id, email_id, topic_id,"
	     " token, taken) VALUES (?, ?, ?, ?, ?, ?, ?)"
	     " ON DUPLICATE KEY UPDATE email_id = VALUES(email_id), topic_id = VALUES(topic_id),"
	     " token = VALUES(token), taken = VALUES(taken), sent = NULL",
    [KEEP] = "UPDATE sending_place SET sent = ?, token = NULL"
	     " WHERE workspace_id = ? AND address = ? AND entry_id = ?",
    [LONGEST] = "SELECT MAX(CAST(JSON_VALUE(cap, '$.days') AS INTEGER)) FROM sending_rule",
    [SWEEP] = "DELETE FROM sending_place WHERE taken < ? ORDER BY taken LIMIT ?",
};

#define LOCK_COLUMNS 4
#define LIST_ADDRESSES 50
#define HOLD_ENTRIES 50
#define TAKE_COLUMNS 7
#define KEEP_COLUMNS 4

DB_COLUMNS_MAKER(place_read, struct store_place, PLACE_COLUMNS)

static void
place_free(void *data)
{
	struct store_place *place = data;

	g_free(place->address);
	g_free(place);
}

bool
store_place_lock(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, gint64 now, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)LOCK_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct db_value row[LOCK_COLUMNS] = {
		    db_id(workspace), db_text(addresses[i]), db_id(&lock_id), db_int(now)};

		memcpy(values + (gsize)LOCK_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[LOCK], values, LOCK_COLUMNS, count, error);
}

/* A program of the version before takes places without their email; "schema migrate --finish" notes
   it where an entry is being sent. The statement takes LIST_ADDRESSES; it repeats the last one. */
GPtrArray *
store_place_list(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, gint64 since, GError **error)
{
	g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(place_free);
	struct db_value values[LIST_ADDRESSES + 2];
	bool finished;

	if (!store_finished(db, FINISHED_OUTBOX, &finished, error))
		return NULL;
	values[0] = db_id(workspace);
	values[LIST_ADDRESSES + 1] = db_int(since);
	for (guint done = 0; done < count; done += LIST_ADDRESSES) {
		for (guint i = 0; i < LIST_ADDRESSES; i++)
			values[1 + i] = db_text(addresses[MIN(done + i, count - 1)]);
		AUTO(db_rows) rows = db_select(
		    db, sql[finished ? LIST : LIST_BEFORE], values, G_N_ELEMENTS(values), error);
		if (!rows)
			return NULL;
		while (db_rows_next(rows))
			g_ptr_array_add(places, place_read(rows));
	}
	return g_steal_pointer(&places);
}

/* Locks the entries of up to HOLD_ENTRIES places, those of one entry in a row. The statement
   repeats the last one. */
static bool
place_hold(
    struct db *db, gint64 token, const struct store_place *places, guint count, GError **error)
{
	struct db_value values[2 * HOLD_ENTRIES + 1];
	guint entries = 0;

	for (guint i = 0; i < HOLD_ENTRIES; i++) {
		const struct store_place *place = &places[MIN(i, count - 1)];

		values[2 * i] = db_id(&place->email_id);
		values[2 * i + 1] = db_id(&place->entry_id);
		entries += i < count &&
			   (i == 0 || !base_id_equal(&place->entry_id, &places[i - 1].entry_id));
	}
	values[2 * HOLD_ENTRIES] = db_int(token);
	AUTO(db_rows) rows = db_select(db, sql[HOLD], values, G_N_ELEMENTS(values), error);
	return rows && (db_rows_count(rows) == entries ||
			   base_fail(error, PH_ERROR_TEMPORARY, "a claim has been lost"));
}

bool
store_place_take(struct db *db, const struct base_id *workspace, gint64 token,
    const struct store_place *places, guint count, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)TAKE_COLUMNS * MAX(count, 1));

	for (guint i = 0; i < count; i++) {
		const struct store_place *place = &places[i];
		const struct db_value row[TAKE_COLUMNS] = {db_id(workspace),
		    db_text(place->address), db_id(&place->entry_id), db_id(&place->email_id),
		    db_id(place->has_topic ? &place->topic_id : NULL), db_int(token),
		    db_int(place->taken)};

		memcpy(values + (gsize)TAKE_COLUMNS * i, row, sizeof(row));
	}
	for (guint i = 0; i < count; i += HOLD_ENTRIES)
		if (!place_hold(db, token, places + i, MIN(count - i, HOLD_ENTRIES), error))
			return false;
	return db_defer(db, sql[TAKE], values, TAKE_COLUMNS, count, error);
}

bool
store_place_keep(struct db *db, const struct store_place_sent *sent, guint count, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)KEEP_COLUMNS * MAX(count, 1));

	for (guint i = 0; i < count; i++) {
		const struct db_value row[KEEP_COLUMNS] = {db_int(sent[i].sent),
		    db_id(&sent[i].workspace_id), db_text(sent[i].address),
		    db_id(&sent[i].entry_id)};

		memcpy(values + (gsize)KEEP_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[KEEP], values, KEEP_COLUMNS, count, error);
}

bool
store_place_sweep(struct db *db, gint64 now, guint *count_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LONGEST], NULL, 0, error);
	guint64 removed = 0;

	if (!rows || !db_rows_next(rows))
		return false;
	gint64 days = db_rows_int(rows, DB_ROWS_ONLY) + LATE_DAYS;
	if (!db_run(db, sql[SWEEP], DB_VALUES(db_int(now - days * DAY_MS), db_int(BATCH)), &removed,
		error))
		return false;
	*count_r = (guint)removed;
	return true;
}
