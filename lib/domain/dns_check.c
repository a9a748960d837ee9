/* SPDX-License-Identifier: MIT */
/* Checks sending domains: claims those that are due, asks DNS, and records what the answers say. */
#include "domain/dns_check.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "base/secret.h"
#include "config/settings.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "domain/check_schedule.h"
#include "domain/dmarc.h"
#include "domain/dns_judge.h"
#include "domain/spf.h"
#include "domain/tracking.h"
#include "domain/zone.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/settings.h"

/* Makes the questions about the records of a domain. */
static void
make_questions(struct domain_dns_check *dns)
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
clear_questions(struct domain_dns_check *dns)
{
	g_ptr_array_unref(dns->questions);
	dns_question_free(dns->zone);
	g_ptr_array_unref(dns->tree);
	g_clear_pointer(&dns->tracking, g_ptr_array_unref);
	domain_spf_lookups_free(dns->lookups);
}

/* Makes the questions for a domain that was read with its keys, and takes the domain. */
static struct domain_dns_check *
dns_check_new(struct store_domain *domain, const struct config_settings *settings)
{
	struct domain_dns_check *dns = g_new0(struct domain_dns_check, 1);

	dns->domain = domain;
	dns->name = domain->name;
	dns->records = domain_zone_records(domain, settings);
	make_questions(dns);
	return dns;
}

static void
dns_check_free(struct domain_dns_check *dns)
{
	g_ptr_array_unref(dns->records);
	clear_questions(dns);
	g_clear_error(&dns->unreached);
	store_domain_free(dns->domain);
	g_free(dns);
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
look_into_spf(struct domain_dns_check *dns, GPtrArray *questions)
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
add_questions(const struct domain_dns_check *dns, GPtrArray *questions)
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
	struct domain_dns_check *dns;
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
dns_check_has_host(const struct domain_dns_check *dns)
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
    struct service *service, struct domain_dns_check *dns, gint64 token, gint64 now, GError **error)
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
dns_check_end_host(struct domain_dns_check *dns)
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
		struct domain_dns_check *dns = checks->pdata[i];

		dns->result = domain_dns_judge(dns, now);
		begun = begun && dns_check_begin_host(service, dns, token, now, error);
	}
	for (guint i = 0; i < checks->len; i++)
		dns_check_end_host(checks->pdata[i]);
	return begun;
}

static bool
record(struct service *service, struct domain_dns_check *dns, gint64 token, GError **error)
{
	bool kept;

	domain_check_schedule_apply(dns->domain, dns->result, base_clock_now(), g_random_double());
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
		struct domain_dns_check *dns = checks->pdata[i];
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
	struct domain_dns_check dns = {.name = domain->name, .records = (GPtrArray *)records};
	g_autoptr(GPtrArray) checks = g_ptr_array_new();

	make_questions(&dns);
	g_ptr_array_add(checks, &dns);
	bool asked = dns_check_ask(settings, checks, error);
	for (guint i = 0; asked && i < records->len; i++) {
		struct domain_zone_record *record = records->pdata[i];

		record->state = ZONE_UNKNOWN;
		g_clear_pointer(&record->found, g_free);
		record->fault = NULL;
		domain_dns_judge_match(&dns, record, dns.questions->pdata[i]);
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
	if (own->outcome == DNS_NO_ANSWER || domain_dns_judge_is_unsure(name, tree))
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
	if (own->outcome == DNS_NO_ANSWER || domain_dns_judge_is_unsure(name, tree)) {
		base_fail(error, PH_ERROR_TEMPORARY, "DNS gives no answer for %s", own->name);
		return NULL;
	}
	return g_steal_pointer(&tree);
}
