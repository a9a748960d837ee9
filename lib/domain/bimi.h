/* SPDX-License-Identifier: MIT */
/* Brand indicators (BIMI): the logo that receivers show beside mail whose policy is strict. */
#ifndef DOMAIN_BIMI_H
#define DOMAIN_BIMI_H

#include <stdbool.h>

struct dns_question;
struct domain_dmarc_policy;

/* The name at which a domain's record stands: default._bimi.DOMAIN. The caller owns it. */
char *domain_bimi_name(const char *domain);

/* Whether the policy of a domain allows a logo: it is quarantine or reject, for all mail and all
   names below it, and not only tried out. */
bool domain_bimi_allows(const struct domain_dmarc_policy *policy);

/* The record in an answer; NULL: none. It lives as long as the question. */
const char *domain_bimi_record(const struct dns_question *answered);

/* The fault of an answer that has a record; NULL: it has none. */
const char *domain_bimi_fault(const struct dns_question *answered);

#endif
