/* SPDX-License-Identifier: MIT */
/* Checks sending domains: asks DNS, compares the answers, and sets status and next check. */
#include "core/dns_check.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/zone.h"
#include "core/zone_match.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "store/domain.h"
#include "store/domain_key.h"

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
core_dns_check_next(gint64 series, gint64 now, double random)
{
	static const gint64 pauses[] = {MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS};
	gint64 at = series;

	for (guint i = 0; i < G_N_ELEMENTS(pauses); i++) {
		at += pauses[i];
		if (at > now)
			return delayed(at, pauses[i], random);
	}
	if (now - series >= DNS_CHECK_PATIENCE_MS)
		return delayed(now + DAY_MS, DAY_MS, random);
	return delayed(at + ((now - at) / HOUR_MS + 1) * HOUR_MS, HOUR_MS, random);
}

static enum store_domain_status
status_when_bad(const struct store_domain *domain, gint64 now)
{
	switch (domain->status) {
	case DOMAIN_NOT_STARTED:
	case DOMAIN_PENDING:
		return now - domain->created < DNS_CHECK_PATIENCE_MS ? DOMAIN_PENDING
								     : DOMAIN_FAILED;
	case DOMAIN_SUCCESS:
		return DOMAIN_TEMPORARY_FAILURE;
	case DOMAIN_TEMPORARY_FAILURE:
		return now - domain->check.failing_since < DNS_CHECK_PATIENCE_MS
			   ? DOMAIN_TEMPORARY_FAILURE
			   : DOMAIN_FAILED;
	case DOMAIN_FAILED:
		break;
	}
	return DOMAIN_FAILED;
}

void
core_dns_check_apply(
    struct store_domain *domain, enum core_dns_result result, gint64 now, double random)
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
	check->next_check = domain->trusted ? 0 : core_dns_check_next(check->series, now, random);
}

/* One check of a domain. */
struct dns_check {
	struct store_domain *domain;
	GPtrArray *records; /* of struct core_zone_record */
	GPtrArray
	    *questions; /* of struct dns_question: one for each record, then those of the enum */
};

/* The questions that follow those of the records. */
enum { QUESTION_ZONE, QUESTION_POLICY };

static struct dns_question *
other_question(const struct dns_check *dns, guint which)
{
	guint at = dns->records->len + which;

	return at < dns->questions->len ? dns->questions->pdata[at] : NULL;
}

static void
free_question(void *question)
{
	dns_question_free(question);
}

/* Makes the questions about the records of a domain. The caller owns the array. */
static GPtrArray *
make_questions(const struct store_domain *domain, const GPtrArray *records)
{
	GPtrArray *questions = g_ptr_array_new_with_free_func(free_question);
	const char *apex = core_zone_apex(domain->name);

	for (guint i = 0; i < records->len; i++) {
		const struct core_zone_record *record = records->pdata[i];

		g_ptr_array_add(questions,
		    dns_question_new(record->name, record->purpose == ZONE_MX ? DNS_MX : DNS_TXT));
	}
	g_ptr_array_add(questions, dns_question_new(domain->name, DNS_SOA));
	if (strcmp(apex, domain->name) != 0) {
		g_autofree char *policy = g_strconcat("_dmarc.", apex, NULL);
		g_ptr_array_add(questions, dns_question_new(policy, DNS_TXT));
	}
	return questions;
}

/* Makes the questions for a domain that was read with its keys, and takes the domain. */
static struct dns_check *
dns_check_new(struct store_domain *domain, const struct base_settings *settings)
{
	struct dns_check *dns = g_new0(struct dns_check, 1);

	dns->domain = domain;
	dns->records = core_zone_records(domain, settings);
	dns->questions = make_questions(domain, dns->records);
	return dns;
}

static void
dns_check_free(struct dns_check *dns)
{
	g_ptr_array_unref(dns->records);
	g_ptr_array_unref(dns->questions);
	store_domain_free(dns->domain);
	g_free(dns);
}

