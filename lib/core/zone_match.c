/* SPDX-License-Identifier: MIT */
/* Compares DNS answers with the records that a sending domain needs, by their meaning. */
#include "core/zone_match.h"

#include <arpa/inet.h>
#include <glib.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "core/zone.h"
#include "dns/question.h"
#include "store/domain_key.h"

#define RECORD "v=spf1"

bool
core_zone_is_spf(const char *text)
{
	gsize size = strlen(RECORD);

	return g_ascii_strncasecmp(text, RECORD, size) == 0 &&
	       (text[size] == ' ' || text[size] == '\0');
}

static bool
is_all(const char *term)
{
	if (*term && strchr("+-~?", *term))
		term++;
	return g_ascii_strcasecmp(term, "all") == 0;
}

/* A mechanism in its normal spelling: without "+", in lower case, without a final dot, and with the
   name if it gives none. */
static char *
normalize(const char *term, const char *name)
{
	g_autofree char *text = g_ascii_strdown(term + (*term == '+'), -1);

	if (g_str_has_suffix(text, "."))
		text[strlen(text) - 1] = '\0';
	gsize word = strcspn(text, ":/");
	bool of_name = text[word] != ':' && ((word == 1 && text[0] == 'a') ||
						(word == 2 && strncmp(text, "mx", 2) == 0));
	if (!of_name)
		return g_steal_pointer(&text);
	g_autofree char *lower = g_ascii_strdown(name, -1);
	return g_strdup_printf("%.*s:%s%s", (int)word, text, lower, text + word);
}

struct network {
	guint8 bytes[16];
	guint size; /* 4 or 16; 0: none */
	guint bits;
};

/* The network of an ip4: or ip6: mechanism; size 0 for any other. */
static struct network
network_of(const char *mechanism)
{
	static const struct network none = {.size = 0};
	bool four = g_str_has_prefix(mechanism, "ip4:");
	struct network network = {.size = four ? 4 : 16, .bits = four ? 32 : 128};
	guint64 bits;

	if (!four && !g_str_has_prefix(mechanism, "ip6:"))
		return none;
	g_auto(GStrv) parts = g_strsplit(mechanism + strlen("ip4:"), "/", 2);
	if (!parts[0] || inet_pton(four ? AF_INET : AF_INET6, parts[0], network.bytes) != 1)
		return none;
	if (parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 0, network.bits, &bits, NULL))
		return none;
	if (parts[1])
		network.bits = (guint)bits;
	return network;
}

/* Whether all of inner lies in outer. */
static bool
contains(const struct network *outer, const struct network *inner)
{
	guint whole = outer->bits / 8, rest = outer->bits % 8;

	return outer->size == inner->size && outer->bits <= inner->bits &&
	       memcmp(outer->bytes, inner->bytes, whole) == 0 &&
	       (rest == 0 || (outer->bytes[whole] ^ inner->bytes[whole]) >> (8 - rest) == 0);
}

static bool
covers(const char *theirs, const char *ours)
{
	struct network outer = network_of(theirs), inner = network_of(ours);

	return outer.size > 0 && inner.size > 0 ? contains(&outer, &inner)
						: strcmp(theirs, ours) == 0;
}

static bool
has(char **terms, const char *ours)
{
	/* Receivers ignore the terms behind "all". */
	for (; *terms && !is_all(*terms); terms++)
		if (**terms && covers(*terms, ours))
			return true;
	return false;
}

/* The terms behind the version, in their normal spelling. */
static char **
terms_of(const char *text, const char *name)
{
	char **terms = g_strsplit(text + strlen(RECORD), " ", -1);

	for (char **term = terms; *term; term++) {
		char *normal = normalize(*term, name);

		g_free(*term);
		*term = normal;
	}
	return terms;
}

bool
core_zone_spf_allows(const char *text, const char *ours, const char *name)
{
	g_auto(GStrv) theirs = terms_of(text, name);
	g_auto(GStrv) wanted = terms_of(ours, name);

	for (char **term = wanted; *term; term++)
		if (**term && !is_all(*term) && !has(theirs, *term))
			return false;
	return true;
}

#define SPACE " \t\r\n"

/* Reads a tag-list (RFC 6376 section 3.2): name to value, without surrounding white space. NULL
   when it is malformed: a tag has no "=", or occurs twice. */
static GHashTable *
tags_of(const char *text)
{
	g_autoptr(GHashTable) tags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_auto(GStrv) parts = g_strsplit(text, ";", -1);

	for (char **part = parts; *part; part++) {
		char *equals = strchr(*part, '=');

		if (!equals && (*part)[strspn(*part, SPACE)] == '\0')
			continue;
		if (!equals)
			return NULL;
		*equals = '\0';
		const char *name = g_strstrip(*part);
		if (!g_hash_table_insert(tags, g_strdup(name), g_strdup(g_strstrip(equals + 1))))
			return NULL;
	}
	return g_steal_pointer(&tags);
}

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
	g_autoptr(GHashTable) tags = tags_of(text);

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
	g_autoptr(GHashTable) tags = tags_of(text);
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

/* Matches an SPF or DMARC record. Other texts at the same name are ignored. */
static enum core_zone_state
match_policy(const struct core_zone_record *record, const GPtrArray *answers, GString *lines)
{
	bool spf = record->purpose == ZONE_SPF, good = false;
	guint count = 0;

	for (guint i = 0; i < answers->len; i++) {
		const char *text = ((const struct dns_answer *)answers->pdata[i])->text;

		if (!(spf ? core_zone_is_spf(text) : is_dmarc(text)))
			continue;
		add_line(lines, text);
		good = spf ? core_zone_spf_allows(text, record->value, record->name)
			   : has_policy(text);
		count++;
	}
	/* Two records count as none: RFC 7208 section 4.5, RFC 7489 section 6.6.3. */
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
