/* SPDX-License-Identifier: MIT */
/* Checks the sending domains: their DKIM keys, and their records in DNS as receivers see them. */
#include "cli/doctor.h"

#include <string.h>

#include "base/error.h"
#include "config/settings.h"
#include "domain/dmarc.h"
#include "domain/dns_check.h"
#include "domain/zone.h"
#include "email/keyring.h"
#include "link/return_path.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/common/server.h"
#include "store/domain/domain.h"

/* Tells why the keys of a domain cannot be used. */
static void
tell_key(struct cli_doctor *doctor, const struct store_server_domain *domain, const GError *error)
{
	g_autofree char *remedy = g_strdup_printf(
	    "Put the secret of that time back into secret_file of section [service], on a line of "
	    "its own; or make new keys: posthouse domain rotate %s.",
	    domain->name);

	if (g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND))
		cli_check_bad(doctor, "keys", STATE_FAIL, remedy, "%s has no DKIM key that signs",
		    domain->name);
	else if (g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY))
		cli_check_failed(doctor, "keys", error);
	else
		cli_check_bad(doctor, "keys", STATE_FAIL, remedy,
		    "the DKIM key of %s cannot be decrypted with the secret of section [service]",
		    domain->name);
}

void
cli_check_keys(struct cli_doctor *doctor)
{
	bool is_good = true;

	if (!doctor->db || !doctor->domains)
		return;
	for (guint i = 0; i < doctor->domains->len; i++) {
		const struct store_server_domain *domain = doctor->domains->pdata[i];
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) keys = email_keyring_select(email_keyring_of(doctor->service),
		    doctor->db, config_settings_secret(doctor->settings), &domain->id, &error);

		if (keys)
			continue;
		tell_key(doctor, domain, error);
		is_good = false;
	}
	if (is_good)
		cli_check_ok(doctor, "keys", "domains whose DKIM keys can be decrypted: %u",
		    doctor->domains->len);
}

/* Notes a record that DNS lacks or has in a wrong form. */
static void
judge_record(struct cli_faults *faults, const struct store_domain *domain,
    const struct domain_zone_record *record)
{
	g_autofree char *publish = g_strdup_printf(
	    "Publish the records that posthouse domain show %s lists.", domain->name);
	const char *found = record->found ? record->found : "";

	if (record->state == ZONE_UNKNOWN)
		cli_faults_add(faults, STATE_WARN,
		    cli_check_advice(
			"Correct SETTING, or the zone's name servers.", SETTING_DNS_SERVERS),
		    "DNS gives no answer for %s", record->name);
	else if (record->state == ZONE_WRONG && record->purpose == ZONE_SPF)
		cli_faults_add(faults, STATE_WARN, publish,
		    "the SPF record of %s does not pass what [service] spf says: %s%s%s%s",
		    record->name, found, record->fault ? " (" : "",
		    record->fault ? record->fault : "", record->fault ? ")" : "");
	else if (record->state == ZONE_WRONG && (record->required || record->purpose == ZONE_DMARC))
		cli_faults_add(faults, STATE_WARN, publish, "the %s record of %s is wrong: %s",
		    domain_zone_type(record), record->name, found);
	else if (record->state == ZONE_MISSING && record->required)
		cli_faults_add(faults, STATE_WARN, publish, "the %s record of %s is missing",
		    domain_zone_type(record), record->name);
}

/* A domain with the policy that holds for it. */
struct alignment {
	const char *domain;
	const char *organization; /* by DNS */
	const char *dmarc;
};

/* Notes when SPF with a host of the return path cannot align with the sender's domain (RFC 9989
   section 4.4). DKIM signs with that domain, so it always aligns. */
static bool
judge_host(struct cli_doctor *doctor, struct cli_faults *faults, const struct alignment *alignment,
    const char *host, GError **error)
{
	if (domain_dmarc_says(alignment->dmarc, "aspf", "s")) {
		if (strcmp(host, alignment->domain) != 0)
			cli_faults_add(faults, STATE_WARN,
			    "Take aspf=s out of the DMARC record, or rely on DKIM alone.",
			    "SPF does not align with DMARC, which says aspf=s: the return path is "
			    "at %s",
			    host);
		return true;
	}
	g_autofree char *organization =
	    domain_dns_check_organization(doctor->settings, host, error);
	if (organization && strcmp(organization, alignment->organization) != 0)
		cli_faults_add(faults, STATE_WARN,
		    "Take return_path out of the settings, or rely on DKIM alone.",
		    "SPF does not align with DMARC: the return path is at %s", host);
	return organization;
}

