/* SPDX-License-Identifier: MIT */
#include "domain/zone.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"

static struct config_settings *
zone_settings_of(const char *text)
{
	g_autofree char *name = g_strdup_printf("zone_%d", (int)getpid());

	return test_settings_load(test_mariadb_dir(NULL), name, text);
}

static struct store_domain_key *
zone_make_key(const char *selector, enum store_domain_key_algorithm algorithm,
    enum store_domain_key_state state)
{
	struct store_domain_key *key = g_new0(struct store_domain_key, 1);

	key->selector = g_strdup(selector);
	key->algorithm = algorithm;
	key->state = state;
	key->public = g_strdup(algorithm == DOMAIN_KEY_RSA ? "cnNh" : "ZWQ=");
	return key;
}

static void
zone_free_key(void *key)
{
	store_domain_key_free(key);
}

static struct store_domain *
zone_make_domain(const char *name)
{
	struct store_domain *domain = g_new0(struct store_domain, 1);

	domain->name = g_strdup(name);
	domain->keys = g_ptr_array_new_with_free_func(zone_free_key);
	g_ptr_array_add(domain->keys, zone_make_key("s", DOMAIN_KEY_RSA, DOMAIN_KEY_ACTIVE));
	g_ptr_array_add(domain->keys, zone_make_key("s-ed", DOMAIN_KEY_ED25519, DOMAIN_KEY_ACTIVE));
	return domain;
}

static char *
zone_names_of(const GPtrArray *records, const char *base)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < records->len; i++) {
		g_autofree char *name = domain_zone_relative(records->pdata[i], base);
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", name);
	}
	return g_string_free(text, FALSE);
}

Test(zone, tells_all_records)
{
	AUTO(config_settings) settings =
	    zone_settings_of("[service]\nmail_from_mx = mx.host.example\n"
			     "spf = include:r.example ip4:192.0.2.1\n");
	AUTO(store_domain) domain = zone_make_domain("example.com");
	g_autofree char *address = domain_zone_report_address(domain, settings);
	g_autofree char *want = g_strconcat(
	    "DKIM TXT s._domainkey.example.com required: v=DKIM1; k=rsa; p=cnNh\n"
	    "DKIM TXT s-ed._domainkey.example.com: v=DKIM1; k=ed25519; p=ZWQ=\n"
	    "DKIM TXT n._domainkey.example.com: v=DKIM1; k=rsa; p=cnNh\n"
	    "DKIM TXT o._domainkey.example.com: v=DKIM1; k=rsa; p=cnNh\n"
	    "MAIL FROM domain MX send.example.com required: mx.host.example\n"
	    "MAIL FROM domain TXT send.example.com required: v=spf1 include:r.example "
	    "ip4:192.0.2.1 ~all\n"
	    "DMARC (highly recommended) TXT _dmarc.example.com: v=DMARC1; p=none; rua=mailto:",
	    address, "\n", NULL);

	g_ptr_array_add(domain->keys, zone_make_key("n", DOMAIN_KEY_RSA, DOMAIN_KEY_PENDING));
	g_ptr_array_add(domain->keys, zone_make_key("o", DOMAIN_KEY_RSA, DOMAIN_KEY_RETIRING));
	g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);
	g_autoptr(GString) got = g_string_new(NULL);
	for (guint i = 0; i < records->len; i++) {
		const struct domain_zone_record *r = records->pdata[i];

		g_string_append_printf(got, "%s %s %s%s: %s\n", domain_zone_label(r),
		    domain_zone_type(r), r->name, r->required ? " required" : "", r->value);
		cr_expect(r->state == ZONE_UNKNOWN && !r->found);
	}
	cr_expect_str_eq(got->str, want, "got\n%s", got->str);
}

