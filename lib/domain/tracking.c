/* SPDX-License-Identifier: MIT */
/* Finds out whether the tracking host of a domain leads to this installation. */
#include "domain/tracking.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "base/secret.h"
#include "config/settings.h"
#include "dns/question.h"
#include "fetch/ask.h"
#include "link/tracking.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/settings.h"
#include "text/hostname.h"

#define PROOF_PURPOSE "tracking-host"
#define RANDOM_BYTES 18

/* The host of [service] url in lower case; NULL where it cannot be read. The caller owns it. */
static char *
tracking_service_host(const struct config_settings *settings)
{
	g_autoptr(GUri) url = g_uri_parse(
	    config_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);

	return url && g_uri_get_host(url) ? g_ascii_strdown(g_uri_get_host(url), -1) : NULL;
}

/* Whether the last answer of DNS had the record of the tracking host. */
static bool
tracking_is_found(const struct store_domain *domain, const struct config_settings *settings)
{
	g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);

	for (guint i = 0; i < records->len; i++) {
		const struct domain_zone_record *record = records->pdata[i];

		if (record->purpose == ZONE_TRACKING)
			return record->state == ZONE_FOUND;
	}
	return false;
}

const char *
domain_tracking_status(const struct store_domain *domain, const struct config_settings *settings)
{
	return !domain->tracking_host		      ? "none"
	       : !tracking_is_found(domain, settings) ? "record"
	       : domain->tracking_used		      ? "ready"
						      : "unreachable";
}

GPtrArray *
domain_tracking_questions(const struct domain_zone_record *record)
{
	GPtrArray *questions = g_ptr_array_new_with_free_func(dns_question_destroy);

	g_ptr_array_add(questions, dns_question_new(record->name, DNS_A));
	g_ptr_array_add(questions, dns_question_new(record->name, DNS_AAAA));
	g_ptr_array_add(questions, dns_question_new(record->value, DNS_A));
	g_ptr_array_add(questions, dns_question_new(record->value, DNS_AAAA));
	return questions;
}

static bool
tracking_passes(const struct dns_question *question, const char *target)
{
	for (guint i = 0; i < question->aliases->len; i++)
		if (g_ascii_strcasecmp(question->aliases->pdata[i], target) == 0)
			return true;
	return false;
}

/* Whether all addresses of one answer are in the other. */
static bool
tracking_is_within(const struct dns_question *question, const struct dns_question *whole)
{
	for (guint i = 0; i < question->answers->len; i++) {
		const struct dns_answer *answer = question->answers->pdata[i];
		bool found = false;

		for (guint k = 0; k < whole->answers->len && !found; k++)
			found = strcmp(((const struct dns_answer *)whole->answers->pdata[k])->text,
				    answer->text) == 0;
		if (!found)
			return false;
	}
	return true;
}

static void
tracking_add_lines(GString *lines, const struct dns_question *question)
{
	for (guint i = 0; i < question->answers->len; i++)
		g_string_append_printf(lines, "%s%s", lines->len > 0 ? "\n" : "",
		    ((const struct dns_answer *)question->answers->pdata[i])->text);
}

/* Judges a host by its addresses. */
static enum domain_zone_state
tracking_match_addresses(const GPtrArray *questions)
{
	bool within = true;

	for (guint i = 0; i < 2; i++) {
		const struct dns_question *own = questions->pdata[TRACKING_A + i];
		const struct dns_question *target = questions->pdata[TRACKING_TARGET_A + i];

		if (own->outcome == DNS_NO_ANSWER ||
		    (own->answers->len > 0 && target->outcome == DNS_NO_ANSWER))
			return ZONE_UNKNOWN;
		within = within && tracking_is_within(own, target);
	}
	return within ? ZONE_FOUND : ZONE_WRONG;
}

enum domain_zone_state
domain_tracking_match(const struct domain_zone_record *record, const struct dns_question *cname,
    const GPtrArray *questions, char **found_r)
{
	const struct dns_question *a = questions->pdata[TRACKING_A];
	const struct dns_question *aaaa = questions->pdata[TRACKING_AAAA];
	g_autoptr(GString) lines = g_string_new(NULL);

	tracking_add_lines(lines, cname);
	if (lines->len == 0) {
		tracking_add_lines(lines, a);
		tracking_add_lines(lines, aaaa);
	}
	*found_r = lines->len > 0 ? g_strdup(lines->str) : NULL;
	for (guint i = 0; i < cname->answers->len; i++) {
		const struct dns_answer *answer = cname->answers->pdata[i];

		if (g_ascii_strcasecmp(answer->text, record->value) == 0)
			return ZONE_FOUND;
	}
	if (tracking_passes(a, record->value) || tracking_passes(aaaa, record->value))
		return ZONE_FOUND;
	if (a->answers->len + aaaa->answers->len > 0)
		return tracking_match_addresses(questions);
	if (cname->answers->len > 0)
		return ZONE_WRONG;
	return cname->outcome == DNS_NO_ANSWER || a->outcome == DNS_NO_ANSWER ||
		       aaaa->outcome == DNS_NO_ANSWER
		   ? ZONE_UNKNOWN
		   : ZONE_MISSING;
}

