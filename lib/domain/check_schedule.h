/* SPDX-License-Identifier: MIT */
/* The status of a sending domain after a check, and when the next one is due. */
#ifndef DOMAIN_CHECK_SCHEDULE_H
#define DOMAIN_CHECK_SCHEDULE_H

#include <glib.h>

struct store_domain;

/* The result of one check. */
enum domain_dns_result {
	DNS_RESULT_GOOD,    /* every required record is there */
	DNS_RESULT_BAD,	    /* DNS says that a required record is missing or wrong */
	DNS_RESULT_UNKNOWN, /* no record is known to be bad, but DNS did not answer for all */
};

/* A domain becomes FAILED so long after its registration, or after the first failed check that
   followed a success. */
#define DOMAIN_CHECK_PATIENCE_MS (72LL * 60 * 60 * 1000)

/* Sets the domain's status, and last_checked, last_success, failing_since, series and next_check of
   its check. A trusted domain keeps its status and gets no next check. now: epoch ms. random: 0
   to 1. Uses no clock. */
void domain_check_schedule_apply(
    struct store_domain *domain, enum domain_dns_result result, gint64 now, double random);

/* The time of the next check in a series that began at series: 1, 6 and 21 minutes later, then
   every hour for 72 hours, then every day. random (0 to 1) adds up to a tenth of the pause. Times
   are epoch ms. Uses no clock. */
gint64 domain_check_schedule_next(gint64 series, gint64 now, double random);

#endif
