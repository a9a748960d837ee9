/* SPDX-License-Identifier: MIT */
#include "domain/dmarc.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "dns/question.h"

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
    {"bank.example", "bank.example v=DMARC1; p=none; psd=y|example v=DMARC1; p=reject", "example",
	"v=DMARC1; p=reject"},
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

Test(dmarc, asks_at_most_eight_times)
{
	static const struct {
		const char *domain, *asked;
	} trees[] = {
	    {"com", "com"},
	    {"a.example.com", "a.example.com example.com com"},
	    {"1.2.3.4.5.6.7.8", "1.2.3.4.5.6.7.8 2.3.4.5.6.7.8 3.4.5.6.7.8 4.5.6.7.8 5.6.7.8 "
				"6.7.8 7.8 8"},
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
