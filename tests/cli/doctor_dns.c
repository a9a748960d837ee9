/* SPDX-License-Identifier: MIT */
/* Tests posthouse doctor with a DNS server whose answers are wrong in many ways. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/nsd.h"
#include "tests/support/settings.h"

#define ZONE "example.org"
#define REVERSE "127.in-addr.arpa"
#define LIST "zen.spamhaus.org"
#define DOMAIN_LIST "dbl.spamhaus.org"

static const char *const zones[] = {ZONE, REVERSE, LIST, DOMAIN_LIST, NULL};

static struct test_nsd *nsd;
static char *config;
static char *dkim; /* the lines of its DKIM keys */

/* The lines of a zone file that domain show gives and that hold text. The caller owns them. */
static char *
lines_with(const char *output, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
	GString *found = g_string_new(NULL);

	for (char **line = lines; *line; line++)
		if (strstr(*line, " IN ") && strstr(*line, text))
			g_string_append_printf(found, "%s\n", *line);
	return g_string_free(found, FALSE);
}

static char *
write_settings(const char *relay)
{
	g_autofree char *socket = test_mariadb_socket(NULL);
	g_autofree char *name = g_strdup_printf("test_%d", (int)getpid());
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
						"[service]\nmail_from_mx = mx.example.org\n"
						"spf = include:relay.example\n"
						"[dns]\nservers = %s\n%s",
	    socket, name, test_nsd_address(nsd), relay);

	return test_settings_write(test_mariadb_dir(NULL), name, text);
}

static void
doctor_dns_begin(void)
{
	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	nsd = test_nsd_start(zones);
	g_free(test_mariadb_file(NULL, NULL, NULL));
	config = write_settings("");
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_free(program_line(config, "domain add " ZONE));
	AUTO(outcome)
	shown = program_run(config, (const char *[]){"domain", "show", ZONE, NULL});
	dkim = lines_with(shown->output, "_domainkey");
}

static void
doctor_dns_end(void)
{
	if (!nsd)
		return;
	test_nsd_stop(nsd);
	g_free(config);
	g_free(dkim);
}

TestSuite(doctor_dns, .init = doctor_dns_begin, .fini = doctor_dns_end, .timeout = 900);

static void
doctor_dns_expect(const char *name, const char *const *arguments, int status, const char *want)
{
	AUTO(outcome) got = program_run(config, arguments);
	g_auto(GStrv) lines = g_strsplit(got->output, "\n      ", -1);
	g_autofree char *output = g_strjoinv(" ", lines);

	cr_expect(g_pattern_match_simple(want, output), "%s: got\n%s%s\nwant %s", name, output,
	    got->errors, want);
	cr_expect_eq(got->status, status, "%s: got %d, want %d", name, got->status, status);
}

#define MX "send IN MX 10 mx.example.org.\n"
#define SPF "send IN TXT \"v=spf1 include:relay.example ~all\"\n"
#define DMARC "_dmarc IN TXT \"v=DMARC1; p=none\"\n"

