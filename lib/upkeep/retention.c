/* SPDX-License-Identifier: MIT */
/* Removes old rows in small batches, and marks domains that are warmed up. */
#include "upkeep/retention.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits/domain.h"
#include "base/limits/edit.h"
#include "base/limits/import.h"
#include "base/limits/person.h"
#include "base/limits/received.h"
#include "base/limits/report.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "delivery/bounce.h"
#include "service/service.h"
#include "store/automation/start.h"
#include "store/broadcast/segment.h"
#include "store/consent/confirmation.h"
#include "store/consent/form.h"
#include "store/consent/snooze.h"
#include "store/domain/key.h"
#include "store/feedback/provider.h"
#include "store/figure/figure.h"
#include "store/outbox/place.h"
#include "store/outbox/warmup.h"
#include "store/person/audience.h"
#include "store/person/import.h"
#include "store/domain/report.h"
#include "store/received/received.h"
#include "store/upkeep/erasure.h"
#include "store/upkeep/retention.h"
#include "store/webhook/retention.h"
#include "store/workspace/audit.h"
#include "store/workspace/note.h"
#include "store/workspace/quota.h"
#include "store/workspace/request_history.h"
#include "store/workspace/request_log.h"
#include "store/workspace/session.h"
#include "store/workspace/sign_in.h"
#include "store/workspace/workspace.h"

#define BATCH 50
#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define LOOK_AGAIN_MS ((gint64)10 * 60 * 1000)

bool
upkeep_retention_is_warmed_up(const struct store_warmup *warmup)
{
	return warmup->days >= WARMUP_DAYS && warmup->delivered >= WARMUP_DELIVERED &&
	       warmup->bounced * 100 <
		   WARMUP_BOUNCED_PERCENT * (warmup->delivered + warmup->bounced);
}

gint64
upkeep_retention_next_warmup(const struct store_warmup *warmup, gint64 now)
{
	/* Today may be the first of the missing days. */
	gint64 last = now / DAY_MS + WARMUP_DAYS - warmup->days - 1;

	return MAX(last * DAY_MS, now + LOOK_AGAIN_MS);
}

static bool
check_warmups(struct db *db, void *context, GError **error)
{
	gint64 now = base_clock_now();
	struct base_id domains[BATCH];
	struct store_warmup warmup;
	guint *count = context;

	if (!store_warmup_due(db, now, BATCH, domains, count, error))
		return false;
	for (guint i = 0; i < *count; i++) {
		if (!store_warmup_sum(db, &domains[i], now, &warmup, error))
			return false;
		if (!(upkeep_retention_is_warmed_up(&warmup)
			    ? store_warmup_finish(db, &domains[i], now, error)
			    : store_warmup_postpone(db, &domains[i],
				  upkeep_retention_next_warmup(&warmup, now), error)))
			return false;
	}
	return true;
}

bool
upkeep_retention_warmups(struct service *service, bool *more_r, GError **error)
{
	guint count = 0;

	if (!db_transact(service->db, check_warmups, &count, error))
		return false;
	*more_r = count == BATCH;
	return true;
}

/* Feedback that waits so long has no execution left to go to. */
#define FEEDBACK_MS ((gint64)60 * 1000)

/* Events that come later than this about a day are few. */
#define FOLD_MS DAY_MS

/* Mail of the service itself is kept for so long. */
#define SERVICE_MS (30 * DAY_MS)

/* Receivers may look up the public half of a retired key for so long. */
#define RETIRED_MS (7 * DAY_MS)

static bool
remove_kind(struct service *service,
    bool (*kind)(struct db *db, gint64 before, guint *count_r, GError **error), gint64 age,
    bool *more, GError **error)
{
	guint count = 0;

	if (age == 0)
		return true;
	if (!kind(service->db, base_clock_now() - age, &count, error))
		return false;
	*more = *more || count > 0;
	return true;
}

static gint64
days(const struct service *service, enum config_setting setting)
{
	return config_settings_number(service->settings, setting) * DAY_MS;
}