/* Sets a record's state from the answer. If there is no answer (ZONE_UNKNOWN), the record stays as
 * it is. */
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

/* The DMARC policy of the organizational domain also holds below it (RFC 7489 section 6.6.3). */
static void
match_inherited(const struct dns_check *dns, struct core_zone_record *record)
{
	const struct dns_question *question = other_question(dns, QUESTION_POLICY);
	g_autofree char *found = NULL;

	if (record->purpose == ZONE_DMARC && record->state == ZONE_MISSING && question &&
	    core_zone_match(record, question, &found) == ZONE_FOUND) {
		record->state = ZONE_FOUND;
		g_free(record->found);
		record->found = g_steal_pointer(&found);
	}
}

/* Notes whether DNS shows the record's key. */
static void
see_key(struct dns_check *dns, const struct core_zone_record *record, enum core_zone_state now)
{
	for (guint i = 0; i < dns->domain->keys->len; i++) {
		struct store_domain_key *key = dns->domain->keys->pdata[i];

		if (key == record->key && now != ZONE_UNKNOWN)
			key->seen = now == ZONE_FOUND;
	}
}

static bool
shows_new_key(const struct dns_check *dns)
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
move_over(struct dns_check *dns, gint64 now)
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
		core_zone_set_required(dns->records->pdata[i]);
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

