/* SPDX-License-Identifier: MIT */
/* One look at what DNS shows of a domain. */
#include "core/dns_check.h"

#include <string.h>

#include "core/zone.h"
#include "core/zone_match.h"
#include "dns/question.h"
#include "store/domain.h"
#include "store/domain_key.h"

/* Behind the questions of the records. */
enum { QUESTION_ZONE, QUESTION_POLICY };

static struct dns_question *
other_question(const struct core_dns_check *look, guint which)
{
	guint at = look->records->len + which;

	return at < look->questions->len ? look->questions->pdata[at] : NULL;
}

static void
free_question(void *question)
{
	dns_question_free(question);
}

struct core_dns_check *
core_dns_new(struct store_domain *domain, const struct base_settings *settings)
{
	struct core_dns_check *look = g_new0(struct core_dns_check, 1);
	const char *apex = core_zone_apex(domain->name);

	look->domain = domain;
	look->records = core_zone_records(domain, settings);
	look->questions = g_ptr_array_new_with_free_func(free_question);
	for (guint i = 0; i < look->records->len; i++) {
		const struct core_zone_record *record = look->records->pdata[i];

		g_ptr_array_add(look->questions,
		    dns_question_new(record->name, record->purpose == ZONE_MX ? DNS_MX : DNS_TXT));
	}
	g_ptr_array_add(look->questions, dns_question_new(domain->name, DNS_SOA));
	if (strcmp(apex, domain->name) != 0) {
		g_autofree char *policy = g_strconcat("_dmarc.", apex, NULL);
		g_ptr_array_add(look->questions, dns_question_new(policy, DNS_TXT));
	}
	return look;
}

void
core_dns_free(struct core_dns_check *look)
{
	g_ptr_array_unref(look->records);
	g_ptr_array_unref(look->questions);
	store_domain_free(look->domain);
	g_free(look);
}

/* What DNS tells now; ZONE_UNKNOWN leaves the record as it is. */
static enum core_zone_state
match(struct core_zone_record *record, const struct dns_question *question)
{
	g_autofree char *found = NULL;
	enum core_zone_state state = core_zone_match(record, question, &found);

	if (state != ZONE_UNKNOWN) {
		record->state = state;
		g_free(record->found);
		record->found = g_steal_pointer(&found);
	}
	return state;
}

/* A policy of the organizational domain is one for those below it (RFC 7489 section 6.6.3). */
static void
match_inherited(const struct core_dns_check *look, struct core_zone_record *record)
{
	const struct dns_question *question = other_question(look, QUESTION_POLICY);
	g_autofree char *found = NULL;

	if (record->purpose == ZONE_DMARC && record->state == ZONE_MISSING && question &&
	    core_zone_match(record, question, &found) == ZONE_FOUND) {
		record->state = ZONE_FOUND;
		g_free(record->found);
		record->found = g_steal_pointer(&found);
	}
}

/* Notes which keys DNS shows. */
static void
see_key(
    struct core_dns_check *look, const struct core_zone_record *record, enum core_zone_state now)
{
	for (guint i = 0; i < look->domain->keys->len; i++) {
		struct store_domain_key *key = look->domain->keys->pdata[i];

		if (key == record->key && now != ZONE_UNKNOWN)
			key->seen = now == ZONE_FOUND;
	}
}

static bool
shows_new_key(const struct core_dns_check *look)
{
	for (guint i = 0; i < look->domain->keys->len; i++) {
		const struct store_domain_key *key = look->domain->keys->pdata[i];

		if (key->state == DOMAIN_KEY_PENDING && key->algorithm == DOMAIN_KEY_RSA &&
		    key->seen)
			return true;
	}
	return false;
}

static void
move_over(struct core_dns_check *look, gint64 now)
{
	for (guint i = 0; i < look->domain->keys->len; i++) {
		struct store_domain_key *key = look->domain->keys->pdata[i];

		if (key->state == DOMAIN_KEY_ACTIVE) {
			key->state = DOMAIN_KEY_RETIRING;
			key->retired_at = now;
		} else if (key->state == DOMAIN_KEY_PENDING) {
			key->state = DOMAIN_KEY_ACTIVE;
		}
	}
	for (guint i = 0; i < look->records->len; i++)
		core_zone_set_required(look->records->pdata[i]);
}

static enum store_domain_error
error_of(enum core_zone_state state, const struct dns_question *question)
{
	if (state == ZONE_UNKNOWN)
		return DOMAIN_DNS_SERVER_ERROR;
	if (state == ZONE_WRONG)
		return DOMAIN_INVALID_VALUE;
	return question->outcome == DNS_NO_NAME ? DOMAIN_HOST_NOT_FOUND : DOMAIN_TYPE_NOT_FOUND;
}

/* states: of the records, as DNS tells now. */
static enum core_dns_verdict
decide(struct core_dns_check *look, const enum core_zone_state *states)
{
	enum core_dns_verdict verdict = VERDICT_GOOD;

	look->domain->check.error = DOMAIN_ERROR_NONE;
	for (guint i = 0; i < look->records->len; i++) {
		const struct core_zone_record *record = look->records->pdata[i];

		if (!record->required || states[i] == ZONE_FOUND)
			continue;
		if (look->domain->check.error == DOMAIN_ERROR_NONE)
			look->domain->check.error = error_of(states[i], look->questions->pdata[i]);
		if (states[i] != ZONE_UNKNOWN)
			verdict = VERDICT_BAD;
		else if (verdict == VERDICT_GOOD)
			verdict = VERDICT_UNKNOWN;
	}
	return verdict;
}

static bool
is_within(const char *name, const char *zone)
{
	gsize size = strlen(name), behind = strlen(zone);

	return size >= behind && g_ascii_strcasecmp(name + size - behind, zone) == 0 &&
	       (size == behind || name[size - behind - 1] == '.');
}

/* The SOA of the zone that the domain lies in; not that of a public suffix, which is what there is
   above a domain that does not exist. */
static void
see_zone(struct core_dns_check *look)
{
	const struct dns_question *question = other_question(look, QUESTION_ZONE);
	const char *name = look->domain->name;
	struct store_domain_check *check = &look->domain->check;

	if (question->outcome == DNS_NO_ANSWER)
		return;
	g_clear_pointer(&check->soa_primary, g_free);
	g_clear_pointer(&check->soa_admin, g_free);
	if (question->outcome != DNS_FOUND)
		return;
	const struct dns_answer *answer = question->answers->pdata[0];
	if (!is_within(name, answer->zone) || !is_within(answer->zone, core_zone_apex(name)))
		return;
	check->soa_primary = g_strdup(answer->text);
	check->soa_admin = g_strdup(answer->admin);
	check->soa_serial = answer->number;
}

enum core_dns_verdict
core_dns_judge(struct core_dns_check *look, gint64 now)
{
	g_autofree enum core_zone_state *states = g_new(enum core_zone_state, look->records->len);

	for (guint i = 0; i < look->records->len; i++) {
		struct core_zone_record *record = look->records->pdata[i];

		states[i] = match(record, look->questions->pdata[i]);
		match_inherited(look, record);
		see_key(look, record, states[i]);
	}
	if (shows_new_key(look))
		move_over(look, now);
	see_zone(look);
	g_free(look->domain->check.findings);
	look->domain->check.findings = core_zone_findings(look->records);
	return decide(look, states);
}
