/* SPDX-License-Identifier: MIT */
/* Compares the answers of DNS with the records that a sending domain needs. */
#include "domain/dns_judge.h"

#include <string.h>

#include "dns/question.h"
#include "domain/dmarc.h"
#include "domain/tracking.h"
#include "domain/zone_match.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"

/* Whether the record was last seen with the text that DNS has now. */
static bool
is_as_before(const struct domain_zone_record *record, const char *found)
{
	return record->state != ZONE_UNKNOWN && g_strcmp0(record->found, found) == 0;
}

/* The state of an SPF record that is right by itself, from the records that it includes. While DNS
   has not answered for all of these, the same text keeps its state. */
static enum domain_zone_state
judge_spf(const struct domain_dns_check *dns, const struct domain_zone_record *record,
    enum domain_zone_state state, const char *found)
{
	bool is_sure = dns->spf == SPF_PASSES || dns->spf == SPF_FAILS;

	if (!dns->has_spf)
		return state;
	if (!is_sure && is_as_before(record, found))
		return record->state;
	return dns->spf == SPF_FAILS	 ? ZONE_WRONG
	       : dns->spf == SPF_UNKNOWN ? ZONE_UNKNOWN
					 : ZONE_FOUND;
}

static bool
dns_judge_is_within(const char *name, const char *zone)
{
	gsize size = strlen(name), behind = strlen(zone);

	return size >= behind && g_ascii_strcasecmp(name + size - behind, zone) == 0 &&
	       (size == behind || name[size - behind - 1] == '.');
}

bool
domain_dns_judge_is_unsure(const char *name, const GPtrArray *tree)
{
	const char *apex = domain_zone_apex(name);

	for (guint i = 1; i < tree->len; i++) {
		const struct dns_question *question = tree->pdata[i];

		if (question->outcome == DNS_NO_ANSWER && dns_judge_is_within(question->name, apex))
			return true;
	}
	return false;
}

/* The state of a DMARC record that is missing: the policy of the organizational domain also holds
   below it (RFC 9989 section 4.10.1). */
static enum domain_zone_state
find_inherited(const struct domain_dns_check *dns, char **found_r)
{
	const char *policy = domain_dmarc_inherited(dns->name, dns->tree);

	if (!policy)
		return domain_dns_judge_is_unsure(dns->name, dns->tree) ? ZONE_UNKNOWN
									: ZONE_MISSING;
	g_free(*found_r);
	*found_r = g_strdup(policy);
	return ZONE_FOUND;
}

/* The state of a DMARC record: one that is missing may be inherited. Two records are none (RFC 9989
   section 4.7), and wrong where there is nothing to inherit. */
static enum domain_zone_state
dns_judge_inherit(const struct domain_dns_check *dns, const struct dns_question *question,
    enum domain_zone_state state, char **found_r)
{
	if (state == ZONE_MISSING)
		return find_inherited(dns, found_r);
	if (state == ZONE_WRONG && domain_dmarc_count(question) > 1 &&
	    domain_dmarc_inherited(dns->name, dns->tree))
		return find_inherited(dns, found_r);
	return state;
}

enum domain_zone_state
domain_dns_judge_match(const struct domain_dns_check *dns, struct domain_zone_record *record,
    const struct dns_question *question)
{
	g_autofree char *found = NULL;
	enum domain_zone_state state =
	    record->purpose == ZONE_TRACKING
		? domain_tracking_match(record, question, dns->tracking, &found)
		: domain_zone_match(record, question, &found);

	if (record->purpose == ZONE_SPF)
		state = judge_spf(dns, record, state, found);
	else if (record->purpose == ZONE_DMARC)
		state = dns_judge_inherit(dns, question, state, &found);
	if (state != ZONE_UNKNOWN) {
		record->state = state;
		g_free(record->found);
		record->found = g_steal_pointer(&found);
	}
	return state;
}

/* Notes whether DNS shows the record's key. */
static void
see_key(struct domain_dns_check *dns, const struct domain_zone_record *record,
    enum domain_zone_state now)
{
	for (guint i = 0; i < dns->domain->keys->len; i++) {
		struct store_domain_key *key = dns->domain->keys->pdata[i];

		if (key == record->key && now != ZONE_UNKNOWN)
			key->seen = now == ZONE_FOUND;
	}
}