static bool
sweep_audiences(struct service *service, bool *more, GError **error)
{
	bool rest;

	if (!store_audience_sweep(service->db, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

static bool
sweep_erased(struct service *service, bool *more, GError **error)
{
	bool rest;

	if (!store_erasure_sweep(service->db, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

static bool
sweep_segments(struct service *service, bool *more, GError **error)
{
	bool rest;

	if (!store_segment_sweep(service->db, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

static bool
note_warm_domains(struct service *service, bool *more, GError **error)
{
	bool rest;

	if (!upkeep_retention_warmups(service, &rest, error))
		return false;
	*more = *more || rest;
	return true;
}

bool
upkeep_retention(struct service *service, bool *more_r, GError **error)
{
	*more_r = false;
	return sweep_audiences(service, more_r, error) &&
	       note_warm_domains(service, more_r, error) && sweep_erased(service, more_r, error) &&
	       sweep_segments(service, more_r, error) &&
	       remove_kind(service, store_retention_emails, days(service, SETTING_RETENTION_EMAILS),
		   more_r, error) &&
	       remove_kind(service, store_retention_service, SERVICE_MS, more_r, error) &&
	       remove_kind(service, store_retention_bodies, days(service, SETTING_RETENTION_BODIES),
		   more_r, error) &&
	       remove_kind(service, store_retention_events, days(service, SETTING_RETENTION_EVENTS),
		   more_r, error) &&
	       remove_kind(service, store_retention_automation_events,
		   days(service, SETTING_RETENTION_EVENTS), more_r, error) &&
	       remove_kind(service, store_retention_executions,
		   days(service, SETTING_RETENTION_EXECUTIONS), more_r, error) &&
	       remove_kind(service, store_start_sweep, days(service, SETTING_RETENTION_EXECUTIONS),
		   more_r, error) &&
	       remove_kind(service, store_retention_feedback, FEEDBACK_MS, more_r, error) &&
	       remove_kind(service, store_confirmation_sweep,
		   days(service, SETTING_RETENTION_PENDING), more_r, error) &&
	       remove_kind(service, store_snooze_sweep, DAY_MS, more_r, error) &&
	       remove_kind(service, store_form_sweep, 2 * LIMIT_FORM_HOUR_MS, more_r, error) &&
	       remove_kind(service, store_received_sweep, days(service, SETTING_RETENTION_RECEIVED),
		   more_r, error) &&
	       remove_kind(service, store_domain_report_sweep,
		   days(service, SETTING_RETENTION_DMARC_REPORTS), more_r, error) &&
	       remove_kind(
		   service, store_received_sweep_known, LIMIT_RECEIVED_KNOWN_MS, more_r, error) &&
	       remove_kind(service, store_place_sweep, 1, more_r, error) &&
	       remove_kind(service, store_retention_hearsay, HEARSAY_MS, more_r, error) &&
	       remove_kind(
		   service, store_retention_idempotency, LIMIT_IDEMPOTENCY_MS, more_r, error) &&
	       remove_kind(service, store_provider_sweep, LIMIT_PROVIDER_EVENT_MS, more_r, error) &&
	       remove_kind(service, store_request_log_sweep, LIMIT_LOG_MS, more_r, error) &&
	       remove_kind(
		   service, store_contact_import_sweep, LIMIT_IMPORT_KEPT_MS, more_r, error) &&
	       remove_kind(service, store_request_history_sweep, LIMIT_CALLS_MS, more_r, error) &&
	       remove_kind(service, store_audit_sweep, days(service, SETTING_RETENTION_AUDIT),
		   more_r, error) &&
	       remove_kind(service, store_note_sweep, LIMIT_NOTE_MS, more_r, error) &&
	       remove_kind(
		   service, store_workspace_sweep_names, LIMIT_WORKSPACE_NAME_MS, more_r, error) &&
	       remove_kind(service, store_session_sweep, 1, more_r, error) &&
	       remove_kind(service, store_sign_in_sweep, DAY_MS, more_r, error) &&
	       remove_kind(
		   service, store_sign_in_sweep_attempts, STORE_SIGN_IN_HOUR_MS, more_r, error) &&
	       remove_kind(service, store_figure_fold, FOLD_MS, more_r, error) &&
	       remove_kind(service, store_quota_sweep, 2 * DAY_MS, more_r, error) &&
	       remove_kind(service, store_webhook_remove_done, days(service, SETTING_WEBHOOKS_KEEP),
		   more_r, error) &&
	       remove_kind(service, store_webhook_remove_events,
		   days(service, SETTING_WEBHOOKS_KEEP), more_r, error) &&
	       remove_kind(service, store_webhook_remove_orphans, 1, more_r, error) &&
	       remove_kind(service, store_domain_key_remove_retired, RETIRED_MS, more_r, error);
}
