/* Sending domains. */
#include "store/domain.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/domain_key.h"
#include "store/listing.h"
#include "store/warmup.h"

#define COLUMNS                                                                                    \
	"d.id, d.workspace_id, d.name, d.status, d.trusted, d.open_tracking, d.click_tracking,"    \
	" d.warmed_up_at, d.created"
#define COLUMN_COUNT 9

/* With all that store_domain_get reads but the keys. */
#define WHOLE                                                                                      \
	"SELECT " COLUMNS ", " DOMAIN_CHECK_COLUMNS ", " CREATOR_COLUMNS " FROM domain d"          \
	" LEFT JOIN domain_check c ON c.domain_id = d.id LEFT JOIN user u ON u.id = d.user_id"

enum {
	CREATE,
	FIND,
	GET,
	LIST,
	TRUST,
	END_CHECKS,
	SET_TRACKING,
	LOCK_CHECK,
	REMOVE,
	REMOVE_KEYS,
	REMOVE_CHECK
};
static const char *const sql[] = {
    [CREATE] = "INSERT INTO domain (id, workspace_id, user_id, name, status, trusted, created)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [FIND] = "SELECT " COLUMNS " FROM domain d WHERE d.workspace_id = ? AND d.name = ?",
    [GET] = WHOLE " WHERE d.id = ? AND d.workspace_id = ?",
    [LIST] = WHOLE " WHERE d.workspace_id = ? AND d.id < ? ORDER BY d.id DESC LIMIT ?",
    [END_CHECKS] = "UPDATE domain_check SET next_check = NULL, token = NULL WHERE domain_id = ?",
    [TRUST] = "UPDATE domain SET trusted = 1, status = ? WHERE id = ?",
    [SET_TRACKING] = "UPDATE domain SET open_tracking = COALESCE(?, open_tracking),"
		     " click_tracking = COALESCE(?, click_tracking)"
		     " WHERE id = ? AND workspace_id = ?",
    [LOCK_CHECK] = "SELECT domain_id FROM domain_check WHERE domain_id = ? FOR UPDATE",
    [REMOVE] = "DELETE FROM domain WHERE id = ? AND workspace_id = ?",
    [REMOVE_KEYS] = "DELETE FROM domain_key WHERE domain_id = ?",
    [REMOVE_CHECK] = "DELETE FROM domain_check WHERE domain_id = ?",
};

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
	store_creator_clear(&domain->creator);
	store_domain_check_clear(&domain->check);
	g_clear_pointer(&domain->keys, g_ptr_array_unref);
	g_free(domain);
}

bool
store_domain_verified(const struct domain *domain)
{
	return domain->trusted || domain->status == DOMAIN_SUCCESS ||
	       domain->status == DOMAIN_TEMPORARY_FAILURE;
}

struct creation {
	const struct domain *domain;
	const struct id *user;
	struct domain_key *const *keys;
	guint count;
	gint64 next_check;
};

static bool
create(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct domain *domain = creation->domain;

	return store_domain_check_insert(db, &domain->workspace_id, &domain->id, domain->created,
		   creation->next_check, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(&domain->id), db_id(&domain->workspace_id),
		       db_id(creation->user), db_text(domain->name), db_int(domain->status),
		       db_int(domain->trusted), db_int(domain->created)),
		   NULL, error) &&
	       store_domain_key_insert(
		   db, &domain->workspace_id, &domain->id, creation->keys, creation->count, error);
}

bool
store_domain_create(struct db *db, struct domain *domain, const struct id *user,
    struct domain_key *const *keys, guint count, gint64 next_check, GError **error)
{
	struct creation creation = {domain, user, keys, count, next_check};

	domain->id = base_id_new();
	domain->created = base_clock_now();
	domain->check.series = domain->created;
	domain->check.next_check = next_check;
	return db_transact(db, create, &creation, error);
}

static struct domain *
read_row(const struct db_rows *rows)
{
	struct domain *domain = g_new0(struct domain, 1);

	db_rows_id(rows, 0, &domain->id);
	db_rows_id(rows, 1, &domain->workspace_id);
	domain->name = g_strdup(db_rows_text(rows, 2));
	domain->status = (enum domain_status)db_rows_int(rows, 3);
	domain->trusted = db_rows_int(rows, 4) != 0;
	domain->open_tracking = db_rows_int(rows, 5) != 0;
	domain->click_tracking = db_rows_int(rows, 6) != 0;
	domain->warmed_up_at = db_rows_int(rows, 7);
	domain->created = db_rows_int(rows, 8);
	return domain;
}

