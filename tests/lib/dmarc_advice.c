/* SPDX-License-Identifier: MIT */
#include "dmarc/advice.h"

#include <criterion/criterion.h>
#include <string.h>

#define OURS "d+t@send.example.com"

/* The next step, whether it is ready, the reasons, and the record. */
static char *
dmarc_advice_print(const struct dmarc_advice_facts *facts)
{
	struct dmarc_advice advice;
	GString *text = g_string_new(NULL);

	dmarc_advice_make(facts, &advice);
	g_string_append_printf(
	    text, "%s %s", advice.next ? advice.next : "-", advice.ready ? "ready" : "-");
	for (guint i = 0; i < advice.reasons->len; i++)
		g_string_append_printf(text, "; %s", (const char *)advice.reasons->pdata[i]);
	g_string_append_printf(text, " [%s]", advice.record ? advice.record : "-");
	dmarc_advice_clear(&advice);
	return g_string_free(text, FALSE);
}

Test(dmarc_advice, says_the_next_record)
{
	static const struct {
		const char *record; /* NULL: none */
		bool is_own;
		enum domain_dmarc_strength applied;
		const char *want;
	} cases[] = {
	    {NULL, false, DMARC_NONE, "none ready [v=DMARC1; p=none; rua=mailto:" OURS "]"},
	    {"v=DMARC1; p=none; rua=mailto:" OURS, true, DMARC_NONE,
		"quarantine ready [v=DMARC1; p=quarantine; rua=mailto:" OURS "]"},
	    {"v=DMARC1;p=none;pct=50;t=y; sp = reject ;fo=1; rua=mailto:me@x.org!10m;", true,
		DMARC_NONE,
		"quarantine ready [v=DMARC1; p=quarantine; sp = reject; fo=1; "
		"rua=mailto:me@x.org!10m,"
		"mailto:" OURS "]"},
	    {"v=DMARC1; p=quarantine; sp=none; psd=n; aspf=r", false, DMARC_QUARANTINE,
		"reject ready [v=DMARC1; p=reject; aspf=r; rua=mailto:" OURS "]"},
	    {"v=DMARC1; p=reject; rua=mailto:D+T@send.example.com!1k", true, DMARC_REJECT,
		"- - [-]"},
	    {"v=DMARC1; p=reject; rua=mailto:me@x.org", true, DMARC_REJECT,
		"- - [v=DMARC1; p=reject; rua=mailto:me@x.org,mailto:" OURS "]"},
	    {"v=DMARC1; p=reject; t=y; rua=mailto:" OURS, true, DMARC_QUARANTINE,
		"reject ready [v=DMARC1; p=reject; rua=mailto:" OURS "]"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct domain_dmarc_policy policy = {
		    .record = cases[i].record,
		    .has_policy = cases[i].record,
		    .strength = cases[i].applied,
		    .applied = cases[i].applied,
		};
		const struct dmarc_advice_facts facts = {
		    &policy, cases[i].is_own, OURS, {14, 2, 14}, {[DMARC_KIND_OURS] = 100}};
		g_autofree char *got = dmarc_advice_print(&facts);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s",
		    cases[i].record ? cases[i].record : "none", got);
	}
}

/* Each limit: at it, and one past it. */
Test(dmarc_advice, gives_reasons)
{
	static const struct {
		enum domain_dmarc_strength applied;
		struct store_dmarc_reach reach;
		gint64 ours, broken;
		const char *want;
	} cases[] = {
	    {DMARC_NONE, {14, 2, 0}, 100, 1, "quarantine ready ["},
	    {DMARC_NONE, {13, 2, 0}, 100, 0, "quarantine -; reports about 13 of 14 days ["},
	    {DMARC_NONE, {14, 1, 0}, 100, 0, "quarantine -; 1 of 2 reporters ["},
	    {DMARC_NONE, {14, 2, 0}, 99, 0, "quarantine -; 99 of 100 messages ["},
	    {DMARC_NONE, {14, 2, 0}, 9900, 100, "quarantine ready ["},
	    {DMARC_NONE, {14, 2, 0}, 9900, 101,
		"quarantine -; 1.01 % of your own mail fails, at most 1 % ["},
	    {DMARC_NONE, {14, 2, 0}, 100, 100,
		"quarantine -; 50 % of your own mail fails, at most 1 % ["},
	    {DMARC_NONE, {0, 0, 0}, 0, 0,
		"quarantine -; reports about 0 of 14 days; 0 of 2 reporters; 0 of 100 messages ["},
	    {DMARC_QUARANTINE, {14, 2, 14}, 995, 5, "reject ready ["},
	    {DMARC_QUARANTINE, {14, 2, 14}, 990, 10,
		"reject -; 1 % of your own mail fails, at most 0.5 % ["},
	    {DMARC_QUARANTINE, {14, 2, 13}, 100, 0, "reject -; quarantine for 13 of 14 days ["},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct domain_dmarc_policy policy = {
		    .record = "v=DMARC1; p=x",
		    .has_policy = true,
		    .applied = cases[i].applied,
		};
		const struct dmarc_advice_facts facts = {&policy, true, OURS, cases[i].reach,
		    {[DMARC_KIND_OURS] = cases[i].ours, [DMARC_KIND_BROKEN] = cases[i].broken}};
		g_autofree char *got = dmarc_advice_print(&facts);

		cr_expect(g_str_has_prefix(got, cases[i].want), "%s: got %s", cases[i].want, got);
	}
}
