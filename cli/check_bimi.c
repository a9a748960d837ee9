/* SPDX-License-Identifier: MIT */
/* Checks whether receivers may show the logo of a sending domain (BIMI). */
#include "cli/doctor.h"
#include "dns/question.h"
#include "domain/bimi.h"
#include "domain/dmarc.h"
#include "domain/dns_check.h"
#include "store/common/server.h"

/* Tells about a record that is there, or could be. */
static void
bimi_tell(struct cli_doctor *doctor, const char *check, const struct domain_dmarc_policy *policy,
    const struct dns_question *question)
{
	const char *fault = domain_bimi_fault(question);
	bool allowed = domain_bimi_allows(policy);

	if (!domain_bimi_record(question))
		cli_check_ok(doctor, check, "there is no record at %s; the DMARC policy %s one",
		    question->name, allowed ? "allows" : "does not allow");
	else if (fault)
		cli_check_bad(doctor, check, STATE_WARN,
		    "Correct it: v=BIMI1; l=https://HOST/LOGO.svg; a=https://HOST/PROOF.pem.",
		    "the record at %s does not read well: %s", question->name, fault);
	else if (!allowed)
		cli_check_bad(doctor, check, STATE_WARN,
		    "Publish the DMARC policy quarantine or reject, for all mail and the names "
		    "below; posthouse dmarc policy tells when.",
		    "the record at %s reads well, but the DMARC policy does not allow it",
		    question->name);
	else
		cli_check_ok(doctor, check, "the record at %s reads well, and the policy allows it",
		    question->name);
}

static void
bimi_check_domain(struct cli_doctor *doctor, const char *name, const char *check)
{
	g_autofree char *logo = domain_bimi_name(name);
	AUTO(dns_question) question = dns_question_new(logo, DNS_TXT);
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) tree = domain_dns_check_tree(doctor->settings, name, question, &error);

	if (!tree) {
		cli_check_bad(doctor, check, STATE_WARN,
		    cli_check_advice(
			"Correct SETTING, or the zone's name servers.", SETTING_DNS_SERVERS),
		    "%s", error->message);
		return;
	}
	const struct domain_dmarc_policy policy = domain_dmarc_discover(name, tree);
	bimi_tell(doctor, check, &policy, question);
}

void
cli_check_bimi(struct cli_doctor *doctor)
{
	if (!doctor->db || !doctor->domains)
		return;
	for (guint i = 0; i < doctor->domains->len; i++) {
		const struct store_server_domain *domain = doctor->domains->pdata[i];
		g_autofree char *check = g_strdup_printf("bimi %s", domain->name);

		if (!domain->trusted && cli_check_is_wanted(doctor, check))
			bimi_check_domain(doctor, domain->name, check);
	}
}
