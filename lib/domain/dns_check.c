/* SPDX-License-Identifier: MIT */
/* Checks sending domains: asks DNS, compares the answers, and sets status and next check. */
#include "domain/dns_check.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "base/secret.h"
#include "config/settings.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "domain/dmarc.h"
#include "domain/spf.h"
#include "domain/tracking.h"
#include "domain/zone.h"
#include "domain/zone_match.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "store/domain/settings.h"

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
domain_dns_check_next(gint64 series, gint64 now, double random)
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
domain_dns_check_apply(
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
	check->next_check = !domain->trusted ? domain_dns_check_next(check->series, now, random)
			    : domain->tracking_host ? delayed(now + DAY_MS, DAY_MS, random)
						    : 0;
	/* One that is not reached yet may be in a moment, with its certificate. */
	if (domain->tracking_host && !domain->tracking_used)
		check->next_check = MIN(check->next_check,
		    delayed(now + (check->tracking_found ? 10 * MINUTE_MS : HOUR_MS), MINUTE_MS,
			random));
}

/* One check of a domain. */
struct dns_check {
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

/* Makes the questions about the records of a domain. */
static void
make_questions(struct dns_check *dns)
{
	dns->questions = g_ptr_array_new_with_free_func(dns_question_destroy);
	for (guint i = 0; i < dns->records->len; i++) {
		const struct domain_zone_record *record = dns->records->pdata[i];

		g_ptr_array_add(dns->questions,
		    dns_question_new(record->name, record->purpose == ZONE_TRACKING ? DNS_CNAME
						   : domain_zone_is_mx(record)	    ? DNS_MX
										    : DNS_TXT));
		if (record->purpose == ZONE_TRACKING)
			dns->tracking = domain_tracking_questions(record);
	}
	dns->zone = dns_question_new(dns->name, DNS_SOA);
	dns->tree = domain_dmarc_tree(dns->name);
	dns->lookups = domain_spf_lookups_new();
}

static void
clear_questions(struct dns_check *dns)
{
	g_ptr_array_unref(dns->questions);
	dns_question_free(dns->zone);
	g_ptr_array_unref(dns->tree);
	g_clear_pointer(&dns->tracking, g_ptr_array_unref);
	domain_spf_lookups_free(dns->lookups);
}

/* Makes the questions for a domain that was read with its keys, and takes the domain. */
static struct dns_check *
dns_check_new(struct store_domain *domain, const struct config_settings *settings)
{
	struct dns_check *dns = g_new0(struct dns_check, 1);

	dns->domain = domain;
	dns->name = domain->name;
	dns->records = domain_zone_records(domain, settings);
	make_questions(dns);
	return dns;
}

static void
dns_check_free(struct dns_check *dns)
{
	g_ptr_array_unref(dns->records);
	clear_questions(dns);
	g_clear_error(&dns->unreached);
	store_domain_free(dns->domain);
	g_free(dns);
}

/* Whether the record was last seen with the text that DNS has now. */
static bool
is_as_before(const struct domain_zone_record *record, const char *found)
{
	return record->state != ZONE_UNKNOWN && g_strcmp0(record->found, found) == 0;
}

/* The state of an SPF record that is right by itself, from the records that it includes. While DNS
   has not answered for all of these, the same text keeps its state. */
static enum domain_zone_state
judge_spf(const struct dns_check *dns, const struct domain_zone_record *record,
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
dns_check_is_within(const char *name, const char *zone)
{
	gsize size = strlen(name), behind = strlen(zone);

	return size >= behind && g_ascii_strcasecmp(name + size - behind, zone) == 0 &&
	       (size == behind || name[size - behind - 1] == '.');
}

/* Whether DNS has not answered for a parent of name that may have a record of its own. */
static bool
is_tree_unsure(const char *name, const GPtrArray *tree)
{
	const char *apex = domain_zone_apex(name);

	for (guint i = 1; i < tree->len; i++) {
		const struct dns_question *question = tree->pdata[i];

		if (question->outcome == DNS_NO_ANSWER && dns_check_is_within(question->name, apex))
			return true;
	}
	return false;
}

/* The state of a DMARC record that is missing: the policy of the organizational domain also holds
   below it (RFC 9989 section 4.10.1). */
static enum domain_zone_state
find_inherited(const struct dns_check *dns, char **found_r)
{
	const char *policy = domain_dmarc_inherited(dns->name, dns->tree);

	if (!policy)
		return is_tree_unsure(dns->name, dns->tree) ? ZONE_UNKNOWN : ZONE_MISSING;
	g_free(*found_r);
	*found_r = g_strdup(policy);
	return ZONE_FOUND;
}

/* The state of a DMARC record: one that is missing may be inherited. Two records are none (RFC 9989
   section 4.7), and wrong where there is nothing to inherit. */
static enum domain_zone_state
dns_check_inherit(const struct dns_check *dns, const struct dns_question *question,
    enum domain_zone_state state, char **found_r)
{
	if (state == ZONE_MISSING)
		return find_inherited(dns, found_r);
	if (state == ZONE_WRONG && domain_dmarc_count(question) > 1 &&
	    domain_dmarc_inherited(dns->name, dns->tree))
		return find_inherited(dns, found_r);
	return state;
}

/* Sets a record's state from the answer. If there is no answer (ZONE_UNKNOWN), the record stays as
 * it is. */
static enum domain_zone_state
dns_check_match(const struct dns_check *dns, struct domain_zone_record *record,
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
		state = dns_check_inherit(dns, question, state, &found);
	if (state != ZONE_UNKNOWN) {
		record->state = state;
		g_free(record->found);
		record->found = g_steal_pointer(&found);
	}
	return state;
}

/* Notes whether DNS shows the record's key. */
static void
see_key(struct dns_check *dns, const struct domain_zone_record *record, enum domain_zone_state now)
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
dns_check_decide(struct dns_check *dns, const enum domain_zone_state *states)
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
see_zone(struct dns_check *dns)
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
	if (!dns_check_is_within(name, answer->zone) ||
	    !dns_check_is_within(answer->zone, domain_zone_apex(name)))
		return;
	check->soa_primary = g_strdup(answer->text);
	check->soa_admin = g_strdup(answer->admin);
	check->soa_serial = answer->number;
}

/* Once the questions have their outcomes: sets each record's state (a record without an answer
   keeps its last state), the keys that DNS shows, and error, findings and SOA of the domain's
   check. If DNS shows a new RSA key, the new keys become active and the active ones retire. Returns
   the result. */
static enum domain_dns_result
dns_check_judge(struct dns_check *dns, gint64 now)
{
	g_autofree enum domain_zone_state *states =
	    g_new(enum domain_zone_state, dns->records->len);

	for (guint i = 0; i < dns->records->len; i++) {
		struct domain_zone_record *record = dns->records->pdata[i];

		states[i] = dns_check_match(dns, record, dns->questions->pdata[i]);
		see_key(dns, record, states[i]);
	}
	if (shows_new_key(dns))
		move_over(dns, now);
	see_zone(dns);
	g_free(dns->domain->check.findings);
	dns->domain->check.findings = domain_zone_findings(dns->records);
	return dns_check_decide(dns, states);
}

/* The number of domains whose questions are asked together, and the lease of their claim. */
#define BATCH 20
#define LEASE_MS 60000

static gint64
dns_check_new_token(void)
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

/* Judges the SPF record of a domain as far as its look-ups are known, and adds those that are
   lacking to questions. */
static void
look_into_spf(struct dns_check *dns, GPtrArray *questions)
{
	for (guint i = 0; i < dns->records->len; i++) {
		const struct domain_zone_record *record = dns->records->pdata[i];
		guint count;

		if (record->purpose != ZONE_SPF)
			continue;
		const char *text = domain_spf_record(dns->questions->pdata[i], &count);
		dns->has_spf = text;
		if (text)
			dns->spf = domain_spf_judge(
			    text, record->value, record->name, dns->lookups, &dns->spf_fault);
		g_ptr_array_extend(questions, dns->lookups->wanted, NULL, NULL);
		g_ptr_array_set_size(dns->lookups->wanted, 0);
	}
}

static void
add_questions(const struct dns_check *dns, GPtrArray *questions)
{
	g_ptr_array_extend(questions, dns->questions, NULL, NULL);
	g_ptr_array_add(questions, dns->zone);
	g_ptr_array_extend(questions, dns->tree, NULL, NULL);
	if (dns->tracking)
		g_ptr_array_extend(questions, dns->tracking, NULL, NULL);
}

/* Asks the questions of checks: first those that each has, then round by round those that its SPF
   record leads to. All together take at most LIMIT_DNS_MS; what has no answer then is unknown. */
static bool
dns_check_ask(const struct config_settings *settings, const GPtrArray *checks, GError **error)
{
	g_autoptr(GPtrArray) questions = g_ptr_array_new();
	gint64 end = base_clock_boot() + LIMIT_DNS_MS, left = LIMIT_DNS_MS;

	for (guint i = 0; i < checks->len; i++)
		add_questions(checks->pdata[i], questions);
	while (questions->len > 0) {
		if (left > 0 && !dns_ask(config_settings_list(settings, SETTING_DNS_SERVERS),
				    (struct dns_question *const *)questions->pdata, questions->len,
				    (guint)left, error))
			return false;
		g_ptr_array_set_size(questions, 0);
		for (guint i = 0; i < checks->len; i++)
			look_into_spf(checks->pdata[i], questions);
		left = end - base_clock_boot();
	}
	return true;
}

/* The work of a thread that asks a tracking host. */
struct dns_asking {
	const struct config_settings *settings;
	struct dns_check *dns;
};

static void *
dns_check_ask_host(void *context)
{
	g_autofree struct dns_asking *asking = context;

	domain_tracking_ask(asking->settings, asking->dns->domain->tracking_host,
	    asking->dns->tracking, &asking->dns->unreached);
	return NULL;
}

static bool
dns_check_has_host(const struct dns_check *dns)
{
	for (guint i = 0; i < dns->records->len; i++) {
		const struct domain_zone_record *record = dns->records->pdata[i];

		if (record->purpose == ZONE_TRACKING)
			return record->state == ZONE_FOUND;
	}
	return false;
}

/* Begins to ask the tracking host of a domain whose record was found. That is stored first: the
   host's web server may ask for it before it gets a certificate (store_domain_host_found). */
static bool
dns_check_begin_host(
    struct service *service, struct dns_check *dns, gint64 token, gint64 now, GError **error)
{
	struct store_domain *domain = dns->domain;

