/* SPDX-License-Identifier: MIT */
/* Looks up the DMARC policy of a domain, and advises on the next one. */
#include "dmarc/policy.h"

#include <string.h>

#include "base/clock.h"
#include "dmarc/advice.h"
#include "dns/question.h"
#include "domain/bimi.h"
#include "domain/dns_check.h"
#include "domain/zone.h"
#include "json/writer.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/domain/domain.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define PREFIX "_dmarc."

/* The warnings about the answers. The caller owns the array. */
static GPtrArray *
policy_warnings(const struct store_domain *domain, const GPtrArray *tree,
    const struct domain_dmarc_policy *policy, const char *address)
{
	GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *pct = policy->record ? domain_dmarc_tag(policy->record, "pct") : NULL;
	g_autofree char *rua = policy->record ? domain_dmarc_tag(policy->record, "rua") : NULL;

	if (pct)
		g_ptr_array_add(warnings, g_strdup("pct is gone since RFC 9989"));
	g_autofree char *host = link_return_path_host(domain->return_path, domain->name);
	if (policy->record && domain_dmarc_says(policy->record, "aspf", "s"))
		g_ptr_array_add(
		    warnings, g_strdup_printf("aspf=s fails: the return path is at %s", host));
	if (rua && !dmarc_advice_leads_to(policy->record, address))
		g_ptr_array_add(warnings, g_strdup("rua leads elsewhere"));
	for (guint i = 0; i < policy->asked; i++) {
		const struct dns_question *question = tree->pdata[i];

		if (domain_dmarc_count(question) > 1)
			g_ptr_array_add(warnings, g_strdup_printf("two DMARC records at %s",
						      question->name + strlen(PREFIX)));
	}
	return warnings;
}

static void
policy_write_texts(struct json_writer *writer, const char *key, const GPtrArray *texts)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < texts->len; i++)
		json_writer_string(writer, NULL, texts->pdata[i]);
	json_writer_end_array(writer);
}

static void
policy_write_advice(struct json_writer *writer, const struct dmarc_advice *advice)
{
	json_writer_begin_object(writer, "advice");
	json_writer_string(writer, "next", advice->next);
	json_writer_boolean(writer, "ready", advice->ready);
	policy_write_texts(writer, "reasons", advice->reasons);
	json_writer_string(writer, "record", advice->record);
	json_writer_end_object(writer);
}

static void
policy_write_bimi(struct json_writer *writer, const struct domain_dmarc_policy *policy,
    const struct dns_question *question)
{
	json_writer_begin_object(writer, "bimi");
	json_writer_boolean(writer, "allowed", domain_bimi_allows(policy));
	json_writer_string(writer, "record", domain_bimi_record(question));
	json_writer_string(writer, "error", domain_bimi_fault(question));
	json_writer_end_object(writer);
}

static void
policy_write_found(struct json_writer *writer, const struct store_domain *domain,
    const GPtrArray *tree, const struct domain_dmarc_policy *policy)
{
	json_writer_string(writer, "domain", domain->name);
	json_writer_string(writer, "found_at", policy->found_at);
	json_writer_string(writer, "record", policy->record);
	json_writer_string(writer, "organizational_domain", policy->organization);
	json_writer_begin_array(writer, "asked");
	for (guint i = 0; i < policy->asked; i++)
		json_writer_string(
		    writer, NULL, ((const struct dns_question *)tree->pdata[i])->name);
	json_writer_end_array(writer);
	json_writer_string(
	    writer, "policy", policy->has_policy ? domain_dmarc_word(policy->strength) : NULL);
	json_writer_string(
	    writer, "applied", policy->has_policy ? domain_dmarc_word(policy->applied) : NULL);
	json_writer_boolean(writer, "testing", policy->is_testing);
}

static bool
policy_read_facts(struct service *service, const struct store_domain *domain,
    struct dmarc_advice_facts *facts, GError **error)
{
	gint64 from = base_clock_now() / DAY_MS - DMARC_ADVICE_DAYS;

	return store_dmarc_reach(
		   service->db, &domain->workspace_id, &domain->id, from, &facts->reach, error) &&
	       dmarc_figures_kinds(
		   service->db, &domain->workspace_id, &domain->id, from, facts->kinds, error);
}

bool
dmarc_policy_write(struct json_writer *writer, struct service *service,
    const struct store_domain *domain, GError **error)
{
	g_autofree char *logo = domain_bimi_name(domain->name);
	g_autofree char *address = domain_zone_report_address(domain, service->settings);
	AUTO(dns_question) question = dns_question_new(logo, DNS_TXT);
	g_autoptr(GPtrArray) tree =
	    domain_dns_check_tree(service->settings, domain->name, question, error);

	if (!tree)
		return false;
	const struct domain_dmarc_policy policy = domain_dmarc_discover(domain->name, tree);
	struct dmarc_advice_facts facts = {
	    .policy = &policy,
	    .is_own = policy.found_at &&
		      strcmp(policy.found_at, ((struct dns_question *)tree->pdata[0])->name) == 0,
	    .address = address,
	};
	if (!policy_read_facts(service, domain, &facts, error))
		return false;
	g_autoptr(GPtrArray) warnings = policy_warnings(domain, tree, &policy, address);
	struct dmarc_advice advice;
	dmarc_advice_make(&facts, &advice);
	json_writer_begin_object(writer, NULL);
	policy_write_found(writer, domain, tree, &policy);
	json_writer_boolean(writer, "reports_here", dmarc_advice_leads_to(policy.record, address));
	policy_write_texts(writer, "warnings", warnings);
	policy_write_advice(writer, &advice);
	policy_write_bimi(writer, &policy, question);
	json_writer_end_object(writer);
	dmarc_advice_clear(&advice);
	return true;
}
