/* SPDX-License-Identifier: MIT */
/* Stores contents that are shared, each once, under its SHA-256. */
#include "store/email/body.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "db/statement.h"

enum { HAS, PUT, PUT_PIECE, GET, GET_PIECES, DROP };
static const char *const sql[] = {
    [HAS] = "SELECT 1 FROM body WHERE workspace_id = ? AND hash = ? LOCK IN SHARE MODE",
    [PUT] = "INSERT IGNORE INTO body (workspace_id, hash, size, data) VALUES (?, ?, ?, ?)",
    [PUT_PIECE] =
	"INSERT IGNORE INTO body_piece (workspace_id, hash, number, data) VALUES (?, ?, ?, ?)",
    [GET] = "SELECT size, data FROM body WHERE workspace_id = ? AND hash = ?",
    [GET_PIECES] = "SELECT data FROM body_piece WHERE workspace_id = ? AND hash = ? AND number = ?",
    [DROP] = "DELETE FROM body WHERE workspace_id = ? AND hash = ?",
};

/* The columns of GET. */
enum { GET_SIZE, GET_DATA };

#define PIECE_SIZE (1024 * 1024)
/* Up to this size, sending a content that is already stored costs less than a query for it. */
#define ASK_SIZE (32 * 1024)

struct store_body
store_body_make(GBytes *data)
{
	struct store_body body = {.data = g_bytes_ref(data)};

	base_secret_sha256(g_bytes_get_data(data, NULL), g_bytes_get_size(data), body.hash);
	return body;
}

struct store_body
store_body_make_own(GBytes *data)
{
	if (g_bytes_get_size(data) > LIMIT_OWN_CONTENT_BYTES)
		return store_body_make(data);
	return (struct store_body){.data = g_bytes_ref(data), .is_own = true};
}

static bool
is_stored(struct db *db, const struct base_id *workspace, const struct store_body *body,
    bool *stored_r, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[HAS], DB_VALUES(db_id(workspace), db_bytes(body->hash, SHA256_SIZE)), error);

	if (!rows)
		return false;
	*stored_r = db_rows_next(rows);
	return true;
}

static bool
put_large(
    struct db *db, const struct base_id *workspace, const struct store_body *body, GError **error)
{
	gsize size;
	const char *data = g_bytes_get_data(body->data, &size);
	bool stored;

	if (!is_stored(db, workspace, body, &stored, error))
		return false;
	if (stored)
		return true;
	if (!db_run(db, sql[PUT],
		DB_VALUES(db_id(workspace), db_bytes(body->hash, SHA256_SIZE), db_int((gint64)size),
		    db_bytes(data, MIN(size, PIECE_SIZE))),
		NULL, error))
		return false;
	for (gsize at = PIECE_SIZE; at < size; at += PIECE_SIZE)
		if (!db_run(db, sql[PUT_PIECE],
			DB_VALUES(db_id(workspace), db_bytes(body->hash, SHA256_SIZE),
			    db_int((gint64)(at / PIECE_SIZE)),
			    db_bytes(data + at, MIN(size - at, PIECE_SIZE))),
			NULL, error))
			return false;
	return true;
}

static int
by_hash(const void *a, const void *b)
{
	const struct store_body *const *x = a, *const *y = b;

	return memcmp((*x)->hash, (*y)->hash, SHA256_SIZE);
}

/* Leaves each content once. Returns how many there are. */
static guint
drop_doubles(const struct store_body **sorted, guint count)
{
	guint kept = 0;

	for (guint i = 0; i < count; i++)
		if (kept == 0 || by_hash(&sorted[i], &sorted[kept - 1]) != 0)
			sorted[kept++] = sorted[i];
	return kept;
}

bool
store_body_put(struct db *db, const struct base_id *workspace,
    const struct store_body *const *bodies, guint count, GError **error)
{
	g_autofree const struct store_body **sorted = g_memdup2(bodies, count * sizeof(*bodies));
	g_autofree struct db_value *small = g_new(struct db_value, 4 * count);
	gsize rows = 0;

	if (count == 0)
		return true;
	/* The same order in every transaction, so that no two of them wait for each other. */
	base_array_sort(sorted, count, sizeof(*sorted), by_hash);
	count = drop_doubles(sorted, count);
	for (guint i = 0; i < count; i++) {
		gsize size;
		const void *data = g_bytes_get_data(sorted[i]->data, &size);

		if (size > ASK_SIZE)
			continue;
		small[4 * rows] = db_id(workspace);
		small[4 * rows + 1] = db_bytes(sorted[i]->hash, SHA256_SIZE);
		small[4 * rows + 2] = db_int((gint64)size);
		small[4 * rows + 3] = db_bytes(size ? data : "", size);
		rows++;
	}
	if (!db_defer(db, sql[PUT], small, 4, rows, error))
		return false;
	for (guint i = 0; i < count; i++)
		if (g_bytes_get_size(sorted[i]->data) > ASK_SIZE &&
		    !put_large(db, workspace, sorted[i], error))
			return false;
	return true;
}

static bool
append_piece(struct db *db, const struct base_id *workspace, const struct store_body_row *first,
    char *data, gsize at, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET_PIECES],
	    DB_VALUES(db_id(workspace), db_bytes(first->hash, SHA256_SIZE),
		db_int((gint64)(at / PIECE_SIZE))),
	    error);
	gsize got = 0;

	if (!rows)
		return false;
	const void *piece = db_rows_next(rows) ? db_rows_bytes(rows, DB_ROWS_ONLY, &got) : NULL;
	if (!piece || got != MIN(first->size - at, PIECE_SIZE)) {
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "a stored content is incomplete");
		return false;
	}
	memcpy(data + at, piece, got);
	return true;
}

GBytes *
store_body_complete(struct db *db, const struct base_id *workspace,
    const struct store_body_row *first, GError **error)
{
	gsize size = first->size;
	g_autofree char *whole = g_malloc(size + 1);

	if (first->data_size != MIN(size, PIECE_SIZE)) {
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "a stored content is missing");
		return NULL;
	}
	if (first->data_size > 0)
		memcpy(whole, first->data, first->data_size);
	for (gsize at = PIECE_SIZE; at < size; at += PIECE_SIZE)
		if (!append_piece(db, workspace, first, whole, at, error))
			return NULL;
	whole[size] = '\0';
	return g_bytes_new_take(g_steal_pointer(&whole), size);
}

GBytes *
store_body_get(
    struct db *db, const struct base_id *workspace, const guint8 hash[SHA256_SIZE], GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[GET], DB_VALUES(db_id(workspace), db_bytes(hash, SHA256_SIZE)), error);
	const void *first = NULL;
	gsize first_size = 0, size = 1;

	if (!rows)
		return NULL;
	if (db_rows_next(rows)) {
		size = (gsize)db_rows_int(rows, GET_SIZE);
		first = db_rows_bytes(rows, GET_DATA, &first_size);
	}
	return store_body_complete(
	    db, workspace, &(struct store_body_row){hash, size, first, first_size}, error);
}

bool
store_body_drop(
    struct db *db, const struct base_id *workspace, const guint8 hash[SHA256_SIZE], GError **error)
{
	g_autoptr(GError) local = NULL;

	if (!db_run_deferred(db, error))
		return false;
	if (db_run(db, sql[DROP], DB_VALUES(db_id(workspace), db_bytes(hash, SHA256_SIZE)), NULL,
		&local) ||
	    g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