Test(doctor_dns, compares_the_records_of_a_domain)
{
	static const struct {
		const char *name;
		bool lacks_keys;
		const char *records;
		int status;
		const char *want;
	} cases[] = {
	    {"all", false, MX SPF DMARC, 0,
		"ok    domain example.org: DNS has its records, and a DMARC policy\n"},
	    {"no policy", false, MX SPF, 0,
		"ok    domain example.org: DNS has its records, but no DMARC policy\n"},
	    {"no keys", true, MX SPF DMARC, 1,
		"warn  domain example.org: the TXT record of *._domainkey.example.org is missing "
		"Publish the records that posthouse domain show example.org lists.\n"},
	    {"no MX", false, SPF DMARC, 1,
		"warn  domain example.org: the MX record of send.example.org is missing *\n"},
	    {"another MX", false, "send IN MX 10 mx.other.example.\n" SPF DMARC, 1,
		"warn  *: the MX record of send.example.org is wrong: 10 mx.other.example *\n"},
	    {"no SPF", false, MX DMARC, 1,
		"warn  *: the TXT record of send.example.org is missing *\n"},
	    {"SPF without the relay", false, MX DMARC "send IN TXT \"v=spf1 mx -all\"\n", 1,
		"warn  *: the SPF record of send.example.org does not pass what [service] spf "
		"says: "
		"v=spf1 mx -all *\n"},
	    {"two SPF records", false, MX DMARC SPF "send IN TXT \"v=spf1 -all\"\n", 1,
		"warn  *: the SPF record of send.example.org does not pass *\n"},
	    {"two policies", false, MX SPF DMARC "_dmarc IN TXT \"v=DMARC1; p=reject\"\n", 1,
		"warn  *: the TXT record of _dmarc.example.org is wrong: *\n"},
	    {"strict alignment", false,
		MX SPF "_dmarc IN TXT \"v=DMARC1; p=reject; aspf=s; adkim=s\"\n", 1,
		"warn  *: SPF does not align with DMARC, which says aspf=s: the return path is at "
		"send.example.org *\n"},
	    {"SPF with an error", false,
		MX DMARC "send IN TXT \"v=spf1 include:relay.example -al\"\n", 1,
		"warn  *: the SPF record of send.example.org does not pass what [service] spf "
		"says: v=spf1 include:relay.example -al (it has a syntax error) Publish *\n"},
	    {"SPF that refuses all", false,
		MX DMARC "send IN TXT \"v=spf1 -ip4:0.0.0.0/0 include:relay.example\"\n", 1,
		"warn  *: the SPF record of send.example.org does not pass *(it lacks *\n"},
	    {"a policy with blanks", false, MX SPF "_dmarc IN TXT \"v = DMARC1; p=none\"\n", 0,
		"ok    domain example.org: DNS has its records, and a DMARC policy\n"},
	    {"a return path that is an organization of its own", false,
		MX SPF DMARC "_dmarc.send IN TXT \"v=DMARC1; p=none; psd=n\"\n", 1,
		"warn  *: SPF does not align with DMARC: the return path is at send.example.org "
		"*\n"},
	    {"strict DKIM, and no sub-domain sends", false,
		MX SPF "_dmarc IN TXT \"v=DMARC1; p=reject; adkim=s\"\n", 0,
		"ok    domain example.org: DNS has its records, and a DMARC policy\n"},
	    {"nothing", true, "", 1,
		"warn  domain example.org: *_domainkey.example.org is missing; the MX *; the TXT "
		"record of send.example.org is missing Publish*\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *records =
		    g_strconcat(cases[i].records, cases[i].lacks_keys ? "" : dkim, NULL);

		test_nsd_set(nsd, ZONE, records);
		doctor_dns_expect(cases[i].name,
		    (const char *[]){"doctor", "--only", "domain", NULL}, cases[i].status,
		    cases[i].want);
	}
	test_nsd_end(nsd);
	doctor_dns_expect("no answer",
	    (const char *[]){"doctor", "--only", "domain example.org", NULL}, 1,
	    "warn  domain example.org: DNS gives no answer for *Correct servers in section "
	    "[dns]*\n");
	g_free(program_line(config, "domain trust " ZONE));
	doctor_dns_expect("trusted", (const char *[]){"doctor", "--only", "domain", NULL}, 0, "");
}

/* Mail of a sub-domain is signed with the domain that is registered. */
Test(doctor_dns, warns_of_a_sub_domain_that_sends_under_a_strict_policy)
{
	static const struct {
		const char *sender, *policy;
		int status;
		const char *want;
	} cases[] = {
	    {"Shop <a@example.org>", "adkim=s", 0, "ok    *\n"},
	    {"a@xexample.org", "adkim=s", 0, "ok    *\n"},
	    {"Shop <a@mail.example.org>", "adkim=r", 0, "ok    *\n"},
	    {"Shop <a@mail.example.org>", "adkim=s", 1,
		"warn  domain example.org: DKIM does not align with DMARC, which says adkim=s: a "
		"sub-domain sends, Shop <a@mail.example.org> Register each *\n"},
	    {"a@b.mail.example.org", "ADKIM = S", 1,
		"warn  *a sub-domain sends, a@b.mail.example.org Register each *\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *records = g_strdup_printf(
		    MX SPF "_dmarc IN TXT \"v=DMARC1; p=none; %s\"\n%s", cases[i].policy, dkim);

		g_free(test_mariadb_sql(NULL,
		    "REPLACE INTO test_%d.email (id, workspace_id, domain_id, type, sender,"
		    " to_list, subject, created) SELECT REPEAT('x', 16), workspace_id, id, 1,"
		    " '%s', '', '', 1 FROM test_%d.domain",
		    (int)getpid(), cases[i].sender, (int)getpid()));
		test_nsd_set(nsd, ZONE, records);
		doctor_dns_expect(cases[i].sender,
		    (const char *[]){"doctor", "--only", "domain", NULL}, cases[i].status,
		    cases[i].want);
	}
}

Test(doctor_dns, aligns_a_fixed_return_path)
{
	static const struct {
		const char *name, *settings;
		int status;
		const char *want;
	} cases[] = {
	    {"elsewhere", "[smtp]\nreturn_path = bounces@hoster.example\n", 1,
		"warn  *: SPF does not align with DMARC: the return path is at hoster.example *\n"},
	    {"below", "[smtp]\nreturn_path = bounces@mail.example.org\n", 0, "ok    *\n"},
	    {"that of a relay",
		"[relay one]\nhost = 127.0.0.1\n"
		"[relay two]\nhost = 127.0.0.1\nreturn_path = bounces@hoster.example\n",
		1,
		"warn  *: SPF does not align with DMARC: the return path is at hoster.example Take "
		"return_path out of the settings, *\n"},
	    {"that of a relay for other domains",
		"[relay one]\nhost = 127.0.0.1\n"
		"[relay two]\nhost = 127.0.0.1\nreturn_path = bounces@hoster.example\n"
		"default = no\n",
		0, "ok    *\n"},
	    {"that of a relay instead of another",
		"[smtp]\nreturn_path = bounces@hoster.example\n"
		"[relay one]\nhost = 127.0.0.1\nreturn_path = bounces@example.org\n",
		0, "ok    *\n"},
	};
	g_autofree char *records = g_strconcat(MX SPF DMARC, dkim, NULL);

	test_nsd_set(nsd, ZONE, records);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_free(config);
		config = write_settings(cases[i].settings);
		doctor_dns_expect(cases[i].name,
		    (const char *[]){"doctor", "--only", "domain", NULL}, cases[i].status,
		    cases[i].want);
	}
}

