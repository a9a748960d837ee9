/* SPDX-License-Identifier: MIT */
/* The answers of DNS for a sending domain, and what they say of its records. domain/dns_check.c
   asks. */
#ifndef DOMAIN_DNS_JUDGE_H
#define DOMAIN_DNS_JUDGE_H

#include <glib.h>
#include <stdbool.h>

#include "domain/check_schedule.h"
#include "domain/spf.h"
#include "domain/zone.h"

struct dns_question;
struct store_domain;

/* One check of a domain. */
struct domain_dns_check {
	struct store_domain *domain;
	enum domain_dns_result result;
	const char *name;	   /* the domain's */
	GPtrArray *records;	   /* of struct domain_zone_record */
	GPtrArray *questions;	   /* of struct dns_question: one for each record */
	struct dns_question *zone; /* for its SOA */
	GPtrArray *tree;	   /* of struct dns_question: domain/dmarc.h */
	GPtrArray *tracking; /* the same of domain/tracking.h; NULL: it has no tracking host */
	GError *unreached;   /* why its tracking host was not reached; NULL: it was */
	GThread *asking;     /* asks it; NULL: nobody does */
	struct domain_spf_lookups *lookups; /* that its SPF record needs */
	bool has_spf;			    /* spf is known: it has one SPF record */
	enum domain_spf_state spf;
	const char *spf_fault; /* why it fails; NULL otherwise */
};

/* Once the questions have their outcomes: sets each record's state (a record without an answer
   keeps its last state), the keys that DNS shows, and error, findings and SOA of the domain's
   check. If DNS shows a new RSA key, the new keys become active and the active ones retire. now:
   epoch ms. Returns the result. */
enum domain_dns_result domain_dns_judge(struct domain_dns_check *dns, gint64 now);

/* Sets one record's state from the answer. If there is no answer (ZONE_UNKNOWN), the record stays
   as it is. Returns the state. */
enum domain_zone_state domain_dns_judge_match(const struct domain_dns_check *dns,
    struct domain_zone_record *record, const struct dns_question *question);

/* Whether DNS has not answered for a parent of name that may have a record of its own. tree: as of
   domain/dmarc.h. */
bool domain_dns_judge_is_unsure(const char *name, const GPtrArray *tree);

#endif