/* Whether a relay is on the route of a stream of the domain. */
static bool
is_on_route(const struct config_relay *relay, const struct store_domain *domain)
{
	for (guint stream = 1; stream <= STORE_STREAMS; stream++)
		if (relay_is_on(relay, domain->relays[stream]))
			return true;
	return false;
}

/* Judges each host that the relays of the domain put into the return path. */
static bool
judge_return_paths(struct cli_doctor *doctor, struct cli_faults *faults,
    const struct store_domain *domain, const struct alignment *alignment, GError **error)
{
	g_autoptr(GHashTable) hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < config_settings_relay_count(doctor->settings); i++) {
		const struct config_relay *relay = config_settings_relay(doctor->settings, i);
		const char *at = strrchr(relay->return_path, '@');

		if (!is_on_route(relay, domain))
			continue;
		char *host = at ? g_ascii_strdown(at + 1, -1)
				: link_return_path_host(domain->return_path, domain->name);
		if (g_hash_table_add(hosts, host) &&
		    !judge_host(doctor, faults, alignment, host, error))
			return false;
	}
	return true;
}

/* Notes when a sub-domain sends though its mail cannot align: it is signed with the domain that is
   registered. */
static bool
judge_senders(struct cli_doctor *doctor, struct cli_faults *faults,
    const struct store_server_domain *domain, const char *dmarc, GError **error)
{
	g_autofree char *sender = NULL;

	if (!domain_dmarc_says(dmarc, "adkim", "s"))
		return true;
	if (!store_server_lower_sender(doctor->db, domain, &sender, error))
		return false;
	if (sender)
		cli_faults_add(faults, STATE_WARN,
		    "Register each sub-domain that sends as a domain of its own, or take adkim=s "
		    "out of the DMARC record.",
		    "DKIM does not align with DMARC, which says adkim=s: a sub-domain sends, %s",
		    sender);
	return true;
}

/* Judges whether mail of the domain aligns with its policy, if it has one. */
static bool
judge_alignment(struct cli_doctor *doctor, struct cli_faults *faults,
    const struct store_server_domain *row, const struct store_domain *domain,
    const struct domain_zone_record *dmarc, GError **error)
{
	if (dmarc->state != ZONE_FOUND || !dmarc->found)
		return true;
	g_autofree char *organization =
	    domain_dns_check_organization(doctor->settings, domain->name, error);
	const struct alignment alignment = {domain->name, organization, dmarc->found};

	return organization && judge_return_paths(doctor, faults, domain, &alignment, error) &&
	       judge_senders(doctor, faults, row, dmarc->found, error);
}

static void
check_domain_check_domain(
    struct cli_doctor *doctor, const struct store_server_domain *row, const char *check)
{
	g_autoptr(GError) error = NULL;
	struct cli_faults faults = {.texts = NULL};
	AUTO(store_domain)
	domain = store_domain_get(doctor->db, &row->workspace_id, &row->id, &error);
	g_autoptr(GPtrArray) records =
	    domain ? domain_zone_records(domain, doctor->settings) : NULL;
	bool has_policy = false;

	if (!records || !domain_dns_check_look(doctor->settings, domain, records, &error)) {
		cli_check_failed(doctor, check, error);
		return;
	}
	for (guint i = 0; i < records->len; i++) {
		const struct domain_zone_record *record = records->pdata[i];

		judge_record(&faults, domain, record);
		if (record->purpose != ZONE_DMARC)
			continue;
		has_policy = record->state == ZONE_FOUND;
		if (!judge_alignment(doctor, &faults, row, domain, record, &error)) {
			cli_faults_tell(&faults, doctor, check);
			cli_check_failed(doctor, check, error);
			return;
		}
	}
	if (!cli_faults_tell(&faults, doctor, check))
		cli_check_ok(doctor, check, "DNS has its records%s",
		    has_policy ? ", and a DMARC policy" : ", but no DMARC policy");
}

void
cli_check_domains(struct cli_doctor *doctor)
{
	if (!doctor->db || !doctor->domains)
		return;
	for (guint i = 0; i < doctor->domains->len; i++) {
		const struct store_server_domain *domain = doctor->domains->pdata[i];
		g_autofree char *check = g_strdup_printf("domain %s", domain->name);

		if (!domain->trusted && cli_check_is_wanted(doctor, check))
			check_domain_check_domain(doctor, domain, check);
	}
}
