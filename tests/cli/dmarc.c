/* SPDX-License-Identifier: MIT */
/* Tests posthouse dmarc, and reports about a domain that a mail server hands over. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sysexits.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/nsd.h"
#include "tests/support/program.h"

#define NAME "news.example.org"
#define ZONE "example.org"

static const char *const zones[] = {ZONE, NULL};

static struct test_nsd *nsd;
static char *config, *file, *address;

/* The address for reports, as the records of the domain name it. */
static char *
dmarc_address(void)
{
	const char *const show[] = {"domain", "show", NAME, NULL};
	AUTO(outcome) outcome = program_run(config, show);
	const char *at = strstr(outcome->output, "rua=mailto:");

	cr_assert(at, "%s%s", outcome->output, outcome->errors);
	at += strlen("rua=mailto:");
	return g_strndup(at, strcspn(at, "\n\" "));
}

static void
dmarc_begin(void)
{
	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	nsd = test_nsd_start(zones);
	g_autofree char *more =
	    g_strdup_printf("[dns]\nservers = %s\n[receiving]\nauthserv_id = mx.example.org\n",
		test_nsd_address(nsd));
	config = test_mariadb_file(NULL, NULL, more);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_free(program_line(config, "domain add " NAME));
	address = dmarc_address();
	file = g_strdup_printf("%s/dmarc_%d", test_mariadb_dir(NULL), (int)getpid());
}

static void
dmarc_end(void)
{
	if (!nsd)
		return;
	g_remove(file);
	g_free(file);
	g_free(address);
	g_free(config);
	test_nsd_stop(nsd);
}

TestSuite(cli_dmarc, .init = dmarc_begin, .fini = dmarc_end, .timeout = 900);

#define REPORT(id, policy)                                                                         \
	"<feedback><report_metadata><org_name>Example Mail</org_name><email>d@example.net</email>" \
	"<report_id>" id "</report_id><date_range><begin>1700000000</begin><end>1700086399</end>"  \
	"</date_range></report_metadata><policy_published><domain>" NAME "</domain><p>" policy     \
	"</p></policy_published><record><row><source_ip>192.0.2.1</source_ip><count>3</count>"     \
	"<policy_evaluated><disposition>none</disposition><dkim>fail</dkim><spf>fail</spf>"        \
	"</policy_evaluated></row></record></feedback>"

static void
dmarc_write(const char *text)
{
	cr_assert(g_file_set_contents(file, text, -1, NULL));
}

Test(cli_dmarc, parses_files)
{
	g_autofree char *line = g_strdup_printf("dmarc parse %s", file);
	g_autofree char *json = g_strdup_printf("dmarc parse %s --json", file);

	dmarc_write(REPORT("r1", "none"));
	program_expect(config, line, 0,
	    "kind       dmarc\nreporter   Example Mail\nemail      d@example.net\nreport_id  r1\n"
	    "begin      2023-11-14T22:13:20.000Z\nend        2023-11-15T22:13:19.000Z\n"
	    "domain     " NAME "\nerrors     -\nSOURCE *\n192.0.2.1  3 * none * fail * fail *\n",
	    "");
	program_expect(config, json, 0,
	    "{\"kind\":\"dmarc\",\"reporter\":\"Example Mail\",\"email\":\"d@example.net\","
	    "\"report_id\":\"r1\",\"begin\":1700000000000,\"end\":1700086399000,\"domain\":\"" NAME
	    "\",\"policy\":{\"p\":\"none\",\"sp\":null,\"np\":null,\"adkim\":null,\"aspf\":null,"
	    "\"pct\":null,\"testing\":null},\"generator\":null,\"errors\":[],\"records\":[{"
	    "\"source\":\"192.0.2.1\",\"count\":3,\"disposition\":\"none\",\"dkim\":\"fail\","
	    "\"spf\":\"fail\",\"header_from\":null,\"envelope_from\":null,\"dkim_results\":[],"
	    "\"spf_results\":[]}]}\n",
	    "");
	dmarc_write("hello\n");
	program_expect(config, line, EX_DATAERR, "",
	    "posthouse: This is no report: it has no XML, JSON, gzip or zip file\n");
	dmarc_write("<!DOCTYPE a>" REPORT("r1", "none"));
	program_expect(config, line, EX_DATAERR, "",
	    "posthouse: This is no report: it has a DOCTYPE or an ENTITY\n");
	program_expect(config, "dmarc parse /nowhere/at/all", EX_NOINPUT, "",
	    "posthouse: /nowhere/at/all cannot be read: *\n");
}

