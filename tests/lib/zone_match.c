/* SPDX-License-Identifier: MIT */
#include "domain/zone_match.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "dns/question.h"
#include "domain/spf.h"
#include "store/domain/key.h"

static const struct spf_case {
	const char *text, *ours;
	bool want;
} spf_cases[] = {
    {"v=spf1 include:r.example ~all", "v=spf1 include:r.example ~all", true},
    {"v=spf1 include:r.example -all", "v=spf1 include:r.example ~all", true},
    {"v=spf1 include:r.example", "v=spf1 include:r.example ~all", true},
    {"V=SPF1 INCLUDE:R.Example ~ALL", "v=spf1 include:r.example ~all", true},
    {"v=spf1  +include:r.example.   ~all ", "v=spf1 include:r.example ~all", true},
    {"v=spf1 a mx include:other.example include:r.example ~all", "v=spf1 include:r.example ~all",
	true},
    {"v=spf1 include:r.example redirect=other.example", "v=spf1 include:r.example ~all", true},
    {"v=spf1 ip4:192.0.2.1 include:r.example ~all", "v=spf1 include:r.example ip4:192.0.2.1 ~all",
	true},
    {"v=spf1 include:r.example ~all", "v=spf1 include:r.example ip4:192.0.2.1 ~all", false},
    {"v=spf1 ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ~all include:r.example", "v=spf1 include:r.example ~all", false},
    {"v=spf1 -include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ~include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ?include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 include:r.example.net ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 redirect=r.example", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ip4:192.0.2.0/24 ~all", "v=spf1 ip4:192.0.2.1 ~all", true},
    {"v=spf1 ip4:192.0.2.1/32 ~all", "v=spf1 ip4:192.0.2.1 ~all", true},
    {"v=spf1 ip4:192.0.2.0/31 ~all", "v=spf1 ip4:192.0.2.2 ~all", false},
    {"v=spf1 ip4:192.0.2.0/31 ~all", "v=spf1 ip4:192.0.2.0/30 ~all", false},
    {"v=spf1 ip4:0.0.0.0/0 ~all", "v=spf1 ip4:192.0.2.0/30 ~all", true},
    {"v=spf1 ip4:192.0.2.1/33 ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 ip4:192.0.2.1/ ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 ip4:bogus ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 ip6:2001:DB8::/32 ~all", "v=spf1 ip6:2001:db8:0:0::1 ~all", true},
    {"v=spf1 ip6:2001:db8::1 ~all", "v=spf1 ip4:192.0.2.1 ~all", false},
    {"v=spf1 mx ~all", "v=spf1 mx ~all", true},
    {"v=spf1 mx:send.example.com ~all", "v=spf1 mx ~all", true},
    {"v=spf1 MX:Send.Example.Com/24 ~all", "v=spf1 mx/24 ~all", true},
    {"v=spf1 mx:example.com ~all", "v=spf1 mx ~all", false},
    {"v=spf1 a:send.example.com ~all", "v=spf1 a ~all", true},
    {"v=spf1 mx ~all", "v=spf1 a ~all", false},
    {"v=spf1 a ~all", "v=spf1 all", true},
    {"v=spf1 include:r.example ~all bogus", "v=spf1 include:r.example ~all", false},
    {"v=spf1 -ip4:0.0.0.0/0 include:r.example ~all", "v=spf1 include:r.example ~all", false},
    {"v=spf1 ~all", "v=spf1 ~all", true},
};

/* By the text alone. */
static bool
lib_zone_match_allows(const char *text, const char *ours)
{
	const char *fault;

	return domain_spf_judge(text, ours, "send.example.com", NULL, &fault) == SPF_PASSES;
}

Test(spf, compares_what_is_allowed)
{
	for (gsize i = 0; i < G_N_ELEMENTS(spf_cases); i++) {
		const struct spf_case *c = &spf_cases[i];
		bool got = lib_zone_match_allows(c->text, c->ours);

		cr_expect_eq(got, c->want, "\"%s\" for \"%s\": got %d", c->text, c->ours, got);
	}
}

Test(spf, knows_its_records)
{
	static const struct {
		const char *text;
		bool want;
	} records[] = {
	    {"v=spf1", true},
	    {"v=spf1 -all", true},
	    {"V=SPF1 -all", true},
	    {"v=spf10 -all", false},
	    {"v=spf2.0/pra -all", false},
	    {" v=spf1 -all", false},
	    {"\"v=spf1 -all\"", false},
	    {"google-site-verification=v=spf1", false},
	    {"", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(records); i++)
		cr_expect_eq(domain_spf_is_record(records[i].text), records[i].want, "\"%s\"",
		    records[i].text);
}

#define KEY "MIIBIjANBgkq/w+8AQ=="

/* Texts are separated by "|"; of MX each is "preference host". */
static const struct match_case {
	const char *name;
	enum domain_zone_purpose purpose;
	const char *answers;
	enum domain_zone_state want;
	const char *want_found;
} cases[] = {
    {"as we write it", ZONE_DKIM, "v=DKIM1; k=rsa; p=" KEY, ZONE_FOUND, "v=DKIM1; k=rsa; p=" KEY},
    {"without v and k", ZONE_DKIM, "p=" KEY, ZONE_FOUND, "p=" KEY},
    {"without v", ZONE_DKIM, "k=rsa; p=" KEY, ZONE_FOUND, "k=rsa; p=" KEY},
    {"without space", ZONE_DKIM, "v=DKIM1;k=rsa;p=" KEY ";", ZONE_FOUND,
	"v=DKIM1;k=rsa;p=" KEY ";"},
    {"in another order", ZONE_DKIM, "v=DKIM1; p=" KEY "; k=rsa", ZONE_FOUND,
	"v=DKIM1; p=" KEY "; k=rsa"},
    {"with space all over", ZONE_DKIM, " v = DKIM1 ;\tk = rsa ; p = MIIBIj ANBg\tkq/w+8 AQ== ; ",
	ZONE_FOUND, " v = DKIM1 ;\tk = rsa ; p = MIIBIj ANBg\tkq/w+8 AQ== ; "},
    {"with more tags", ZONE_DKIM, "v=DKIM1; h=sha1:sha256; s=email; t=s; n=note; p=" KEY,
	ZONE_FOUND, "v=DKIM1; h=sha1:sha256; s=email; t=s; n=note; p=" KEY},
    {"only tried out", ZONE_DKIM, "v=DKIM1; t=y; p=" KEY, ZONE_WRONG, "v=DKIM1; t=y; p=" KEY},
    {"only tried out, and more flags", ZONE_DKIM, "v=DKIM1; t = s : y; p=" KEY, ZONE_WRONG,
	"v=DKIM1; t = s : y; p=" KEY},
    {"unknown flags", ZONE_DKIM, "v=DKIM1; t=yes:x; p=" KEY, ZONE_FOUND,
	"v=DKIM1; t=yes:x; p=" KEY},
    {"for any service", ZONE_DKIM, "s=*; p=" KEY, ZONE_FOUND, "s=*; p=" KEY},
    {"beside another text", ZONE_DKIM, "something else|p=" KEY, ZONE_WRONG,
	"something else\np=" KEY},
    {"beside another key", ZONE_DKIM, "p=" KEY "|p=other", ZONE_WRONG, "p=" KEY "\np=other"},
    {"another key", ZONE_DKIM, "v=DKIM1; p=MIIB", ZONE_WRONG, "v=DKIM1; p=MIIB"},
    {"the key and more", ZONE_DKIM, "p=" KEY "x", ZONE_WRONG, "p=" KEY "x"},
    {"the key in another case", ZONE_DKIM, "p=miibijanbgkq/w+8aq==", ZONE_WRONG,
	"p=miibijanbgkq/w+8aq=="},
    {"a revoked key", ZONE_DKIM, "v=DKIM1; p=", ZONE_WRONG, "v=DKIM1; p="},
    {"no key", ZONE_DKIM, "v=DKIM1; k=rsa", ZONE_WRONG, "v=DKIM1; k=rsa"},
    {"another kind", ZONE_DKIM, "k=ed25519; p=" KEY, ZONE_WRONG, "k=ed25519; p=" KEY},
    {"another version", ZONE_DKIM, "v=DKIM2; p=" KEY, ZONE_WRONG, "v=DKIM2; p=" KEY},
    {"the version behind", ZONE_DKIM, "k=rsa; p=" KEY "; v=DKIM1", ZONE_FOUND,
	"k=rsa; p=" KEY "; v=DKIM1"},
    {"another hash alone", ZONE_DKIM, "h=sha1; p=" KEY, ZONE_WRONG, "h=sha1; p=" KEY},
    {"another service alone", ZONE_DKIM, "s=tls; p=" KEY, ZONE_WRONG, "s=tls; p=" KEY},
    {"a tag twice", ZONE_DKIM, "p=" KEY "; p=" KEY, ZONE_WRONG, "p=" KEY "; p=" KEY},
    {"a tag without a value", ZONE_DKIM, "v; p=" KEY, ZONE_WRONG, "v; p=" KEY},
    {"in quotes", ZONE_DKIM, "\"v=DKIM1; p=" KEY "\"", ZONE_WRONG, "\"v=DKIM1; p=" KEY "\""},
    {"with escaped semicolons", ZONE_DKIM, "v=DKIM1\\; k=rsa\\; p=" KEY, ZONE_WRONG,
	"v=DKIM1\\; k=rsa\\; p=" KEY},
    {"an empty text", ZONE_DKIM, "", ZONE_WRONG, NULL},
    {"an unrelated text", ZONE_DKIM, "hello|world", ZONE_WRONG, "hello\nworld"},

    {"our host", ZONE_MX, "10 mx.host.example", ZONE_FOUND, "10 mx.host.example"},
    {"our host with another preference", ZONE_MX, "0 MX.Host.Example", ZONE_FOUND,
	"0 MX.Host.Example"},
    {"our host before another", ZONE_MX, "20 other.example|10 mx.host.example", ZONE_FOUND,
	"20 other.example\n10 mx.host.example"},
    {"our host beside another", ZONE_MX, "10 other.example|10 mx.host.example", ZONE_FOUND,
	"10 other.example\n10 mx.host.example"},
    {"our host behind another", ZONE_MX, "10 mx.host.example|5 other.example", ZONE_WRONG,
	"10 mx.host.example\n5 other.example"},
    {"another host", ZONE_MX, "10 other.example", ZONE_WRONG, "10 other.example"},
    {"no mail", ZONE_MX, "0 ", ZONE_WRONG, "0 ."},

    {"SPF as we write it", ZONE_SPF, "v=spf1 include:r.example ~all", ZONE_FOUND,
	"v=spf1 include:r.example ~all"},
    {"SPF among other texts", ZONE_SPF, "hello|v=spf1 a include:r.example -all|world", ZONE_FOUND,
	"v=spf1 a include:r.example -all"},
    {"SPF without us", ZONE_SPF, "v=spf1 a -all", ZONE_WRONG, "v=spf1 a -all"},
    {"SPF twice", ZONE_SPF, "v=spf1 include:r.example ~all|v=spf1 a ~all", ZONE_WRONG,
	"v=spf1 include:r.example ~all\nv=spf1 a ~all"},
    {"no SPF among the texts", ZONE_SPF, "hello|world", ZONE_MISSING, NULL},

    {"a policy", ZONE_DMARC, "v=DMARC1; p=none;", ZONE_FOUND, "v=DMARC1; p=none;"},
    {"a stricter policy", ZONE_DMARC, "v=DMARC1;p=REJECT; rua=mailto:a@example.com", ZONE_FOUND,
	"v=DMARC1;p=REJECT; rua=mailto:a@example.com"},
    {"a policy among other texts", ZONE_DMARC, "v=spf1 -all|v=DMARC1 ; p=quarantine", ZONE_FOUND,
	"v=DMARC1 ; p=quarantine"},
    {"reports alone", ZONE_DMARC, "v=DMARC1; rua=mailto:a@example.com", ZONE_FOUND,
	"v=DMARC1; rua=mailto:a@example.com"},
    {"no policy", ZONE_DMARC, "v=DMARC1; sp=none", ZONE_WRONG, "v=DMARC1; sp=none"},
    {"a policy that is none", ZONE_DMARC, "v=DMARC1; p=nothing", ZONE_WRONG, "v=DMARC1; p=nothing"},
    {"two policies", ZONE_DMARC, "v=DMARC1; p=none|v=DMARC1; p=reject", ZONE_WRONG,
	"v=DMARC1; p=none\nv=DMARC1; p=reject"},
    {"a policy with blanks", ZONE_DMARC, "v = DMARC1\t;p = none", ZONE_FOUND,
	"v = DMARC1\t;p = none"},
    {"a policy in capitals", ZONE_DMARC, "V=DMARC1; P=None", ZONE_FOUND, "V=DMARC1; P=None"},
    {"a version in small letters", ZONE_DMARC, "v=dmarc1; p=none", ZONE_MISSING, NULL},
    {"a policy that begins with a blank", ZONE_DMARC, " v=DMARC1; p=none", ZONE_MISSING, NULL},
    {"a version without a semicolon", ZONE_DMARC, "v=DMARC1 p=none", ZONE_MISSING, NULL},
    {"a version that is not in front", ZONE_DMARC, "p=none; v=DMARC1", ZONE_MISSING, NULL},
    {"a version alone", ZONE_DMARC, "v=DMARC1", ZONE_WRONG, "v=DMARC1"},
    {"unknown tags and none", ZONE_DMARC, "v=DMARC1; x; pct=50; =; p=reject; p=bad;;", ZONE_FOUND,
	"v=DMARC1; x; pct=50; =; p=reject; p=bad;;"},
    {"a wrong policy of sub-domains", ZONE_DMARC, "v=DMARC1; p=none; sp=all", ZONE_WRONG,
	"v=DMARC1; p=none; sp=all"},
    {"a wrong policy of missing names, and reports", ZONE_DMARC,
	"v=DMARC1; np=all; rua=x, mailto:a@example.com!10m", ZONE_FOUND,
	"v=DMARC1; np=all; rua=x, mailto:a@example.com!10m"},
    {"reports to nowhere", ZONE_DMARC, "v=DMARC1; rua=a@example.com", ZONE_WRONG,
	"v=DMARC1; rua=a@example.com"},
    {"another version of a policy", ZONE_DMARC, "v=DMARC10; p=none", ZONE_MISSING, NULL},
    {"no policy among the texts", ZONE_DMARC, "v=spf1 -all", ZONE_MISSING, NULL},
};

static struct store_domain_key key = {
    .algorithm = DOMAIN_KEY_RSA, .state = DOMAIN_KEY_ACTIVE, .public = (char *)KEY};

static struct domain_zone_record
zone_match_record_of(enum domain_zone_purpose purpose)
{
	static const char *const values[] = {
	    [ZONE_DKIM] = "",
	    [ZONE_MX] = "mx.host.example",
	    [ZONE_SPF] = "v=spf1 include:r.example ~all",
	    [ZONE_DMARC] = "v=DMARC1; p=none;",
	};

	return (struct domain_zone_record){.purpose = purpose,
	    .key = purpose == ZONE_DKIM ? &key : NULL,
	    .name = (char *)"x.example.com",
	    .value = (char *)values[purpose]};
}

static struct dns_question *
answered(enum domain_zone_purpose purpose, const char *answers)
{
	struct dns_question *question =
	    dns_question_new("x.example.com", purpose == ZONE_MX ? DNS_MX : DNS_TXT);
	g_auto(GStrv) texts = g_strsplit(answers, "|", -1);

	question->outcome = DNS_FOUND;
	for (char **text = texts; *text || text == texts; text++) {
		struct dns_answer *answer = g_new0(struct dns_answer, 1);
		const char *host = *text ? *text : "";

		if (purpose == ZONE_MX) {
			answer->number = (guint32)g_ascii_strtoull(host, NULL, 10);
			host = strchr(host, ' ') + 1;
		}
		answer->text = g_strdup(host);
		g_ptr_array_add(question->answers, answer);
		if (!*text)
			break;
	}
	return question;
}

static void
zone_match_expect(const char *name, enum domain_zone_state got, enum domain_zone_state want,
    const char *found, const char *want_found)
{
	cr_expect_eq(got, want, "%s: got %s, want %s", name, domain_zone_state_name(got),
	    domain_zone_state_name(want));
	cr_expect(g_strcmp0(found, want_found) == 0, "%s: found \"%s\", want \"%s\"", name, found,
	    want_found);
}

Test(zone_match, compares_by_meaning)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct match_case *c = &cases[i];
		struct domain_zone_record record = zone_match_record_of(c->purpose);
		AUTO(dns_question) question = answered(c->purpose, c->answers);
		g_autofree char *found = NULL;

		enum domain_zone_state state = domain_zone_match(&record, question, &found);
		zone_match_expect(c->name, state, c->want, found, c->want_found);
	}
}

