/* SPDX-License-Identifier: MIT */
/* Reports of the world about a domain: recording, figures and lists. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/domain_report.h"
#include "dmarc/record.h"
#include "domain/zone.h"
#include "received/door.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "store/domain/report.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/support/db.h"
#include "upkeep/metrics_text.h"
#include "upkeep/retention.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define DOMAIN "mail.dmarc.example"

FIXTURE_SUITE(dmarc, 900);

/* A registered domain, with its path and its address for reports. */
struct reported {
	char *path, *address;
	struct store_domain *domain;
	const char *selector;
};

static struct reported
dmarc_register(void)
{
	AUTO(answer)
	answer = audience_ask(fixture, "POST", "{'name':'" DOMAIN "'}", "/v1/domains");
	const char *text = answer_text(answer, "id");
	struct reported reported = {.path = g_strconcat("/v1/domains/", text, NULL)};
	struct base_id id;
	g_autoptr(GError) error = NULL;

	cr_assert(base_id_parse(text, &id));
	reported.domain = store_domain_get(fixture->db, &fixture->id, &id, &error);
	cr_assert(reported.domain, "%s", error ? error->message : "");
	reported.address = domain_zone_report_address(reported.domain, fixture->settings);
	reported.selector =
	    ((const struct store_domain_key *)reported.domain->keys->pdata[0])->selector;
	return reported;
}

static void
dmarc_forget(struct reported *reported)
{
	g_free(reported->path);
	g_free(reported->address);
	store_domain_free(reported->domain);
}

/* Gives a report to the address, and checks the outcome. */
static void
dmarc_give(const struct reported *reported, const char *content, const char *want)
{
	const struct received_session session = {.is_pipe = true};
	AUTO(service) service = service_open(fixture->settings);
	g_autofree char *mail = g_strconcat("From: d@example.net\r\n\r\n", content, NULL);
	struct dmarc_record_result result;
	g_autoptr(GError) error = NULL;

	cr_assert(
	    service_ensure(service, &error) && dmarc_record(service, &session, reported->address,
						   mail, strlen(mail), &result, &error),
	    "%s", error ? error->message : "");
	cr_expect_str_eq(dmarc_record_name(result.outcome), want, "%s: got %s %s", content,
	    dmarc_record_name(result.outcome), result.why ? result.why : "");
	g_free(result.why);
}

/* A report; the caller owns it. records: XML. */
static char *
dmarc_report(
    const char *reporter, const char *id, gint64 begin, const char *domain, const char *records)
{
	return g_strdup_printf(
	    "<feedback><report_metadata><org_name>%s</org_name><email>d@example.net</email>"
	    "<report_id>%s</report_id><date_range><begin>%" G_GINT64_FORMAT
	    "</begin><end>%" G_GINT64_FORMAT "</end></date_range></report_metadata>"
	    "<policy_published><domain>%s</domain><p>none</p></policy_published>%s</feedback>",
	    reporter, id, begin / 1000, begin / 1000 + 86399, domain, records);
}

/* A record; results: XML. */
#define RECORD(source, count, disposition, dkim, spf, results)                                     \
	"<record><row><source_ip>" source "</source_ip><count>" count                              \
	"</count><policy_evaluated><disposition>" disposition "</disposition><dkim>" dkim          \
	"</dkim><spf>" spf "</spf></policy_evaluated></row><auth_results>" results                 \
	"</auth_results></record>"
#define SIGNED(selector, result)                                                                   \
	"<dkim><domain>" DOMAIN "</domain><selector>" selector "</selector><result>" result        \
	"</result></dkim>"
#define RETURNED(host) "<spf><domain>" host "</domain><result>pass</result></spf>"

/* Today's begin in UTC. */
static gint64
dmarc_today(void)
{
	return base_clock_now() / DAY_MS * DAY_MS;
}

