/* SPDX-License-Identifier: MIT */
/* Reads BIMI records. */
#include "domain/bimi.h"

#include <glib.h>
#include <string.h>

#include "dns/question.h"
#include "domain/dmarc.h"

char *
domain_bimi_name(const char *domain)
{
	return g_strconcat("default._bimi.", domain, NULL);
}

bool
domain_bimi_allows(const struct domain_dmarc_policy *policy)
{
	if (!policy->has_policy || policy->is_testing || policy->applied == DMARC_NONE)
		return false;
	g_autofree char *pct = domain_dmarc_tag(policy->record, "pct");
	return (!pct || strcmp(pct, "100") == 0) &&
	       !domain_dmarc_says(policy->record, "sp", "none");
}

static bool
bimi_is_record(const char *text)
{
	g_autofree char *version = domain_dmarc_tag(text, "v");

	return g_ascii_strncasecmp(text, "v", 1) == 0 && g_strcmp0(version, "BIMI1") == 0;
}

const char *
domain_bimi_record(const struct dns_question *answered)
{
	for (guint i = 0; i < answered->answers->len; i++) {
		const char *text = ((const struct dns_answer *)answered->answers->pdata[i])->text;

		if (bimi_is_record(text))
			return text;
	}
	return NULL;
}

/* Whether a value is an https URL. */
static bool
bimi_is_url(const char *value)
{
	g_autoptr(GUri) url = g_uri_parse(value, G_URI_FLAGS_NONE, NULL);

	return url && g_strcmp0(g_uri_get_scheme(url), "https") == 0 && g_uri_get_host(url) &&
	       *g_uri_get_host(url);
}

const char *
domain_bimi_fault(const struct dns_question *answered)
{
	const char *record = domain_bimi_record(answered);
	guint count = 0;

	for (guint i = 0; i < answered->answers->len; i++)
		count +=
		    bimi_is_record(((const struct dns_answer *)answered->answers->pdata[i])->text);
	if (!record)
		return NULL;
	if (count > 1)
		return "there are several records";
	g_autofree char *logo = domain_dmarc_tag(record, "l");
	g_autofree char *evidence = domain_dmarc_tag(record, "a");
	if (!logo)
		return "it has no l=";
	/* A record without a logo says that the domain wants none. */
	if (*logo && (!bimi_is_url(logo) || !g_str_has_suffix(logo, ".svg")))
		return "l= is no https URL of a .svg";
	if (evidence && *evidence && !bimi_is_url(evidence))
		return "a= is no https URL";
	return NULL;
}
