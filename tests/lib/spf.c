/* SPDX-License-Identifier: MIT */
#include "domain/spf.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#define SYNTAX "it has a syntax error"
#define MANY "receivers would need more than 10 look-ups for it"
#define VOID "more than 2 of its look-ups find nothing"
#define INCLUDE "a name that it includes has no SPF record, or several"
#define LACKS "it lacks a mechanism, or refuses it before it comes"

#define R "include:r.example "
#define A5 "a:h.example a:h.example a:h.example a:h.example a:h.example "

/* The names that there are: "TYPE NAME ANSWER". Further names do not exist; those in "silent" have
   no answer. */
static const char *const zone[] = {
    "TXT r.example v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all",
    "TXT five.example v=spf1 " A5 "-all",
    "TXT deep.example v=spf1 include:five.example " A5 "-all",
    "TXT us.example v=spf1 mx " R "-all",
    "TXT us-refused.example v=spf1 -" R "-all",
    "TXT loop.example v=spf1 include:loop.example -all",
    "TXT back.example v=spf1 redirect=back.example",
    "TXT bad.example v=spf1 ipv4:192.0.2.1 -all",
    "TXT two.example v=spf1 -all",
    "TXT two.example v=spf1 a -all",
    "TXT all.example v=spf1 +all",
    "TXT mine.example v=spf1 ip4:192.0.2.7 -all",
    "TXT quiet.example v=spf1 include:x.silent -all",
    "TXT text.example hello",
    "A h.example 192.0.2.9",
    "A far.example 198.51.100.1",
    "MX h.example h.example",
    NULL,
};

