/* SPDX-License-Identifier: MIT */
#include "domain/dmarc.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "dns/question.h"
#include "domain/bimi.h"

/* records: "NAME TEXT", separated by "|". */
static const struct {
	const char *domain, *records, *organization, *policy;
} cases[] = {
    {"example.com", "", "example.com", NULL},
    {"a.example.com", "", "a.example.com", NULL},
    {"a.example.com", "example.com v=DMARC1; p=none", "example.com", "v=DMARC1; p=none"},
    {"a.b.example.com", "b.example.com v=DMARC1; p=none", "b.example.com", "v=DMARC1; p=none"},
    {"a.b.example.com", "b.example.com v=DMARC1; p=none|example.com v=DMARC1; p=reject",
	"example.com", "v=DMARC1; p=reject"},
    {"a.b.example.com", "b.example.com v=DMARC1; p=none; psd=n|example.com v=DMARC1; p=reject",
	"b.example.com", "v=DMARC1; p=none; psd=n"},
    {"a.b.example.com", "b.example.com v=DMARC1; psd = N|example.com v=DMARC1; p=reject",
	"b.example.com", NULL},
    {"a.example.com", "a.example.com v=DMARC1; p=none; psd=n|example.com v=DMARC1; p=reject",
	"a.example.com", "v=DMARC1; p=none; psd=n"},
    {"a.b.bank.example", "bank.example v=DMARC1; p=reject|example v=DMARC1; p=none; psd=y",
	"bank.example", "v=DMARC1; p=reject"},
    {"a.b.bank.example", "example v=DMARC1; p=none; psd=y", "bank.example",
	"v=DMARC1; p=none; psd=y"},
    {"a.b.bank.example", "b.bank.example v=DMARC1; p=reject|example v=DMARC1; p=none; psd=y",
	"bank.example", "v=DMARC1; p=none; psd=y"},
    {"bank.example", "bank.example v=DMARC1; p=none; psd=y|example v=DMARC1; p=reject",
	"bank.example", "v=DMARC1; p=none; psd=y"},
    {"a.example.com", "example.com v=DMARC1; p=none|example.com v=DMARC1; p=reject",
	"a.example.com", NULL},
    {"a.example.com", "example.com v=DMARC1; p=none|example.com v=spf1 -all", "example.com",
	"v=DMARC1; p=none"},
    {"a.example.com", "example.com v=DMARC1; sp=none", "example.com", NULL},
    {"a.example.com", "com v = DMARC1; p=none", "com", "v = DMARC1; p=none"},
    {"a.b.c.d.e.f.g.h.i.example.com", "c.d.e.f.g.h.i.example.com v=DMARC1; p=none",
	"a.b.c.d.e.f.g.h.i.example.com", NULL},
    {"a.b.c.d.e.f.g.h.i.example.com", "e.f.g.h.i.example.com v=DMARC1; p=none",
	"e.f.g.h.i.example.com", "v=DMARC1; p=none"},
};

static void
dmarc_answer(struct dns_question *question, const char *records)
{
	g_auto(GStrv) lines = g_strsplit(records, "|", -1);

	question->outcome = DNS_NO_NAME;
	for (char **line = lines; *line && **line; line++) {
		char *text = strchr(*line, ' ');

		*text++ = '\0';
		if (strcmp(*line, question->name + strlen("_dmarc.")) != 0)
			continue;
		struct dns_answer *one = g_new0(struct dns_answer, 1);
		one->text = g_strdup(text);
		g_ptr_array_add(question->answers, one);
		question->outcome = DNS_FOUND;
	}
}

Test(dmarc, walks_up_the_tree)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) tree = domain_dmarc_tree(cases[i].domain);

		for (guint k = 0; k < tree->len; k++)
			dmarc_answer(tree->pdata[k], cases[i].records);
		const char *organization = domain_dmarc_organization(cases[i].domain, tree);
		const char *policy = domain_dmarc_inherited(cases[i].domain, tree);
		cr_expect_str_eq(organization, cases[i].organization, "%s, %s: got %s",
		    cases[i].domain, cases[i].records, organization);
		cr_expect(g_strcmp0(policy, cases[i].policy) == 0, "%s, %s: got %s",
		    cases[i].domain, cases[i].records, policy);
	}
}

