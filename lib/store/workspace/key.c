/* SPDX-License-Identifier: MIT */
/* Creates, finds, lists and revokes API keys. */
#include "store/workspace/key.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/precondition.h"
#include "db/statement.h"
#include "store/common/listing.h"
#include "store/workspace/limit.h"

#define IS_VALID "revoked IS NULL AND (expires IS NULL OR expires > ?)"
#define ROWS                                                                                       \
	"SELECT k.id, k.user_id, k.scope, k.name, u.email, k.created, k.expires, k.revoked,"       \
	" k.domain_id, d.name, k.last_used FROM api_key k LEFT JOIN user u ON u.id = k.user_id"    \
	" LEFT JOIN domain d ON d.workspace_id = k.workspace_id AND d.id = k.domain_id"            \
	" WHERE k.workspace_id = ?"
#define IS_GOOD "hash = ? AND " IS_VALID

enum { FIND, LIMITS, USE, CREATE, LIST, NEWEST, GET, OLDER, NEWER, RENAME, END, REVOKE, REMOVE };
/* System-wide: FIND, LIMITS. The key tells its workspace. */
static const char *const sql[] = {
    [FIND] = "SELECT id, workspace_id, user_id, scope, domain_id, expires, last_used"
	     " FROM api_key WHERE " IS_GOOD,
    [LIMITS] = "SELECT l.name, l.value FROM api_key k JOIN workspace_limit l"
	       " ON l.workspace_id = k.workspace_id WHERE k.hash = ?",
    [USE] = "UPDATE api_key SET last_used = ? WHERE workspace_id = ? AND id = ?"
	    " AND (last_used IS NULL OR last_used <= ?) AND revoked IS NULL",
    [CREATE] =
	"INSERT INTO api_key (id, workspace_id, user_id, hash, scope, name, created, expires,"
	" domain_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [OLDER] = "SELECT id, name, created, last_used FROM api_key WHERE workspace_id = ? AND id < ?"
	      " AND revoked IS NULL ORDER BY id DESC LIMIT ?",
    [NEWER] = "SELECT id, name, created, last_used FROM api_key WHERE workspace_id = ? AND id > ?"
	      " AND revoked IS NULL ORDER BY id LIMIT ?",
    [RENAME] = "UPDATE api_key SET name = COALESCE(?, name) WHERE workspace_id = ? AND id = ? AND "
	       "revoked IS NULL",
    [END] = "UPDATE api_key SET revoked = ? WHERE workspace_id = ? AND id = ? AND revoked IS NULL",
    [LIST] = ROWS " ORDER BY k.id",
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

/* The columns of FIND. */
enum { FIND_ID, FIND_WORKSPACE, FIND_USER, FIND_SCOPE, FIND_DOMAIN, FIND_EXPIRES, FIND_USED };

/* The columns of OLDER and NEWER. */
enum { PAGE_ID, PAGE_NAME, PAGE_CREATED, PAGE_USED };

/* The columns of ROWS. */
enum {
	LIST_ID,
	LIST_USER,
	LIST_SCOPE,
	LIST_NAME,
	LIST_EMAIL,
	LIST_CREATED,
	LIST_EXPIRES,
	LIST_REVOKED,
	LIST_DOMAIN,
	LIST_DOMAIN_NAME,
	LIST_USED
};

static bool
key_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "API key not found");
}

static void
key_read_key(struct db_rows *rows, struct store_key *key_r)
{
	db_rows_id(rows, FIND_ID, &key_r->id);
	db_rows_id(rows, FIND_WORKSPACE, &key_r->workspace_id);
	db_rows_id(rows, FIND_USER, &key_r->user_id);
	key_r->scope = (enum store_key_scope)db_rows_int(rows, FIND_SCOPE);
	key_r->has_domain = db_rows_id(rows, FIND_DOMAIN, &key_r->domain_id);
	key_r->expires = db_rows_int(rows, FIND_EXPIRES);
	key_r->last_used = db_rows_int(rows, FIND_USED);
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
		key_read_key(rows[0], key_r);
		store_limit_take(db, rows[1], limits_r);
	}
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return found || key_missing(error);
}

