/* SPDX-License-Identifier: MIT */
/* What is kept of a domain's checks. */
#include "store/domain_check.h"

#include "db/statement.h"

static const char insert[] =
    "INSERT INTO domain_check (domain_id, workspace_id, series, next_check)"
    " VALUES (?, ?, ?, ?)";

const char *
store_domain_error_name(enum store_domain_error error)
{
	static const char *const names[] = {
	    [DOMAIN_ERROR_NONE] = NULL,
	    [DOMAIN_DNS_SERVER_ERROR] = "DNS_SERVER_ERROR",
	    [DOMAIN_HOST_NOT_FOUND] = "HOST_NOT_FOUND",
	    [DOMAIN_TYPE_NOT_FOUND] = "TYPE_NOT_FOUND",
	    [DOMAIN_INVALID_VALUE] = "INVALID_VALUE",
	};

	return names[error];
}

void
store_domain_check_clear(struct store_domain_check *check)
{
	g_clear_pointer(&check->findings, g_free);
	g_clear_pointer(&check->soa_primary, g_free);
	g_clear_pointer(&check->soa_admin, g_free);
}

bool
store_domain_check_insert(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 series, gint64 next_check, GError **error)
{
	return db_run(db, insert,
	    DB_VALUES(db_id(domain), db_id(workspace), db_int(series),
		next_check ? db_int(next_check) : db_null()),
	    NULL, error);
}

void
store_domain_check_read(
    const struct db_rows *rows, guint column, struct store_domain_check *check_r)
{
	*check_r = (struct store_domain_check){
	    .series = db_rows_int(rows, column),
	    .next_check = db_rows_int(rows, column + 1),
	    .last_checked = db_rows_int(rows, column + 2),
	    .last_success = db_rows_int(rows, column + 3),
	    .failing_since = db_rows_int(rows, column + 4),
	    .error = (enum store_domain_error)db_rows_int(rows, column + 5),
	    .findings = g_strdup(db_rows_text(rows, column + 6)),
	    .soa_primary = g_strdup(db_rows_text(rows, column + 7)),
	    .soa_admin = g_strdup(db_rows_text(rows, column + 8)),
	    .soa_serial = db_rows_int(rows, column + 9),
	};
}