static bool
shows_new_key(const struct domain_dns_check *dns)
{
	for (guint i = 0; i < dns->domain->keys->len; i++) {
		const struct store_domain_key *key = dns->domain->keys->pdata[i];

		if (key->state == DOMAIN_KEY_PENDING && key->algorithm == DOMAIN_KEY_RSA &&
		    key->seen)
			return true;
	}
	return false;
}

static void
move_over(struct domain_dns_check *dns, gint64 now)
{
	for (guint i = 0; i < dns->domain->keys->len; i++) {
		struct store_domain_key *key = dns->domain->keys->pdata[i];

		if (key->state == DOMAIN_KEY_ACTIVE) {
			key->state = DOMAIN_KEY_RETIRING;
			key->retired_at = now;
		} else if (key->state == DOMAIN_KEY_PENDING) {
			key->state = DOMAIN_KEY_ACTIVE;
		}
	}
	for (guint i = 0; i < dns->records->len; i++)
		domain_zone_set_required(dns->records->pdata[i]);
}

static enum store_domain_error
error_of(enum domain_zone_state state, const struct dns_question *question)
{
	if (state == ZONE_UNKNOWN)
		return DOMAIN_DNS_SERVER_ERROR;
	if (state == ZONE_WRONG)
		return DOMAIN_INVALID_VALUE;
	return question->outcome == DNS_NO_NAME ? DOMAIN_HOST_NOT_FOUND : DOMAIN_TYPE_NOT_FOUND;
}

/* The result of the check and its error, from the states that DNS has given now. */
static enum domain_dns_result
dns_judge_decide(struct domain_dns_check *dns, const enum domain_zone_state *states)
{
	enum domain_dns_result result = DNS_RESULT_GOOD;

	dns->domain->check.error = DOMAIN_ERROR_NONE;
	for (guint i = 0; i < dns->records->len; i++) {
		const struct domain_zone_record *record = dns->records->pdata[i];

		if (!record->required || states[i] == ZONE_FOUND)
			continue;
		if (dns->domain->check.error == DOMAIN_ERROR_NONE)
			dns->domain->check.error = error_of(states[i], dns->questions->pdata[i]);
		if (states[i] != ZONE_UNKNOWN)
			result = DNS_RESULT_BAD;
		else if (result == DNS_RESULT_GOOD)
			result = DNS_RESULT_UNKNOWN;
	}
	return result;
}

/* Stores the SOA of the domain's zone. For a domain that does not exist DNS gives the SOA of the
   public suffix above it, which is ignored. */
static void
see_zone(struct domain_dns_check *dns)
{
	const struct dns_question *question = dns->zone;
	const char *name = dns->domain->name;
	struct store_domain_check *check = &dns->domain->check;

	if (question->outcome == DNS_NO_ANSWER)
		return;
	g_clear_pointer(&check->soa_primary, g_free);
	g_clear_pointer(&check->soa_admin, g_free);
	if (question->outcome != DNS_FOUND)
		return;
	const struct dns_answer *answer = question->answers->pdata[0];
	if (!dns_judge_is_within(name, answer->zone) ||
	    !dns_judge_is_within(answer->zone, domain_zone_apex(name)))
		return;
	check->soa_primary = g_strdup(answer->text);
	check->soa_admin = g_strdup(answer->admin);
	check->soa_serial = answer->number;
}

enum domain_dns_result
domain_dns_judge(struct domain_dns_check *dns, gint64 now)
{
	g_autofree enum domain_zone_state *states =
	    g_new(enum domain_zone_state, dns->records->len);

	for (guint i = 0; i < dns->records->len; i++) {
		struct domain_zone_record *record = dns->records->pdata[i];

		states[i] = domain_dns_judge_match(dns, record, dns->questions->pdata[i]);
		see_key(dns, record, states[i]);
	}
	if (shows_new_key(dns))
		move_over(dns, now);
	see_zone(dns);
	g_free(dns->domain->check.findings);
	dns->domain->check.findings = domain_zone_findings(dns->records);
	return dns_judge_decide(dns, states);
}
