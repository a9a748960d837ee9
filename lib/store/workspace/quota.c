/* SPDX-License-Identifier: MIT */
/* Counts the recipients of workspaces that have a quota. */
#include "store/workspace/quota.h"

#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"

#define HOUR_MS ((gint64)60 * 60 * 1000)
#define BATCH 1000

static const gint64 lengths[] = {[QUOTA_HOUR] = HOUR_MS, [QUOTA_DAY] = 24 * HOUR_MS};

enum { USED, ADD, SWEEP };
/* System-wide: SWEEP. Rows grow old in all workspaces. */
static const char *const sql[] = {
    [USED] =
	"SELECT period, used FROM email_quota"
	" WHERE workspace_id = ? AND ((period = 0 AND start = ?) OR (period = 1 AND start = ?))",
    /* The table's CHECK refuses a count beyond the quota. */
    [ADD] = "INSERT INTO email_quota (workspace_id, period, start, used, most)"
	    " VALUES (?, ?, ?, ?, ?)"
	    " ON DUPLICATE KEY UPDATE used = used + VALUES(used), most = VALUES(most)",
    [SWEEP] = "DELETE FROM email_quota WHERE start < ? ORDER BY start LIMIT ?",
};

/* The columns of USED. */
enum { USED_PERIOD, USED_COUNT };

struct store_quota
store_quota_read(struct db *db, const struct db_rows *rows, guint column)
{
	static const enum config_setting limits[] = {[QUOTA_HOUR] = SETTING_LIMITS_EMAILS_PER_HOUR,
	    [QUOTA_DAY] = SETTING_LIMITS_EMAILS_PER_DAY};
	struct store_quota quota;

	for (guint i = 0; i < QUOTA_PERIODS; i++)
		quota.most[i] = db_rows_is_null(rows, column + i)
				    ? config_settings_number(db_settings(db), limits[i])
				    : db_rows_int(rows, column + i);
	return quota;
}

bool
store_quota_is_set(const struct store_quota *quota)
{
	return quota->most[QUOTA_HOUR] > 0 || quota->most[QUOTA_DAY] > 0;
}

gint64
store_quota_start(enum store_quota_period period, gint64 now)
{
	return now - now % lengths[period];
}

gint64
store_quota_end(enum store_quota_period period, gint64 now)
{
	return store_quota_start(period, now) + lengths[period];
}

bool
store_quota_used(struct db *db, const struct base_id *workspace, gint64 now,
    gint64 used_r[QUOTA_PERIODS], GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[USED],
	    DB_VALUES(db_id(workspace), db_int(store_quota_start(QUOTA_HOUR, now)),
		db_int(store_quota_start(QUOTA_DAY, now))),
	    error);

	if (!rows)
		return false;
	for (guint i = 0; i < QUOTA_PERIODS; i++)
		used_r[i] = 0;
	while (db_rows_next(rows))
		used_r[db_rows_int(rows, USED_PERIOD)] = db_rows_int(rows, USED_COUNT);
	return true;
}

bool
store_quota_add(struct db *db, const struct base_id *workspace, const struct store_quota *quota,
    gint64 recipients, gint64 now, GError **error)
{
	for (guint i = 0; i < QUOTA_PERIODS; i++)
		if (quota->most[i] > 0 &&
		    !db_defer(db, sql[ADD],
			DB_VALUES(db_id(workspace), db_int(i), db_int(store_quota_start(i, now)),
			    db_int(recipients), db_int(quota->most[i])),
			1, error))
			return false;
	return true;
}

bool
store_quota_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected;

	if (!db_run(db, sql[SWEEP], DB_VALUES(db_int(before), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}