	domain->tracking_used = false;
	g_clear_pointer(&domain->check.tracking_error, g_free);
	if (!domain->tracking_host)
		return true;
	domain->check.tracking_checked = now;
	if (!dns_check_has_host(dns))
		return true;
	domain->check.tracking_found = now;
	if (!store_domain_settings_found(service->db, domain, token, error))
		return false;
	struct dns_asking *asking = g_new0(struct dns_asking, 1);
	*asking = (struct dns_asking){service->settings, dns};
	dns->asking = g_thread_new("tracking", dns_check_ask_host, asking);
	return true;
}

/* Takes the answer of the tracking host. */
static void
dns_check_end_host(struct dns_check *dns)
{
	struct store_domain *domain = dns->domain;

	if (!dns->asking)
		return;
	g_thread_join(g_steal_pointer(&dns->asking));
	domain->tracking_used = !dns->unreached;
	if (dns->unreached)
		domain->check.tracking_error = g_strdup(dns->unreached->message);
}

/* Judges the answers to checks, and asks all their tracking hosts at the same time. */
static bool
dns_check_judge_all(struct service *service, const GPtrArray *checks, gint64 token, GError **error)
{
	gint64 now = base_clock_now();
	bool begun = true;

	for (guint i = 0; i < checks->len; i++) {
		struct dns_check *dns = checks->pdata[i];

		dns->result = dns_check_judge(dns, now);
		begun = begun && dns_check_begin_host(service, dns, token, now, error);
	}
	for (guint i = 0; i < checks->len; i++)
		dns_check_end_host(checks->pdata[i]);
	return begun;
}

static bool
record(struct service *service, struct dns_check *dns, gint64 token, GError **error)
{
	bool kept;

