/* SPDX-License-Identifier: MIT */
/* One look at what DNS shows of a domain: questions, and what the answers make of it. Pure: it asks
   nobody, and has no clock. */
#ifndef CORE_DNS_CHECK_H
#define CORE_DNS_CHECK_H

#include <glib.h>

#include "base/scope.h"
#include "core/verdict.h"

struct store_domain;
struct base_settings;

struct core_dns_check {
	struct store_domain *domain;
	GPtrArray *records; /* of struct core_zone_record */
	GPtrArray
	    *questions; /* of struct dns_question: one for each record, then what else is asked */
};

/* What has to be asked of a domain that has been read whole. The look owns the domain; the caller
   frees it. */
struct core_dns_check *core_dns_new(
    struct store_domain *domain, const struct base_settings *settings);
void core_dns_free(struct core_dns_check *look);
DEFINE_AUTO(core_dns_check, core_dns_free)

/* After the questions have their outcomes: sets each record's state (one that DNS did not answer
   for keeps what was known), the keys that DNS shows, in the domain's check error, findings and
   SOA. Where it shows a new RSA key, the new keys become active and those before retire, at now. */
enum core_dns_verdict core_dns_judge(struct core_dns_check *look, gint64 now);

#endif