/* The result of the check and its error, from the states that DNS has given now. */
static enum core_dns_result
decide(struct dns_check *dns, const enum core_zone_state *states)
{
	enum core_dns_result result = DNS_RESULT_GOOD;

	dns->domain->check.error = DOMAIN_ERROR_NONE;
	for (guint i = 0; i < dns->records->len; i++) {
		const struct core_zone_record *record = dns->records->pdata[i];

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

static bool
is_within(const char *name, const char *zone)
{
	gsize size = strlen(name), behind = strlen(zone);

	return size >= behind && g_ascii_strcasecmp(name + size - behind, zone) == 0 &&
	       (size == behind || name[size - behind - 1] == '.');
}

/* Stores the SOA of the domain's zone. For a domain that does not exist DNS gives the SOA of the
   public suffix above it, which is ignored. */
static void
see_zone(struct dns_check *dns)
{
	const struct dns_question *question = other_question(dns, QUESTION_ZONE);
	const char *name = dns->domain->name;
	struct store_domain_check *check = &dns->domain->check;

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

/* Once the questions have their outcomes: sets each record's state (a record without an answer
   keeps its last state), the keys that DNS shows, and error, findings and SOA of the domain's
   check. If DNS shows a new RSA key, the new keys become active and the active ones retire. Returns
   the result. */
static enum core_dns_result
judge(struct dns_check *dns, gint64 now)
{
	g_autofree enum core_zone_state *states = g_new(enum core_zone_state, dns->records->len);

	for (guint i = 0; i < dns->records->len; i++) {
		struct core_zone_record *record = dns->records->pdata[i];

		states[i] = match(record, dns->questions->pdata[i]);
		match_inherited(dns, record);
		see_key(dns, record, states[i]);
	}
	if (shows_new_key(dns))
		move_over(dns, now);
	see_zone(dns);
	g_free(dns->domain->check.findings);
	dns->domain->check.findings = core_zone_findings(dns->records);
	return decide(dns, states);
}

/* The number of domains whose questions are asked together, and the lease of their claim. */
#define BATCH 20
#define LEASE_MS 60000

static gint64
new_token(void)
{
	gint64 token;

	base_secret_random(&token, sizeof(token));
	return token & G_MAXINT64;
}

static void
free_check(void *dns)
{
	dns_check_free(dns);
}

static bool
ask(struct core *core, const GPtrArray *checks, GError **error)
{
	g_autoptr(GPtrArray) questions = g_ptr_array_new();

	for (guint i = 0; i < checks->len; i++) {
		const struct dns_check *dns = checks->pdata[i];

		g_ptr_array_extend(questions, dns->questions, NULL, NULL);
	}
	return dns_ask(base_settings_list(core->settings, SETTING_DNS_SERVERS),
	    (struct dns_question *const *)questions->pdata, questions->len, LIMIT_DNS_MS, error);
}

static bool
record(struct core *core, struct dns_check *dns, gint64 token, GError **error)
{
	gint64 now = base_clock_now();
	bool kept;

	core_dns_check_apply(dns->domain, judge(dns, now), now, g_random_double());
	return store_domain_claim_record(core->db, dns->domain, token, &kept, error);
}

/* Whether the result itself cannot be stored, rather than the database not be reached. */
static bool
is_fault(const GError *failure)
{
	return !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

static bool
record_each(
    struct core *core, const GPtrArray *checks, gint64 token, GError **trouble_r, GError **error)
{
	for (guint i = 0; i < checks->len; i++) {
		struct dns_check *dns = checks->pdata[i];
		g_autoptr(GError) failure = NULL;

		if (record(core, dns, token, &failure))
			continue;
		if (!is_fault(failure)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		if (!*trouble_r)
			*trouble_r = g_error_new(failure->domain, failure->code,
			    "The DNS answers for %s cannot be stored: %s", dns->domain->name,
			    failure->message);
		if (!store_domain_claim_skip(core->db, dns->domain, token, error))
			return false;
	}
	return true;
}

/* Adds a check of a claimed domain, unless the domain was removed. */
static bool
add(struct core *core, const struct base_id *workspace, const struct base_id *id, GPtrArray *checks,
    GError **error)
{
	g_autoptr(GError) local = NULL;
	struct store_domain *domain = store_domain_get(core->db, workspace, id, &local);

	if (domain)
		g_ptr_array_add(checks, dns_check_new(domain, core->settings));
	else if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&local));
	else
		return true;
	return domain != NULL;
}

bool
core_dns_check_due(
    struct core *core, struct store_turn *turn, guint *count_r, GError **trouble_r, GError **error)
{
	g_autoptr(GPtrArray) checks = g_ptr_array_new_with_free_func(free_check);
	struct store_domain_claim claims[BATCH];
	gint64 now = base_clock_now(), token = new_token();

	*trouble_r = NULL;
	if (!store_domain_claim_due(
		core->db, turn, token, now, now + LEASE_MS, BATCH, claims, count_r, error))
		return false;
	for (guint i = 0; i < *count_r; i++)
		if (!add(core, &claims[i].workspace_id, &claims[i].domain_id, checks, error))
			return false;
	return checks->len == 0 ||
	       (ask(core, checks, error) && record_each(core, checks, token, trouble_r, error));
}

bool
core_dns_check_domain(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	g_autoptr(GPtrArray) checks = g_ptr_array_new_with_free_func(free_check);
	gint64 token = new_token();

	if (!store_domain_claim_one(
		core->db, workspace, id, token, base_clock_now() + LEASE_MS, error) ||
	    !add(core, workspace, id, checks, error))
		return false;
	return checks->len == 0 ||
	       (ask(core, checks, error) && record(core, checks->pdata[0], token, error));
}

bool
core_dns_check_look(const struct base_settings *settings, const struct store_domain *domain,
    const GPtrArray *records, GError **error)
{
	g_autoptr(GPtrArray) questions = make_questions(domain, records);
	struct dns_check dns = {NULL, (GPtrArray *)records, questions};

	if (!dns_ask(base_settings_list(settings, SETTING_DNS_SERVERS),
		(struct dns_question *const *)questions->pdata, questions->len, LIMIT_DNS_MS,
		error))
		return false;
	for (guint i = 0; i < records->len; i++) {
		struct core_zone_record *record = records->pdata[i];

		record->state = ZONE_UNKNOWN;
		g_clear_pointer(&record->found, g_free);
		match(record, questions->pdata[i]);
		match_inherited(&dns, record);
	}
	return true;
}
