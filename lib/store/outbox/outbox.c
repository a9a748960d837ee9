/* SPDX-License-Identifier: MIT */
/* Stores, finds, ends, holds and releases outbox entries. */
#include "store/outbox/outbox.h"

#include <string.h>

#include "db/after_commit.h"
#include "db/columns.h"
#include "db/rows.h"
#include "db/statement.h"
#include "store/common/metric.h"

/* The owner of messages that another machine may have sent after the backup; no machine has this
   name, and it is already doubted (store/outbox/claim.c). */
#define RESTORED "restored!"

enum {
	INSERT,
	FIND,
	FIND_ALONE,
	REMOVE,
	REMOVE_MANY,
	KEEP,
	PERMIT,
	NEXT,
	HOLD,
	RELEASE,
	HASTEN,
	COUNT,
	HELD,
	DOUBT,
	FREE
};
#define COUNT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(due, "COALESCE(SUM(owner IS NULL AND ready_at <= ?), 0)")                            \
	NEXT(later, "COALESCE(SUM(owner IS NULL AND ready_at > ?), 0)")                            \
	NEXT(claimed, "COALESCE(SUM(owner IS NOT NULL), 0)")                                       \
	NEXT(held, "COALESCE(SUM(ready_at IS NULL), 0)")                                           \
	NEXT(oldest, "MIN(CASE WHEN since <= ? THEN since END)")
#define NEVER "9223372036854775807"
/* The first that no process has claimed. */
#define NEXT_IN(lane)                                                                              \
	"COALESCE((SELECT due_at FROM outbox FORCE INDEX (due) WHERE is_bulk = " lane              \
	" AND due_at IS NOT NULL AND owner IS NULL ORDER BY due_at LIMIT 1), " NEVER ")"
/* The end of the lease of the first of all: the first one, when a process has died with it and no
   other claims. */
#define LEASE_IN(lane)                                                                             \
	"COALESCE((SELECT ready_at FROM outbox FORCE INDEX (due) WHERE is_bulk = " lane            \
	" AND due_at IS NOT NULL ORDER BY due_at LIMIT 1), " NEVER ")"
/* System-wide: NEXT, COUNT, DOUBT, FREE. The spool sends for all workspaces, and a backup has all
   of them. */
/* By checked ids: FIND, FIND_ALONE, REMOVE, REMOVE_MANY, KEEP, PERMIT. The caller has claimed the
 * entry. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, "
	       "ready_at, turn_at, owner, token, is_test, is_bulk)"
	       " VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)",
    [FIND] = "SELECT " OUTBOX_ENTRY_COLUMNS " FROM outbox"
	     " WHERE email_id = ? AND id = ? AND token = ?",
    /* Reads the whole outbox once the primary key begins with the email. */
    [FIND_ALONE] = "SELECT " OUTBOX_ENTRY_COLUMNS " FROM outbox WHERE id = ? AND token = ?",
    [REMOVE] = "DELETE FROM outbox WHERE email_id = ? AND id = ? AND token = ?",
    /* The index is named since a small table would be read as a whole, and its locks waited for. */
    [REMOVE_MANY] = "DELETE o FROM outbox o FORCE INDEX (PRIMARY) WHERE o.token = ?"
		    " AND (o.email_id, o.id) IN (" DB_PAIRS_50 ")",
    [KEEP] = "UPDATE outbox SET recipients = ?, attempts = ?, deaths = ?, delayed_at = ?, told = ?,"
	     " ready_at = ?, turn_at = ready_at, reason = ?, since = ?,"
	     " owner = NULL, token = NULL"
	     " WHERE email_id = ? AND id = ? AND token = ?",
    [PERMIT] = "UPDATE outbox SET permit = ? WHERE email_id = ? AND id = ? AND token = ?",
    [NEXT] = "SELECT NULLIF(LEAST(" NEXT_IN("0") ", " NEXT_IN("1") ", " LEASE_IN("0") ", " LEASE_IN(
	"1") "), " NEVER ")",
    [HOLD] = "UPDATE outbox SET ready_at = NULL, turn_at = NULL"
	     " WHERE email_id = ? AND workspace_id = ? AND owner IS NULL",
    [RELEASE] =
	"UPDATE outbox SET ready_at = GREATEST(?, COALESCE((SELECT scheduled_at FROM email"
	" WHERE email.id = outbox.email_id AND email.workspace_id = outbox.workspace_id), 0)),"
	" turn_at = ready_at"
	" WHERE email_id = ? AND workspace_id = ? AND ready_at IS NULL",
    [HASTEN] = "UPDATE outbox SET ready_at = ?, turn_at = ready_at"
	       " WHERE email_id = ? AND workspace_id = ? AND owner IS NULL AND ready_at > ?"
	       " AND attempts > 0",
    [COUNT] = "SELECT " DB_COLUMNS_SQL(COUNT_COLUMNS) " FROM outbox",
    [HELD] = "SELECT " OUTBOX_ENTRY_COLUMNS " FROM outbox"
	     " WHERE ready_at IS NULL AND workspace_id = ? ORDER BY id",
    [DOUBT] = "UPDATE outbox SET owner = '" RESTORED "', ready_at = ?, turn_at = ready_at"
	      " WHERE owner <> '" RESTORED "' OR (owner IS NULL AND ready_at <= ?) LIMIT 10000",
    [FREE] = "UPDATE outbox SET owner = NULL, token = NULL, ready_at = ?, turn_at = ready_at"
	     " WHERE owner IS NOT NULL LIMIT 10000",
};