/* our record is "v=spf1 include:r.example ~all" unless another is given */
static const struct {
	const char *text;
	const char *fault; /* NULL: it passes */
	const char *ours;
} cases[] = {
    {"v=spf1 " R "~all", NULL, NULL},
    {"v=spf1 " R, NULL, NULL},
    {"V=spf1  +Include:R.Example.  ", NULL, NULL},

    /* syntax, before and behind */
    {"v=spf1 " R "-all foo", SYNTAX, NULL},
    {"v=spf1 " R "-all all:x", SYNTAX, NULL},
    {"v=spf1 " R "ip4:192.0.2.1/33", SYNTAX, NULL},
    {"v=spf1 " R "ip4:192.0.2.1/", SYNTAX, NULL},
    {"v=spf1 " R "ip4:192.0.2.1/024", SYNTAX, NULL},
    {"v=spf1 " R "ip4:192.0.2.1/0", NULL, NULL},
    {"v=spf1 " R "ip4: 192.0.2.1", SYNTAX, NULL},
    {"v=spf1 " R "ip4:192.0.2", SYNTAX, NULL},
    {"v=spf1 " R "ip4", SYNTAX, NULL},
    {"v=spf1 " R "ip6:2001:db8::/129", SYNTAX, NULL},
    {"v=spf1 " R "ip6:2001:db8::/128 ip6:::1", NULL, NULL},
    {"v=spf1 " R "ip4:2001:db8::", SYNTAX, NULL},
    {"v=spf1 " R "include", SYNTAX, NULL},
    {"v=spf1 " R "include:", SYNTAX, NULL},
    {"v=spf1 " R "include:localhost", SYNTAX, NULL},
    {"v=spf1 " R "include:a.123", SYNTAX, NULL},
    {"v=spf1 " R "include:a.b-", SYNTAX, NULL},
    {"v=spf1 " R "include:a_b.1-2.example.", NULL, NULL},
    {"v=spf1 " R "exists", SYNTAX, NULL},
    {"v=spf1 " R "a: mx", SYNTAX, NULL},
    {"v=spf1 " R "a/24 mx/24//64 a:x.example//64 ptr ptr:x.example", NULL, NULL},
    {"v=spf1 " R "a/33", SYNTAX, NULL},
    {"v=spf1 " R "a//129", SYNTAX, NULL},
    {"v=spf1 " R "a/", SYNTAX, NULL},
    {"v=spf1 " R "ptr/24", SYNTAX, NULL},
    {"v=spf1 " R "exists:%{i}._spf.%{d2} exists:%{ir}.%{v}._spf.%{d}", NULL, NULL},
    {"v=spf1 " R "exists:%{x}.example", SYNTAX, NULL},
    {"v=spf1 " R "exists:%{i.example", SYNTAX, NULL},
    {"v=spf1 " R "exists:%i.example", SYNTAX, NULL},
    {"v=spf1 " R "exists:%%%_%-.example", NULL, NULL},
    {"v=spf1 " R "redirect=a.example redirect=b.example", SYNTAX, NULL},
    {"v=spf1 " R "exp=a.example exp=b.example", SYNTAX, NULL},
    {"v=spf1 " R "redirect=", SYNTAX, NULL},
    {"v=spf1 " R "x=a=b/c x= y.z-1=%{d}", NULL, NULL},
    {"v=spf1 " R "1x=a", SYNTAX, NULL},
    {"v=spf1 " R "x=%", SYNTAX, NULL},
    {"v=spf1 " R "--all", SYNTAX, NULL},
    {"v=spf1 " R "-", SYNTAX, NULL},
    {"v=spf1\t" R "-all", SYNTAX, NULL},
    {"v=spf1 " R "\t-all", SYNTAX, NULL},
    {"v=spf1, " R "-all", SYNTAX, NULL},
    {"v=spf1 " R "-all\"", SYNTAX, NULL},

    /* reached or not */
    {"v=spf1 -all " R, LACKS, NULL},
    {"v=spf1 all " R, NULL, NULL},
    {"v=spf1 +all", NULL, NULL},
    {"v=spf1 ?all", LACKS, NULL},
    {"v=spf1 -ip4:192.0.2.7 +all", LACKS, NULL},
    {"v=spf1 ~all +all", LACKS, NULL},
    {"v=spf1 include:all.example -all", NULL, NULL},
    {"v=spf1 redirect=all.example", NULL, NULL},
    {"v=spf1 ?include:all.example -all", LACKS, NULL},
    {"v=spf1 ?include:all.example " R, LACKS, NULL},
    {"v=spf1 ?" R "-all", LACKS, NULL},
    {"v=spf1 -" R R "-all", LACKS, NULL},
    {"v=spf1 " R "-" R "-all", NULL, NULL},
    {"v=spf1 -ip4:0.0.0.0/0 " R "-all", LACKS, NULL},
    {"v=spf1 ~ip4:0.0.0.0/0 " R "-all", LACKS, NULL},
    {"v=spf1 ip4:0.0.0.0/0 " R "-all", NULL, NULL},
    {"v=spf1 -ip4:192.0.2.7 " R "-all", LACKS, NULL},
    {"v=spf1 -ip4:192.0.0.0/16 " R "-all", LACKS, NULL},
    {"v=spf1 -ip4:198.51.100.1 " R "-all", NULL, NULL},
    {"v=spf1 -ip6:::/0 " R "-all", LACKS, NULL},
    {"v=spf1 -a:h.example " R "-all", LACKS, NULL},
    {"v=spf1 -a:far.example " R "-all", NULL, NULL},
    {"v=spf1 -a:far.example/0 " R "-all", LACKS, NULL},
    {"v=spf1 -include:mine.example " R "-all", LACKS, NULL},
    {"v=spf1 -include:all.example " R "-all", LACKS, NULL},
    {"v=spf1 -include:five.example " R "-all", LACKS, NULL},
    {"v=spf1 -ip4:0.0.0.0/0 ip6:2001:db8::1 -all", NULL, "v=spf1 ip6:2001:db8::1 ~all"},
    {"v=spf1 -ip4:192.0.2.7 ip4:192.0.2.0/24 -all", LACKS, "v=spf1 ip4:192.0.2.0/24 ~all"},
    {"v=spf1 -ip4:192.0.2.0/24 ip4:192.0.2.7 -all", LACKS, "v=spf1 ip4:192.0.2.7 ~all"},

    /* in other records */
    {"v=spf1 include:us.example -all", NULL, NULL},
    {"v=spf1 redirect=us.example", NULL, NULL},
    {"v=spf1 redirect=us.example -all", LACKS, NULL},
    {"v=spf1 -include:us.example -all", LACKS, NULL},
    {"v=spf1 include:us-refused.example -all", LACKS, NULL},
    {"v=spf1 include:us-refused.example " R "-all", NULL, NULL},
    {"v=spf1 redirect=%{d}", LACKS, NULL},
    {"v=spf1 include:%{d} " R "-all", NULL, NULL},
    {"v=spf1 include:none.example " R "-all", INCLUDE, NULL},
    {"v=spf1 include:text.example " R "-all", INCLUDE, NULL},
    {"v=spf1 include:two.example " R "-all", INCLUDE, NULL},
    {"v=spf1 include:bad.example " R "-all", SYNTAX, NULL},
    {"v=spf1 " R "include:bad.example -all", NULL, NULL},
    {"v=spf1 " R "redirect=none.example", NULL, NULL},
    {"v=spf1 include:none.example -all", INCLUDE, "v=spf1 include:none.example ~all"},
    {"v=spf1 " R "ip4:192.0.2.1 -all", NULL, "v=spf1 ip4:192.0.2.1 include:r.example ~all"},

    /* look-ups */
    {"v=spf1 include:deep.example -all", MANY, "v=spf1 include:deep.example ~all"},
    {"v=spf1 " A5 "a:h.example mx:h.example ptr exists:h.example " R "-all", NULL, NULL},
    {"v=spf1 " A5 A5 R "-all", MANY, NULL},
    {"v=spf1 " R A5 A5 "-all", NULL, NULL},
    {"v=spf1 include:five.example a:h.example ptr exists:%{i}.example " R "-all", NULL, NULL},
    {"v=spf1 include:five.example a:h.example ptr ptr exists:%{i}.example " R "-all", MANY, NULL},
    {"v=spf1 include:loop.example " R "-all", MANY, NULL},
    {"v=spf1 include:back.example " R "-all", MANY, NULL},
    {"v=spf1 a:n1.example mx:n2.example " R "-all", NULL, NULL},
    {"v=spf1 a:n1.example mx:n2.example a:n3.example " R "-all", VOID, NULL},
    {"v=spf1 a:n1.example mx:n2.example " R "a:n3.example -all", NULL, NULL},
};

