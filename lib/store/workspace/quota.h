/* SPDX-License-Identifier: MIT */
/* Quotas: the number of recipients to whom a workspace may send in an hour and in a day of the
   clock (UTC). Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_WORKSPACE_QUOTA_H
#define STORE_WORKSPACE_QUOTA_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct db_rows;
struct base_id;

/* Stored as number. */
enum store_quota_period { QUOTA_HOUR, QUOTA_DAY, QUOTA_PERIODS };

/* The most recipients of each period; 0 = any number. */
struct store_quota {
	gint64 most[QUOTA_PERIODS];
};

/* Columns for other statements, with the joins that find them for the workspace in this expression;
   store_quota_read reads them. */
#define QUOTA_COLUMNS "qh.value, qd.value"
#define QUOTA_JOINS(workspace)                                                                     \
	QUOTA_JOIN("qh", workspace, "hour") QUOTA_JOIN("qd", workspace, "day")
#define QUOTA_JOIN(name, workspace, period)                                                        \
	" LEFT JOIN workspace_limit " name " ON " name ".workspace_id = " workspace " AND " name   \
	".name = 'emails_per_" period "'"
struct store_quota store_quota_read(struct db *db, const struct db_rows *rows, guint column);

/* Whether there is a quota for the hour or for the day. */
bool store_quota_is_set(const struct store_quota *quota);

/* The start of the hour or day of now, and the start of the next one; epoch ms. */
gint64 store_quota_start(enum store_quota_period period, gint64 now);
gint64 store_quota_end(enum store_quota_period period, gint64 now);

/* The number of recipients counted so far in the hour and the day of now. */
bool store_quota_used(struct db *db, const struct base_id *workspace, gint64 now,
    gint64 used_r[QUOTA_PERIODS], GError **error);

/* Inside a transaction, as its last statement: counts recipients, of one email or of many, in
   the hour and the day of now; does nothing where no quota is set. The workspace's other senders
   wait here. Deferred (db_defer); LIMITED, which fails the transaction, when there are too many. */
bool store_quota_add(struct db *db, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

/* Removes a batch of counters of periods that began before a time (epoch ms). */
bool store_quota_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