DB_COLUMNS_READER(outbox_read_columns, struct store_outbox_entry, OUTBOX_ENTRY_LIST)
DB_COLUMNS_READER(outbox_read_counts, struct store_outbox_counts, COUNT_COLUMNS)

/* The value lives in packed_r. */
static struct db_value
pack_recipients(const struct store_outbox_entry *entry, struct store_packed *packed_r)
{
	for (guint i = 0; i < entry->count; i++) {
		packed_r->bytes[2 * i] = (guint8)(entry->recipients[i] >> 8);
		packed_r->bytes[2 * i + 1] = (guint8)entry->recipients[i];
	}
	return db_bytes(packed_r->bytes, 2 * entry->count);
}

static void
outbox_unpack(const guint8 *bytes, gsize size, struct store_outbox_entry *entry)
{
	entry->count = MIN((guint)size / 2, OUTBOX_ENTRY_RECIPIENTS);
	for (guint i = 0; i < entry->count; i++)
		entry->recipients[i] = (guint16)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
}

void
store_outbox_entry_read(const struct db_rows *rows, struct store_outbox_entry *entry)
{
	gsize size;
	const void *numbers = db_rows_bytes(rows, DB_COLUMNS_END(OUTBOX_ENTRY_LIST), &size);

	outbox_read_columns(rows, 0, entry);
	outbox_unpack(numbers, size, entry);
	entry->lost = false;
}

#define INSERT_COLUMNS 11
#define REMOVE_ROWS 50 /* one statement removes so many rows */
#define KEEP_COLUMNS 11
#define PERMIT_COLUMNS 4

bool
store_outbox_insert(struct db *db, const struct store_outbox_entry *entries, guint count,
    gint64 ready_at, const struct store_outbox_claim *claim, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree struct store_packed *packed = g_new(struct store_packed, count);

	for (guint i = 0; i < count; i++) {
		const struct store_outbox_entry *entry = &entries[i];
		gint64 due = ready_at ? ready_at : entry->since;
		const struct db_value row[INSERT_COLUMNS] = {db_id(&entry->id),
		    db_id(&entry->workspace_id), db_id(&entry->email_id),
		    pack_recipients(entry, &packed[i]), db_int(entry->since),
		    db_int(claim ? claim->until : due), db_int(due),
		    db_text(claim ? claim->owner : NULL), claim ? db_int(claim->token) : db_null(),
		    db_int(entry->is_test), db_int(entry->is_bulk)};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
	}
	db_tally(db, STORE_MESSAGES_WAITING, count);
	return db_defer(db, sql[INSERT], values, INSERT_COLUMNS, count, error);
}