/* Answers what a judgement wants. */
static void
spf_answer(struct dns_question *question)
{
	static const char *const types[] = {
	    [DNS_TXT] = "TXT", [DNS_MX] = "MX", [DNS_SOA] = "", [DNS_A] = "A", [DNS_PTR] = ""};
	g_autofree char *start = g_strdup_printf("%s %s ", types[question->type], question->name);

	question->outcome =
	    g_str_has_suffix(question->name, ".silent") ? DNS_NO_ANSWER : DNS_NO_NAME;
	for (const char *const *line = zone; *line; line++) {
		if (!g_str_has_prefix(*line, start))
			continue;
		struct dns_answer *one = g_new0(struct dns_answer, 1);

		one->text = g_strdup(*line + strlen(start));
		g_ptr_array_add(question->answers, one);
		question->outcome = DNS_FOUND;
	}
}

/* Judges until nothing more is wanted. */
static enum domain_spf_state
spf_judge(const char *text, const char *ours, guint *asked_r, const char **fault_r)
{
	AUTO(domain_spf_lookups) lookups = domain_spf_lookups_new();
	enum domain_spf_state state;

	for (guint round = 0; round < 20; round++) {
		state = domain_spf_judge(text, ours, "send.example.com", lookups, fault_r);
		if (lookups->wanted->len == 0)
			break;
		for (guint i = 0; i < lookups->wanted->len; i++)
			spf_answer(lookups->wanted->pdata[i]);
		g_ptr_array_set_size(lookups->wanted, 0);
	}
	*asked_r = g_hash_table_size(lookups->known);
	return state;
}

#define OURS "v=spf1 include:r.example ~all"