	domain_dns_check_apply(dns->domain, dns->result, base_clock_now(), g_random_double());
	return store_domain_claim_record(service->db, dns->domain, token, &kept, error);
}

/* Whether the result itself cannot be stored, rather than the database not be reached. */
static bool
dns_check_is_fault(const GError *failure)
{
	return !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

static bool
record_each(struct service *service, const GPtrArray *checks, gint64 token, GError **trouble_r,
    GError **error)
{
	for (guint i = 0; i < checks->len; i++) {
		struct dns_check *dns = checks->pdata[i];
		g_autoptr(GError) failure = NULL;

		if (record(service, dns, token, &failure))
			continue;
		if (!dns_check_is_fault(failure)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		if (!*trouble_r)
			*trouble_r = g_error_new(failure->domain, failure->code,
			    "The DNS answers for %s cannot be stored: %s", dns->domain->name,
			    failure->message);
		if (!store_domain_claim_skip(service->db, dns->domain, token, error))
			return false;
	}
	return true;
}

/* Adds a check of a claimed domain, unless the domain was removed. */
static bool
dns_check_add(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GPtrArray *checks, GError **error)
{
	g_autoptr(GError) local = NULL;
	struct store_domain *domain = store_domain_get(service->db, workspace, id, &local);

	if (domain)
		g_ptr_array_add(checks, dns_check_new(domain, service->settings));
	else if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&local));
	else
		return true;
	return domain != NULL;
}

bool
domain_dns_check_due(struct service *service, struct store_turn *turn, guint *count_r,
    GError **trouble_r, GError **error)
{
	g_autoptr(GPtrArray) checks = g_ptr_array_new_with_free_func(free_check);
	struct store_domain_claim claims[BATCH];
	gint64 now = base_clock_now();
	const struct store_domain_due due = {
	    turn, dns_check_new_token(), now, now + LEASE_MS, BATCH};

	*trouble_r = NULL;
	if (!store_domain_claim_due(service->db, &due, claims, count_r, error))
		return false;
	for (guint i = 0; i < *count_r; i++)
		if (!dns_check_add(
			service, &claims[i].workspace_id, &claims[i].domain_id, checks, error))
			return false;
	return checks->len == 0 || (dns_check_ask(service->settings, checks, error) &&
				       dns_check_judge_all(service, checks, due.token, error) &&
				       record_each(service, checks, due.token, trouble_r, error));
}

bool
domain_dns_check_domain(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	g_autoptr(GPtrArray) checks = g_ptr_array_new_with_free_func(free_check);
	gint64 token = dns_check_new_token();

	if (!store_domain_claim_one(
		service->db, workspace, id, token, base_clock_now() + LEASE_MS, error) ||
	    !dns_check_add(service, workspace, id, checks, error))
		return false;
	return checks->len == 0 || (dns_check_ask(service->settings, checks, error) &&
				       dns_check_judge_all(service, checks, token, error) &&
				       record(service, checks->pdata[0], token, error));
}

bool
domain_dns_check_look(const struct config_settings *settings, const struct store_domain *domain,
    const GPtrArray *records, GError **error)
{
	struct dns_check dns = {.name = domain->name, .records = (GPtrArray *)records};
	g_autoptr(GPtrArray) checks = g_ptr_array_new();

	make_questions(&dns);
	g_ptr_array_add(checks, &dns);
	bool asked = dns_check_ask(settings, checks, error);
	for (guint i = 0; asked && i < records->len; i++) {
		struct domain_zone_record *record = records->pdata[i];

		record->state = ZONE_UNKNOWN;
		g_clear_pointer(&record->found, g_free);
		record->fault = NULL;
		dns_check_match(&dns, record, dns.questions->pdata[i]);
		if (record->purpose == ZONE_SPF)
			record->fault = dns.spf_fault;
	}
	clear_questions(&dns);
	return asked;
}

char *
domain_dns_check_organization(
    const struct config_settings *settings, const char *name, GError **error)
{
	g_autoptr(GPtrArray) tree = domain_dmarc_tree(name);

	if (!dns_ask(config_settings_list(settings, SETTING_DNS_SERVERS),
		(struct dns_question *const *)tree->pdata, tree->len, LIMIT_DNS_MS, error))
		return NULL;
	const struct dns_question *own = tree->pdata[0];
	if (own->outcome == DNS_NO_ANSWER || is_tree_unsure(name, tree))
		return g_strdup(domain_zone_apex(name));
	return g_strdup(domain_dmarc_organization(name, tree));
}

GPtrArray *
domain_dns_check_tree(const struct config_settings *settings, const char *name,
    struct dns_question *more, GError **error)
{
	g_autoptr(GPtrArray) tree = domain_dmarc_tree(name);
	g_autoptr(GPtrArray) questions = g_ptr_array_new();

	g_ptr_array_extend(questions, tree, NULL, NULL);
	g_ptr_array_add(questions, more);
	if (!dns_ask(config_settings_list(settings, SETTING_DNS_SERVERS),
		(struct dns_question *const *)questions->pdata, questions->len, LIMIT_DNS_MS,
		error))
		return NULL;
	const struct dns_question *own = tree->pdata[0];
	if (own->outcome == DNS_NO_ANSWER || is_tree_unsure(name, tree)) {
		base_fail(error, PH_ERROR_TEMPORARY, "DNS gives no answer for %s", own->name);
		return NULL;
	}
	return g_steal_pointer(&tree);
}
