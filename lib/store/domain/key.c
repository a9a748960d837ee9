/* SPDX-License-Identifier: MIT */
/* Stores and reads the DKIM keys of sending domains. */
#include "store/domain/key.h"

#include <string.h>

#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"

#define ORDER "k.state, k.created DESC, k.algorithm, k.id"

enum {
	INSERT,
	SIGNING,
	LIST_PAGE,
	SEALED,
	LOCK,
	PENDING,
	DROP_PENDING,
	RETIRE,
	PROMOTE,
	NEW_SERIES,
	REMOVE_RETIRED
};
/* System-wide: REMOVE_RETIRED. Rows grow old in all workspaces. */
/* By checked ids: SIGNING, SEALED, NEW_SERIES. The caller has the domain from its
   workspace, or LOCK looks for it there. */
static const char *const sql[] = {
    [INSERT] =
	"INSERT INTO domain_key"
	" (id, workspace_id, domain_id, algorithm, selector, private, public, state, created)"
	" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SIGNING] =
	"SELECT " STORE_DOMAIN_KEY_COLUMNS " FROM domain_key k JOIN domain d ON d.id = k.domain_id"
	" WHERE k.domain_id = ? AND k.state = " DOMAIN_KEY_ACTIVE_SQL
	" AND (k.algorithm = " DOMAIN_KEY_RSA_SQL " OR k.seen OR d.trusted)"
	" ORDER BY k.algorithm, k.id",
    [LIST_PAGE] = "SELECT " STORE_DOMAIN_KEY_COLUMNS
		  " FROM (SELECT id, name FROM domain WHERE workspace_id = ?"
		  " AND id < ? ORDER BY id DESC LIMIT ?) d JOIN domain_key k ON k.domain_id = d.id"
		  " ORDER BY k.domain_id DESC, " ORDER,
    [SEALED] = "SELECT private FROM domain_key WHERE id = ?",
    [LOCK] = "SELECT trusted FROM domain WHERE id = ? AND workspace_id = ? FOR UPDATE",
    [PENDING] = "SELECT COUNT(*) FROM domain_key WHERE domain_id = ? AND workspace_id = ? AND "
		"state = " DOMAIN_KEY_PENDING_SQL,
    [PROMOTE] = "UPDATE domain_key SET state = " DOMAIN_KEY_ACTIVE_SQL
		" WHERE domain_id = ? AND workspace_id = ? AND state = " DOMAIN_KEY_PENDING_SQL,
    [DROP_PENDING] = "DELETE FROM domain_key WHERE domain_id = ? AND workspace_id = ? AND state "
		     "= " DOMAIN_KEY_PENDING_SQL,
    [RETIRE] = "UPDATE domain_key SET state = " DOMAIN_KEY_RETIRING_SQL
	       ", retired_at = ? WHERE domain_id = ? AND "
	       "workspace_id = ? AND state = " DOMAIN_KEY_ACTIVE_SQL,
    [NEW_SERIES] =
	"UPDATE domain_check SET series = ?, next_check = IF(next_check IS NULL, NULL, ?),"
	" token = NULL WHERE domain_id = ?",
    [REMOVE_RETIRED] = "DELETE FROM domain_key WHERE retired_at < ?",
};

#define INSERT_COLUMNS 9

void
store_domain_key_free(struct store_domain_key *key)
{
	g_free(key->domain);
	g_free(key->selector);
	g_free(key->public);
	g_clear_pointer(&key->sealed, g_bytes_unref);
	g_free(key);
}

bool
store_domain_key_insert(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, struct store_domain_key *const *keys, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_domain_key *key = keys[i];
		gsize size;
		const void *sealed = g_bytes_get_data(key->sealed, &size);
		const struct db_value row[INSERT_COLUMNS] = {db_id(&key->id), db_id(workspace),
		    db_id(domain), db_int(key->algorithm), db_text(key->selector),
		    db_bytes(sealed, size), db_text(key->public), db_int(key->state),
		    db_int(key->created)};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[INSERT], values, INSERT_COLUMNS, count, NULL, error);
}

