/* SPDX-License-Identifier: MIT */
/* Creates, finds, lists and revokes API keys. */
#include "store/workspace/key.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/precondition.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/common/listing.h"
#include "store/workspace/limit.h"

#define IS_VALID "revoked IS NULL AND (expires IS NULL OR expires > ?)"
#define KEY_COLUMNS(FIRST, NEXT)                                                                   \
	FIRST(id, "id")                                                                            \
	NEXT(workspace_id, "workspace_id")                                                         \
	NEXT(user_id, "user_id")                                                                   \
	NEXT(scope, "scope")                                                                       \
	NEXT(domain_id, "domain_id", has_domain)                                                   \
	NEXT(expires, "expires")                                                                   \
	NEXT(last_used, "last_used")
#define ENTRY_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "id")                                                                            \
	NEXT(name, "name")                                                                         \
	NEXT(created, "created")                                                                   \
	NEXT(last_used, "last_used")
#define ROW_COLUMNS(FIRST, NEXT)                                                                   \
	FIRST(key.id, "k.id")                                                                      \
	NEXT(key.workspace_id, "k.workspace_id")                                                   \
	NEXT(key.user_id, "k.user_id")                                                             \
	NEXT(key.scope, "k.scope")                                                                 \
	NEXT(name, "k.name")                                                                       \
	NEXT(user, "u.email")                                                                      \
	NEXT(created, "k.created")                                                                 \
	NEXT(key.expires, "k.expires")                                                             \
	NEXT(revoked, "k.revoked")                                                                 \
	NEXT(key.domain_id, "k.domain_id", key.has_domain)                                         \
	NEXT(domain, "d.name")                                                                     \
	NEXT(key.last_used, "k.last_used")
#define ROWS                                                                                       \
	"SELECT " DB_COLUMNS_SQL(ROW_COLUMNS) " FROM api_key k"                                    \
					      " LEFT JOIN user u ON u.id = k.user_id"              \
					      " LEFT JOIN domain d ON d.workspace_id = "           \
					      "k.workspace_id AND d.id = k.domain_id"              \
					      " WHERE k.workspace_id = ?"
#define ENTRIES "SELECT " DB_COLUMNS_SQL(ENTRY_COLUMNS) " FROM api_key WHERE workspace_id = ?"
#define COLUMNS DB_COLUMNS_SQL(KEY_COLUMNS)
#define IS_GOOD "hash = ? AND " IS_VALID

enum { FIND, LIMITS, USE, CREATE, LIST, NEWEST, GET, RENAME, END, REVOKE, REMOVE };
/* System-wide: FIND, LIMITS. The key tells its workspace. */
static const char *const sql[] = {
    [FIND] = "SELECT " COLUMNS " FROM api_key WHERE " IS_GOOD,
    [LIMITS] = "SELECT l.name, l.value FROM api_key k JOIN workspace_limit l"
	       " ON l.workspace_id = k.workspace_id WHERE k.hash = ?",
    [USE] = "UPDATE api_key SET last_used = ? WHERE workspace_id = ? AND id = ?"
	    " AND (last_used IS NULL OR last_used <= ?) AND revoked IS NULL",
    [CREATE] =
	"INSERT INTO api_key (id, workspace_id, user_id, hash, scope, name, created, expires,"
	" domain_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [RENAME] = "UPDATE api_key SET name = COALESCE(?, name) WHERE workspace_id = ? AND id = ? AND "
	       "revoked IS NULL",
    [END] = "UPDATE api_key SET revoked = ? WHERE workspace_id = ? AND id = ? AND revoked IS NULL",
    [LIST] = ROWS " ORDER BY k.id DESC",
    [NEWEST] = ROWS " AND k.id < ? ORDER BY k.id DESC LIMIT ?",
    [GET] = ROWS " AND k.id = ?",
    [REVOKE] =
	"UPDATE api_key SET revoked = COALESCE(revoked, ?) WHERE workspace_id = ? AND id = ?",
    [REMOVE] = "DELETE FROM api_key WHERE workspace_id = ? AND id = ?",
};

/* System-wide: guard_sql, guard_all_sql. The key tells its workspace. */
static const char guard_sql[] = "EXISTS (SELECT 1 FROM api_key WHERE " IS_GOOD ")";
static const char guard_all_sql[] =
    "(SELECT COUNT(*) FROM api_key WHERE hash IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " AND " IS_VALID ") = ?";
static const struct db_precondition_form guard_one = {guard_sql, "api_key guard",
    "guard.hash = ? AND guard.revoked IS NULL AND (guard.expires IS NULL OR guard.expires > ?)"};
static const struct db_precondition_form guard_all = {guard_all_sql, NULL, NULL};

DB_COLUMNS_READER(key_read, struct store_key, KEY_COLUMNS)
DB_COLUMNS_MAKER(key_make_row, struct store_key_row, ROW_COLUMNS)
DB_COLUMNS_MAKER(key_make_entry, struct store_key_entry, ENTRY_COLUMNS)

static bool
key_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "API key not found");
}

