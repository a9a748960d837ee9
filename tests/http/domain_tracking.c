/* SPDX-License-Identifier: MIT */
/* Tracking hosts of domains, with a DNS server of the test: their record, whether they answer, the
   links of mail, and the requests that they take. */
#include <criterion/criterion.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits/domain.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"
#include "tests/support/http_server.h"
#include "tests/support/nsd.h"
#include "tests/support/smtp_server.h"

#define HOST "links." FIXTURE_DOMAIN
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

/* A DNS server with the zones of the fixture's domain and of the service. */
static struct test_nsd *
tracking_dns(void)
{
	static const char *const zones[] = {FIXTURE_DOMAIN, "example.net", NULL};

	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	struct test_nsd *nsd = test_nsd_start(zones);
	test_nsd_set(nsd, "example.net", "service IN A 127.0.0.1\n");
	return nsd;
}

/* Restarts the instance as one whose public address is scheme://TARGET:port. */
static void
tracking_serve(const struct test_nsd *nsd, const char *scheme, int port)
{
	g_autofree char *servers = g_strconcat("dns.servers=", test_nsd_address(nsd), NULL);
	g_autofree char *url = g_strdup_printf("service.url=%s://" TARGET ":%d", scheme, port);

	ALONE_SET(fixture, servers, url);
}

static int
tracking_port(void)
{
	return atoi(strrchr(fixture->instance->url, ':') + 1);
}

/* The path of the fixture's domain, with links in its mail that are tracked at HOST. The caller
   owns it. */
static char *
tracking_choose(void)
{
	AUTO(answer)
	list =
	    exchange_expect(fixture, &(struct exchange){"list", "GET", "/v1/domains", NULL, 200});
	char *path = g_strconcat("/v1/domains/", answer_text(list, "domains[0].id"), NULL);
	g_autofree char *settings = g_strconcat(path, "/settings", NULL);
	const struct exchange exchanges[] = {
	    {"clicks", "PATCH", path, "{'click_tracking_enabled':true}", 200},
	    {"host", "PATCH", settings, "{'tracking_subdomain':'links'}", 200},
	};

	EXPECT_ALL(fixture, exchanges);
	return path;
}

