/* SPDX-License-Identifier: MIT */
/* Puts addresses on the suppression list, and notifies webhooks. */
#include "store/consent/suppression.h"

#include <string.h>

#include "base/clock.h"
#include "db/statement.h"
#include "store/webhook/enqueue.h"

enum { WIDEN, HASHED, PUT };
static const char *const sql[] = {
    /* Assignments run from left to right: reason and source_id use the old scope. */
    [WIDEN] = "UPDATE suppression SET reason = IF(scope > ?, ?, reason), scope = LEAST(scope, ?)"
	      " WHERE workspace_id = ? AND hash = ?",
    [HASHED] = "SELECT hash FROM suppression WHERE workspace_id = ? AND hash IN (" DB_MARKS_64 ")",
    [PUT] = "INSERT INTO suppression"
	    " (id, workspace_id, email, address, hash, reason, scope, created, source_id)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	    " source_id = IF(scope > VALUES(scope), VALUES(source_id), source_id),"
	    " reason = IF(scope > VALUES(scope), VALUES(reason), reason),"
	    " scope = LEAST(scope, VALUES(scope))",
};

static struct db_value
suppression_put_db_hash(const guint8 hash[SHA256_SIZE])
{
	return db_bytes(hash, SHA256_SIZE);
}

/* Widens the entry of a hash of the address, if there is one, in place of a new entry. */
static bool
widen(struct db *db, const struct store_suppression *s, const struct store_suppression_key *key,
    bool *found_r, GError **error)
{
	*found_r = false;
	for (guint i = 0; i < key->count && !*found_r; i++) {
		guint64 affected;

		if (!db_run(db, sql[WIDEN],
			DB_VALUES(db_int(s->scope), db_int(s->reason), db_int(s->scope),
			    db_id(&s->workspace_id), suppression_put_db_hash(key->hashes[i])),
			&affected, error))
			return false;
		*found_r = affected > 0;
	}
	return true;
}

#define COLUMNS 9 /* that PUT takes */

/* The values of an entry, which they borrow. */
static void
suppression_put_set_row(const struct store_suppression *s, struct db_value row_r[COLUMNS])
{
	const struct db_value row[COLUMNS] = {db_id(&s->id), db_id(&s->workspace_id),
	    db_text(s->email), db_text(s->address),
	    s->hashed ? suppression_put_db_hash(s->hash) : db_null(), db_int(s->reason),
	    db_int(s->scope), db_int(s->created), db_id(s->has_source ? &s->source_id : NULL)};

	memcpy(row_r, row, sizeof(row));
}

static bool
suppression_put_put(struct db *db, const struct store_suppression *s, GError **error)
{
	struct db_value row[COLUMNS];

	suppression_put_set_row(s, row);
	return (s->is_imported || store_webhook_enqueue_suppressed(db, s, error)) &&
	       db_run(db, sql[PUT], row, COLUMNS, NULL, error);
}

bool
store_suppression_put(struct db *db, struct store_suppression *suppression,
    const struct store_suppression_key *key, GError **error)
{
	struct store_suppression *s = suppression;
	bool found;

	s->id = base_id_new();
	s->created = base_clock_now();
	return widen(db, s, key, &found, error) && (found || suppression_put_put(db, s, error));
}

#define TOGETHER 64 /* the hashes that HASHED takes */

/* A hash, and the place of its entry. */
struct sought {
	const guint8 *hash;
	guint place;
};

static void
suppression_put_note(const GArray *sought, struct db_rows *rows, bool *hashed)
{
	gsize size;

	while (db_rows_next(rows)) {
		const void *hash = db_rows_bytes(rows, DB_ROWS_ONLY, &size);

		for (guint i = 0; size == SHA256_SIZE && i < sought->len; i++) {
			const struct sought *one = &g_array_index(sought, struct sought, i);

			if (memcmp(one->hash, hash, SHA256_SIZE) == 0)
				hashed[one->place] = true;
		}
	}
}

/* Sets hashed_r[i] where the list has a hash of keys[i]. */
static bool
find_hashed(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *const *keys, guint count, bool *hashed_r, GError **error)
{
	g_autoptr(GArray) sought = g_array_new(FALSE, FALSE, sizeof(struct sought));
	struct db_value values[1 + TOGETHER];

	for (guint i = 0; i < count; i++)
		for (guint h = 0; h < keys[i]->count; h++) {
			const struct sought one = {keys[i]->hashes[h], i};
			g_array_append_val(sought, one);
		}
	values[0] = db_id(workspace);
	for (guint from = 0; from < sought->len; from += TOGETHER) {
		for (guint i = 0; i < TOGETHER; i++)
			values[1 + i] = suppression_put_db_hash(
			    g_array_index(sought, struct sought, MIN(from + i, sought->len - 1))
				.hash);
		AUTO(db_rows) rows = db_select(db, sql[HASHED], values, 1 + TOGETHER, error);
		if (!rows)
			return false;
		suppression_put_note(sought, rows, hashed_r);
	}
	return true;
}

/* Webhooks are notified before the first entry is written: they are notified of entries that are
   not there yet. */
bool
store_suppression_put_all(struct db *db, const struct base_id *workspace,
    struct store_suppression *entries, const struct store_suppression_key *const *keys, guint count,
    GError **error)
{
	g_autofree bool *hashed = g_new0(bool, count);
	g_autofree struct db_value *rows = g_new(struct db_value, (gsize)count * COLUMNS);
	gsize new = 0;

	if (!find_hashed(db, workspace, keys, count, hashed, error))
		return false;
	for (guint i = 0; i < count; i++) {
		struct store_suppression *s = &entries[i];

		if (hashed[i] && !store_suppression_put(db, s, keys[i], error))
			return false;
		if (hashed[i])
			continue;
		s->id = base_id_new();
		s->created = base_clock_now();
		if (!s->is_imported && !store_webhook_enqueue_suppressed(db, s, error))
			return false;
		suppression_put_set_row(s, rows + COLUMNS * new ++);
	}
	return new == 0 || db_defer(db, sql[PUT], rows, COLUMNS, new, error);
}
