/* SPDX-License-Identifier: MIT */
/* Stores and finds idempotency keys; the unique index decides between two at once. */
#include "store/workspace/idempotency.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/request.h"
#include "db/connection.h"
#include "db/statement.h"

enum { FIND, EXPIRE, TAKE };
static const char *const sql[] = {
    [FIND] = "SELECT request, answer FROM idempotency WHERE workspace_id = ? AND name = ? "
	     "AND created > ?",
    [EXPIRE] = "DELETE FROM idempotency WHERE workspace_id = ? AND name = ? AND created <= ?",
    [TAKE] = "INSERT INTO idempotency (workspace_id, name, request, answer, created)"
	     " VALUES (?, ?, ?, ?, ?)",
};

/* The columns of FIND. */
enum { FIND_REQUEST, FIND_ANSWER };

void
store_idempotency_digest(
    struct store_idempotency *key, const char *route, const void *body, gsize size)
{
	g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);
	gsize length = SHA256_SIZE;

	g_checksum_update(digest, (const guchar *)route, (gssize)strlen(route) + 1);
	g_checksum_update(digest, body, (gssize)size);
	g_checksum_get_digest(digest, key->request, &length);
}

bool
store_idempotency_find(
    struct db *db, const struct store_idempotency *key, gint64 now, char **answer_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIND],
	    DB_VALUES(
		db_id(&key->workspace_id), db_text(key->name), db_int(now - LIMIT_IDEMPOTENCY_MS)),
	    error);
	gsize size;

	*answer_r = NULL;
	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return true;
	const void *request = db_rows_bytes(rows, FIND_REQUEST, &size);
	if (size != SHA256_SIZE || memcmp(request, key->request, SHA256_SIZE) != 0) {
		base_fail(error, PH_ERROR_CONFLICT, STORE_IDEMPOTENCY_OTHER);
		return false;
	}
	*answer_r = g_strdup(db_rows_text(rows, FIND_ANSWER));
	return true;
}

bool
store_idempotency_take_new(struct db *db, const struct store_idempotency_taking *takings,
    guint count, gint64 now, GError **error)
{
	for (guint i = 0; i < count; i++) {
		const struct store_idempotency *key = takings[i].key;
		const struct db_value row[] = {db_id(&key->workspace_id), db_text(key->name),
		    db_bytes(key->request, SHA256_SIZE), db_text(takings[i].answer), db_int(now)};

		if (!db_defer_row(db, sql[TAKE], row, G_N_ELEMENTS(row), error))
			return false;
	}
	return true;
}

static bool
idempotency_defer(struct db *db, const struct store_idempotency_taking *takings, guint count,
    gint64 now, GError **error)
{
	for (guint i = 0; i < count; i++) {
		const struct store_idempotency *key = takings[i].key;
		const struct db_value place[] = {db_id(&key->workspace_id), db_text(key->name),
		    db_int(now - LIMIT_IDEMPOTENCY_MS)};

		if (!db_defer(db, sql[EXPIRE], place, G_N_ELEMENTS(place), 1, error))
			return false;
	}
	return store_idempotency_take_new(db, takings, count, now, error);
}

bool
store_idempotency_take_all(struct db *db, const struct store_idempotency_taking *takings,
    guint count, gint64 now, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (!db_run_deferred(db, error))
		return false;
	if (idempotency_defer(db, takings, count, now, &local) && db_run_deferred(db, &local))
		return true;
	/* The transaction that holds the key has had its time: do not run this one again. */
	if (db_cause(db) == DB_CAUSE_LOCK_WAIT)
		return base_fail(error, PH_ERROR_CONFLICT, STORE_IDEMPOTENCY_BUSY);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