bool
store_outbox_find(struct db *db, const struct base_id *email, const struct base_id *id,
    gint64 token, struct store_outbox_entry *entry_r, bool *found_r, GError **error)
{
	AUTO(db_rows)
	rows = email ? db_select(
			   db, sql[FIND], DB_VALUES(db_id(email), db_id(id), db_int(token)), error)
		     : db_select(db, sql[FIND_ALONE], DB_VALUES(db_id(id), db_int(token)), error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	if (*found_r)
		store_outbox_entry_read(rows, entry_r);
	return true;
}

/* Whether nothing is left to do for the entry: it is removed. */
static bool
outbox_is_over(const struct store_outbox_end *end)
{
	return end->entry->count == 0;
}

/* Removes up to REMOVE_ROWS entries. The statement repeats the last key. */
static bool
outbox_remove_some(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_entry *const *entries, guint count, guint *removed, GError **error)
{
	struct db_value values[1 + 2 * REMOVE_ROWS] = {db_int(claim->token)};
	guint64 affected = 0;

	if (count == 1) {
		if (!db_run(db, sql[REMOVE],
			DB_VALUES(db_id(&entries[0]->email_id), db_id(&entries[0]->id),
			    db_int(claim->token)),
			&affected, error))
			return false;
	} else {
		for (guint i = 0; i < REMOVE_ROWS; i++) {
			const struct store_outbox_entry *entry = entries[MIN(i, count - 1)];

			values[1 + 2 * i] = db_id(&entry->email_id);
			values[2 + 2 * i] = db_id(&entry->id);
		}
		if (!db_run(db, sql[REMOVE_MANY], values, G_N_ELEMENTS(values), &affected, error))
			return false;
	}
	*removed += (guint)affected;
	return true;
}

/* Removes those that are over. */
static bool
outbox_remove_all(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_end *ends, guint count, guint *kept, GError **error)
{
	g_autofree const struct store_outbox_entry **over =
	    g_new(const struct store_outbox_entry *, count);
	guint rows = 0, removed = 0;

	for (guint i = 0; i < count; i++)
		if (outbox_is_over(&ends[i]))
			over[rows++] = ends[i].entry;
	for (guint i = 0; i < rows; i += REMOVE_ROWS)
		if (!outbox_remove_some(
			db, claim, over + i, MIN(rows - i, REMOVE_ROWS), &removed, error))
			return false;
	*kept += removed;
	db_tally(db, STORE_MESSAGES_WAITING, -(gint64)removed);
	return true;
}

/* Gives back those that are not over. */
static bool
keep_all(struct db *db, const struct store_outbox_claim *claim, const struct store_outbox_end *ends,
    guint count, guint *kept, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)KEEP_COLUMNS * count);
	g_autofree struct store_packed *packed = g_new(struct store_packed, count);
	guint rows = 0, held = 0;
	guint64 affected = 0;

	for (guint i = 0; i < count; i++) {
		const struct store_outbox_entry *entry = ends[i].entry;

		if (outbox_is_over(&ends[i]))
			continue;
		const struct db_value row[KEEP_COLUMNS] = {pack_recipients(entry, &packed[i]),
		    db_int(entry->attempts), db_int(entry->deaths), db_int_or_null(entry->delayed),
		    db_int_or_null(entry->told), db_int_or_null(ends[i].ready_at),
		    db_text(ends[i].reason), db_int(entry->since), db_id(&entry->email_id),
		    db_id(&entry->id), db_int(claim->token)};

		memcpy(values + (gsize)KEEP_COLUMNS * rows++, row, sizeof(row));
		held += ends[i].ready_at == 0;
	}
	if (!db_run_rows(db, sql[KEEP], values, KEEP_COLUMNS, rows, &affected, error))
		return false;
	*kept += (guint)affected;
	db_tally(db, STORE_MESSAGES_WAITING, -(gint64)held);
	db_tally(db, STORE_MESSAGES_HELD, held);
	return true;
}