Test(zone_match, knows_the_kinds_of_keys)
{
	struct domain_zone_record record = zone_match_record_of(ZONE_DKIM);
	static const struct {
		const char *answer;
		enum domain_zone_state want;
	} kinds[] = {
	    {"v=DKIM1; k=ed25519; p=" KEY, ZONE_FOUND},
	    {"v=DKIM1; k=rsa; p=" KEY, ZONE_WRONG},
	    {"v=DKIM1; p=" KEY, ZONE_WRONG},
	};

	key.algorithm = DOMAIN_KEY_ED25519;
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		AUTO(dns_question) question = answered(ZONE_DKIM, kinds[i].answer);
		g_autofree char *found = NULL;

		enum domain_zone_state state = domain_zone_match(&record, question, &found);
		zone_match_expect(kinds[i].answer, state, kinds[i].want, found, kinds[i].answer);
	}
}

Test(zone_match, tells_nothing_from_silence)
{
	static const struct {
		enum dns_outcome outcome;
		enum domain_zone_state want;
	} outcomes[] = {
	    {DNS_NO_NAME, ZONE_MISSING},
	    {DNS_NO_TYPE, ZONE_MISSING},
	    {DNS_NO_ANSWER, ZONE_UNKNOWN},
	};

	for (guint purpose = ZONE_DKIM; purpose <= ZONE_DMARC; purpose++)
		for (gsize i = 0; i < G_N_ELEMENTS(outcomes); i++) {
			struct domain_zone_record record = zone_match_record_of(purpose);
			AUTO(dns_question) question = dns_question_new("x.example.com", DNS_TXT);
			g_autofree char *found = NULL;

			question->outcome = outcomes[i].outcome;
			enum domain_zone_state state = domain_zone_match(&record, question, &found);
			zone_match_expect("nothing", state, outcomes[i].want, found, NULL);
		}
}

Test(zone_match, keeps_what_was_found_up_to_a_limit)
{
	static const gsize sizes[] = {ZONE_FOUND_MAX, ZONE_FOUND_MAX + 1, 60000};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct domain_zone_record record = zone_match_record_of(ZONE_DKIM);
		g_autofree char *text = g_strnfill(sizes[i], 'x');
		AUTO(dns_question) question = answered(ZONE_DKIM, text);
		g_autofree char *found = NULL;

		cr_expect_eq(domain_zone_match(&record, question, &found), ZONE_WRONG);
		cr_expect_eq(strlen(found), ZONE_FOUND_MAX, "%zu of %zu", strlen(found), sizes[i]);
	}
}