Test(dmarc, tells_kinds_apart)
{
	struct reported reported = dmarc_register();
	g_autofree char *records = g_strdup_printf(
	    /* ours: by our key, by our return path */
	    RECORD("192.0.2.1", "10", "none", "pass", "fail", SIGNED("%s", "pass"))
		RECORD("192.0.2.2", "9", "none", "fail", "pass", RETURNED("send." DOMAIN))
	    /* other: another key, another host, a key of ours that did not pass */
	    RECORD("192.0.2.3", "8", "none", "pass", "fail", SIGNED("other", "pass"))
		RECORD("192.0.2.4", "7", "none", "fail", "pass", RETURNED("shop." DOMAIN))
		    RECORD("192.0.2.5", "6", "none", "fail", "pass", SIGNED("%s", "fail"))
	    /* broken: bears our selector, comes from a source of ours */
	    RECORD("192.0.2.6", "5", "quarantine", "fail", "fail", SIGNED("%s", "fail"))
		RECORD("192.0.2.1", "4", "none", "fail", "fail", "")
	    /* strangers; one address in two forms */
	    RECORD("2001:DB8:0::9", "2", "reject", "fail", "fail", "") RECORD("2001:db8::9", "1",
		"reject", "fail", "fail", "") RECORD("nobody", "1", "none", "fail", "fail", ""),
	    reported.selector, reported.selector, reported.selector);
	gint64 begin = dmarc_today() - DAY_MS;
	g_autofree char *text = dmarc_report("Example Mail", "1", begin, DOMAIN, records);
	g_autofree char *figures = g_strconcat(reported.path, "/dmarc", NULL);
	g_autofree char *days = g_strconcat(reported.path, "/dmarc?group_by=day", NULL);
	g_autofree char *reporters = g_strconcat(reported.path, "/dmarc?group_by=reporter", NULL);
	g_autofree char *verified = g_strconcat(reported.path, "/dmarc?verified=true", NULL);
	g_autofree char *reports = g_strconcat(reported.path, "/dmarc/reports", NULL);
	g_autofree char *first = g_strdup_printf("dmarc[0].first = %" G_GINT64_FORMAT, begin);
	g_autofree char *last =
	    g_strdup_printf("dmarc[0].last = %" G_GINT64_FORMAT, begin + 86399000);

	dmarc_give(&reported, text, "dmarc report");
	dmarc_give(&reported, text, "repeated");
	const struct exchange exchanges[] = {
	    {"by source", "GET", figures, NULL, 200,
		.want = {"count = 9", "cursor = null", "dmarc[0].key = '192.0.2.1'",
		    "dmarc[0].kind = 'ours'", "dmarc[0].messages = 10", "dmarc[0].passed = 10",
		    "dmarc[0].dkim_aligned = 10", "dmarc[0].spf_aligned = 0",
		    "dmarc[0].reporters = 1", first, last, "dmarc[1].key = '192.0.2.2'",
		    "dmarc[1].kind = 'ours'", "dmarc[1].spf_aligned = 9"}},
	    {"other and broken", "GET", figures, NULL, 200,
		.want = {"dmarc[2].kind = 'other'", "dmarc[3].kind = 'other'",
		    "dmarc[4].kind = 'other'", "dmarc[5].key = '192.0.2.6'",
		    "dmarc[5].kind = 'broken'", "dmarc[5].passed = 0", "dmarc[5].quarantined = 5",
		    "dmarc[6].key = '192.0.2.1'", "dmarc[6].kind = 'broken'",
		    "dmarc[6].messages = 4"}},
	    {"strangers", "GET", figures, NULL, 200,
		.want = {"dmarc[7].key = '2001:db8::9'", "dmarc[7].kind = 'failing'",
		    "dmarc[7].messages = 3", "dmarc[7].rejected = 3", "dmarc[8].key = 'unknown'"}},
	    {"by day", "GET", days, NULL, 200,
		.want = {"count = 1", "dmarc[0].kind = null", "dmarc[0].messages = 53",
		    "dmarc[0].passed = 40"}},
	    {"by reporter", "GET", reporters, NULL, 200,
		.want = {"count = 1", "dmarc[0].key = 'Example Mail'", "dmarc[0].kind = null"}},
	    {"nobody has vouched", "GET", verified, NULL, 200, .want = {"count = 0"}},
	    {"the list", "GET", reports, NULL, 200,
		.want = {"count = 1", "reports[0].reporter = 'Example Mail'",
		    "reports[0].email = 'd@example.net'", "reports[0].report_id = '1'",
		    "reports[0].domain = '" DOMAIN "'", "reports[0].policy.p = 'none'",
		    "reports[0].policy.testing = null", "reports[0].messages = 53",
		    "reports[0].verified = false", "reports[0].errors = []",
		    "reports[0].created : integer"}},
	};
	EXPECT_ALL(fixture, exchanges);
	dmarc_forget(&reported);
}