/* The names that are asked, as in the examples of RFC 9989 section 4.10. */
Test(dmarc, asks_at_most_eight_names)
{
	static const struct {
		const char *domain, *want;
	} walks[] = {
	    {"com", "com"},
	    {"mail.example.com", "mail.example.com example.com com"},
	    {"a.mail.example.com", "a.mail.example.com mail.example.com example.com com"},
	    {"g.h.i.j.mail.example.com",
		"g.h.i.j.mail.example.com h.i.j.mail.example.com i.j.mail.example.com "
		"j.mail.example.com mail.example.com example.com com"},
	    {"f.g.h.i.j.mail.example.com",
		"f.g.h.i.j.mail.example.com g.h.i.j.mail.example.com h.i.j.mail.example.com "
		"i.j.mail.example.com j.mail.example.com mail.example.com example.com com"},
	    {"a.b.c.d.e.f.g.h.i.j.mail.example.com",
		"a.b.c.d.e.f.g.h.i.j.mail.example.com g.h.i.j.mail.example.com "
		"h.i.j.mail.example.com i.j.mail.example.com j.mail.example.com mail.example.com "
		"example.com com"},
	    {"mail.a.b.c.d.e.f.g.example.com",
		"mail.a.b.c.d.e.f.g.example.com c.d.e.f.g.example.com d.e.f.g.example.com "
		"e.f.g.example.com f.g.example.com g.example.com example.com com"},
	    {"a.b.c.d.e.f.g.h.i.j.k.example.com",
		"a.b.c.d.e.f.g.h.i.j.k.example.com g.h.i.j.k.example.com h.i.j.k.example.com "
		"i.j.k.example.com j.k.example.com k.example.com example.com com"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(walks); i++) {
		g_autoptr(GPtrArray) tree = domain_dmarc_tree(walks[i].domain);
		g_autoptr(GString) got = g_string_new(NULL);

		for (guint k = 0; k < tree->len; k++) {
			const struct dns_question *question = tree->pdata[k];

			cr_assert(g_str_has_prefix(question->name, "_dmarc."));
			g_string_append_printf(
			    got, "%s%s", k > 0 ? " " : "", question->name + strlen("_dmarc."));
		}
		cr_expect_str_eq(got->str, walks[i].want, "%s: got %s", walks[i].domain, got->str);
	}
}

/* The policy of a domain: where the record stands, the organizational domain, the questions that
   were needed, policy and applied policy. */
Test(dmarc, discovers_policies)
{
	static const struct {
		const char *domain, *records, *want;
	} policies[] = {
	    {"a.example.com", "", "- a.example.com 3 - -"},
	    {"a.example.com", "example.com v=DMARC1; p=reject",
		"_dmarc.example.com example.com 3 reject reject"},
	    {"a.example.com", "example.com v=DMARC1; p=reject; sp=quarantine",
		"_dmarc.example.com example.com 3 quarantine quarantine"},
	    {"example.com", "example.com v=DMARC1; p=reject; sp=quarantine; t=y",
		"_dmarc.example.com example.com 2 reject quarantine"},
	    {"a.example.com", "example.com v=DMARC1; p=reject; sp=quarantine; t=y",
		"_dmarc.example.com example.com 3 quarantine none"},
	    {"a.example.com", "a.example.com v=DMARC1; p=none; t=y|example.com v=DMARC1; p=reject",
		"_dmarc.a.example.com example.com 3 none none"},
	    {"a.example.com",
		"a.example.com v=DMARC1; p=none; psd=n|example.com v=DMARC1; p=reject",
		"_dmarc.a.example.com a.example.com 1 none none"},
	    {"a.b.example.com",
		"b.example.com v=DMARC1; p=quarantine; psd=n|example.com v=DMARC1; p=reject",
		"_dmarc.b.example.com b.example.com 2 quarantine quarantine"},
	    /* The record of the public suffix holds where the names below have none. */
	    {"a.b.bank.example", "bank.example v=DMARC1; p=reject|example v=DMARC1; p=none; psd=y",
		"_dmarc.bank.example bank.example 4 reject reject"},
	    {"a.b.bank.example", "example v=DMARC1; p=quarantine; psd=y",
		"_dmarc.example bank.example 4 quarantine quarantine"},
	    {"bank.example", "bank.example v=DMARC1; p=none; psd=y|example v=DMARC1; p=reject",
		"_dmarc.bank.example bank.example 1 none none"},
	    /* Two records are none. */
	    {"a.example.com",
		"a.example.com v=DMARC1; p=none|a.example.com v=DMARC1; p=none|example.com "
		"v=DMARC1; p=reject",
		"_dmarc.example.com example.com 3 reject reject"},
	    /* The examples of RFC 9989 section 4.10.2. */
	    {"a.mail.example.com",
		"mail.example.com v=DMARC1; p=none|example.com v=DMARC1; p=reject",
		"_dmarc.example.com example.com 4 reject reject"},
	    {"a.mail.example.com", "mail.example.com v=DMARC1; p=quarantine; psd=n",
		"_dmarc.mail.example.com mail.example.com 2 quarantine quarantine"},
	    {"a.mail.example.com", "com v=DMARC1; p=reject; psd=y",
		"_dmarc.com example.com 4 reject reject"},
	    /* Those of its appendix B.4: a simple one, a deep one, and one below a public suffix.
	     */
	    {"example.com", "example.com v=DMARC1; p=reject|signing.example.com v=DMARC1; p=none",
		"_dmarc.example.com example.com 2 reject reject"},
	    {"signing.example.com",
		"example.com v=DMARC1; p=reject|signing.example.com v=DMARC1; p=none",
		"_dmarc.signing.example.com example.com 3 none none"},
	    {"a.b.c.d.e.f.g.h.i.j.k.example.com",
		"example.com v=DMARC1; p=reject|signing.example.com v=DMARC1; p=none",
		"_dmarc.example.com example.com 8 reject reject"},
	    {"giant.bank.example",
		"giant.bank.example v=DMARC1; p=quarantine|bank.example v=DMARC1; p=reject; psd=y",
		"_dmarc.giant.bank.example giant.bank.example 2 quarantine quarantine"},
	    {"mail.giant.bank.example",
		"giant.bank.example v=DMARC1; p=quarantine|bank.example v=DMARC1; p=reject; psd=y",
		"_dmarc.giant.bank.example giant.bank.example 3 quarantine quarantine"},
	    {"mail.mega.bank.example",
		"giant.bank.example v=DMARC1; p=quarantine|bank.example v=DMARC1; p=reject; psd=y",
		"_dmarc.bank.example mega.bank.example 3 reject reject"},
	    /* The example of its note on large organizations: the walk passes over the zone cut. */
	    {"mail.a.b.c.d.e.f.g.example.com",
		"b.c.d.e.f.g.example.com v=DMARC1; p=none; psd=n|example.com v=DMARC1; p=reject",
		"_dmarc.example.com example.com 8 reject reject"},
	    {"example.com", "example.com v=DMARC1; p=all", "_dmarc.example.com example.com 2 - -"},
	    {"example.com", "example.com v=DMARC1; rua=mailto:a@b.c",
		"_dmarc.example.com example.com 2 none none"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(policies); i++) {
		g_autoptr(GPtrArray) tree = domain_dmarc_tree(policies[i].domain);

		for (guint k = 0; k < tree->len; k++)
			dmarc_answer(tree->pdata[k], policies[i].records);
		const struct domain_dmarc_policy policy =
		    domain_dmarc_discover(policies[i].domain, tree);
		g_autofree char *got = g_strdup_printf("%s %s %u %s %s",
		    policy.found_at ? policy.found_at : "-", policy.organization, policy.asked,
		    policy.has_policy ? domain_dmarc_word(policy.strength) : "-",
		    policy.has_policy ? domain_dmarc_word(policy.applied) : "-");
		cr_expect_str_eq(got, policies[i].want, "%s, %s: got %s", policies[i].domain,
		    policies[i].records, got);
	}
}

/* The record of a logo, and whether the policy allows it. */
Test(dmarc, reads_logos)
{
	static const struct {
		const char *policy, *record, *want;
	} logos[] = {
	    {"v=DMARC1; p=reject", "v=BIMI1; l=https://a.example/l.svg", "yes -"},
	    {"v=DMARC1; p=quarantine; pct=100", "v=BIMI1;l=https://a.example/l.svg;a=", "yes -"},
	    {"v=DMARC1; p=quarantine; pct=99", "v=BIMI1; l=;", "no -"},
	    {"v=DMARC1; p=none", "", "no none"},
	    {"v=DMARC1; p=reject; sp=none", "", "no none"},
	    {"v=DMARC1; p=reject; t=y", "v=spf1 -all", "no none"},
	    {"v=DMARC1; p=reject", "v=BIMI1; a=https://a.example/p.pem", "yes it has no l="},
	    {"v=DMARC1; p=reject", "v=BIMI1; l=http://a.example/l.svg",
		"yes l= is no https URL of a .svg"},
	    {"v=DMARC1; p=reject", "v=BIMI1; l=https://a.example/l.png",
		"yes l= is no https URL of a .svg"},
	    {"v=DMARC1; p=reject", "v=BIMI1; l=https://a.example/l.svg; a=x",
		"yes a= is no https URL"},
	    {"v=DMARC1; p=reject", "v=BIMI1; l=|v=BIMI1; l=", "yes there are several records"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(logos); i++) {
		g_autoptr(GPtrArray) tree = domain_dmarc_tree("example.com");
		g_autofree char *record = g_strconcat("example.com ", logos[i].policy, NULL);
		g_auto(GStrv) texts = g_strsplit(logos[i].record, "|", -1);
		AUTO(dns_question) question =
		    dns_question_new("default._bimi.example.com", DNS_TXT);

		for (guint k = 0; k < tree->len; k++)
			dmarc_answer(tree->pdata[k], record);
		for (char **text = texts; *text; text++) {
			struct dns_answer *one = g_new0(struct dns_answer, 1);
			one->text = g_strdup(*text);
			g_ptr_array_add(question->answers, one);
		}
		const struct domain_dmarc_policy policy =
		    domain_dmarc_discover("example.com", tree);
		const char *fault = domain_bimi_fault(question);
		g_autofree char *got =
		    g_strdup_printf("%s %s", domain_bimi_allows(&policy) ? "yes" : "no",
			!domain_bimi_record(question) ? "none"
			: fault			      ? fault
						      : "-");
		cr_expect_str_eq(got, logos[i].want, "%s: got %s", logos[i].record, got);
	}
}

Test(dmarc, asks_at_most_eight_times)
{
	static const struct {
		const char *domain, *asked;
	} trees[] = {
	    {"com", "com"},
	    {"a.example.com", "a.example.com example.com com"},
	    {"1.2.3.4.5.6.7.8", "1.2.3.4.5.6.7.8 2.3.4.5.6.7.8 3.4.5.6.7.8 4.5.6.7.8 5.6.7.8 "
				"6.7.8 7.8 8"},
	    /* The examples of RFC 9989 section 4.10. */
	    {"a.mail.example.com", "a.mail.example.com mail.example.com example.com com"},
	    {"a.b.c.d.e.f.g.h.i.j.mail.example.com",
		"a.b.c.d.e.f.g.h.i.j.mail.example.com g.h.i.j.mail.example.com "
		"h.i.j.mail.example.com i.j.mail.example.com j.mail.example.com mail.example.com "
		"example.com com"},
	    {"1.2.3.4.5.6.7.8.9.x", "1.2.3.4.5.6.7.8.9.x 4.5.6.7.8.9.x 5.6.7.8.9.x 6.7.8.9.x "
				    "7.8.9.x 8.9.x 9.x x"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(trees); i++) {
		g_autoptr(GPtrArray) tree = domain_dmarc_tree(trees[i].domain);
		g_autoptr(GString) asked = g_string_new(NULL);

		for (guint k = 0; k < tree->len; k++) {
			const struct dns_question *question = tree->pdata[k];

			g_string_append_printf(
			    asked, "%s%s", k > 0 ? " " : "", question->name + strlen("_dmarc."));
		}
		cr_expect_str_eq(asked->str, trees[i].asked);
	}
}

Test(dmarc, reads_tags)
{
	static const struct {
		const char *text, *tag, *value;
		bool want;
	} tags[] = {
	    {"v=DMARC1; aspf=s", "aspf", "s", true},
	    {"v=DMARC1;ASPF = S ;", "aspf", "s", true},
	    {"v=DMARC1; aspf=r; aspf=s", "aspf", "s", false},
	    {"v=DMARC1; xaspf=s", "aspf", "s", false},
	    {"v=DMARC1; aspf", "aspf", "s", false},
	    {"v=DMARC1; aspf=", "aspf", "s", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(tags); i++)
		cr_expect_eq(domain_dmarc_says(tags[i].text, tags[i].tag, tags[i].value),
		    tags[i].want, "%s", tags[i].text);
}
