/* SPDX-License-Identifier: MIT */
/* Compares DNS answers with the records that a sending domain needs, by their meaning. */
#include "domain/zone_match.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "dns/question.h"
#include "domain/dmarc.h"
#include "domain/spf.h"
#include "domain/zone.h"
#include "mail/tag_list.h"
#include "store/domain/key.h"

/* Whether the SPF record text allows all that ours allows, by itself. */
static bool
zone_match_allows(const struct domain_zone_record *record, const char *text)
{
	const char *fault;

	return domain_spf_judge(text, record->value, record->name, NULL, &fault) == SPF_PASSES;
}

#define SPACE " \t\r\n"

/* Whether a colon-separated list has one of the entries. A missing tag allows all. */
static bool
lists(GHashTable *tags, const char *tag, const char *const *entries)
{
	const char *value = g_hash_table_lookup(tags, tag);

	if (!value)
		return true;
	g_auto(GStrv) given = g_strsplit(value, ":", -1);
	for (char **entry = given; *entry; entry++)
		if (g_strv_contains(entries, g_strstrip(*entry)))
			return true;
	return false;
}

/* Whether the key is only tried out: a receiver treats what it signs as if it were not signed. */
static bool
is_testing(GHashTable *tags)
{
	static const char *const testing[] = {"y", NULL};

	return g_hash_table_contains(tags, "t") && lists(tags, "t", testing);
}

static bool
equal_without_space(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, SPACE);
		b += strspn(b, SPACE);
		if (*a != *b || !*a)
			return *a == *b;
	}
}

static bool
zone_match_is_key(const char *text, const struct store_domain_key *key)
{
	static const char *const hashes[] = {"sha256", NULL};
	static const char *const services[] = {"*", "email", NULL};
	g_autoptr(GHashTable) tags = mail_tag_list_read(text, strlen(text));

	if (!tags)
		return false;
	const char *version = g_hash_table_lookup(tags, "v");
	const char *type = g_hash_table_lookup(tags, "k");
	const char *public = g_hash_table_lookup(tags, "p");
	const char *want_type = key->algorithm == DOMAIN_KEY_RSA ? "rsa" : "ed25519";

	/* RFC 6376 section 3.6.1 wants the version in front; verifiers take it anywhere. */
	return (!version || strcmp(version, "DKIM1") == 0) &&
	       strcmp(type ? type : "rsa", want_type) == 0 && public &&
	       equal_without_space(public, key->public) && lists(tags, "h", hashes) &&
	       lists(tags, "s", services) && !is_testing(tags);
}

static void
zone_match_add_line(GString *lines, const char *text)
{
	g_string_append_printf(lines, "%s%s", lines->len > 0 ? "\n" : "", text);
}

/* A receiver takes any one of several texts, or none (RFC 6376 section 3.6.2.2). */
static enum domain_zone_state
match_key(const struct domain_zone_record *record, const GPtrArray *answers, GString *lines)
{
	bool found = answers->len == 1;

	for (guint i = 0; i < answers->len; i++) {
		const struct dns_answer *answer = answers->pdata[i];

		found = found && zone_match_is_key(answer->text, record->key);
		zone_match_add_line(lines, answer->text);
	}
	return found ? ZONE_FOUND : ZONE_WRONG;
}

static bool
is_host(const struct dns_answer *answer, const char *host)
{
	return g_ascii_strcasecmp(answer->text, host) == 0;
}

static enum domain_zone_state
match_mx(const struct domain_zone_record *record, const GPtrArray *answers, GString *lines)
{
	guint32 best = G_MAXUINT32;
	bool found = false;

	for (guint i = 0; i < answers->len; i++) {
		const struct dns_answer *answer = answers->pdata[i];
		/* An empty name is the root, as a null MX has it (RFC 7505). */
		g_autofree char *line =
		    g_strdup_printf("%u %s", answer->number, *answer->text ? answer->text : ".");

		zone_match_add_line(lines, line);
		if (answer->number < best)
			found = false;
		best = MIN(best, answer->number);
		found |= answer->number == best && is_host(answer, record->value);
	}
	return found ? ZONE_FOUND : ZONE_WRONG;
}

/* Matches an SPF or DMARC record. Other texts at the same name are ignored. */
static enum domain_zone_state
match_policy(const struct domain_zone_record *record, const GPtrArray *answers, GString *lines)
{
	bool spf = record->purpose == ZONE_SPF, good = false;
	guint count = 0;

	for (guint i = 0; i < answers->len; i++) {
		const char *text = ((const struct dns_answer *)answers->pdata[i])->text;

		if (!(spf ? domain_spf_is_record(text) : domain_dmarc_is_record(text)))
			continue;
		zone_match_add_line(lines, text);
		good = spf ? zone_match_allows(record, text) : domain_dmarc_has_policy(text);
		count++;
	}
	/* Two records count as none: RFC 7208 section 4.5, RFC 9989 section 4.7. */
	return count == 0 ? ZONE_MISSING : count == 1 && good ? ZONE_FOUND : ZONE_WRONG;
}

/* Any one record that says where reports go (RFC 8460 section 3) is found. */
static enum domain_zone_state
match_tls(const struct domain_zone_record *record, const GPtrArray *answers, GString *lines)
{
	guint count = 0;
	bool good = false;

	for (guint i = 0; i < answers->len; i++) {
		const char *text = ((const struct dns_answer *)answers->pdata[i])->text;

		if (!g_str_has_prefix(text, "v=TLSRPTv1"))
			continue;
		g_autoptr(GHashTable) tags = mail_tag_list_read(text, strlen(text));
		zone_match_add_line(lines, text);
		good = tags && g_hash_table_contains(tags, "rua");
		count++;
	}
	return count == 0 ? ZONE_MISSING : count == 1 && good ? ZONE_FOUND : ZONE_WRONG;
}

/* The lines, cut to ZONE_FOUND_MAX; NULL for none. */
static char *
take_lines(GString *lines)
{
	if (lines->len > ZONE_FOUND_MAX)
		g_string_truncate(lines, ZONE_FOUND_MAX);
	return lines->len > 0 ? g_strdup(lines->str) : NULL;
}

enum domain_zone_state
domain_zone_match(
    const struct domain_zone_record *record, const struct dns_question *answered, char **found_r)
{
	static enum domain_zone_state (*const matches[])(
	    const struct domain_zone_record *, const GPtrArray *, GString *) = {
	    [ZONE_DKIM] = match_key,
	    [ZONE_MX] = match_mx,
	    [ZONE_SPF] = match_policy,
	    [ZONE_DMARC] = match_policy,
	    [ZONE_RECEIVING] = match_mx,
	    [ZONE_TLS] = match_tls,
	};
	g_autoptr(GString) lines = g_string_new(NULL);
	enum domain_zone_state state;

	*found_r = NULL;
	if (answered->outcome == DNS_NO_ANSWER)
		return ZONE_UNKNOWN;
	if (answered->outcome != DNS_FOUND)
		return ZONE_MISSING;
	state = matches[record->purpose](record, answered->answers, lines);
	*found_r = take_lines(lines);
	return state;
}
