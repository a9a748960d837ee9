/* SPDX-License-Identifier: MIT */
/* Tests posthouse domain with a DNS server that serves the printed zone. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/nsd.h"

#define NAME "news.example.org"
#define ZONE "example.org"

static const char *const zones[] = {ZONE, NULL};

static struct test_nsd *nsd;
static char *config;

static void
domain_begin(void)
{
	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	nsd = test_nsd_start(zones);
	g_autofree char *more = g_strdup_printf(
	    "[service]\nmail_from_mx = mx.host.example\nspf = include:relay.example\n"
	    "[dns]\nservers = %s\n",
	    test_nsd_address(nsd));
	config = test_mariadb_file(NULL, NULL, more);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_free(program_line(config, "domain add " NAME));
}

static void
domain_end(void)
{
	g_free(config);
	if (nsd)
		test_nsd_stop(nsd);
}

TestSuite(domain, .init = domain_begin, .fini = domain_end, .timeout = 900);

/* Returns the whole output of a command that must succeed. The caller owns it. */
static char *
output_of(const char *verb)
{
	const char *const arguments[] = {"domain", verb, NAME, NULL};
	AUTO(outcome) outcome = program_run(config, arguments);

	cr_assert_eq(outcome->status, 0, "domain %s: %s", verb, outcome->errors);
	return g_steal_pointer(&outcome->output);
}

/* Returns the lines for a zone file from the output. The caller owns them. */
static char *
snippet(const char *output)
{
	const char *start = strstr(output, "\n; ");

	cr_assert(start, "no lines for a zone file in %s", output);
	return g_strdup(start + 1);
}

static void
domain_expect(const char *name, const char *text, const char *pattern)
{
	cr_expect(
	    g_pattern_match_simple(pattern, text), "%s: got %s, want %s", name, text, pattern);
}

Test(domain, is_shown_with_all_that_has_to_be_published)
{
	g_autofree char *output = output_of("show");

	domain_expect("facts", output,
	    "id         *-*-7*-*-*\nname       " NAME "\nstatus     NOT_STARTED\n"
	    "trusted    no\nmay_send   no\nerror_type -\nchecked    -\nsuccess    -\n"
	    "next_check 20*\nwarmed_up  -\ncreated    20*\n\n*");
	domain_expect("table", output,
	    "*TYPE  NAME *  PRIORITY  REQUIRED  STATUS  KEY *  VALUE\n"
	    "TXT   ph*-*._domainkey.news * - * yes * - * signs  \"v=DKIM1; k=rsa; "
	    "p=*\" "
	    "\"*\"\n"
	    "TXT   ph*-*-ed._domainkey.news * no * signs  v=DKIM1; k=ed25519; p=*\n"
	    "MX    send.news * 10 * yes * - * - * mx.host.example\n"
	    "TXT   send.news * - * yes * v=spf1 include:relay.example ~all\n"
	    "TXT   _dmarc.news * no * v=DMARC1; p=none; rua=mailto:d+*@send.news.*\n\n*");
	domain_expect("lines", output,
	    "*\n; *:\n"
	    "ph*-*._domainkey." NAME ". 3600 IN TXT \"v=DKIM1; k=rsa; p=*\" \"*\"\n"
	    "ph*-*-ed._domainkey." NAME ". 3600 IN TXT \"v=DKIM1; k=ed25519; p=*\"\n"
	    "send." NAME ". 3600 IN MX 10 mx.host.example.\n"
	    "send." NAME ". 3600 IN TXT \"v=spf1 include:relay.example ~all\"\n"
	    "_dmarc." NAME ". 3600 IN TXT \"v=DMARC1; p=none; rua=mailto:d+*@send." NAME "\"\n");
	/* No string is longer than 255 bytes, the limit of DNS. */
	g_auto(GStrv) parts = g_strsplit(output, "\"", -1);
	for (char **part = parts; *part; part++)
		cr_expect(strchr(*part, '\n') || strlen(*part) <= 255, "%s", *part);
}

Test(domain, is_shown_in_json)
{
	program_expect(config, "domain show " NAME " --json", 0,
	    "{\"id\":\"*\",\"name\":\"" NAME "\",\"status\":\"NOT_STARTED\",\"trusted\":false,"
	    "\"may_send\":false,\"error_type\":null,\"checked\":null,\"success\":null,"
	    "\"next_check\":1*,\"warmed_up\":null,\"created\":1*,\"dns_records\":[{\"type\":"
	    "\"TXT\","
	    "\"name\":\"ph*._domainkey.news\",\"priority\":null,\"required\":true,\"status\":null,"
	    "\"key\":\"signs\",\"value\":\"v=DKIM1; k=rsa; p=*\",\"for\":\"DKIM\",\"found\":null,"
	    "\"zone_line\":\"ph*._domainkey." NAME ". 3600 IN TXT \\\"v=DKIM1;*\\\" \\\"*\\\"\"},*"
	    "{\"type\":\"MX\",\"name\":\"send.news\",\"priority\":\"10\",*]}\n",
	    NULL);
}

Test(domain, is_right_when_it_is_published_as_it_is_shown)
{
	g_autofree char *before = output_of("show"), *lines = snippet(before);

	test_nsd_set(nsd, ZONE, lines);
	g_autofree char *after = output_of("verify");
	domain_expect("facts", after,
	    "*\nstatus     SUCCESS\ntrusted    no\nmay_send   yes\nerror_type -\nchecked    20*\n"
	    "success    20*");
	domain_expect(
	    "table", after, "*\nTXT * found *\nTXT * found *\nMX * found *\nTXT * found *\n*");
	cr_expect_null(strstr(after, "Wrong"), "%s", after);
}