Test(spf, is_read_as_receivers_read_it)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *fault;
		guint asked;
		enum domain_spf_state state =
		    spf_judge(cases[i].text, cases[i].ours ? cases[i].ours : OURS, &asked, &fault);

		cr_expect_eq(state, cases[i].fault ? SPF_FAILS : SPF_PASSES, "%s: got %d",
		    cases[i].text, state);
		cr_expect(g_strcmp0(fault, cases[i].fault) == 0, "%s: got %s, want %s",
		    cases[i].text, fault, cases[i].fault);
	}
}

Test(spf, knows_what_it_does_not_know)
{
	static const struct {
		const char *text;
		enum domain_spf_state want;
	} rows[] = {
	    {"v=spf1 include:x.silent " R "-all", SPF_SEEMS_TO_PASS},
	    {"v=spf1 include:quiet.example " R "-all", SPF_SEEMS_TO_PASS},
	    {"v=spf1 " R "include:x.silent -all", SPF_PASSES},
	    {"v=spf1 include:x.silent -all", SPF_UNKNOWN},
	    {"v=spf1 redirect=x.silent", SPF_UNKNOWN},
	    {"v=spf1 include:x.silent bogus", SPF_FAILS},
	    {"v=spf1 a:x.silent " R "-all", SPF_PASSES},
	    {"v=spf1 a:x.silent -all", SPF_FAILS},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		const char *fault;
		guint asked;
		enum domain_spf_state state = spf_judge(rows[i].text, OURS, &asked, &fault);

		cr_expect_eq(state, rows[i].want, "%s: got %d", rows[i].text, state);
	}
}

/* Many terms that refuse, each of which has to be compared. */
Test(spf, asks_no_more_than_receivers_would)
{
	g_autoptr(GString) text = g_string_new("v=spf1");
	const char *fault;
	guint asked;

	for (guint i = 0; i < 600; i++)
		g_string_append_printf(text, " -include:x%u.silent", i);
	spf_judge(text->str, OURS, &asked, &fault);
	cr_expect_str_eq(fault, MANY);
	cr_expect(asked <= 2 * SPF_LOOKUPS + 2, "asked %u", asked);
}

/* Whatever stands in DNS: a judgement ends, and says why a record fails. */
Test(spf, takes_any_text)
{
	static const char *const pieces[] = {"include:", "redirect=", "exp=", "a", "mx", "ptr",
	    "all", "exists:", "ip4:", "ip6:", "192.0.2.1", "2001:db8::1", "/24", "//64", "/", ":",
	    "=", "-", "~", "?", "+", " ", " ", " ", "%{i}", "%{", "%", "five.example",
	    "loop.example", "us.example", "deep.example", "r.example", "x.silent", ".", "\\195",
	    "\t", "0", R, R, R, "a ", "mx ", "include:us.example ", "ip4:192.0.2.1 ", "-all "};
	g_autoptr(GRand) rand = g_rand_new_with_seed(7);
	guint passed = 0;

	for (guint round = 0; round < 20000; round++) {
		g_autoptr(GString) text = g_string_new("v=spf1 ");
		const char *fault;
		guint asked;

		for (gint32 count = g_rand_int_range(rand, 0, 20); count > 0; count--)
			g_string_append(
			    text, pieces[g_rand_int_range(rand, 0, (gint32)G_N_ELEMENTS(pieces))]);
		enum domain_spf_state state = spf_judge(text->str, OURS, &asked, &fault);
		cr_assert_eq(state == SPF_FAILS, fault != NULL, "%s", text->str);
		passed += state == SPF_PASSES;
	}
	cr_expect_gt(passed, 100, "%u", passed);
}

Test(spf, has_a_limit_of_size)
{
	static const gsize sizes[] = {SPF_BYTES, SPF_BYTES + 1};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autoptr(GString) text = g_string_new("v=spf1 " R "x=");
		const char *fault;
		guint asked;

		while (text->len < sizes[i])
			g_string_append_c(text, 'x');
		enum domain_spf_state state = spf_judge(text->str, OURS, &asked, &fault);
		cr_expect_eq(state, i == 0 ? SPF_PASSES : SPF_FAILS, "%zu", sizes[i]);
	}
}
