/* SPDX-License-Identifier: MIT */
/* DNS records, compared by meaning. */
#include "core/zone_match.h"

#include <stdbool.h>
#include <string.h>

#include "core/spf.h"
#include "core/zone.h"
#include "dns/question.h"
#include "store/domain_key.h"

#define SPACE " \t\r\n"

/* A tag-list (RFC 6376 section 3.2): name to value, white space around them taken away. NULL when
   it is malformed: a tag without "=", or one that stands there twice. *first_r is the first name.
 */
static GHashTable *
tags_of(const char *text, char **first_r)
{
	g_autoptr(GHashTable) tags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_auto(GStrv) parts = g_strsplit(text, ";", -1);

	*first_r = NULL;
	for (char **part = parts; *part; part++) {
		char *equals = strchr(*part, '=');

		if (!equals && (*part)[strspn(*part, SPACE)] == '\0')
			continue;
		if (!equals)
			return NULL;
		*equals = '\0';
		const char *name = g_strstrip(*part);
		if (!*first_r)
			*first_r = g_strdup(name);
		if (!g_hash_table_insert(tags, g_strdup(name), g_strdup(g_strstrip(equals + 1))))
			return NULL;
	}
	return g_steal_pointer(&tags);
}

/* Whether a list separated by colons has an entry; a tag that is not there allows all. */
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
is_key(const char *text, const struct store_domain_key *key)
{
	static const char *const hashes[] = {"sha256", NULL};
	static const char *const services[] = {"*", "email", NULL};
	g_autofree char *first = NULL;
	g_autoptr(GHashTable) tags = tags_of(text, &first);

	if (!tags)
		return false;
	const char *version = g_hash_table_lookup(tags, "v");
	const char *type = g_hash_table_lookup(tags, "k");
	const char *public = g_hash_table_lookup(tags, "p");
	const char *want_type = key->algorithm == DOMAIN_KEY_RSA ? "rsa" : "ed25519";

	return (!version || (strcmp(first, "v") == 0 && strcmp(version, "DKIM1") == 0)) &&
	       strcmp(type ? type : "rsa", want_type) == 0 && public &&
	       equal_without_space(public, key->public) && lists(tags, "h", hashes) &&
	       lists(tags, "s", services);
}

static bool
is_dmarc(const char *text)
{
	static const char version[] = "v=DMARC1";
	const char *rest = text + strlen(version);

	return g_str_has_prefix(text, version) && (*rest == ';' || strchr(SPACE, *rest));
}

static bool
has_policy(const char *text)
{
	static const char *const policies[] = {"none", "quarantine", "reject", NULL};
	g_autofree char *first = NULL;
	g_autoptr(GHashTable) tags = tags_of(text, &first);
	const char *policy = tags ? g_hash_table_lookup(tags, "p") : NULL;

	if (!policy)
		return tags && g_hash_table_contains(tags, "rua");
	g_autofree char *lower = g_ascii_strdown(policy, -1);
	return g_strv_contains(policies, lower);
}

static void
add_line(GString *lines, const char *text)
{
	g_string_append_printf(lines, "%s%s", lines->len > 0 ? "\n" : "", text);
}

static enum core_zone_state
match_key(const struct core_zone_record *record, const GPtrArray *answers, GString *lines)
{
	for (guint i = 0; i < answers->len; i++) {
		const struct dns_answer *answer = answers->pdata[i];

		if (is_key(answer->text, record->key)) {
			g_string_assign(lines, answer->text);
			return ZONE_FOUND;
		}
		add_line(lines, answer->text);
	}
	return ZONE_WRONG;
}

static bool
is_host(const struct dns_answer *answer, const char *host)
{
	return g_ascii_strcasecmp(answer->text, host) == 0;
}

static enum core_zone_state
match_mx(const struct core_zone_record *record, const GPtrArray *answers, GString *lines)
{
	guint32 best = G_MAXUINT32;
	bool found = false;

	for (guint i = 0; i < answers->len; i++) {
		const struct dns_answer *answer = answers->pdata[i];
		g_autofree char *line = g_strdup_printf("%u %s", answer->number, answer->text);

		add_line(lines, line);
		if (answer->number < best)
			found = false;
		best = MIN(best, answer->number);
		found |= answer->number == best && is_host(answer, record->value);
	}
	return found ? ZONE_FOUND : ZONE_WRONG;
}

/* Of the texts at a name those that are meant for this; the others are somebody else's business. */
static enum core_zone_state
match_policy(const struct core_zone_record *record, const GPtrArray *answers, GString *lines)
{
	bool spf = record->purpose == ZONE_SPF, good = false;
	guint count = 0;

	for (guint i = 0; i < answers->len; i++) {
		const char *text = ((const struct dns_answer *)answers->pdata[i])->text;

		if (!(spf ? core_spf_is_record(text) : is_dmarc(text)))
			continue;
		add_line(lines, text);
		good = spf ? core_spf_allows(text, record->value, record->name) : has_policy(text);
		count++;
	}
	/* Two of them are worth none: RFC 7208 section 4.5, RFC 7489 section 6.6.3. */
	return count == 0 ? ZONE_MISSING : count == 1 && good ? ZONE_FOUND : ZONE_WRONG;
}

/* Cuts it to what is kept. */
static char *
take_lines(GString *lines)
{
	if (lines->len > ZONE_FOUND_MAX)
		g_string_truncate(lines, ZONE_FOUND_MAX);
	return lines->len > 0 ? g_strdup(lines->str) : NULL;
}

enum core_zone_state
core_zone_match(
    const struct core_zone_record *record, const struct dns_question *answered, char **found_r)
{
	static enum core_zone_state (*const matches[])(
	    const struct core_zone_record *, const GPtrArray *, GString *) = {
	    [ZONE_DKIM] = match_key,
	    [ZONE_MX] = match_mx,
	    [ZONE_SPF] = match_policy,
	    [ZONE_DMARC] = match_policy,
	};
	g_autoptr(GString) lines = g_string_new(NULL);
	enum core_zone_state state;

	*found_r = NULL;
	if (answered->outcome == DNS_NO_ANSWER)
		return ZONE_UNKNOWN;
	if (answered->outcome != DNS_FOUND)
		return ZONE_MISSING;
	state = matches[record->purpose](record, answered->answers, lines);
	*found_r = take_lines(lines);
	return state;
}