Test(domain, shows_what_is_wrong)
{
	test_nsd_set(nsd, ZONE,
	    "send.news IN MX 5 mx.elsewhere.test.\nsend.news IN TXT \"v=spf1 -all\"\n"
	    "send.news IN TXT \"v=spf1 a ~all\"\n");
	g_autofree char *output = output_of("verify");
	domain_expect("facts", output,
	    "*\nstatus     PENDING\n*\nmay_send   no\nerror_type HOST_NOT_FOUND\n*");
	domain_expect(
	    "table", output, "*\nTXT * missing *\nTXT * missing *\nMX * wrong *\nTXT * wrong *\n*");
	domain_expect("MX", output,
	    "*\nWrong: DNS has this as MX of send." NAME ":\n  5 mx.elsewhere.test\n*");
	domain_expect("SPF", output,
	    "*\nWrong: DNS has this as TXT of send." NAME ":\n  v=spf1 *\n  v=spf1 *\n*");
}

Test(domain, is_given_new_keys)
{
	g_autofree char *before = output_of("show"), *lines = snippet(before);

	test_nsd_set(nsd, ZONE, lines);
	g_free(output_of("verify"));
	g_autofree char *rotated = output_of("rotate"), *both = snippet(rotated);
	domain_expect("rotated", rotated,
	    "Domain " NAME " has new keys. *\n\n*\nTXT * found * signs *\nTXT * found * signs *\n"
	    "TXT * - * new *\nTXT * - * new *\nMX *");
	domain_expect("not published", rotated, "*\nstatus     SUCCESS\n*");
	test_nsd_set(nsd, ZONE, both);
	g_autofree char *after = output_of("verify");
	domain_expect("published", after,
	    "*\nTXT * found * signs *\nTXT * found * signs *\nTXT * found * retires *\n"
	    "TXT * found * retires *\nMX *");
	g_free(output_of("trust"));
	g_autofree char *trusted = output_of("rotate");
	domain_expect("trusted", trusted, "Domain " NAME " signs with new keys from now on. *");
	program_expect(
	    config, "domain rotate " NAME " --json", 0, "{\"id\":*,\"dns_records\":[*]}\n", NULL);
}

Test(domain, is_removed)
{
	static const char *const verbs[] = {"show", "verify", "rotate", "remove"};

	program_expect(config, "domain remove NEWS.example.ORG --json", 0,
	    "{\"name\":\"" NAME "\",\"removed\":true}\n", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++) {
		g_autofree char *line = g_strdup_printf("domain %s " NAME, verbs[i]);
		g_autofree char *wrong = g_strdup_printf("domain %s 'a b.org'", verbs[i]);
		program_expect(config, line, 66, NULL,
		    "posthouse: there is no domain " NAME " in this workspace; add it first: "
		    "posthouse domain add " NAME "\n");
		program_expect(config, wrong, 65, NULL, "posthouse: NAME must be a domain name\n");
	}
	program_expect(config, "domain add " NAME, 0,
	    "Domain " NAME " is registered.*show*\n\nTYPE  NAME *\nTXT   ph*._domainkey.news *"
	    "\n\n; The records as lines of a zone file:\nph*." NAME ". 3600 IN TXT *",
	    NULL);
	program_expect(
	    config, "domain remove " NAME, 0, "Domain " NAME " and its keys are removed*\n", NULL);
}

/* Each change names the domain. */
Test(domain, is_in_the_audit)
{
	static const char *const verbs[] = {"verify", "trust", "rotate", "relay", "remove"};

	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++)
		g_free(output_of(verbs[i]));
	g_autofree char *audit = test_mariadb_sql(NULL,
	    "SELECT CONCAT(COUNT(*), ' of ', COUNT(DISTINCT target_id)) FROM test_%d.audit"
	    " WHERE target_type = 'domain' AND target_name = '" NAME "' AND target_id IS NOT NULL",
	    (int)getpid());
	cr_expect_str_eq(g_strchomp(audit), "6 of 1", "%s", audit);
}

Test(domain, is_that_of_the_workspace)
{
	static const char *const verbs[] = {"show", "verify", "rotate", "remove"};

	g_free(program_line(config, "workspace create Two"));
	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++) {
		g_autofree char *line =
		    g_strdup_printf("domain %s " NAME " --workspace Two", verbs[i]);
		program_expect(
		    config, line, 66, NULL, "posthouse: there is no domain " NAME " *\n");
	}
	program_expect(config, "domain list --workspace One", 0, "*" NAME "*", NULL);
}

/* The command reports that DNS does not answer, and the stored state stays. */
Test(domain, is_not_judged_while_dns_is_silent)
{
	test_nsd_end(nsd);
	program_expect(config, "domain verify " NAME, 0,
	    "*\nstatus     NOT_STARTED\n*\nerror_type DNS_SERVER_ERROR\n*", NULL);
}

/* A domain's settings, of which the return path stays. */
Test(domain, has_settings)
{
	program_expect(config, "domain set " NAME " tls=enforced", 0,
	    "Domain " NAME ": tls = enforced, no tracking host.\n", "");
	program_expect(config, "domain set " NAME " tls=none", 65, NULL,
	    "posthouse: tls must be opportunistic or enforced\n");
	program_expect(config, "domain set " NAME " custom_return_path=x", 65, NULL,
	    "posthouse: custom_return_path cannot be changed\n");
	program_expect(config, "domain set " NAME " colour=red", 65, NULL,
	    "posthouse: KEY must be tls or tracking_subdomain, not colour\n");
	program_expect(config, "domain set " NAME " tracking_subdomain=links tls=opportunistic", 0,
	    "Domain " NAME ": tls = opportunistic, links in its mail go to links." NAME ".\n", "");
}
