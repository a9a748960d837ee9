/* Sending domains and their DKIM keys. */
#include "store/domain.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"

#define COLUMNS "id, workspace_id, name, status, trusted, created"

enum { CREATE, CREATE_KEY, FIND, LIST, KEYS, KEY_SEALED, TRUST };
static const char *const sql[] = {
    [CREATE] = "INSERT INTO domain (id, workspace_id, user_id, name, status, trusted, created)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [CREATE_KEY] =
	"INSERT INTO domain_key"
	" (id, workspace_id, domain_id, algorithm, selector, private, public, signs, created)"
	" VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)",
    [FIND] = "SELECT " COLUMNS " FROM domain WHERE workspace_id = ? AND name = ?",
    [LIST] = "SELECT " COLUMNS " FROM domain WHERE workspace_id = ? AND id < ?"
	     " ORDER BY id DESC LIMIT ?",
    [KEYS] = "SELECT k.id, k.algorithm, k.selector, k.public, d.name FROM domain_key k"
	     " JOIN domain d ON d.id = k.domain_id WHERE k.domain_id = ? AND k.signs = 1"
	     " ORDER BY k.algorithm, k.id",
    [KEY_SEALED] = "SELECT private FROM domain_key WHERE id = ?",
    [TRUST] = "UPDATE domain SET trusted = 1, status = ? WHERE workspace_id = ? AND name = ?",
};

static const struct id last_id = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff}};

const char *
store_domain_status_name(enum domain_status status)
{
	static const char *const names[] = {
	    [DOMAIN_NOT_STARTED] = "NOT_STARTED",
	    [DOMAIN_PENDING] = "PENDING",
	    [DOMAIN_SUCCESS] = "SUCCESS",
	    [DOMAIN_FAILED] = "FAILED",
	    [DOMAIN_TEMPORARY_FAILURE] = "TEMPORARY_FAILURE",
	};

	return names[status];
}

void
store_domain_free(struct domain *domain)
{
	g_free(domain->name);
	g_free(domain);
}

bool
store_domain_verified(const struct domain *domain)
{
	return domain->trusted || domain->status == DOMAIN_SUCCESS ||
	       domain->status == DOMAIN_TEMPORARY_FAILURE;
}

void
store_domain_key_free(struct domain_key *key)
{
	g_free(key->domain);
	g_free(key->selector);
	g_free(key->public);
	g_clear_pointer(&key->sealed, g_bytes_unref);
	g_free(key);
}

struct creation {
	struct domain *domain;
	const struct id *user;
	struct domain_key *const *keys;
	guint count;
};

static bool
create(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct domain *domain = creation->domain;

	if (!db_run(db, sql[CREATE],
		DB_VALUES(db_id(&domain->id), db_id(&domain->workspace_id), db_id(creation->user),
		    db_text(domain->name), db_int(domain->status), db_int(domain->trusted),
		    db_int(domain->created)),
		NULL, error))
		return false;
	for (guint i = 0; i < creation->count; i++) {
		const struct domain_key *key = creation->keys[i];
		gsize size;
		const void *sealed = g_bytes_get_data(key->sealed, &size);

		if (!db_run(db, sql[CREATE_KEY],
			DB_VALUES(db_id(&key->id), db_id(&domain->workspace_id), db_id(&domain->id),
			    db_int(key->algorithm), db_text(key->selector), db_bytes(sealed, size),
			    db_text(key->public), db_int(domain->created)),
			NULL, error))
			return false;
	}
	return true;
}

bool
store_domain_create(struct db *db, struct domain *domain, const struct id *user,
    struct domain_key *const *keys, guint count, GError **error)
{
	struct creation creation = {domain, user, keys, count};

	domain->id = base_id_new();
	domain->created = base_clock_now();
	return db_transact(db, create, &creation, error);
}

static struct domain *
read_row(struct db_rows *rows)
{
	struct domain *domain = g_new0(struct domain, 1);

	db_rows_id(rows, 0, &domain->id);
	db_rows_id(rows, 1, &domain->workspace_id);
	domain->name = g_strdup(db_rows_text(rows, 2));
	domain->status = (enum domain_status)db_rows_int(rows, 3);
	domain->trusted = db_rows_int(rows, 4) != 0;
	domain->created = db_rows_int(rows, 5);
	return domain;
}

static void *
not_found(const char *name, GError **error)
{
	g_set_error(
	    error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no domain %s in this workspace", name);
	return NULL;
}

struct domain *
store_domain_find(struct db *db, const struct id *workspace, const char *name, GError **error)
{
	/* The server refuses to compare other text with an ASCII column. */
	if (!g_str_is_ascii(name))
		return not_found(name, error);
	AUTO(db_rows)
	rows = db_select(db, sql[FIND], DB_VALUES(db_id(workspace), db_text(name)), error);
	if (!rows)
		return NULL;
	return db_rows_next(rows) ? read_row(rows) : not_found(name, error);
}

struct domain *
store_domain_find_sender(
    struct db *db, const struct id *workspace, const char *name, GError **error)
{
	/* From the name itself upwards: nearly always the first one is it. A single label is
	 * nobody's domain. */
	for (const char *suffix = name; suffix && strchr(suffix, '.');) {
		g_autoptr(GError) local = NULL;
		struct domain *domain = store_domain_find(db, workspace, suffix, &local);

		if (domain)
			return domain;
		if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&local));
			return NULL;
		}
		suffix = strchr(suffix, '.') + 1;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "there is no domain for %s in this workspace", name);
	return NULL;
}

static void
free_domain(void *domain)
{
	store_domain_free(domain);
}

GPtrArray *
store_domain_list(
    struct db *db, const struct id *workspace, const struct id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), db_id(before ? before : &last_id), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *domains = g_ptr_array_new_with_free_func(free_domain);
	while (db_rows_next(rows))
		g_ptr_array_add(domains, read_row(rows));
	return domains;
}

static void
free_key(void *key)
{
	store_domain_key_free(key);
}

GPtrArray *
store_domain_keys(struct db *db, const struct id *domain, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[KEYS], DB_VALUES(db_id(domain)), error);

	if (!rows)
		return NULL;
	GPtrArray *keys = g_ptr_array_new_with_free_func(free_key);
	while (db_rows_next(rows)) {
		struct domain_key *key = g_new0(struct domain_key, 1);
		db_rows_id(rows, 0, &key->id);
		key->algorithm = (enum domain_key_algorithm)db_rows_int(rows, 1);
		key->selector = g_strdup(db_rows_text(rows, 2));
		key->public = g_strdup(db_rows_text(rows, 3));
		key->domain = g_strdup(db_rows_text(rows, 4));
		g_ptr_array_add(keys, key);
	}
	return keys;
}

GBytes *
store_domain_key_sealed(struct db *db, const struct id *key, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[KEY_SEALED], DB_VALUES(db_id(key)), error);
	gsize size;

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "the DKIM key is gone");
		return NULL;
	}
	const void *sealed = db_rows_bytes(rows, 0, &size);
	return g_bytes_new(sealed, size);
}

bool
store_domain_trust(struct db *db, const struct id *workspace, const char *name, GError **error)
{
	guint64 affected = 0;

	if (g_str_is_ascii(name) &&
	    !db_run(db, sql[TRUST],
		DB_VALUES(db_int(DOMAIN_SUCCESS), db_id(workspace), db_text(name)), &affected,
		error))
		return false;
	return affected > 0 || not_found(name, error);
}