bool
store_key_use(struct db *db, const struct base_id *workspace, const struct base_id *id, gint64 time,
    GError **error)
{
	return db_defer(db, sql[USE],
	    DB_VALUES(db_int(time), db_id(workspace), db_id(id), db_int(time - STORE_KEY_USE_MS)),
	    1, error);
}

bool
store_key_find(struct db *db, const guint8 hash[SHA256_SIZE], gint64 now, struct store_key *key_r,
    struct store_limits *limits_r, GError **error)
{
	const struct db_query queries[] = {
	    {sql[FIND], DB_VALUES(db_bytes(hash, SHA256_SIZE), db_int(now))},
	    {sql[LIMITS], DB_VALUES(db_bytes(hash, SHA256_SIZE))},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	bool found = db_rows_next(rows[0]);
	if (found) {
		key_read(rows[0], 0, key_r);
		store_limit_take(db, rows[1], limits_r);
	}
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return found || key_missing(error);
}

struct db *
store_key_guard(const struct db *db, const guint8 *hashes, guint count, gint64 now)
{
	struct db_value values[STORE_KEYS_TOGETHER + 2];

	g_assert(count >= 1 && count <= STORE_KEYS_TOGETHER);
	if (count == 1)
		return db_guarded(
		    db, &guard_one, DB_VALUES(db_bytes(hashes, SHA256_SIZE), db_int(now)));
	for (guint i = 0; i < STORE_KEYS_TOGETHER; i++)
		values[i] = db_bytes(hashes + (gsize)SHA256_SIZE * MIN(i, count - 1), SHA256_SIZE);
	values[STORE_KEYS_TOGETHER] = db_int(now);
	values[STORE_KEYS_TOGETHER + 1] = db_int(count);
	return db_guarded(db, &guard_all, values, G_N_ELEMENTS(values));
}

bool
store_key_confirm(struct db *guarded, GError **error)
{
	g_autoptr(GError) local = NULL;
	bool holds = db_precondition_settle(guarded, &local);

	if (g_error_matches(local, PH_ERROR, PH_ERROR_FORBIDDEN))
		return key_missing(error);
	if (!holds)
		g_propagate_error(error, g_steal_pointer(&local));
	return holds;
}

bool
store_key_create(struct db *db, struct store_key *key, const guint8 hash[SHA256_SIZE],
    const char *name, gint64 expires, GError **error)
{
	key->id = base_id_new();
	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(&key->id), db_id(&key->workspace_id), db_id(&key->user_id),
		db_bytes(hash, SHA256_SIZE), db_int(key->scope), db_text(name),
		db_int(base_clock_now()), db_int_or_null(expires),
		db_id(key->has_domain ? &key->domain_id : NULL)),
	    NULL, error);
}

void
store_key_row_free(struct store_key_row *row)
{
	g_free(row->name);
	g_free(row->user);
	g_free(row->domain);
	g_free(row);
}

static void *
key_read_row(struct db_rows *rows, const struct base_id *workspace)
{
	return key_make_row(rows);
}

bool
store_key_list(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_key_row *row, void *context), void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		AUTO(store_key_row) key = key_read_row(rows, workspace);
		row(key, context);
	}
	return true;
}

GPtrArray *
store_key_newest(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NEWEST],
	    DB_VALUES(db_id(workspace), store_listing_before(before), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *keys = g_ptr_array_new_with_free_func(store_key_row_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(keys, key_read_row(rows, workspace));
	return keys;
}

struct store_key_row *
store_key_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_id(id)), error), workspace,
	    key_read_row, key_missing, error);
}

bool
store_key_revoke(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	guint64 affected;

	return db_run(db, sql[REVOKE],
		   DB_VALUES(db_int(base_clock_now()), db_id(workspace), db_id(id)), &affected,
		   error) &&
	       (affected > 0 || key_missing(error));
}

bool
store_key_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return db_run(db, sql[REMOVE], DB_VALUES(db_id(workspace), db_id(id)), NULL, error);
}

static void
key_free_entry(void *data)
{
	struct store_key_entry *entry = data;

	g_free(entry->name);
	g_free(entry);
}

static void *
key_read_entry(struct db_rows *rows, const struct base_id *workspace)
{
	return key_make_entry(rows);
}

STORE_LISTING(listing, key_read_entry, key_free_entry, ENTRIES " AND revoked IS NULL", "id");

GPtrArray *
store_key_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

/* Runs a statement that takes a value, the workspace and the id. */
static bool
key_change(struct db *db, const char *statement, const struct db_value *values, gsize count,
    bool *found_r, GError **error)
{
	guint64 affected = 0;
	bool done = db_run(db, statement, values, count, &affected, error);

	*found_r = affected > 0;
	return done;
}

bool
store_key_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, bool *found_r, GError **error)
{
	return key_change(
	    db, sql[RENAME], DB_VALUES(db_text(name), db_id(workspace), db_id(id)), found_r, error);
}

bool
store_key_end(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *found_r, GError **error)
{
	return key_change(db, sql[END],
	    DB_VALUES(db_int(base_clock_now()), db_id(workspace), db_id(id)), found_r, error);
}
