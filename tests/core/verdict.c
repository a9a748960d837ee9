/* SPDX-License-Identifier: MIT */
#include "core/verdict.h"

#include <criterion/criterion.h>

#include "store/domain.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* A domain as it was before a check, and after it. Times count from its creation. */
static const struct status_case {
	const char *name;
	enum store_domain_status status;
	gint64 failing_since;
	gint64 now;
	enum core_dns_verdict verdict;
	enum store_domain_status want;
	gint64 want_failing_since;
	gint64 want_series;
} cases[] = {
    {"a new one is right", DOMAIN_NOT_STARTED, 0, MINUTE, VERDICT_GOOD, DOMAIN_SUCCESS, 0, 0},
    {"a new one is not right", DOMAIN_NOT_STARTED, 0, MINUTE, VERDICT_BAD, DOMAIN_PENDING, 0, 0},
    {"a new one cannot be asked for", DOMAIN_NOT_STARTED, 0, MINUTE, VERDICT_UNKNOWN,
	DOMAIN_NOT_STARTED, 0, 0},
    {"a pending one gets right", DOMAIN_PENDING, 0, HOUR, VERDICT_GOOD, DOMAIN_SUCCESS, 0, 0},
    {"a pending one is not right yet", DOMAIN_PENDING, 0, 72 * HOUR - 1, VERDICT_BAD,
	DOMAIN_PENDING, 0, 0},
    {"a pending one is not right after 72 hours", DOMAIN_PENDING, 0, 72 * HOUR, VERDICT_BAD,
	DOMAIN_FAILED, 0, 0},
    {"a pending one gets right after 72 hours", DOMAIN_PENDING, 0, 72 * HOUR, VERDICT_GOOD,
	DOMAIN_SUCCESS, 0, 0},
    {"a pending one cannot be asked for after 72 hours", DOMAIN_PENDING, 0, 73 * HOUR,
	VERDICT_UNKNOWN, DOMAIN_PENDING, 0, 0},
    {"a good one is still right", DOMAIN_SUCCESS, 0, 5 * DAY, VERDICT_GOOD, DOMAIN_SUCCESS, 0, 0},
    {"a good one is not right any more", DOMAIN_SUCCESS, 0, 5 * DAY, VERDICT_BAD,
	DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 5 * DAY},
    {"a good one cannot be asked for", DOMAIN_SUCCESS, 0, 5 * DAY, VERDICT_UNKNOWN, DOMAIN_SUCCESS,
	0, 0},
    {"a failing one is right again", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 6 * DAY, VERDICT_GOOD,
	DOMAIN_SUCCESS, 0, 0},
    {"a failing one is not right yet", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 8 * DAY - 1, VERDICT_BAD,
	DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 0},
    {"a failing one is not right after 72 hours", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 8 * DAY,
	VERDICT_BAD, DOMAIN_FAILED, 5 * DAY, 0},
    {"a failing one cannot be asked for after 72 hours", DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 9 * DAY,
	VERDICT_UNKNOWN, DOMAIN_TEMPORARY_FAILURE, 5 * DAY, 0},
    {"a failed one is right after all", DOMAIN_FAILED, 5 * DAY, 20 * DAY, VERDICT_GOOD,
	DOMAIN_SUCCESS, 0, 0},
    {"a failed one is not", DOMAIN_FAILED, 0, 20 * DAY, VERDICT_BAD, DOMAIN_FAILED, 0, 0},
    {"a failed one cannot be asked for", DOMAIN_FAILED, 0, 20 * DAY, VERDICT_UNKNOWN, DOMAIN_FAILED,
	0, 0},
};

#define CREATED (1000 * DAY)

static gint64
since(gint64 time)
{
	return time ? time - CREATED : 0;
}

Test(verdict, changes_the_status)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct status_case *c = &cases[i];
		gint64 now = CREATED + c->now;
		struct store_domain domain = {.created = CREATED, .status = c->status};

		domain.check.series = CREATED;
		domain.check.last_success = 1;
		domain.check.failing_since = c->failing_since ? CREATED + c->failing_since : 0;
		core_verdict_apply(&domain, c->verdict, now, 0);
		cr_expect_eq(domain.status, c->want, "%s: got %s, want %s", c->name,
		    store_domain_status_name(domain.status), store_domain_status_name(c->want));
		cr_expect_eq(since(domain.check.failing_since), c->want_failing_since,
		    "%s: failing since %d s", c->name,
		    (int)(since(domain.check.failing_since) / 1000));
		cr_expect_eq(since(domain.check.series), c->want_series, "%s: series from %d s",
		    c->name, (int)(since(domain.check.series) / 1000));
		cr_expect_eq(domain.check.last_checked, now, "%s", c->name);
		cr_expect_eq(
		    domain.check.last_success, c->verdict == VERDICT_GOOD ? now : 1, "%s", c->name);
		cr_expect_eq(domain.check.next_check,
		    core_verdict_next(domain.check.series, now, 0), "%s", c->name);
	}
}

Test(verdict, leaves_a_trusted_domain_alone)
{
	static const enum core_dns_verdict verdicts[] = {
	    VERDICT_GOOD, VERDICT_BAD, VERDICT_UNKNOWN};

	for (gsize i = 0; i < G_N_ELEMENTS(verdicts); i++) {
		struct store_domain domain = {
		    .created = CREATED, .status = DOMAIN_SUCCESS, .trusted = true};

		core_verdict_apply(&domain, verdicts[i], CREATED + HOUR, 0);
		cr_expect_eq(domain.status, DOMAIN_SUCCESS);
		cr_expect_eq(domain.check.next_check, 0);
		cr_expect_eq(domain.check.last_checked, CREATED + HOUR);
	}
}

/* Minutes from the begin of a series: now, the next check, and the longest pause that is added. */
static const struct next_case {
	gint64 now, want;
	double want_most;
} next_cases[] = {
    {0, 1, 0.1},
    {1, 6, 0.5},
    {5, 6, 0.5},
    {6, 21, 1.5},
    {7, 21, 1.5},
    {21, 81, 6},
    {22, 81, 6},
    {81, 141, 6},
    {300, 321, 6},
    {72 * 60 - 1, 72 * 60 + 21, 6},
    {72 * 60, 96 * 60, 144},
    {90 * 24 * 60, 91 * 24 * 60, 144},
};

Test(verdict, spaces_the_checks)
{
	for (gsize i = 0; i < G_N_ELEMENTS(next_cases); i++) {
		const struct next_case *c = &next_cases[i];
		gint64 now = CREATED + c->now * MINUTE;
		gint64 least = core_verdict_next(CREATED, now, 0) - CREATED;
		gint64 most = core_verdict_next(CREATED, now, 1) - CREATED;

		cr_expect_eq(least, c->want * MINUTE, "at %d min: got %.1f, want %d", (int)c->now,
		    (double)least / MINUTE, (int)c->want);
		cr_expect_eq(most - least, (gint64)(c->want_most * MINUTE),
		    "at %d min: added %.1f, want %.1f", (int)c->now,
		    (double)(most - least) / MINUTE, c->want_most);
	}
}

/* All checks of a domain's first 80 hours, each made when it is due. */
Test(verdict, checks_seldom_enough)
{
	guint count = 0;

	for (gint64 at = CREATED; at < CREATED + 80 * HOUR; count++)
		at = core_verdict_next(CREATED, at, 0.5);
	cr_expect(count >= 74 && count <= 76, "%u checks", count);
}