static struct domain *
read_whole_row(const struct db_rows *rows)
{
	struct domain *domain = read_row(rows);

	store_domain_check_read(rows, COLUMN_COUNT, &domain->check);
	store_creator_read(rows, COLUMN_COUNT + DOMAIN_CHECK_COLUMN_COUNT, &domain->creator);
	return domain;
}

static struct domain *
no_domain(const char *name, GError **error)
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
		return no_domain(name, error);
	AUTO(db_rows)
	rows = db_select(db, sql[FIND], DB_VALUES(db_id(workspace), db_text(name)), error);
	if (!rows)
		return NULL;
	return db_rows_next(rows) ? read_row(rows) : no_domain(name, error);
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
not_found(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
}

struct domain *
store_domain_get(struct db *db, const struct id *workspace, const struct id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		not_found(error);
		return NULL;
	}
	AUTO(domain) domain = read_whole_row(rows);
	domain->keys = store_domain_key_list(db, id, error);
	return domain->keys ? g_steal_pointer(&domain) : NULL;
}

static void
free_domain(void *domain)
{
	store_domain_free(domain);
}

static void
free_key(void *key)
{
	store_domain_key_free(key);
}

/* Gives each domain those of the keys that are its own; both are ordered by domain. */
static void
hand_out(GPtrArray *domains, GPtrArray *keys)
{
	guint next = 0;

	for (guint i = 0; i < domains->len; i++) {
		struct domain *domain = domains->pdata[i];

		domain->keys = g_ptr_array_new_with_free_func(free_key);
		for (; next < keys->len; next++) {
			const struct domain_key *key = keys->pdata[next];
			int order = memcmp(&key->domain_id, &domain->id, sizeof(domain->id));

			if (order < 0)
				break;
			if (order == 0)
				g_ptr_array_add(domain->keys, g_steal_pointer(&keys->pdata[next]));
		}
	}
}

GPtrArray *
store_domain_list(
    struct db *db, const struct id *workspace, const struct id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), store_listing_before(before), db_int(limit)), error);

	if (!rows)
		return NULL;
	g_autoptr(GPtrArray) keys = store_domain_key_list_page(db, workspace, before, limit, error);
	if (!keys)
		return NULL;
	GPtrArray *domains = g_ptr_array_new_with_free_func(free_domain);
	while (db_rows_next(rows))
		g_ptr_array_add(domains, read_whole_row(rows));
	hand_out(domains, keys);
	return domains;
}

static bool
trust(struct db *db, void *context, GError **error)
{
	const struct id *id = context;

	return db_run(db, sql[END_CHECKS], DB_VALUES(db_id(id)), NULL, error) &&
	       db_run(db, sql[TRUST], DB_VALUES(db_int(DOMAIN_SUCCESS), db_id(id)), NULL, error) &&
	       store_domain_key_promote(db, id, base_clock_now(), error);
}

bool
store_domain_trust(struct db *db, const struct id *workspace, const char *name, GError **error)
{
	AUTO(domain) domain = store_domain_find(db, workspace, name, error);

	return domain && db_transact(db, trust, &domain->id, error);
}

bool
store_domain_set_tracking(struct db *db, const struct id *workspace, const struct id *id,
    const bool *opens, const bool *clicks, GError **error)
{
	guint64 affected;

	if (!db_run(db, sql[SET_TRACKING],
		DB_VALUES(opens ? db_int(*opens) : db_null(), clicks ? db_int(*clicks) : db_null(),
		    db_id(id), db_id(workspace)),
		&affected, error))
		return false;
	if (affected == 0)
		not_found(error);
	return affected > 0;
}

struct removal {
	const struct id *workspace, *id;
};

static bool
remove_whole(struct db *db, void *context, GError **error)
{
	const struct removal *removal = context;
	guint64 affected;
	AUTO(db_rows)
	rows = db_select(db, sql[LOCK_CHECK], DB_VALUES(db_id(removal->id)), error);

	if (!rows ||
	    !db_run(db, sql[REMOVE], DB_VALUES(db_id(removal->id), db_id(removal->workspace)),
		&affected, error))
		return false;
	if (affected == 0) {
		not_found(error);
		return false;
	}
	return db_run(db, sql[REMOVE_KEYS], DB_VALUES(db_id(removal->id)), NULL, error) &&
	       db_run(db, sql[REMOVE_CHECK], DB_VALUES(db_id(removal->id)), NULL, error) &&
	       store_warmup_forget(db, removal->id, error);
}

bool
store_domain_remove(struct db *db, const struct id *workspace, const struct id *id, GError **error)
{
	struct removal removal = {workspace, id};

	return db_transact(db, remove_whole, &removal, error);
}
