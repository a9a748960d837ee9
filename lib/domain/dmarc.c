/* SPDX-License-Identifier: MIT */
/* Reads the tags of DMARC records, and walks up the tree of names. */
#include "domain/dmarc.h"

#include <string.h>

#include "dns/question.h"

#define BLANKS " \t"
#define PREFIX "_dmarc."

/* The value of a record's first tag of this name; NULL when there is none. Text that is no tag is
   passed over. The caller owns it. */
static char *
tag_value(const char *text, const char *tag)
{
	g_auto(GStrv) parts = g_strsplit(text, ";", -1);

	for (char **part = parts; *part; part++) {
		g_auto(GStrv) words = g_strsplit(*part, "=", 2);

		if (words[0] && words[1] && g_ascii_strcasecmp(g_strstrip(words[0]), tag) == 0)
			return g_strdup(g_strstrip(words[1]));
	}
	return NULL;
}

bool
domain_dmarc_is_record(const char *text)
{
	static const char version[] = "DMARC1";

	if (*text != 'v' && *text != 'V')
		return false;
	text += 1 + strspn(text + 1, BLANKS);
	if (*text != '=')
		return false;
	text += 1 + strspn(text + 1, BLANKS);
	if (!g_str_has_prefix(text, version))
		return false;
	text += strlen(version);
	text += strspn(text, BLANKS);
	return *text == ';' || *text == '\0';
}

bool
domain_dmarc_says(const char *text, const char *tag, const char *value)
{
	g_autofree char *said = tag_value(text, tag);

	return said && g_ascii_strcasecmp(said, value) == 0;
}

/* Whether one of the addresses in rua is a URI. A size may stand behind it: "!10m". */
static bool
has_reports(const char *text)
{
	g_autofree char *rua = tag_value(text, "rua");
	g_auto(GStrv) addresses = g_strsplit(rua ? rua : "", ",", -1);

	for (char **address = addresses; *address; address++) {
		char *size = strrchr(*address, '!');

		if (size)
			*size = '\0';
		if (g_uri_is_valid(g_strstrip(*address), G_URI_FLAGS_NONE, NULL))
			return true;
	}
	return false;
}

/* Whether a tag has a policy; a missing one is as good as it may be missing. */
static bool
is_policy(const char *text, const char *tag, bool may_miss)
{
	static const char *const policies[] = {"none", "quarantine", "reject", NULL};
	g_autofree char *value = tag_value(text, tag);

	if (!value)
		return may_miss;
	g_autofree char *lower = g_ascii_strdown(value, -1);
	return g_strv_contains(policies, lower);
}

bool
domain_dmarc_has_policy(const char *text)
{
	return (is_policy(text, "p", false) && is_policy(text, "sp", true) &&
		   is_policy(text, "np", true)) ||
	       has_reports(text);
}

/* The name without its first label; "" behind the last one. */
static const char *
parent_of(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : "";
}

static guint
label_count(const char *name)
{
	guint count = 1;

	for (; *name; name++)
		count += *name == '.';
	return count;
}

GPtrArray *
domain_dmarc_tree(const char *domain)
{
	GPtrArray *tree = g_ptr_array_new_with_free_func(dns_question_destroy);
	const char *name = domain;

	while (*name && tree->len < DMARC_TREE) {
		g_autofree char *asked = g_strconcat(PREFIX, name, NULL);

		g_ptr_array_add(tree, dns_question_new(asked, DNS_TXT));
		name = parent_of(name);
		while (label_count(name) >= DMARC_TREE)
			name = parent_of(name);
	}
	return tree;
}

/* The record of an answer; several count as none. */
static const char *
dmarc_record_of(const struct dns_question *answered)
{
	const char *record = NULL;
	guint count = 0;

	for (guint i = 0; i < answered->answers->len; i++) {
		const char *text = ((const struct dns_answer *)answered->answers->pdata[i])->text;

		if (!domain_dmarc_is_record(text))
			continue;
		record = text;
		count++;
	}
	return count == 1 ? record : NULL;
}

/* The end of domain that a question of its tree is about. */
static const char *
dmarc_part_of(const char *domain, const struct dns_question *question)
{
	return domain + strlen(domain) - (strlen(question->name) - strlen(PREFIX));
}

/* The part of a domain one label below a parent of it. */
static const char *
child_of(const char *domain, const char *parent)
{
	while (parent_of(domain) != parent)
		domain = parent_of(domain);
	return domain;
}

/* Finds the organizational domain (RFC 9989 section 4.10.2). *policy_r is the record that holds
   there; NULL: none. */
static const char *
find_organization(const char *domain, const GPtrArray *tree, const char **policy_r)
{
	const char *organization = domain, *below = NULL;

	*policy_r = NULL;
	for (guint i = 0; i < tree->len; i++) {
		const struct dns_question *question = tree->pdata[i];
		const char *record = dmarc_record_of(question),
			   *part = dmarc_part_of(domain, question);

		if (record && i > 0 && domain_dmarc_says(record, "psd", "y")) {
			organization = child_of(domain, part);
			*policy_r =
			    below && organization == dmarc_part_of(domain, tree->pdata[i - 1])
				? below
				: record;
			return organization;
		}
		below = record;
		if (!record)
			continue;
		organization = part;
		*policy_r = record;
		if (domain_dmarc_says(record, "psd", "n"))
			break;
	}
	return organization;
}

const char *
domain_dmarc_organization(const char *domain, const GPtrArray *tree)
{
	const char *policy;

	return find_organization(domain, tree, &policy);
}

const char *
domain_dmarc_inherited(const char *domain, const GPtrArray *tree)
{
	const char *policy;

	find_organization(domain, tree, &policy);
	return policy && domain_dmarc_has_policy(policy) ? policy : NULL;
}