Test(dmarc, takes_reports_about_the_domain_alone)
{
	struct reported reported = dmarc_register();
	static const struct {
		const char *domain, *want;
	} cases[] = {
	    {"Mail.Dmarc.EXAMPLE", "dmarc report"},
	    {"a.b.mail.dmarc.example", "dmarc report"},
	    /* The organizational domain, by the public suffix list where DNS has no record. */
	    {"xmail.dmarc.example", "not ours"},
	    {"other.example", "not ours"},
	    {"example", "not ours"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = dmarc_report("R", cases[i].domain, dmarc_today(),
		    cases[i].domain, RECORD("192.0.2.1", "1", "none", "pass", "pass", ""));
		dmarc_give(&reported, text, cases[i].want);
	}
	dmarc_give(&reported, "hello", "no report");
	dmarc_give(&reported, "<!DOCTYPE x><feedback/>", "no report");
	/* Another reporter, id or begin is another report. */
	g_autofree char *a = dmarc_report("A", "1", 0, DOMAIN, "");
	g_autofree char *b = dmarc_report("B", "1", 0, DOMAIN, "");
	g_autofree char *c = dmarc_report("A", "2", 0, DOMAIN, "");
	g_autofree char *d = dmarc_report("A", "1", 1000, DOMAIN, "");
	const char *const texts[] = {a, b, c, d};
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		dmarc_give(&reported, texts[i], "dmarc report");
	dmarc_give(&reported, a, "repeated");
	/* The other tests have domains of this name at the same time. */
	test_db_plain(fixture->db, "DELETE FROM domain WHERE workspace_id = @workspace");
	dmarc_give(&reported, b, "not ours");
	dmarc_forget(&reported);
}

#define TLS                                                                                        \
	"{\"organization-name\":\"X\",\"contact-info\":\"t@example.net\",\"report-id\":\"t1\","    \
	"\"date-range\":{\"start-datetime\":\"2026-11-20T00:00:00Z\",\"end-datetime\":"            \
	"\"2026-11-20T23:59:59Z\"},\"policies\":[{\"policy\":{\"policy-type\":\"sts\","            \
	"\"policy-domain\":\"" DOMAIN "\"},\"summary\":{\"total-successful-session-count\":5,"     \
	"\"total-failure-session-count\":1},\"failure-details\":[{\"result-type\":"                \
	"\"certificate-expired\",\"sending-mta-ip\":\"192.0.2.1\",\"failed-session-count\":1}]}]}"

Test(dmarc, keeps_reports_about_tls)
{
	struct reported reported = dmarc_register();
	g_autofree char *list = g_strconcat(reported.path, "/tls-reports", NULL);
	g_autofree char *dmarc = g_strconcat(reported.path, "/dmarc/reports", NULL);

	dmarc_give(&reported, TLS, "tls report");
	dmarc_give(&reported, TLS, "repeated");
	const struct exchange exchanges[] = {
	    {"the list", "GET", list, NULL, 200,
		.want = {"count = 1", "reports[0].reporter = 'X'", "reports[0].report_id = 't1'",
		    "reports[0].begin = 1795132800000", "reports[0].end = 1795219199000",
		    "reports[0].policy_type = 'sts'", "reports[0].successful = 5",
		    "reports[0].failed = 1",
		    "reports[0].failures = [{'result_type':'certificate-expired','count':1,"
		    "'sending_ip':'192.0.2.1','receiving_host':null}]",
		    "reports[0].verified = false"}},
	    {"it is no DMARC report", "GET", dmarc, NULL, 200, .want = {"count = 0"}},
	};
	EXPECT_ALL(fixture, exchanges);
	dmarc_forget(&reported);
}

Test(dmarc, checks_parameters)
{
	struct reported reported = dmarc_register();
	static const struct {
		const char *query;
		int status;
		const char *want;
	} cases[] = {
	    {"group_by=source", 200, "count = 0"},
	    {"group_by=hour", 400, "message = 'group_by must be one of source, day, reporter'"},
	    {"verified=false", 200, "count = 0"},
	    {"verified=1", 400, "message = 'verified must be true or false'"},
	    {"from=2025-01-01&to=2026-02-05", 200, "count = 0"},
	    {"from=2025-01-01&to=2026-02-06", 400,
		"message = 'from and to must be at most 400 days apart'"},
	    {"from=2026-02-05&to=2026-02-04", 400, "message = 'from must not be after to'"},
	    {"from=soon", 400,
		"message = 'from must be a date, such as 2026-11-20, or epoch milliseconds'"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path =
		    g_strdup_printf("%s/dmarc?%s", reported.path, cases[i].query);
		const struct exchange exchange = {
		    cases[i].query, "GET", path, NULL, cases[i].status, .want = {cases[i].want}};
		answer_free(exchange_expect(fixture, &exchange));
	}
	static const char *const paths[] = {"/dmarc", "/dmarc/reports", "/tls-reports", "/policy"};
	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autofree char *path =
		    g_strconcat("/v1/domains/01a1f8d1-2ace-718f-96bc-82c241916947", paths[i], NULL);
		const struct exchange unknown = {
		    paths[i], "GET", path, NULL, 404, "{'message':'Domain not found'}"};
		answer_free(exchange_expect(fixture, &unknown));
	}
	dmarc_forget(&reported);
}

/* Stores a report that came at the time of its id, with one source, whose reporter has vouched for
   it. */
static void
dmarc_store_at(const struct reported *reported, struct base_id id, const char *reporter, gint64 day,
    const char *source, enum store_dmarc_fate fate, gint64 messages)
{
	g_autoptr(GArray) sources = g_array_new(FALSE, FALSE, sizeof(struct store_dmarc_source));
	const struct store_dmarc_source row = {source, fate, messages, messages, 0, 0, 0, 0};
	struct store_domain_report report = {
	    .id = id,
	    .workspace_id = fixture->id,
	    .domain_id = reported->domain->id,
	    .kind = STORE_REPORT_DMARC,
	    .reporter = (char *)reporter,
	    .day = day,
	    .begin = day * DAY_MS,
	    .end = day * DAY_MS + 1,
	    .verified = true,
	    .summary = (char *)"{}",
	    .sources = sources,
	};
	g_autoptr(GError) error = NULL;

	memcpy(report.digest, id.bytes, sizeof(id.bytes));
	g_array_append_val(sources, row);
	cr_assert(store_domain_report_add(fixture->db, &report, &error), "%s",
	    error ? error->message : "");
}

static void
dmarc_store(const struct reported *reported, const char *reporter, gint64 day, const char *source,
    enum store_dmarc_fate fate, gint64 messages)
{
	dmarc_store_at(reported, base_id_new(), reporter, day, source, fate, messages);
}

/* Reports go with their sources, 400 days after they came; that they are about older days does not
   matter. */
Test(dmarc, keeps_reports_for_some_days)
{
	struct reported reported = dmarc_register();
	AUTO(service) service = service_open(fixture->settings);
	g_autofree char *list = g_strconcat(reported.path, "/dmarc/reports", NULL);
	g_autofree char *sources = g_strconcat(
	    reported.path, "/dmarc?group_by=reporter&from=1970-01-01&to=1970-02-01", NULL);
	gint64 edge = base_clock_now() - 400 * DAY_MS;
	bool more = true;

	dmarc_store_at(&reported, base_id_floor(edge - 1), "A", 1, "192.0.2.1", DMARC_FATE_OURS, 1);
	dmarc_store_at(
	    &reported, base_id_floor(edge + DAY_MS), "B", 1, "192.0.2.1", DMARC_FATE_OURS, 1);
	dmarc_store(&reported, "C", 1, "192.0.2.1", DMARC_FATE_OURS, 1);
	cr_assert(service_ensure(service, NULL));
	while (more)
		cr_assert(upkeep_retention(service, &more, NULL));
	const struct exchange exchanges[] = {
	    {"younger ones", "GET", list, NULL, 200, .want = {"count = 2"}},
	    {"their sources", "GET", sources, NULL, 200,
		.want = {"count = 2", "dmarc[0].key = 'B'", "dmarc[1].key = 'C'"}},
	};
	EXPECT_ALL(fixture, exchanges);
	dmarc_forget(&reported);
}

/* posthouse_reports_total by kind and result. */
Test(dmarc, counts_reports)
{
	struct reported reported = dmarc_register();
	AUTO(service) service = service_open(fixture->settings);
	g_autofree char *text = dmarc_report("A", "1", dmarc_today(), DOMAIN, "");
	g_autofree char *strange = dmarc_report("A", "1", dmarc_today(), "other.example", "");
	static const char *const lines[] = {
	    "\nposthouse_reports_total{kind=\"dmarc\",result=\"recorded\"} 1\n",
	    "\nposthouse_reports_total{kind=\"dmarc\",result=\"repeated\"} 2\n",
	    "\nposthouse_reports_total{kind=\"dmarc\",result=\"refused\"} 2\n",
	    "\nposthouse_reports_total{kind=\"tls\",result=\"recorded\"} 1\n",
	    "\nposthouse_reports_total{kind=\"tls\",result=\"repeated\"} 1\n",
	};

	dmarc_give(&reported, text, "dmarc report");
	dmarc_give(&reported, text, "repeated");
	dmarc_give(&reported, text, "repeated");
	dmarc_give(&reported, strange, "not ours");
	dmarc_give(&reported, "hello", "no report");
	dmarc_give(&reported, TLS, "tls report");
	dmarc_give(&reported, TLS, "repeated");
	cr_assert(service_ensure(service, NULL));
	service_metrics_flush(service, true);
	g_autofree char *shown = upkeep_metrics_text(service, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
		cr_expect(strstr(shown, lines[i]), "no %s in %s", lines[i], shown);
	dmarc_forget(&reported);
}

Test(dmarc, folds_the_rest_into_one_row)
{
	struct reported reported = dmarc_register();
	gint64 today = dmarc_today() / DAY_MS;
	g_autofree char *path = g_strconcat(reported.path, "/dmarc", NULL);
	g_autofree char *days = g_strconcat(reported.path, "/dmarc?group_by=day", NULL);

	for (guint i = 0; i < LIMIT_DMARC_ROWS; i++) {
		g_autofree char *source = g_strdup_printf("192.0.2.%u", i);
		dmarc_store(&reported, "A", today - 1 - i % 3, source, DMARC_FATE_FAILS, 1000 - i);
	}
	const struct exchange full = {"at the limit", "GET", path, NULL, 200,
	    .want = {"count = 200", "dmarc[199].key = '192.0.2.199'"}};
	answer_free(exchange_expect(fixture, &full));
	dmarc_store(&reported, "B", today, "198.51.100.1", DMARC_FATE_OURS, 2);
	dmarc_store(&reported, "C", today, "198.51.100.2", DMARC_FATE_FAILS, 1);
	dmarc_store(&reported, "C", today - 31, "198.51.100.3", DMARC_FATE_FAILS, 5000);
	const struct exchange exchanges[] = {
	    {"two more", "GET", path, NULL, 200,
		.want = {"count = 201", "dmarc[200].key = 'other'", "dmarc[200].kind = null",
		    "dmarc[200].messages = 3", "dmarc[200].reporters = 2"}},
	    {"in the order of days", "GET", days, NULL, 200,
		.want = {"count = 4", "dmarc[3].messages = 3", "dmarc[3].reporters = 2"}},
	};
	EXPECT_ALL(fixture, exchanges);
	dmarc_forget(&reported);
}

Test(dmarc, lists_reports_in_pages)
{
	struct reported reported = dmarc_register();
	g_autofree char *path = g_strconcat(reported.path, "/dmarc/reports", NULL);

	for (guint i = 0; i < 51; i++)
		dmarc_store(&reported, "A", i, "192.0.2.1", DMARC_FATE_FAILS, 1);
	const struct exchange first = {
	    "a page", "GET", path, NULL, 200, .want = {"count = 50", "cursor : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &first);
	g_autofree char *rest =
	    g_strdup_printf("%s?cursor=%s", path, answer_text(answer, "cursor"));
	const struct exchange second = {
	    "the rest", "GET", rest, NULL, 200, .want = {"count = 1", "cursor = null"}};
	answer_free(exchange_expect(fixture, &second));
	dmarc_forget(&reported);
}

/* A report of 10,000 records is recorded in a second, and 400 days are answered in 50 ms. */
Test(dmarc, is_quick)
{
	struct reported reported = dmarc_register();
	g_autoptr(GString) records = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	gint64 today = dmarc_today() / DAY_MS;

	for (guint i = 0; i < 10000; i++)
		g_string_append_printf(records,
		    RECORD("10.0.%u.%u", "1", "none", "pass", "fail", SIGNED("x", "pass")), i / 200,
		    i % 200);
	g_autofree char *text = dmarc_report("A", "1", dmarc_today(), DOMAIN, records->str);
	gint64 start = g_get_monotonic_time();
	dmarc_give(&reported, text, "dmarc report");
	gint64 took = g_get_monotonic_time() - start;
	cr_log_info("10,000 records: %" G_GINT64_FORMAT " ms", took / 1000);
	test_db_plain(fixture->db, "DELETE FROM dmarc_source WHERE workspace_id = @workspace");

	/* 4 reporters about 10 sources on each day. */
	for (gint64 day = today - 399; day <= today; day++)
		for (guint reporter = 0; reporter < 4; reporter++) {
			g_autoptr(GArray) sources =
			    g_array_new(FALSE, FALSE, sizeof(struct store_dmarc_source));
			char names[10][16], name[2] = {(char)('A' + reporter), '\0'};
			struct base_id id = base_id_new();
			struct store_domain_report report = {id, fixture->id, reported.domain->id,
			    STORE_REPORT_DMARC, {0}, name, day, day * DAY_MS, day * DAY_MS + 1,
			    true, 0, (char *)"{}", sources};

			memcpy(report.digest, id.bytes, sizeof(id.bytes));
			for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
				g_snprintf(names[i], sizeof(names[i]), "192.0.2.%u", i);
				const struct store_dmarc_source row = {
				    names[i], DMARC_FATE_OURS, 10, 10, 10, 0, 0, 0};
				g_array_append_val(sources, row);
			}
			cr_assert(store_domain_report_add(fixture->db, &report, &error), "%s",
			    error ? error->message : "");
		}
	static const char *const groups[] = {"source", "day", "reporter"};
	for (guint i = 0; i < G_N_ELEMENTS(groups); i++) {
		g_autofree char *path =
		    g_strdup_printf("%s/dmarc?group_by=%s&from=%" G_GINT64_FORMAT, reported.path,
			groups[i], (today - 399) * DAY_MS);
		const struct exchange exchange = {
		    groups[i], "GET", path, NULL, 200, .want = {"dmarc[0].messages : integer"}};
		gint64 best = G_MAXINT64;

		for (guint k = 0; k < 5; k++) {
			start = g_get_monotonic_time();
			answer_free(exchange_expect(fixture, &exchange));
			best = MIN(best, g_get_monotonic_time() - start);
		}
		cr_log_info("by %s: %" G_GINT64_FORMAT " us", groups[i], best);
		/* Other work may share the processor. */
		cr_expect_lt(best, 10 * 50000, "by %s: %" G_GINT64_FORMAT " us", groups[i], best);
	}
	cr_expect_lt(took, 10 * 1000000, "10,000 records: %" G_GINT64_FORMAT " us", took);
	dmarc_forget(&reported);
}
