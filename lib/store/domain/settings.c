/* SPDX-License-Identifier: MIT */
/* Changes the settings of domains, and finds domains by the hosts that these name. */
#include "store/domain/settings.h"

#include <string.h>

#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/domain/domain.h"

enum { CHANGE, RESTART, FOUND, FIND, FOUND_SINCE, RETURNS };
/* System-wide: FIND, FOUND_SINCE, RETURNS. A host names no workspace. */
/* By checked ids: FOUND. The caller has claimed the domain. */
static const char *const sql[] = {
    [CHANGE] = "UPDATE domain SET tls_enforced = COALESCE(?, tls_enforced),"
	       " tracking_used = IF(?, 0, tracking_used), tracking_host = IF(?, ?, tracking_host)"
	       " WHERE id = ? AND workspace_id = ?",
    [RESTART] = "UPDATE domain_check SET next_check = LEAST(COALESCE(next_check, ?), ?),"
		" token = NULL, tracking_checked = NULL, tracking_found = NULL,"
		" tracking_error = NULL WHERE domain_id = ? AND workspace_id = ?",
    [FOUND] = "UPDATE domain_check SET tracking_found = ? WHERE domain_id = ? AND token = ?",
    [FIND] = "SELECT MAX(trusted = 1 OR status IN (" DOMAIN_SUCCESS_SQL
	     ", " DOMAIN_TEMPORARY_FAILURE_SQL ")) FROM domain WHERE tracking_host = ?",
    [FOUND_SINCE] = "SELECT 1 FROM domain d JOIN domain_check c ON c.domain_id = d.id"
		    " WHERE d.tracking_host = ? AND c.tracking_found >= ? LIMIT 1",
    [RETURNS] = "SELECT 1 FROM domain WHERE name = ? AND return_path = ? LIMIT 1",
};

/* The column of FIND. */
enum { FIND_VERIFIED };

struct settings_change {
	const struct base_id *workspace, *id;
	const struct store_domain_settings *change;
	gint64 now;
};

static bool
settings_change(struct db *db, void *context, GError **error)
{
	const struct settings_change *c = context;
	const struct store_domain_settings *change = c->change;
	bool sets = change->sets_host;
	guint64 affected;

	/* The check goes first, as where its result is recorded. */
	if (sets &&
	    !db_run(db, sql[RESTART],
		DB_VALUES(db_int(c->now), db_int(c->now), db_id(c->id), db_id(c->workspace)), NULL,
		error))
		return false;
	if (!db_run(db, sql[CHANGE],
		DB_VALUES(change->tls_enforced ? db_int(*change->tls_enforced) : db_null(),
		    db_int(sets), db_int(sets), db_text(change->host), db_id(c->id),
		    db_id(c->workspace)),
		&affected, error))
		return false;
	return affected > 0 || base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
}

bool
store_domain_settings_change(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_domain_settings *change, gint64 now,
    GError **error)
{
	struct settings_change context = {workspace, id, change, now};

	return db_transact(db, settings_change, &context, error);
}

bool
store_domain_settings_found(
    struct db *db, const struct store_domain *domain, gint64 token, GError **error)
{
	return db_run(db, sql[FOUND],
	    DB_VALUES(db_int(domain->check.tracking_found), db_id(&domain->id), db_int(token)),
	    NULL, error);
}

bool
store_domain_host_find(
    struct db *db, const char *host, bool *known_r, bool *verified_r, GError **error)
{
	*known_r = *verified_r = false;
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(host))
		return true;
	AUTO(db_rows) rows = db_select(db, sql[FIND], DB_VALUES(db_text(host)), error);
	if (!rows)
		return false;
	*known_r = db_rows_next(rows) && !db_rows_is_null(rows, FIND_VERIFIED);
	*verified_r = *known_r && db_rows_int(rows, FIND_VERIFIED) != 0;
	return true;
}

bool
store_domain_host_found(
    struct db *db, const char *host, gint64 since, bool *found_r, GError **error)
{
	*found_r = false;
	if (!g_str_is_ascii(host))
		return true;
	AUTO(db_rows) rows =
	    db_select(db, sql[FOUND_SINCE], DB_VALUES(db_text(host), db_int(since)), error);
	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	return true;
}

bool
store_domain_host_returns(struct db *db, const char *host, bool *is_r, GError **error)
{
	const char *dot = strchr(host, '.');

	*is_r = false;
	if (!dot || !g_str_is_ascii(host))
		return true;
	g_autofree char *label = g_strndup(host, (gsize)(dot - host));
	AUTO(db_rows) rows =
	    db_select(db, sql[RETURNS], DB_VALUES(db_text(dot + 1), db_text(label)), error);
	if (!rows)
		return false;
	*is_r = db_rows_next(rows);
	return true;
}
