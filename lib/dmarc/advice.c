/* SPDX-License-Identifier: MIT */
/* Advises which DMARC policy to publish next. */
#include "dmarc/advice.h"

#include <string.h>

#define DAYS_NEEDED 14
#define REPORTERS_NEEDED 2
#define MESSAGES_NEEDED 100
#define PERCENT_QUARANTINE 1.0
#define PERCENT_REJECT 0.5
#define MAILTO "mailto:"

/* The address of one URI of rua, without its size. The caller owns it. */
static char *
advice_address_of(const char *uri)
{
	g_autofree char *text = g_strstrip(g_strdup(uri));
	char *size = strrchr(text, '!');

	if (size)
		*size = '\0';
	return g_strdup(
	    g_ascii_strncasecmp(text, MAILTO, strlen(MAILTO)) == 0 ? text + strlen(MAILTO) : text);
}

bool
dmarc_advice_leads_to(const char *record, const char *address)
{
	g_autofree char *rua = record ? domain_dmarc_tag(record, "rua") : NULL;
	g_auto(GStrv) uris = g_strsplit(rua ? rua : "", ",", -1);

	for (char **uri = uris; *uri; uri++) {
		g_autofree char *one = advice_address_of(*uri);

		if (g_ascii_strcasecmp(one, address) == 0)
			return true;
	}
	return false;
}

/* Whether a tag of the old record stays as it is. A record above has tags that are for names below
   it. */
static bool
advice_stays(const char *name, bool is_own)
{
	static const char *const gone[] = {"v", "p", "pct", "t", "rua", NULL};
	static const char *const above[] = {"sp", "np", "psd", NULL};

	return *name && !g_strv_contains(gone, name) && (is_own || !g_strv_contains(above, name));
}

/* The record to publish. The caller owns it. */
static char *
advice_record(const struct dmarc_advice_facts *facts, const char *policy)
{
	const char *old = facts->policy->record;
	g_auto(GStrv) tags = g_strsplit(old ? old : "", ";", -1);
	g_autofree char *rua = old ? domain_dmarc_tag(old, "rua") : NULL;
	bool has_address = dmarc_advice_leads_to(old, facts->address);
	GString *record = g_string_new(NULL);

	g_string_append_printf(record, "v=DMARC1; p=%s", policy);
	for (char **tag = tags; *tag; tag++) {
		g_autofree char *text = g_strstrip(g_strdup(*tag));
		g_autofree char *name = g_ascii_strdown(text, (gssize)strcspn(text, "="));

		if (strchr(text, '=') && advice_stays(g_strstrip(name), facts->is_own))
			g_string_append_printf(record, "; %s", text);
	}
	g_string_append_printf(record, "; rua=%s", rua ? rua : "");
	if (!has_address)
		g_string_append_printf(
		    record, "%s" MAILTO "%s", rua && *rua ? "," : "", facts->address);
	return g_string_free(record, FALSE);
}

static void
advice_say(struct dmarc_advice *advice, char *reason)
{
	g_ptr_array_add(advice->reasons, reason);
}

/* A percentage in as few digits as show that it is above the limit. The caller owns it. */
static char *
advice_percent(double percent, double most)
{
	for (guint digits = 1;; digits++) {
		g_autofree char *format = g_strdup_printf("%%.%uf", digits);
		char text[G_ASCII_DTOSTR_BUF_SIZE];

		g_ascii_formatd(text, sizeof(text), format, percent);
		if (digits < 6 && g_ascii_strtod(text, NULL) <= most)
			continue;
		char *end = text + strlen(text);
		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			*--end = '\0';
		return g_strdup(text);
	}
}

/* Says what is missing for the next step. */
static void
advice_look(const struct dmarc_advice_facts *facts, bool for_reject, struct dmarc_advice *advice)
{
	gint64 ours = facts->kinds[DMARC_KIND_OURS], broken = facts->kinds[DMARC_KIND_BROKEN];
	double most = for_reject ? PERCENT_REJECT : PERCENT_QUARANTINE;
	double percent = ours + broken > 0 ? 100.0 * (double)broken / (double)(ours + broken) : 0;

	if (facts->reach.days < DAYS_NEEDED)
		advice_say(advice, g_strdup_printf("reports about %" G_GINT64_FORMAT " of %d days",
				       facts->reach.days, DAYS_NEEDED));
	if (facts->reach.reporters < REPORTERS_NEEDED)
		advice_say(advice, g_strdup_printf("%" G_GINT64_FORMAT " of %d reporters",
				       facts->reach.reporters, REPORTERS_NEEDED));
	if (ours < MESSAGES_NEEDED)
		advice_say(advice,
		    g_strdup_printf("%" G_GINT64_FORMAT " of %d messages", ours, MESSAGES_NEEDED));
	if (percent > most) {
		g_autofree char *share = advice_percent(percent, most);
		advice_say(advice, g_strdup_printf("%s %% of your own mail fails, at most %s %%",
				       share, for_reject ? "0.5" : "1"));
	}
	if (for_reject && facts->reach.enforced_days < DAYS_NEEDED)
		advice_say(advice, g_strdup_printf("quarantine for %" G_GINT64_FORMAT " of %d days",
				       facts->reach.enforced_days, DAYS_NEEDED));
}

void
dmarc_advice_make(const struct dmarc_advice_facts *facts, struct dmarc_advice *advice_r)
{
	const struct domain_dmarc_policy *policy = facts->policy;

	*advice_r = (struct dmarc_advice){.reasons = g_ptr_array_new_with_free_func(g_free)};
	advice_r->next = !policy->has_policy		       ? "none"
			 : policy->applied == DMARC_NONE       ? "quarantine"
			 : policy->applied == DMARC_QUARANTINE ? "reject"
							       : NULL;
	if (advice_r->next && policy->has_policy)
		advice_look(facts, policy->applied == DMARC_QUARANTINE, advice_r);
	advice_r->ready = advice_r->next && advice_r->reasons->len == 0;
	if (advice_r->next || !dmarc_advice_leads_to(policy->record, facts->address))
		advice_r->record = advice_record(
		    facts, advice_r->next ? advice_r->next : domain_dmarc_word(policy->strength));
}

void
dmarc_advice_clear(struct dmarc_advice *advice)
{
	g_ptr_array_unref(advice->reasons);
	g_free(advice->record);
}
