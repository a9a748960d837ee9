/* SPDX-License-Identifier: MIT */
/* Sets a sending domain's status by the result of a check, and the time of the next one. */
#include "domain/check_schedule.h"

#include <stdbool.h>

#include "store/domain/domain.h"

#define MINUTE_MS ((gint64)60 * 1000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define JITTER 0.1

static gint64
delayed(gint64 at, gint64 pause, double random)
{
	return at + (gint64)((double)pause * JITTER * random);
}

gint64
domain_check_schedule_next(gint64 series, gint64 now, double random)
{
	static const gint64 pauses[] = {MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS};
	gint64 at = series;

	for (guint i = 0; i < G_N_ELEMENTS(pauses); i++) {
		at += pauses[i];
		if (at > now)
			return delayed(at, pauses[i], random);
	}
	if (now - series >= DOMAIN_CHECK_PATIENCE_MS)
		return delayed(now + DAY_MS, DAY_MS, random);
	return delayed(at + ((now - at) / HOUR_MS + 1) * HOUR_MS, HOUR_MS, random);
}

static enum store_domain_status
status_when_bad(const struct store_domain *domain, gint64 now)
{
	switch (domain->status) {
	case DOMAIN_NOT_STARTED:
	case DOMAIN_PENDING:
		return now - domain->created < DOMAIN_CHECK_PATIENCE_MS ? DOMAIN_PENDING
									: DOMAIN_FAILED;
	case DOMAIN_SUCCESS:
		return DOMAIN_TEMPORARY_FAILURE;
	case DOMAIN_TEMPORARY_FAILURE:
		return now - domain->check.failing_since < DOMAIN_CHECK_PATIENCE_MS
			   ? DOMAIN_TEMPORARY_FAILURE
			   : DOMAIN_FAILED;
	case DOMAIN_FAILED:
		break;
	}
	return DOMAIN_FAILED;
}

void
domain_check_schedule_apply(
    struct store_domain *domain, enum domain_dns_result result, gint64 now, double random)
{
	struct store_domain_check *check = &domain->check;

	check->last_checked = now;
	if (result == DNS_RESULT_GOOD) {
		check->last_success = now;
		check->failing_since = 0;
		if (!domain->trusted)
			domain->status = DOMAIN_SUCCESS;
	} else if (result == DNS_RESULT_BAD && !domain->trusted) {
		if (domain->status == DOMAIN_SUCCESS)
			check->series = check->failing_since = now;
		domain->status = status_when_bad(domain, now);
	}
	/* A tracking host is asked every day, for a domain whose records nobody looks at, too. */
	check->next_check = !domain->trusted
				? domain_check_schedule_next(check->series, now, random)
			    : domain->tracking_host ? delayed(now + DAY_MS, DAY_MS, random)
						    : 0;
	/* One that is not reached yet may be in a moment, with its certificate. */
	if (domain->tracking_host && !domain->tracking_used)
		check->next_check = MIN(check->next_check,
		    delayed(now + (check->tracking_found ? 10 * MINUTE_MS : HOUR_MS), MINUTE_MS,
			random));
}
