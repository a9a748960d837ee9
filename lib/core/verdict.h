/* SPDX-License-Identifier: MIT */
/* What a check of a domain means for its status, and when the next one is due. Pure: no clock. */
#ifndef CORE_VERDICT_H
#define CORE_VERDICT_H

#include <glib.h>

struct store_domain;

enum core_dns_verdict {
	VERDICT_GOOD,	 /* every required record is there */
	VERDICT_BAD,	 /* DNS says that one is not */
	VERDICT_UNKNOWN, /* DNS says nothing against it, but does not tell of all */
};

/* The time from registration, or from the first failure after a success, until FAILED. */
#define VERDICT_PATIENCE_MS (72LL * 60 * 60 * 1000)

/* Sets the status, and in check last_checked, last_success, failing_since, series and next_check.
   A trusted domain keeps its status and gets no next check. random is from 0 to 1. */
void core_verdict_apply(
    struct store_domain *domain, enum core_dns_verdict verdict, gint64 now, double random);

/* The next check of a series that began at a time: 1, 6 and 21 minutes later, then each hour until
   72 hours are over, then each day. Up to a tenth of the pause is added, by random. */
gint64 core_verdict_next(gint64 series, gint64 now, double random);

#endif