/* Which MX and SPF there are by default. */
Test(zone, makes_do_with_few_settings)
{
	const struct {
		const char *settings, *want_mx, *want_spf;
	} cases[] = {
	    {"[service]\nurl = https://mail.host.example/api\n", "mail.host.example",
		"v=spf1 mx ~all"},
	    {"[service]\nurl = http://127.0.0.1:8025\n", g_get_host_name(), "v=spf1 mx ~all"},
	    {"[service]\nurl = http://[::1]:8025\n", g_get_host_name(), "v=spf1 mx ~all"},
	    {"", g_get_host_name(), "v=spf1 mx ~all"},
	    {"[service]\nspf = a\n", g_get_host_name(), "v=spf1 a ~all"},
	};
	AUTO(store_domain) domain = zone_make_domain("example.com");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(config_settings) settings = zone_settings_of(cases[i].settings);
		g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);
		const struct domain_zone_record *mx = records->pdata[2], *spf = records->pdata[3];

		cr_expect_str_eq(mx->value, cases[i].want_mx, "%s: got %s, want %s",
		    cases[i].settings, mx->value, cases[i].want_mx);
		cr_expect_str_eq(spf->value, cases[i].want_spf, "%s: got %s, want %s",
		    cases[i].settings, spf->value, cases[i].want_spf);
	}
}

Test(zone, requires_no_mx_where_the_relays_of_the_route_need_none)
{
#define RELAYS                                                                                     \
	"[relay p]\nhost = p.example\nprovider = ses\n"                                            \
	"[relay r]\nhost = r.example\nreturn_path = r@own.example\n"                               \
	"[relay o]\nhost = o.example\ndefault = no\n"
	static const struct {
		const char *name, *settings, *route;
		bool want;
	} cases[] = {
	    {"no settings", "", NULL, true},
	    {"all default relays", RELAYS, NULL, false},
	    {"a route of one", RELAYS, "p", false},
	    {"a route of two", RELAYS, "r p", false},
	    {"one of a route needs it", RELAYS, "p o", true},
	    {"the only one needs it", RELAYS, "o", true},
	    {"none is there", RELAYS, "old", true},
	    {"those that are there", RELAYS, "old p", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(store_domain) domain = zone_make_domain("example.com");
		AUTO(config_settings) settings = zone_settings_of(cases[i].settings);

		for (guint stream = 1; stream <= STORE_STREAMS; stream++)
			domain->relays[stream] = g_strdup(cases[i].route);
		g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);
		const struct domain_zone_record *mx = records->pdata[2], *spf = records->pdata[3];
		cr_expect_eq(mx->required, cases[i].want, "%s", cases[i].name);
		cr_expect(spf->required);
	}
}

Test(zone, names_records_relative_to_the_domain_and_to_the_zone)
{
	static const struct {
		const char *domain, *want_apex, *want_relative, *want_host;
	} cases[] = {
	    {"example.com", "example.com", "s._domainkey s-ed._domainkey send send _dmarc",
		"s._domainkey s-ed._domainkey send send _dmarc"},
	    {"mail.example.com", "example.com", "s._domainkey s-ed._domainkey send send _dmarc",
		"s._domainkey.mail s-ed._domainkey.mail send.mail send.mail _dmarc.mail"},
	    {"a.b.example.com", "example.com", "s._domainkey s-ed._domainkey send send _dmarc",
		"s._domainkey.a.b s-ed._domainkey.a.b send.a.b send.a.b _dmarc.a.b"},
	    {"mail.example.co.uk", "example.co.uk", "s._domainkey s-ed._domainkey send send _dmarc",
		"s._domainkey.mail s-ed._domainkey.mail send.mail send.mail _dmarc.mail"},
	    {"example.test", "example.test", "s._domainkey s-ed._domainkey send send _dmarc",
		"s._domainkey s-ed._domainkey send send _dmarc"},
	};
	AUTO(config_settings) settings = zone_settings_of("");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(store_domain) domain = zone_make_domain(cases[i].domain);
		const char *apex = domain_zone_apex(domain->name);
		g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);
		g_autofree char *relative = zone_names_of(records, domain->name);
		g_autofree char *host = zone_names_of(records, apex);

		cr_expect_str_eq(apex, cases[i].want_apex, "%s", cases[i].domain);
		cr_expect_str_eq(
		    relative, cases[i].want_relative, "%s: got %s", cases[i].domain, relative);
		cr_expect_str_eq(host, cases[i].want_host, "%s: got %s", cases[i].domain, host);
	}
}