#define RELAY "[relay main]\nhost = 127.0.0.1\nhelo = mail.example.org\n"

Test(doctor_dns, compares_names_and_addresses)
{
	static const struct {
		const char *name, *records, *reverse;
		int status;
		const char *want;
	} cases[] = {
	    {"agree", "mail IN A 127.0.0.2\n", "2.0.0 IN PTR mail.example.org.\n", 0,
		"ok    helo: the names of EHLO and those of the addresses agree\n"},
	    {"another address", "mail IN A 127.0.0.3\n", "2.0.0 IN PTR mail.example.org.\n", 1,
		"warn  helo: mail.example.org, the name of EHLO, has the address 127.0.0.3, not "
		"127.0.0.2 *set helo in section [relay main] to that name.\n"},
	    {"another name", "mail IN A 127.0.0.2\n", "2.0.0 IN PTR other.example.org.\n", 1,
		"warn  helo: 127.0.0.2 has the name other.example.org in DNS (PTR), not "
		"mail.example.org, the name of EHLO *\n"},
	    {"neither", "", "", 1,
		"warn  helo: mail.example.org, the name of EHLO, has no address, not 127.0.0.2; "
		"127.0.0.2 has no name in DNS (PTR), not *\n"},
	};

	g_free(config);
	config = write_settings(RELAY);
	doctor_dns_expect("no source", (const char *[]){"doctor", "--only", "helo", NULL}, 0,
	    "ok    helo: no relay has a source, *\n");
	g_free(config);
	config = write_settings(RELAY "source = 127.0.0.2\n");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_nsd_set(nsd, ZONE, cases[i].records);
		test_nsd_set(nsd, REVERSE, cases[i].reverse);
		doctor_dns_expect(cases[i].name, (const char *[]){"doctor", "--only", "helo", NULL},
		    cases[i].status, cases[i].want);
	}
}