void
store_key_guard(struct db *db, const guint8 *hashes, guint count, gint64 now)
{
	struct db_value values[STORE_KEYS_TOGETHER + 2];

	g_assert(count >= 1 && count <= STORE_KEYS_TOGETHER);
	if (count == 1) {
		db_precondition(
		    db, &guard_one, DB_VALUES(db_bytes(hashes, SHA256_SIZE), db_int(now)));
		return;
	}
	for (guint i = 0; i < STORE_KEYS_TOGETHER; i++)
		values[i] = db_bytes(hashes + (gsize)SHA256_SIZE * MIN(i, count - 1), SHA256_SIZE);
	values[STORE_KEYS_TOGETHER] = db_int(now);
	values[STORE_KEYS_TOGETHER + 1] = db_int(count);
	db_precondition(db, &guard_all, values, G_N_ELEMENTS(values));
}

bool
store_key_confirm(struct db *db, GError **error)
{
	g_autoptr(GError) local = NULL;
	bool holds = db_precondition_settle(db, &local);

	db_precondition_drop(db);
	if (g_error_matches(local, PH_ERROR, PH_ERROR_FORBIDDEN))
		return key_missing(error);
	if (!holds)
		g_propagate_error(error, g_steal_pointer(&local));
	return holds;
}

bool
store_key_unguard(struct db *db)
{
	bool waits = db_precondition_waits(db);

	if (waits)
		db_precondition_drop(db);
	return waits;
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
	struct store_key_row *row = g_new0(struct store_key_row, 1);

	db_rows_id(rows, LIST_ID, &row->key.id);
	row->key.workspace_id = *workspace;
	db_rows_id(rows, LIST_USER, &row->key.user_id);
	row->key.scope = (enum store_key_scope)db_rows_int(rows, LIST_SCOPE);
	row->key.has_domain = db_rows_id(rows, LIST_DOMAIN, &row->key.domain_id);
	row->key.expires = db_rows_int(rows, LIST_EXPIRES);
	row->key.last_used = db_rows_int(rows, LIST_USED);
	row->name = g_strdup(db_rows_text(rows, LIST_NAME));
	row->user = g_strdup(db_rows_text(rows, LIST_EMAIL));
	row->domain = g_strdup(db_rows_text(rows, LIST_DOMAIN_NAME));
	row->created = db_rows_int(rows, LIST_CREATED);
	row->revoked = db_rows_int(rows, LIST_REVOKED);
	return row;
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
read_entry(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_key_entry *entry = g_new0(struct store_key_entry, 1);

	db_rows_id(rows, PAGE_ID, &entry->id);
	entry->name = g_strdup(db_rows_text(rows, PAGE_NAME));
	entry->created = db_rows_int(rows, PAGE_CREATED);
	entry->last_used = db_rows_int(rows, PAGE_USED);
	return entry;
}

GPtrArray *
store_key_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	const struct store_page_sql statements = {sql[OLDER], sql[NEWER]};

	return store_listing_page(
	    db, &statements, workspace, page, read_entry, key_free_entry, error);
}

/* Runs a statement that takes a value, the workspace and the id. */
static bool
key_change(struct db *db, const char *statement, struct db_value value,
    const struct base_id *workspace, const struct base_id *id, bool *found_r, GError **error)
{
	guint64 affected = 0;
	bool done =
	    db_run(db, statement, DB_VALUES(value, db_id(workspace), db_id(id)), &affected, error);

	*found_r = affected > 0;
	return done;
}

bool
store_key_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, bool *found_r, GError **error)
{
	return key_change(db, sql[RENAME], db_text(name), workspace, id, found_r, error);
}

bool
store_key_end(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *found_r, GError **error)
{
	return key_change(db, sql[END], db_int(base_clock_now()), workspace, id, found_r, error);
}