bool
store_outbox_end(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_end *ends, guint count, guint *kept_r, GError **error)
{
	*kept_r = 0;
	return outbox_remove_all(db, claim, ends, count, kept_r, error) &&
	       keep_all(db, claim, ends, count, kept_r, error);
}

bool
store_outbox_permit(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_key *entries, guint count, gint64 day, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)PERMIT_COLUMNS * MAX(count, 1));

	for (guint i = 0; i < count; i++) {
		values[PERMIT_COLUMNS * i] = db_int(day);
		values[PERMIT_COLUMNS * i + 1] = db_id(&entries[i].email_id);
		values[PERMIT_COLUMNS * i + 2] = db_id(&entries[i].id);
		values[PERMIT_COLUMNS * i + 3] = db_int(claim->token);
	}
	return db_run_rows(db, sql[PERMIT], values, PERMIT_COLUMNS, count, NULL, error);
}

bool
store_outbox_next(struct db *db, gint64 *ready_at_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NEXT], NULL, 0, error);

	if (!rows)
		return false;
	*ready_at_r = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

static bool
outbox_change(struct db *db, int statement, const struct db_value *values, gsize count,
    guint *count_r, GError **error)
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
	if (!outbox_change(db, HOLD, DB_VALUES(db_id(email), db_id(workspace)), count_r, error))
		return false;
	db_tally(db, STORE_MESSAGES_WAITING, -(gint64)*count_r);
	db_tally(db, STORE_MESSAGES_HELD, *count_r);
	return true;
}

bool
store_outbox_release(struct db *db, const struct base_id *workspace, const struct base_id *email,
    gint64 now, guint *count_r, GError **error)
{
	if (!outbox_change(db, RELEASE, DB_VALUES(db_int(now), db_id(email), db_id(workspace)),
		count_r, error))
		return false;
	db_tally(db, STORE_MESSAGES_WAITING, *count_r);
	db_tally(db, STORE_MESSAGES_HELD, -(gint64)*count_r);
	return true;
}

bool
store_outbox_hasten(struct db *db, const struct base_id *workspace, const struct base_id *email,
    gint64 now, guint *count_r, GError **error)
{
	return outbox_change(db, HASTEN,
	    DB_VALUES(db_int(now), db_id(email), db_id(workspace), db_int(now)), count_r, error);
}

bool
store_outbox_count(struct db *db, gint64 now, struct store_outbox_counts *counts_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[COUNT], DB_VALUES(db_int(now), db_int(now), db_int(now)), error);

	if (!rows || !db_rows_next(rows))
		return false;
	outbox_read_counts(rows, 0, counts_r);
	return true;
}

bool
store_outbox_list_held(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_outbox_entry *entry, void *context), void *context,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[HELD], DB_VALUES(db_id(workspace)), error);
	struct store_outbox_entry entry;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		store_outbox_entry_read(rows, &entry);
		row(&entry, context);
	}
	return true;
}

/* Runs a statement on batches of rows until it finds none. */
static bool
outbox_run_batches(struct db *db, const char *statement, const struct db_value *values, gsize count,
    guint64 *count_r, GError **error)
{
	guint64 rows;

	*count_r = 0;
	do {
		if (!db_run(db, statement, values, count, &rows, error))
			return false;
		*count_r += rows;
	} while (rows > 0);
	return true;
}

bool
store_outbox_doubt(struct db *db, gint64 now, gint64 until, guint64 *count_r, GError **error)
{
	return outbox_run_batches(
	    db, sql[DOUBT], DB_VALUES(db_int(now), db_int(until)), count_r, error);
}

bool
store_outbox_free(struct db *db, gint64 now, guint64 *count_r, GError **error)
{
	return outbox_run_batches(db, sql[FREE], DB_VALUES(db_int(now)), count_r, error);
}
