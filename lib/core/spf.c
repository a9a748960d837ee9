/* SPDX-License-Identifier: MIT */
/* SPF records (RFC 7208), compared by what they allow. */
#include "core/spf.h"

#include <arpa/inet.h>
#include <glib.h>
#include <netinet/in.h>
#include <string.h>

#define RECORD "v=spf1"

bool
core_spf_is_record(const char *text)
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

/* A mechanism in one spelling: no "+", lower case, no final dot, and of the name where it says
 * none.
 */
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

/* The network of ip4: or ip6:, none for any other mechanism. */
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
	/* What stands behind "all" is never looked at. */
	for (; *terms && !is_all(*terms); terms++)
		if (**terms && covers(*terms, ours))
			return true;
	return false;
}

/* The terms behind the version, in one spelling. */
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
core_spf_allows(const char *text, const char *ours, const char *name)
{
	g_auto(GStrv) theirs = terms_of(text, name);
	g_auto(GStrv) wanted = terms_of(ours, name);

	for (char **term = wanted; *term; term++)
		if (**term && !is_all(*term) && !has(theirs, *term))
			return false;
	return true;
}
