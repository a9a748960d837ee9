/* SPDX-License-Identifier: MIT */
/* What is old enough goes, and what is left of audiences that were deleted, in small batches; and
 * domains that have grown old enough are noted. */
#include "core/tidy.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/bounce.h"
#include "core/core.h"
#include "core/warmup.h"
#include "store/audience.h"
#include "store/domain_key.h"
#include "store/erasure.h"
#include "store/quota.h"
#include "store/retention.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)

/* What is queued is taken in sooner, unless there is nobody to take it in for. */
#define FEEDBACK_MS ((gint64)60 * 1000)

/* For so long the public half of a key that signs no more is still looked for by receivers. */
#define RETIRED_MS (7 * DAY_MS)

static bool
remove_kind(struct core *core,
    bool (*kind)(struct db *db, gint64 before, guint *count_r, GError **error), gint64 age,
    bool *more, GError **error)
{
	guint count = 0;

	if (age == 0)
		return true;
	if (!kind(core->db, base_clock_now() - age, &count, error))
		return false;
	*more = *more || count > 0;
	return true;
}

static gint64
days(const struct core *core, enum base_setting setting)
{
	return base_settings_number(core->settings, setting) * DAY_MS;
}

static bool
sweep_audiences(struct core *core, bool *more, GError **error)
{
	bool rest;

	if (!store_audience_sweep(core->db, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

static bool
sweep_erased(struct core *core, bool *more, GError **error)
{
	bool rest;

	if (!store_erasure_sweep(core->db, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

static bool
note_warm_domains(struct core *core, bool *more, GError **error)
{
	bool rest;

	if (!core_warmup_due(core, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

bool
core_tidy(struct core *core, bool *more_r, GError **error)
{
	*more_r = false;
	return sweep_audiences(core, more_r, error) && note_warm_domains(core, more_r, error) &&
	       sweep_erased(core, more_r, error) &&
	       remove_kind(core, store_retention_emails, days(core, SETTING_RETENTION_EMAILS),
		   more_r, error) &&
	       remove_kind(core, store_retention_bodies, days(core, SETTING_RETENTION_BODIES),
		   more_r, error) &&
	       remove_kind(core, store_retention_events, days(core, SETTING_RETENTION_EVENTS),
		   more_r, error) &&
	       remove_kind(core, store_retention_automation_events,
		   days(core, SETTING_RETENTION_EVENTS), more_r, error) &&
	       remove_kind(core, store_retention_executions,
		   days(core, SETTING_RETENTION_EXECUTIONS), more_r, error) &&
	       remove_kind(core, store_retention_feedback, FEEDBACK_MS, more_r, error) &&
	       remove_kind(core, store_retention_hearsay, HEARSAY_MS, more_r, error) &&
	       remove_kind(
		   core, store_retention_idempotency, LIMIT_IDEMPOTENCY_MS, more_r, error) &&
	       remove_kind(core, store_quota_sweep, 2 * DAY_MS, more_r, error) &&
	       remove_kind(core, store_domain_key_remove_retired, RETIRED_MS, more_r, error);
}
