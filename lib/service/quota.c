/* SPDX-License-Identifier: MIT */
/* Checks quotas, and makes the error of a quota that is reached. */
#include "service/quota.h"

#include "base/error.h"
#include "config/settings_table.h"
#include "service/service.h"
#include "store/workspace/quota.h"

static const struct {
	enum config_setting limit;
	const char *noun;
} periods[] = {
    [QUOTA_HOUR] = {SETTING_LIMITS_EMAILS_PER_HOUR, "hour"},
    [QUOTA_DAY] = {SETTING_LIMITS_EMAILS_PER_DAY, "day"},
};

static bool
quota_refuse(const struct store_quota *quota, const gint64 *used, enum store_quota_period period,
    gint64 now, GError **error)
{
	gint64 most = quota->most[period];
	const struct base_error_excess excess = {
	    .name = config_settings_describe(periods[period].limit)->key,
	    .most = most,
	    .left = MAX(most - used[period], 0),
	    .length_s = (store_quota_end(period, now) - store_quota_start(period, now)) / 1000,
	    .end = store_quota_end(period, now),
	};

	return base_exceed(error, &excess,
	    "Quota reached: at most %" G_GINT64_FORMAT " recipients per %s", most,
	    periods[period].noun);
}

/* The period whose quota the recipients exceed, the later end first; QUOTA_PERIODS when they fit.
 */
static enum store_quota_period
exceeded(const struct store_quota *quota, const gint64 *used, gint64 recipients)
{
	for (guint i = QUOTA_PERIODS; i-- > 0;)
		if (quota->most[i] > 0 && used[i] + recipients > quota->most[i])
			return i;
	return QUOTA_PERIODS;
}

bool
service_quota_check(struct service *service, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error)
{
	gint64 used[QUOTA_PERIODS];

	if (!store_quota_is_set(quota))
		return true;
	if (!store_quota_used(service->db, workspace, now, used, error))
		return false;
	enum store_quota_period period = exceeded(quota, used, recipients);
	return period == QUOTA_PERIODS || quota_refuse(quota, used, period, now, error);
}

bool
service_quota_refuse(struct service *service, const struct base_id *workspace,
    const struct store_quota *quota, gint64 recipients, gint64 now, GError **error)
{
	gint64 used[QUOTA_PERIODS];

	if (!store_quota_used(service->db, workspace, now, used, error))
		return false;
	enum store_quota_period period = exceeded(quota, used, recipients);
	/* The quota may be free again, since another transaction has failed meanwhile. */
	if (period == QUOTA_PERIODS)
		period = quota->most[QUOTA_HOUR] > 0 ? QUOTA_HOUR : QUOTA_DAY;
	return quota_refuse(quota, used, period, now, error);
}
