/* SPDX-License-Identifier: MIT */
/* Tracking hosts of domains, with a DNS server of the test: their record, whether they answer, the
   links of mail, and the requests that they take. */
#include <criterion/criterion.h>
#include <openssl/ssl.h>
#include <string.h>

#include "base/limits/domain.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"
#include "tests/support/http_server.h"
#include "tests/support/nsd.h"

#define ZONE "example.org"
#define HOST "links." ZONE
#define TARGET "service.example.net"
#define NOT_FOUND "{'message':'Not found'}"
#define NO_LABELS "{'message':'tracking_subdomain must be labels of a host name'}"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define LABEL63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

static struct fixture *fixture;

static void
tracking_begin(void)
{
	fixture = fixture_open();
	ALONE_SET(fixture, "service.tracking_host=" TARGET);
}

static void
tracking_end(void)
{
	fixture_close(fixture);
}

TestSuite(domain_tracking, .init = tracking_begin, .fini = tracking_end, .timeout = 900);

/* The path of a new domain, which the caller owns. */
static char *
tracking_register(const char *members)
{
	g_autofree char *body = g_strdup_printf("{%s}", members);
	const struct exchange exchange = {members, "POST", "/v1/domains", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup_printf("/v1/domains/%s", answer_text(answer, "id"));
}

static char *
settings_register(const char *members)
{
	g_autofree char *path = tracking_register(members);

	return g_strconcat(path, "/settings", NULL);
}

Test(domain_tracking, has_a_host_and_a_record)
{
	g_autofree char *path = settings_register("'name':'a.example.org'");
	const struct exchange exchanges[] = {
	    {"a host", "PATCH", path, "{'tracking_subdomain':'A.Links'}", 200,
		"{'tls':'opportunistic','tracking_subdomain':'a.links','custom_return_path':'send',"
		"'tracking':{'host':'a.links.a.example.org','status':'record','used':false,"
		"'checked':null,'error':null}}"},
	    {"is kept", "PATCH", path, "{'tls':'enforced'}", 200,
		.want = {"tls = 'enforced'", "tracking.host = 'a.links.a.example.org'"}},
	    {"the longest label", "PATCH", path, "{'tracking_subdomain':'" LABEL63 "'}", 200},
	    {"at the registration", "POST", "/v1/domains",
		"{'name':'b.example.org','tracking_subdomain':'links'}", 200,
		.want = {"dns_records[5].type = 'CNAME'", "dns_records[5].name = 'links'",
		    "dns_records[5].full_name = 'links.b.example.org'",
		    "dns_records[5].required = false", "dns_records[5].for = 'TRACKING'",
		    "dns_records[5].priority : absent", "dns_records[5].value = '" TARGET "'",
		    "dns_records[6] : null"}},
	    {"under /resend", "POST", "/resend/domains",
		"{'name':'l.example.net','tracking_subdomain':'links'}", 201,
		.want = {"tracking_subdomain = 'links'", "tls = 'opportunistic'",
		    "custom_return_path = 'send'", "records[4].record = 'Tracking'",
		    "records[4].type = 'CNAME'", "records[4].name = 'links.l'",
		    "records[4].value = '" TARGET "'", "records[4].status = 'not_started'",
		    "records[4].priority : absent", "records[5] : null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The whole name of a host has at most 253 characters. */
Test(domain_tracking, limit_the_host)
{
	g_autofree char *path = settings_register("'name':'limit.example.org'");
	const gsize behind = strlen(".limit.example.org");

	for (gsize length = LIMIT_DOMAIN_LENGTH; length <= LIMIT_DOMAIN_LENGTH + 1; length++) {
		g_autoptr(GString) labels = g_string_new(NULL);
		while (labels->len < length - behind)
			g_string_append_c(labels, labels->len % 50 == 49 ? '.' : 'a');
		g_autofree char *body = g_strdup_printf("{'tracking_subdomain':'%s'}", labels->str);
		const struct exchange exchange = {"length", "PATCH", path, body,
		    length > LIMIT_DOMAIN_LENGTH ? 400 : 200,
		    length > LIMIT_DOMAIN_LENGTH ? NO_LABELS : NULL};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

/* A tracking host has links, and neither API nor dashboard; the service's own names have all. */
Test(domain_tracking, keep_the_api_from_tracking_hosts)
{
	g_autofree char *path = settings_register("'name':'host.example.org'");
	const char *host = "Host: Links.host.example.org:8080";
	const struct exchange exchanges[] = {
	    {"before", "GET", "/v1/domains", NULL, 200, .headers = {host}},
	    {"set", "PATCH", path, "{'tracking_subdomain':'links'}", 200},
	    {"API", "GET", "/v1/domains", NULL, 404, NOT_FOUND, .headers = {host}},
	    {"of a final dot", "GET", "/v1/domains", NULL, 404, NOT_FOUND,
		.headers = {"Host: links.host.example.org."}},
	    {"a change", "PATCH", path, "{}", 404, NOT_FOUND, .headers = {host}},
	    {"a method that is not there", "DELETE", "/v1/domains", NULL, 404, NOT_FOUND,
		.headers = {host}},
	    {"a session", "POST", "/v1/sessions", "{}", 404, NOT_FOUND, .headers = {host},
		.want_header = {"Set-Cookie:"}},
	    {"Resend's API", "GET", "/resend/domains", NULL, 404, .headers = {host}},
	    {"metrics", "GET", "/metrics", NULL, 404, NOT_FOUND, .headers = {host}},
	    {"the description", "GET", "/openapi.json", NULL, 404, NOT_FOUND, .headers = {host}},
	    {"the question of a web server", "GET", "/tls-ask?domain=x", NULL, 404, NOT_FOUND,
		.headers = {host}},
	    {"health", "GET", "/health", NULL, 200, "{'status':'ok'}", .headers = {host}},
	    {"a pixel", "GET", "/t/o/x", NULL, 404, .headers = {host}},
	    {"a form", "GET", "/f/" UNKNOWN, NULL, 404, .headers = {host}},
	    {"another host", "GET", "/v1/domains", NULL, 200,
		.headers = {"Host: other.host.example.org"}},
	    {"none", "PATCH", path, "{'tracking_subdomain':null}", 200},
	    {"after", "GET", "/v1/domains", NULL, 200, .headers = {host}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A web server may get a certificate for a host whose record was found within 30 days. */
Test(domain_tracking, answer_the_web_server)
{
	g_autofree char *path =
	    settings_register("'name':'ask.example.org','tracking_subdomain':'links'");
	const char *yes = "/tls-ask?domain=Links.ASK.example.org";
	static const struct {
		const char *name, *found;
		guint status;
	} cases[] = {
	    {"never", "NULL", 404},
	    {"30 days ago, almost", "UNIX_TIMESTAMP() * 1000 - 2591900000", 200},
	    {"30 days ago", "UNIX_TIMESTAMP() * 1000 - 2592001000", 404},
	    {"now", "UNIX_TIMESTAMP() * 1000", 200},
	};
	const struct exchange others[] = {
	    {"no host", "GET", "/tls-ask", NULL, 404, NOT_FOUND},
	    {"empty", "GET", "/tls-ask?domain=", NULL, 404, NOT_FOUND},
	    {"the domain itself", "GET", "/tls-ask?domain=ask.example.org", NULL, 404, NOT_FOUND},
	    {"no ASCII", "GET", "/tls-ask?domain=%C3%BC.org", NULL, 404, NOT_FOUND},
	    {"another host", "PATCH", path, "{'tracking_subdomain':'other'}", 200},
	    {"is not found yet", "GET", "/tls-ask?domain=other.ask.example.org", NULL, 404,
		NOT_FOUND},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = g_strdup_printf(
		    "UPDATE domain_check SET tracking_found = %s WHERE workspace_id = @workspace "
		    "AND "
		    "domain_id = (SELECT id FROM domain WHERE name = 'ask.example.org' AND "
		    "workspace_id = @workspace)",
		    cases[i].found);
		const struct exchange exchange = {cases[i].name, "GET", yes, NULL, cases[i].status,
		    cases[i].status == 200 ? "{'message':'Yes'}" : NOT_FOUND,
		    .headers = {"Authorization:"}};

		test_db_plain(fixture->db, change);
		answer_free(exchange_expect(fixture, &exchange));
	}
	EXPECT_ALL(fixture, others);
}
