/* SPDX-License-Identifier: MIT */
/* Whether emails fit into what a workspace's quotas leave. */
#ifndef CORE_QUOTA_H
#define CORE_QUOTA_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct base_id;
struct store_quota;

/* Looks, before anything is written, whether so many recipients fit into the hour and the day of
   now; without a quota, nothing is asked. LIMITED "Quota reached: at most 100 recipients per hour"
   when they do not; core->excess is set then. Only store_quota_add, in the transaction that stores
   the emails, makes sure. */
bool core_quota_check(struct core *core, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

/* After store_quota_add has made a transaction fail: sets that error, and core->excess. */
bool core_quota_refuse(struct core *core, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

#endif