/* Checks the domain, and compares the state of its host. */
static void
tracking_expect(const char *name, const char *path, const char *want)
{
	g_autofree char *verify = g_strconcat(path, "/verify", NULL);
	g_autofree char *settings = g_strconcat(path, "/settings", NULL);
	const struct exchange exchanges[] = {
	    {name, "POST", verify, NULL, 200},
	    {name, "GET", settings, NULL, 200, .want = {want, "tracking.checked : integer"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Sends a mailing with a link, and returns the path of its tracked URL at host, whose URLs all are
   there, in List-Unsubscribe, too. The caller owns it. */
static char *
tracking_send(const char *host)
{
	g_autofree char *id =
	    email_send(fixture, "'html':'<a href=\\'https://shop.example/\\'>Shop</a> <a "
				"href=\\'{{unsubscribe_url}}\\'>Leave</a>'");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = arrival_content(arrival, 1, NULL);
	g_autofree char *base = g_strdup_printf("http://%s:%d/t/", host, tracking_port());
	g_autofree char *click = g_strconcat(base, "c/", NULL);
	g_autofree char *page = g_strconcat("<", base, "u/", NULL);
	const char *unsubscribe = arrival_header(arrival, "List-Unsubscribe");
	const char *at = strstr(html, click);

	cr_expect(unsubscribe && g_str_has_prefix(unsubscribe, page), "%s: %s", host, unsubscribe);
	cr_assert(at, "%s: %s", host, html);
	for (const char *p = html; (p = strstr(p, "/t/")); p++)
		cr_expect(
		    p - strlen(base) + 3 >= html && g_str_has_prefix(p - strlen(base) + 3, base),
		    "%s: %s", host, html);
	at += strlen(base) - strlen("/t/");
	return g_strndup(at, strcspn(at, "\"'"));
}

/* A link works under every host. */
static void
tracking_follow(const char *name, const char *path)
{
	const struct exchange exchanges[] = {
	    {name, "GET", path, NULL, 302, .headers = {"Host: " HOST},
		.want_header = {"Location: https://shop.example/"}},
	    {name, "GET", path, NULL, 302, .headers = {"Host: " TARGET}},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define RECORD "tracking = {'host':'" HOST "','status':'record','used':false,"

/* New mail has the host in its links while its record is there, and those of old mail go on. */
Test(domain_tracking, follows_the_record)
{
	AUTO(test_nsd) nsd = tracking_dns();

	tracking_serve(nsd, "http", tracking_port());
	g_autofree char *path = tracking_choose();
	tracking_expect("nothing", path, "tracking.status = 'record'");
	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN CNAME elsewhere.example.net.\n");
	tracking_expect("elsewhere", path, "tracking.status = 'record'");
	g_autofree char *before = tracking_send(TARGET);
	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN CNAME " TARGET ".\n");
	tracking_expect("there", path, "tracking.status = 'ready'");
	g_autofree char *with = tracking_send(HOST);
	tracking_follow("before", before);
	tracking_follow("with", with);
	test_nsd_set(nsd, FIXTURE_DOMAIN, "");
	tracking_expect("gone", path, "tracking.used = false");
	g_autofree char *after = tracking_send(TARGET);
	tracking_follow("after", after);
	tracking_follow("with, when it is gone", with);
	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN CNAME way\nway IN CNAME " TARGET ".\n");
	tracking_expect("a chain", path, "tracking.used = true");
	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN A 127.0.0.1\n");
	tracking_expect("its address", path, "tracking.used = true");
	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN A 127.0.0.1\nlinks IN A 127.0.0.2\n");
	tracking_expect("another address, too", path, "tracking.status = 'record'");
}

/* The spool checks it, every day, for a trusted domain, too. */
Test(domain_tracking, is_checked_every_day)
{
	AUTO(test_nsd) nsd = tracking_dns();
	g_autofree char *path = NULL;

	tracking_serve(nsd, "http", tracking_port());
	path = tracking_choose();
	g_autofree char *settings = g_strconcat(path, "/settings", NULL);
	const struct exchange ready = {"ready", "GET", settings, NULL, 200,
	    .want = {"tracking.status = 'ready'", "tracking.error = null"}};
	const struct exchange record = {"gone", "GET", settings, NULL, 200,
	    .want = {"tracking.status = 'record'", "tracking.used = false"}};
	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN CNAME " TARGET ".\n");
	alone_spool(fixture, 0);
	answer_free(exchange_expect(fixture, &ready));
	test_nsd_set(nsd, FIXTURE_DOMAIN, "");
	alone_spool(fixture, (gint64)23 * 60 * 60 * 1000);
	answer_free(exchange_expect(fixture, &ready));
	alone_spool(fixture, (gint64)27 * 60 * 60 * 1000);
	answer_free(exchange_expect(fixture, &record));
}

static void
tracking_answer(struct http_peer *peer, const char *request, void *data)
{
	const char *reply = data;

	http_peer_send(peer, reply, strlen(reply));
}

/* Another server, with a certificate that holds or not, is not used: status says why. */
Test(domain_tracking, finds_out_who_answers)
{
	AUTO(test_nsd) nsd = tracking_dns();
	static const struct {
		const char *name, *reply, *error;
	} cases[] = {
	    {"another server", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"another server answers, with status 200"},
	    {"another installation",
		"HTTP/1.1 200 OK\r\nX-Posthouse-Proof: "
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 2\r\n\r\n{}",
		"another server answers, with status 200"},
	    {"no page", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
		"another server answers, with status 404"},
	};

	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN CNAME " TARGET ".\n");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct http_server *server =
		    http_server_start("127.0.0.1", NULL, tracking_answer, (void *)cases[i].reply);
		g_autofree char *want = g_strdup_printf("tracking.error = '%s'", cases[i].error);

		tracking_serve(nsd, "http", http_server_port(server));
		g_autofree char *path = tracking_choose();
		tracking_expect(cases[i].name, path, want);
		tracking_expect(cases[i].name, path, "tracking.status = 'unreachable'");
		tracking_expect(cases[i].name, path, "tracking.used = false");
		cr_expect_eq(http_server_count(server), 3, "%s", cases[i].name);
		g_autofree char *last = http_server_last(server);
		cr_expect(strstr(last, "Host: " HOST), "%s", last);
		http_server_stop(server);
	}
}

/* A certificate that has ended, or is for another name, is told. */
Test(domain_tracking, needs_a_certificate_that_holds)
{
	AUTO(test_nsd) nsd = tracking_dns();
	static const enum smtp_certificate certificates[] = {
	    CERTIFICATE_EXPIRED, CERTIFICATE_OTHER_NAME};

	test_nsd_set(nsd, FIXTURE_DOMAIN, "links IN CNAME " TARGET ".\n");
	for (guint i = 0; i < G_N_ELEMENTS(certificates); i++) {
		const struct smtp_script script = {.certificate = certificates[i]};
		struct smtp_server *owner = smtp_server_start(&script);
		SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
		const char *file = smtp_server_ca(owner);
		cr_assert(SSL_CTX_use_certificate_file(tls, file, SSL_FILETYPE_PEM) == 1 &&
			  SSL_CTX_use_PrivateKey_file(tls, file, SSL_FILETYPE_PEM) == 1);
		struct http_server *server =
		    http_server_start("127.0.0.1", tls, tracking_answer, (void *)"");

		tracking_serve(nsd, "https", http_server_port(server));
		g_autofree char *path = tracking_choose();
		tracking_expect("certificate", path, "tracking.status = 'unreachable'");
		tracking_expect("certificate", path, "tracking.used = false");
		g_autofree char *settings = g_strconcat(path, "/settings", NULL);
		AUTO(answer)
		answer =
		    exchange_expect(fixture, &(struct exchange){"why", "GET", settings, NULL, 200});
		cr_expect(strstr(answer_text(answer, "tracking.error"), "certificate"), "%s",
		    answer->body);
		http_server_stop(server);
		SSL_CTX_free(tls);
		smtp_server_stop(owner);
	}
}

/* Wherever a tenant's record leads, nobody but the service's host is asked. */
Test(domain_tracking, asks_nobody_else)
{
	AUTO(test_nsd) nsd = tracking_dns();
	struct http_server *server =
	    http_server_start("127.0.0.2", NULL, tracking_answer, (void *)"");
	static const struct {
		const char *name, *records, *want;
	} cases[] = {
	    {"an address", "links IN A 127.0.0.2\n", "tracking.status = 'record'"},
	    {"a name", "links IN CNAME victim\nvictim IN A 127.0.0.2\n",
		"tracking.status = 'record'"},
	    {"by the service", "links IN CNAME " TARGET ".\n",
		"tracking.error = 'the server refuses connections'"},
	};

	tracking_serve(nsd, "http", http_server_port(server));
	g_autofree char *path = tracking_choose();
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_nsd_set(nsd, FIXTURE_DOMAIN, cases[i].records);
		tracking_expect(cases[i].name, path, cases[i].want);
		cr_expect_eq(http_server_count(server), 0, "%s", cases[i].name);
	}
	http_server_stop(server);
}