Test(zone, writes_lines_of_a_zone_file)
{
	g_autofree char *at_limit = g_strnfill(255, 'x'), *past = g_strnfill(256, 'x');
	g_autofree char *want_limit =
	    g_strdup_printf("n.example.com. 3600 IN TXT \"%s\"", at_limit);
	g_autofree char *want_past =
	    g_strdup_printf("n.example.com. 3600 IN TXT \"%s\" \"x\"", at_limit);
	const struct {
		enum domain_zone_purpose purpose;
		const char *value, *want;
	} cases[] = {
	    {ZONE_MX, "mx.host.example", "n.example.com. 3600 IN MX 10 mx.host.example."},
	    {ZONE_SPF, "v=spf1 a ~all", "n.example.com. 3600 IN TXT \"v=spf1 a ~all\""},
	    {ZONE_DMARC, "a\"b\\c", "n.example.com. 3600 IN TXT \"a\\\"b\\\\c\""},
	    {ZONE_DKIM, at_limit, want_limit},
	    {ZONE_DKIM, past, want_past},
	    {ZONE_DKIM, "", "n.example.com. 3600 IN TXT \"\""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct domain_zone_record record = {.purpose = cases[i].purpose,
		    .name = (char *)"n.example.com",
		    .value = (char *)cases[i].value};
		g_autofree char *got = domain_zone_line(&record);

		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
}

Test(zone, splits_what_a_form_does_not_take_whole)
{
	g_autofree char *at_limit = g_strnfill(255, 'x'), *past = g_strnfill(256, 'x');
	g_autofree char *two = g_strnfill(510, 'x'), *past_two = g_strnfill(511, 'x');
	g_autofree char *want_past = g_strdup_printf("\"%s\" \"x\"", at_limit);
	g_autofree char *want_two = g_strdup_printf("\"%s\" \"%s\"", at_limit, at_limit);
	g_autofree char *want_past_two = g_strdup_printf("\"%s\" \"%s\" \"x\"", at_limit, at_limit);
	const struct {
		enum domain_zone_purpose purpose;
		const char *value, *want;
	} cases[] = {
	    {ZONE_MX, "mx.host.example", "mx.host.example"},
	    {ZONE_DMARC, "v=DMARC1; p=none;", "v=DMARC1; p=none;"},
	    {ZONE_DKIM, at_limit, at_limit},
	    {ZONE_DKIM, past, want_past},
	    {ZONE_DKIM, two, want_two},
	    {ZONE_DKIM, past_two, want_past_two},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct domain_zone_record record = {
		    .purpose = cases[i].purpose, .value = (char *)cases[i].value};
		g_autofree char *got = domain_zone_text(&record);

		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
}

Test(zone, keeps_findings)
{
	AUTO(config_settings) settings = zone_settings_of("");
	AUTO(store_domain) domain = zone_make_domain("example.com");
	g_autoptr(GPtrArray) before = domain_zone_records(domain, settings);
	struct domain_zone_record *rsa = before->pdata[0], *mx = before->pdata[2],
				  *spf = before->pdata[3];

	rsa->state = ZONE_FOUND;
	rsa->found = g_strdup("a \"b\"\n\\c\t\\195");
	mx->state = ZONE_MISSING;
	spf->state = ZONE_WRONG;
	spf->found = g_strdup("v=spf1 -all");
	domain->check.findings = domain_zone_findings(before);
	g_autoptr(GPtrArray) after = domain_zone_records(domain, settings);
	for (guint i = 0; i < before->len; i++) {
		const struct domain_zone_record *b = before->pdata[i], *a = after->pdata[i];

		cr_expect_eq(a->state, b->state, "%s %s", domain_zone_type(b), b->name);
		cr_expect(g_strcmp0(a->found, b->found) == 0, "%s: %s", b->name, a->found);
	}
}
