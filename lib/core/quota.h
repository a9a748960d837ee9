/* SPDX-License-Identifier: MIT */
/* Checks the quotas of a workspace. */
#ifndef CORE_QUOTA_H
#define CORE_QUOTA_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct base_id;
struct store_quota;

/* Checks, before anything is written, whether so many recipients fit into the quotas of the hour
   and day of now (epoch ms). No statement runs if no quota is set. LIMITED "Quota reached: at most
   100 recipients per hour" when they do not fit, with core->excess set; errors of db/statement.h.
   Two requests may pass this check at the same time: store_quota_add, in the transaction that
   stores the emails, holds the limit. */
bool core_quota_check(struct core *core, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

/* Sets the LIMITED error and core->excess after store_quota_add has made a transaction fail. Always
   false. Errors of db/statement.h. */
bool core_quota_refuse(struct core *core, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

#endif
