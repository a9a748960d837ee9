/* SPDX-License-Identifier: MIT */
/* Sending domains, as they are made, changed and removed. */
#include "store/domain.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/domain_key.h"
#include "store/limit.h"
#include "store/warmup.h"

enum { CREATE, TRUST, END_CHECKS, SET_TRACKING, LOCK_CHECK, REMOVE, REMOVE_KEYS, REMOVE_CHECK };
static const char *const sql[] = {
    [CREATE] = "INSERT INTO domain (id, workspace_id, user_id, name, status, trusted, created)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?)",
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
store_domain_status_name(enum store_domain_status status)
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
store_domain_free(struct store_domain *domain)
{
	g_free(domain->name);
	store_creator_clear(&domain->creator);
	store_domain_check_clear(&domain->check);
	g_clear_pointer(&domain->keys, g_ptr_array_unref);
	g_free(domain);
}

bool
store_domain_verified(const struct store_domain *domain)
{
	return domain->trusted || domain->status == DOMAIN_SUCCESS ||
	       domain->status == DOMAIN_TEMPORARY_FAILURE;
}

bool
store_domain_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
	return false;
}

struct creation {
	const struct store_domain *domain;
	const struct base_id *user;
	struct store_domain_key *const *keys;
	guint count;
	gint64 next_check;
};

static bool
create(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct store_domain *domain = creation->domain;

	return store_limit_hold(db, &domain->workspace_id, SETTING_LIMITS_DOMAINS, error) &&
	       store_domain_check_insert(db, &domain->workspace_id, &domain->id, domain->created,
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
store_domain_create(struct db *db, struct store_domain *domain, const struct base_id *user,
    struct store_domain_key *const *keys, guint count, gint64 next_check, GError **error)
{
	struct creation creation = {domain, user, keys, count, next_check};

	domain->id = base_id_new();
	domain->created = base_clock_now();
	domain->check.series = domain->created;
	domain->check.next_check = next_check;
	return db_transact(db, create, &creation, error);
}

static bool
trust(struct db *db, void *context, GError **error)
{
	const struct base_id *id = context;

	return db_run(db, sql[END_CHECKS], DB_VALUES(db_id(id)), NULL, error) &&
	       db_run(db, sql[TRUST], DB_VALUES(db_int(DOMAIN_SUCCESS), db_id(id)), NULL, error) &&
	       store_domain_key_promote(db, id, base_clock_now(), error);
}

bool
store_domain_trust(struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	AUTO(store_domain) domain = store_domain_find(db, workspace, name, error);

	return domain && db_transact(db, trust, &domain->id, error);
}

bool
store_domain_set_tracking(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const bool *opens, const bool *clicks, GError **error)
{
	guint64 affected;

	if (!db_run(db, sql[SET_TRACKING],
		DB_VALUES(opens ? db_int(*opens) : db_null(), clicks ? db_int(*clicks) : db_null(),
		    db_id(id), db_id(workspace)),
		&affected, error))
		return false;
	return affected > 0 || store_domain_missing(error);
}

struct removal {
	const struct base_id *workspace, *id;
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
	if (affected == 0)
		return store_domain_missing(error);
	return db_run(db, sql[REMOVE_KEYS], DB_VALUES(db_id(removal->id)), NULL, error) &&
	       db_run(db, sql[REMOVE_CHECK], DB_VALUES(db_id(removal->id)), NULL, error) &&
	       store_warmup_forget(db, removal->id, error);
}

bool
store_domain_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	struct removal removal = {workspace, id};

	return db_transact(db, remove_whole, &removal, error);
}