static void
key_free_key(void *key)
{
	if (key)
		store_domain_key_free(key);
}

DB_COLUMNS_READER(key_read, struct store_domain_key, STORE_DOMAIN_KEY_LIST)

struct store_domain_key *
store_domain_key_read(const struct db_rows *rows, guint column)
{
	struct store_domain_key *key = g_new0(struct store_domain_key, 1);

	key_read(rows, column, key);
	return key;
}

static int
key_compare(gint64 a, gint64 b)
{
	return (a > b) - (a < b);
}

/* As ORDER. */
int
store_domain_key_compare(const void *a, const void *b)
{
	const struct store_domain_key *one = *(struct store_domain_key *const *)a;
	const struct store_domain_key *other = *(struct store_domain_key *const *)b;
	int order = key_compare(one->state, other->state);

	order = order ? order : key_compare(other->created, one->created);
	order = order ? order : key_compare(one->algorithm, other->algorithm);
	return order ? order : memcmp(&one->id, &other->id, sizeof(one->id));
}

static GPtrArray *
key_read_keys(struct db_rows *rows)
{
	GPtrArray *keys = g_ptr_array_new_with_free_func(key_free_key);

	while (db_rows_next(rows))
		g_ptr_array_add(keys, store_domain_key_read(rows, 0));
	return keys;
}

GPtrArray *
store_domain_key_signing(struct db *db, const struct base_id *domain, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[SIGNING], DB_VALUES(db_id(domain)), error);

	return rows ? key_read_keys(rows) : NULL;
}

GPtrArray *
store_domain_key_list_page(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST_PAGE],
	    DB_VALUES(db_id(workspace), store_listing_before(before), db_int(limit)), error);

	return rows ? key_read_keys(rows) : NULL;
}

GBytes *
store_domain_key_sealed(struct db *db, const struct base_id *key, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[SEALED], DB_VALUES(db_id(key)), error);
	gsize size;

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "the DKIM key is gone");
		return NULL;
	}
	const void *sealed = db_rows_bytes(rows, DB_ROWS_ONLY, &size);
	return g_bytes_new(sealed, size);
}

/* The lock order of every change of a domain: check, domain, keys. */
static bool
key_rotate(struct db *db, void *context, GError **error)
{
	const struct store_domain_rotation *r = context;
	struct db_value domain = db_id(r->domain), workspace = db_id(r->workspace);

	if (!db_run(db, sql[NEW_SERIES], DB_VALUES(db_int(r->now), db_int(r->next_check), domain),
		NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[LOCK], DB_VALUES(domain, workspace), error);
	if (!rows)
		return false;
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
		return false;
	}
	bool trusted = db_rows_int(rows, DB_ROWS_ONLY) != 0;
	for (guint i = 0; i < r->count; i++)
		r->keys[i]->state = trusted ? DOMAIN_KEY_ACTIVE : DOMAIN_KEY_PENDING;
	return db_run(db, sql[DROP_PENDING], DB_VALUES(domain, workspace), NULL, error) &&
	       (!trusted || db_run(db, sql[RETIRE], DB_VALUES(db_int(r->now), domain, workspace),
				NULL, error)) &&
	       store_domain_key_insert(db, r->workspace, r->domain, r->keys, r->count, error);
}

bool
store_domain_key_rotate(struct db *db, const struct store_domain_rotation *rotation, GError **error)
{
	return db_transact(db, key_rotate, (void *)rotation, error);
}

bool
store_domain_key_promote(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 now, GError **error)
{
	const struct db_value whole[] = {db_id(domain), db_id(workspace)};
	AUTO(db_rows) rows = db_select(db, sql[PENDING], whole, 2, error);

	if (!rows || !db_rows_next(rows))
		return false;
	return db_rows_int(rows, DB_ROWS_ONLY) == 0 ||
	       (db_run(db, sql[RETIRE], DB_VALUES(db_int(now), whole[0], whole[1]), NULL, error) &&
		   db_run(db, sql[PROMOTE], whole, 2, NULL, error));
}

bool
store_domain_key_remove_retired(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[REMOVE_RETIRED], DB_VALUES(db_int(before)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}