/* Runs a command with the file as its input, and expects its outcome. */
static void
dmarc_pipe(const char *command, const char *want)
{
	g_autofree char *line = g_strdup_printf("%s --json --config %s", command, config);
	g_autofree char *script = g_strdup_printf("./posthouse %s <%s", line, file);
	const char *argv[] = {"sh", "-c", script, NULL};
	g_autofree char *output = NULL, *errors = NULL;
	int status = 0;

	cr_assert(g_spawn_sync(g_getenv("builddir"), (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL,
	    NULL, &output, &errors, &status, NULL));
	cr_expect(strstr(output, want), "%s: got %s%s", command, output, errors);
}

Test(cli_dmarc, shows_what_came)
{
	g_autofree char *report = g_strdup_printf("report --recipient %s", address);
	g_autofree char *receive = g_strdup_printf("receive --recipient %s", address);

	program_expect(
	    config, "dmarc show " NAME, 0, "There are no reports about these days.\n", "");
	program_expect(config, "dmarc reports " NAME, 0, "There are no reports yet.\n", "");
	dmarc_write("From: d@example.net\n\n" REPORT("r1", "none"));
	dmarc_pipe(report, "\"outcome\":\"dmarc report\"");
	dmarc_pipe(report, "\"outcome\":\"repeated\"");
	dmarc_pipe(receive, "\"outcome\":\"repeated\"");
	/* The server in front vouches for its writer. */
	dmarc_write(
	    "Authentication-Results: mx.example.org; dmarc=pass\nFrom: d@example.net\n\n" REPORT(
		"r2", "none"));
	dmarc_pipe(receive, "\"outcome\":\"dmarc report\",\"id\":\"");
	dmarc_write("From: d@example.net\n\nhello\n");
	dmarc_pipe(report, "\"outcome\":\"no report\"");
	dmarc_pipe(receive, "\"outcome\":\"no report\"");
	program_expect(config, "dmarc reports " NAME, 0,
	    "REPORTER      REPORT_ID  BEGIN *\nExample Mail  r2 * 3 * yes\n"
	    "Example Mail  r1 * 3 * no\n",
	    "");
	program_expect(config, "dmarc show " NAME " --from 2023-11-01 --to 2023-12-01", 0,
	    "KEY * KIND * MESSAGES *\n192.0.2.1  failing  6 *\n", "");
	program_expect(config, "dmarc show " NAME " --by day --from 2023-11-01 --to 2023-12-01", 0,
	    "KEY *\n2023-11-14  - * 6 *\n", "");
	program_expect(config, "dmarc show other.example.org", EX_NOINPUT, "", "*");
}

Test(cli_dmarc, tells_the_policy)
{
	g_autofree char *record =
	    g_strdup_printf("_dmarc.news IN TXT \"v=DMARC1; p=reject; rua=mailto:%s\"\n", address);
	const struct {
		const char *name, *zone, *want;
	} cases[] = {
	    {"none", "",
		"*\"found_at\":null,\"record\":null,*\"asked\":[\"_dmarc." NAME "\",\"_dmarc." ZONE
		"\",\"_dmarc.org\"],\"policy\":null,\"applied\":null,\"testing\":false,"
		"\"reports_here\":false,\"warnings\":[],\"advice\":{\"next\":\"none\","
		"\"ready\":"
		"true,\"reasons\":[],\"record\":\"v=DMARC1; p=none; rua=mailto:d+*\"},*"},
	    {"the end", record,
		"*\"found_at\":\"_dmarc." NAME "\",*\"policy\":\"reject\",\"applied\":\"reject\","
		"\"testing\":false,\"reports_here\":true,\"warnings\":[],\"advice\":{\"next\":"
		"null,"
		"\"ready\":false,\"reasons\":[],\"record\":null},\"bimi\":{\"allowed\":true,*"},
	    {"above",
		"_dmarc IN TXT \"v=DMARC1; p=reject; sp=quarantine; t=y; pct=50; aspf=s; "
		"rua=mailto:me@example.net\"\n",
		"*\"found_at\":\"_dmarc." ZONE "\",*\"organizational_domain\":\"" ZONE
		"\",*\"policy\":\"quarantine\",\"applied\":\"none\",\"testing\":true,"
		"\"reports_here\":false,\"warnings\":[\"pct is gone since RFC 9989\",\"aspf=s "
		"fails: the return path is at send." NAME "\",\"rua leads elsewhere\"],"
		"\"advice\":{\"next\":\"quarantine\",\"ready\":false,\"reasons\":[\"reports "
		"about "
		"0 of 14 days\",\"0 of 2 reporters\",\"0 of 100 "
		"messages\"],\"record\":\"v=DMARC1; "
		"p=quarantine; aspf=s; rua=mailto:me@example.net,mailto:d+*\"},*"},
	    {"two",
		"_dmarc.news IN TXT \"v=DMARC1; p=none\"\n_dmarc.news IN TXT \"v=DMARC1; "
		"p=reject\"\n_dmarc IN TXT \"v=DMARC1; p=quarantine\"\n",
		"*\"found_at\":\"_dmarc." ZONE "\",*\"warnings\":[\"two DMARC records at " NAME
		"\"],*"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_nsd_set(nsd, ZONE, cases[i].zone);
		program_expect(config, "dmarc policy " NAME " --json", 0, cases[i].want, "");
	}
	program_expect(config, "doctor --only bimi", 0,
	    "ok    bimi " NAME ": there is no record at*default._bimi." NAME
	    "; the DMARC policy allows one\n*",
	    "");
	test_nsd_set(
	    nsd, ZONE, "default._bimi.news IN TXT \"v=BIMI1; l=http://x.example/l.svg\"\n");
	program_expect(config, "doctor --only bimi", 1,
	    "warn  bimi " NAME ": the record at default._bimi." NAME
	    " does*not read well: l= is no https URL of a .svg\n*",
	    "");
	test_nsd_end(nsd);
	program_expect(config, "dmarc policy " NAME, EX_TEMPFAIL, "",
	    "posthouse: DNS gives no answer for _dmarc." NAME "\n");
}