char *
domain_tracking_proof(const struct config_settings *settings, const char *random, const char *host)
{
	g_autofree char *text = g_strconcat(random, "\n", host, NULL);
	guint8 tag[SHA256_SIZE];

	base_secret_sign(
	    config_settings_secret(settings), PROOF_PURPOSE, text, strlen(text), tag, sizeof(tag));
	return base_secret_base64url(tag, sizeof(tag));
}

bool
domain_tracking_is_random(const char *random)
{
	gsize size = strlen(random);

	if (size == 0 || size > LIMIT_PROOF_LENGTH)
		return false;
	for (; *random; random++)
		if (!g_ascii_isalnum(*random) && *random != '-' && *random != '_')
			return false;
	return true;
}

/* Whether a proof is one of this installation, by any of its secrets: another machine may have a
   new one already. */
static bool
tracking_is_proof(
    const struct config_settings *settings, const char *random, const char *host, const char *proof)
{
	g_autoptr(GBytes) tag = proof ? base_secret_base64url_decode(proof) : NULL;
	g_autofree char *text = g_strconcat(random, "\n", host, NULL);
	gsize size;

	if (!tag)
		return false;
	const guint8 *bytes = g_bytes_get_data(tag, &size);
	return size == SHA256_SIZE && base_secret_verify(config_settings_secret(settings),
					  PROOF_PURPOSE, text, strlen(text), bytes, size);
}

/* The addresses of the target as libcurl takes them; NULL where DNS has none. The caller owns it.
 */
static char *
tracking_addresses(const GPtrArray *questions)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint q = TRACKING_TARGET_A; q <= TRACKING_TARGET_AAAA; q++) {
		const struct dns_question *question = questions->pdata[q];

		for (guint i = 0; i < question->answers->len; i++)
			g_string_append_printf(list, q == TRACKING_TARGET_A ? "%s%s" : "%s[%s]",
			    list->len > 0 ? "," : "",
			    ((const struct dns_answer *)question->answers->pdata[i])->text);
	}
	return list->len > 0 ? g_strdup(list->str) : NULL;
}

bool
domain_tracking_ask(const struct config_settings *settings, const char *host,
    const GPtrArray *questions, GError **error)
{
	g_autofree char *target = domain_zone_target(settings);
	g_autofree char *base = link_tracking_base_at(settings, host);
	g_autofree char *addresses = tracking_addresses(questions);
	guint8 bytes[RANDOM_BYTES];

	if (!target || !base)
		return base_invalid(error,
		    target ? "[service] url is not set" : "[service] tracking_host is not set");
	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *random = base_secret_base64url(bytes, sizeof(bytes));
	g_autofree char *url = g_strconcat(base, "/health?proof=", random, NULL);
	AUTO(fetch_answer) answer =
	    fetch_ask_at(url, target, addresses, "X-Posthouse-Proof", LIMIT_TRACKING_MS, error);
	if (!answer)
		return false;
	return tracking_is_proof(settings, random, host, answer->header) ||
	       base_invalid(error, "another server answers, with status %u", answer->status);
}

/* Whether a name is beside one of the installation's, below the same registrable domain. */
static bool
tracking_is_beside(const char *host, const char *own)
{
	const char *apex = own ? text_hostname_registrable(own) : NULL;

	return apex && g_strcmp0(apex, text_hostname_registrable(host)) == 0;
}

bool
domain_tracking_may_be_host(const struct config_settings *settings, const char *host)
{
	g_autofree char *own = tracking_service_host(settings);

	if (!strchr(host, '.') || g_strcmp0(host, own) == 0 || g_hostname_is_ip_address(host))
		return false;
	g_autofree char *target = domain_zone_target(settings);
	return g_strcmp0(host, target) != 0;
}

bool
domain_tracking_is_host(struct service *service, const char *host, bool *is_r, GError **error)
{
	g_autofree char *own = tracking_service_host(service->settings);
	g_autofree char *target = domain_zone_target(service->settings);
	bool known, verified;

	*is_r = false;
	if (!domain_tracking_may_be_host(service->settings, host))
		return true;
	if (!store_domain_host_find(service->db, host, &known, &verified, error))
		return false;
	*is_r = known &&
		(verified || !(tracking_is_beside(host, own) || tracking_is_beside(host, target)));
	return true;
}