Test(doctor_dns, asks_blocklists)
{
	static const struct {
		const char *name, *list, *domain_list;
		int status;
		const char *want;
	} cases[] = {
	    {"not listed", "", "", 0, "ok    blocklists: nothing is listed, in 2 of 5 questions\n"},
	    {"address", "2.0.0.127 IN A 127.0.0.4\n", "", 1,
		"warn  blocklists: 127.0.0.2 is listed at zen.spamhaus.org *\n"},
	    {"domain", "", "example.org IN A 127.0.1.2\n", 1,
		"warn  blocklists: example.org is listed at dbl.spamhaus.org *\n"},
	    {"the list does not answer us", "2.0.0.127 IN A 127.255.255.254\n",
		"example.org IN A 127.0.1.255\n", 0, "ok    blocklists: *\n"},
	};

	g_free(config);
	config = write_settings(RELAY "source = 127.0.0.2\n");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_nsd_set(nsd, LIST, cases[i].list);
		test_nsd_set(nsd, DOMAIN_LIST, cases[i].domain_list);
		doctor_dns_expect(cases[i].name,
		    (const char *[]){"doctor", "--blocklists", "--only", "blocklists", NULL},
		    cases[i].status, cases[i].want);
	}
	test_nsd_end(nsd);
	doctor_dns_expect("no answer", (const char *[]){"doctor", "--only", "blocklists", NULL}, 1,
	    "warn  blocklists: DNS gives no answer for any blocklist *\n");
}

/* A domain that receives has its MX here; one that does not may have it anywhere. */
Test(doctor_dns, looks_where_received_mail_goes)
{
	static const struct {
		const char *name, *records;
		int status;
		const char *want;
	} cases[] = {
	    {"here", "@ IN MX 10 MX.example.org.\n", 0,
		"ok    receiving example.org: no MX record leads elsewhere\n"},
	    {"none", "", 0, "ok    receiving example.org: no MX record leads elsewhere\n"},
	    {"elsewhere", "@ IN MX 10 mx.other.example.\n", 1,
		"warn  receiving example.org: its MX leads elsewhere: mx.other.example Publish the "
		"MX record that posthouse domain show example.org lists *\n"},
	    {"elsewhere too",
		"@ IN MX 10 mx.example.org.\n@ IN MX 30 b.other.example.\n"
		"@ IN MX 20 a.other.example.\n",
		1, "warn  *: its MX leads elsewhere: a.other.example, b.other.example *\n"},
	};

	test_nsd_set(nsd, ZONE, "@ IN MX 10 mx.other.example.\n");
	doctor_dns_expect(
	    "not yet", (const char *[]){"doctor", "--only", "receiving", NULL}, 0, "");
	g_free(program_line(config, "domain receiving " ZONE " on --override"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_nsd_set(nsd, ZONE, cases[i].records);
		doctor_dns_expect(cases[i].name,
		    (const char *[]){"doctor", "--only", "receiving example.org", NULL},
		    cases[i].status, cases[i].want);
	}
}

#define MAIL_HOST "127.0.0.9"

/* Listens at port 25 of the mail host; -1: only root may, who is not here. */
static int
listen_as_mail_host(void)
{
	struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(25)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	cr_assert_geq(fd, 0);
	inet_pton(AF_INET, MAIL_HOST, &place.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (const struct sockaddr *)(const void *)&place, sizeof(place)) == 0 &&
	    listen(fd, 1) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Serves one session, in which RCPT is refused. */
static void *
serve_mail_host(void *listening)
{
	int fd = accept(*(int *)listening, NULL, NULL);
	FILE *peer = fdopen(fd, "r+");
	char line[1024];

	fputs("220 mx\r\n", peer);
	while (fflush(peer) == 0 && fgets(line, sizeof(line), peer))
		fputs(
		    g_str_has_prefix(line, "RCPT") ? "550 5.1.1 unknown\r\n" : "250 ok\r\n", peer);
	fclose(peer);
	return NULL;
}

/* The host of the MX records is where the DNS of the settings says, as for all that asks it. */
Test(doctor_dns, finds_the_mail_host)
{
	static const char *const arguments[] = {"doctor", "--only", "smtpd", NULL};

	test_nsd_set(nsd, ZONE, "mx IN A " MAIL_HOST "\n");
	int listening = listen_as_mail_host();
	GThread *thread =
	    listening >= 0 ? g_thread_new("mail host", serve_mail_host, &listening) : NULL;
	doctor_dns_expect("the mail host", arguments, 1,
	    thread ? "warn  smtpd: mx.example.org refuses our return paths: 550 5.1.1 unknown *"
		   : "warn  smtpd: mx.example.org cannot be reached at port 25 *");
	if (!thread)
		return;
	g_thread_join(thread);
	close(listening);
	doctor_dns_expect("nobody there", arguments, 1,
	    "warn  smtpd: mx.example.org cannot be reached at port 25 *");
}
