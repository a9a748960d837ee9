/* SPDX-License-Identifier: MIT */
/* Reads the tags of DMARC records, and walks up the tree of names. */
#include "domain/dmarc.h"

#include <string.h>

#include "dns/question.h"

#define BLANKS " \t"
#define PREFIX "_dmarc."

char *
domain_dmarc_tag(const char *text, const char *tag)
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
	g_autofree char *said = domain_dmarc_tag(text, tag);

	return said && g_ascii_strcasecmp(said, value) == 0;
}

/* Whether one of the addresses in rua is a URI. A size may stand behind it: "!10m". */
static bool
has_reports(const char *text)
{
	g_autofree char *rua = domain_dmarc_tag(text, "rua");
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
	g_autofree char *value = domain_dmarc_tag(text, tag);

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

guint
domain_dmarc_count(const struct dns_question *answered)
{
	guint count = 0;

	for (guint i = 0; i < answered->answers->len; i++)
		count += domain_dmarc_is_record(
		    ((const struct dns_answer *)answered->answers->pdata[i])->text);
	return count;
}

/* The record of an answer; several count as none. */
static const char *
dmarc_record_of(const struct dns_question *answered)
{
	if (domain_dmarc_count(answered) != 1)
		return NULL;
	for (guint i = 0; i < answered->answers->len; i++) {
		const char *text = ((const struct dns_answer *)answered->answers->pdata[i])->text;

		if (domain_dmarc_is_record(text))
			return text;
	}
	return NULL;
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

/* The walk of a domain. Places are those of the questions of its tree; -1: none. */
struct dmarc_walk {
	const char *organization;
	gint at;   /* the place of the record that holds at the organizational domain */
	guint end; /* the number of questions that were needed */
};

/* Finds the organizational domain (RFC 9989 section 4.10.2). */
static struct dmarc_walk
dmarc_walk_of(const char *domain, const GPtrArray *tree)
{
	struct dmarc_walk walk = {domain, -1, 0};

	while (walk.end < tree->len) {
		gint place = (gint)walk.end++;
		const struct dns_question *question = tree->pdata[place];
		const char *record = dmarc_record_of(question),
			   *part = dmarc_part_of(domain, question);

		if (!record)
			continue;
		if (place > 0 && domain_dmarc_says(record, "psd", "y")) {
			const char *below = dmarc_part_of(domain, tree->pdata[place - 1]);

			walk.organization = child_of(domain, part);
			/* Names may be left out between the domain and the one of seven labels. */
			walk.at =
			    walk.organization == below && dmarc_record_of(tree->pdata[place - 1])
				? place - 1
				: place;
			break;
		}
		walk.organization = part;
		walk.at = place;
		if (domain_dmarc_says(record, "psd", "n") || domain_dmarc_says(record, "psd", "y"))
			break;
	}
	return walk;
}

const char *
domain_dmarc_organization(const char *domain, const GPtrArray *tree)
{
	return dmarc_walk_of(domain, tree).organization;
}

const char *
domain_dmarc_inherited(const char *domain, const GPtrArray *tree)
{
	struct dmarc_walk walk = dmarc_walk_of(domain, tree);
	const char *record = walk.at < 0 ? NULL : dmarc_record_of(tree->pdata[walk.at]);

	return record && domain_dmarc_has_policy(record) ? record : NULL;
}

/* The strength of a record's policy for a domain; below: that it inherits from. */
static enum domain_dmarc_strength
dmarc_strength_of(const char *record, bool below)
{
	g_autofree char *sp = below ? domain_dmarc_tag(record, "sp") : NULL;
	const char *tag = sp ? "sp" : "p";

	return domain_dmarc_says(record, tag, "reject")	      ? DMARC_REJECT
	       : domain_dmarc_says(record, tag, "quarantine") ? DMARC_QUARANTINE
							      : DMARC_NONE;
}

struct domain_dmarc_policy
domain_dmarc_discover(const char *domain, const GPtrArray *tree)
{
	struct dmarc_walk walk = dmarc_walk_of(domain, tree);
	const char *own = dmarc_record_of(tree->pdata[0]);
	gint at = own ? 0 : walk.at;
	const struct dns_question *question = at < 0 ? NULL : tree->pdata[at];
	struct domain_dmarc_policy policy = {
	    .organization = walk.organization,
	    .asked = walk.end,
	    .found_at = question ? question->name : NULL,
	    .record = question ? dmarc_record_of(question) : NULL,
	};

	if (!policy.record || !domain_dmarc_has_policy(policy.record))
		return policy;
	policy.has_policy = true;
	policy.is_testing = domain_dmarc_says(policy.record, "t", "y");
	policy.strength = dmarc_strength_of(policy.record, at > 0);
	policy.applied = policy.strength;
	if (policy.is_testing && policy.applied > DMARC_NONE)
		policy.applied--;
	return policy;
}

const char *
domain_dmarc_word(enum domain_dmarc_strength strength)
{
	static const char *const words[] = {
	    [DMARC_NONE] = "none",
	    [DMARC_QUARANTINE] = "quarantine",
	    [DMARC_REJECT] = "reject",
	};

	return words[strength];
}
