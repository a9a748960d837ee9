/* SPDX-License-Identifier: MIT */
/* Checks the quotas of a workspace. */
#ifndef SERVICE_QUOTA_H
#define SERVICE_QUOTA_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct base_id;
struct store_quota;

/* Checks, before anything is written, whether so many recipients fit into the quotas of the hour
   and day of now (epoch ms). No statement runs if no quota is set. LIMITED "Quota reached: at most
   100 recipients per hour" when they do not fit, and the error carries the quota
   (base_error_excess); errors of db/statement.h. Two requests may pass this check at the same time:
   store_quota_add, in the transaction that stores the emails, holds the limit. */
bool service_quota_check(struct service *service, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

/* Sets the same LIMITED error after store_quota_add has made a transaction fail.
   Always false. Errors of db/statement.h. */
bool service_quota_refuse(struct service *service, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error);

#endif
