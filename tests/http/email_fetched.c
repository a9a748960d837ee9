/* SPDX-License-Identifier: MIT */
/* Attachments by URL: permitted ones arrive, and forbidden ones are never fetched. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/request.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/mail/parsed.h"
#include "tests/support/http_server.h"

static struct fixture *fixture;

static void
email_fetched_begin(void)
{
	fixture = fixture_open();
	ALONE_SET(fixture, "fetch.allow=127.0.0.2/32");
}

static void
email_fetched_end(void)
{
	fixture_close(fixture);
}

TestSuite(email_fetched, .init = email_fetched_begin, .fini = email_fetched_end, .timeout = 900);

/* "/N/..." replies with N bytes, and other paths with the reply of that name. */
static const struct {
	const char *path, *answer;
} routes[] = {
    {"/file ", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nhello"},
    {"/empty ", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
    {"/missing ", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
    {"/broken ", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"},
    {"/moved ", "HTTP/1.1 302 Found\r\nLocation: /file\r\n\r\n"},
    {"/inwards ", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n"},
    {"/other ", "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"},
    {"/around ", "HTTP/1.1 302 Found\r\nLocation: /around\r\n\r\n"},
};

static void
email_fetched_serve(struct http_peer *peer, const char *request, void *data)
{
	const char *path = strchr(request, '/');
	gsize size = g_ascii_strtoull(path + 1, NULL, 10);
	g_autofree char *bytes = g_strnfill(size, 'x');
	g_autofree char *head =
	    g_strdup_printf("HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", size);

	for (gsize i = 0; i < G_N_ELEMENTS(routes); i++) {
		if (g_str_has_prefix(path, routes[i].path)) {
			http_peer_send(peer, routes[i].answer, strlen(routes[i].answer));
			return;
		}
	}
	http_peer_send(peer, head, strlen(head));
	http_peer_send(peer, bytes, size);
}

/* With the port of the server in place of PORT. */
static char *
with_port(struct http_server *server, const char *text)
{
	g_autofree char *port = g_strdup_printf("%d", http_server_port(server));
	g_auto(GStrv) parts = g_strsplit(text, "PORT", -1);

	return g_strjoinv(port, parts);
}

#define AT "http://127.0.0.2:PORT"
#define FILE_OF(path) "'attachments':[{'filename':'a','path':'" path "'}]"

Test(email_fetched, arrive)
{
	static const struct {
		const char *name, *change, *want, *want_type;
	} cases[] = {
	    {"file", FILE_OF(AT "/file"), "hello", "application/octet-stream"},
	    {"with a type",
		"'attachments':[{'filename':'a','path':'" AT "/file','content_type':'text/csv'}]",
		"hello", "text/csv"},
	    {"moved", FILE_OF(AT "/moved"), "hello", "application/octet-stream"},
	    {"empty", FILE_OF(AT "/empty"), "", "application/octet-stream"},
	    {"beside content",
		"'attachments':[{'filename':'a','path':'" AT "/file'},"
		"{'filename':'b','content':'Yg=='}]",
		"hello", "application/octet-stream"},
	};
	struct http_server *server =
	    http_server_start("127.0.0.2", NULL, email_fetched_serve, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = with_port(server, cases[i].change);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		g_autofree char *content = arrival_content(arrival, 2, NULL);
		GMimeContentType *type = g_mime_object_get_content_type(arrival->leaves->pdata[2]);
		g_autofree char *mime = g_mime_content_type_get_mime_type(type);
		cr_expect_str_eq(content, cases[i].want, "%s: got %s", cases[i].name, content);
		cr_expect_str_eq(mime, cases[i].want_type, "%s: got %s", cases[i].name, mime);
	}
	http_server_stop(server);
}

#define NOT_FETCHED(n, why) "attachments[" #n "].path could not be fetched: " why
#define TOO_MUCH "Total attachments size exceeds maximum of 40MB"

Test(email_fetched, are_refused)
{
	static const struct refusal refusals[] = {
	    {"loopback", FILE_OF("http://127.0.0.1/"), NOT_FETCHED(0, "not a public address")},
	    {"private", FILE_OF("http://10.0.0.1/"), NOT_FETCHED(0, "not a public address")},
	    {"link-local", FILE_OF("http://169.254.169.254/latest"),
		NOT_FETCHED(0, "not a public address")},
	    {"IPv6 loopback", FILE_OF("http://[::1]/"), NOT_FETCHED(0, "not a public address")},
	    {"v4-mapped", FILE_OF("http://[::ffff:127.0.0.1]/"),
		NOT_FETCHED(0, "not a public address")},
	    {"decimal", FILE_OF("http://2130706433/"), NOT_FETCHED(0, "not a public address")},
	    {"another port", FILE_OF("http://9.9.9.9:22/"),
		NOT_FETCHED(0, "port 22 is not permitted")},
	    {"missing", FILE_OF(AT "/missing"), NOT_FETCHED(0, "the server answered 404")},
	    {"broken", FILE_OF(AT "/broken"),
		NOT_FETCHED(0, "the connection ended before the file did")},
	    {"moved inwards", FILE_OF(AT "/inwards"), NOT_FETCHED(0, "not a public address")},
	    {"moved to a file", FILE_OF(AT "/other"),
		NOT_FETCHED(0, "the server redirects to \"file:///etc/passwd\", which is not a "
			       "plain http or https URL")},
	    {"moved around", FILE_OF(AT "/around"),
		NOT_FETCHED(0, "too many redirects, more than 3")},
	    {"the second",
		"'attachments':[{'filename':'a','path':'" AT "/file'},"
		"{'filename':'b','path':'" AT "/missing'}]",
		NOT_FETCHED(1, "the server answered 404")},
	    {"too large", FILE_OF(AT "/41943041/"), TOO_MUCH},
	    {"too large together",
		"'attachments':[{'filename':'a','path':'" AT "/41943040/'},"
		"{'filename':'b','content':'YQ=='}]",
		TOO_MUCH},
	    {"too large one after the other",
		"'attachments':[{'filename':'a','path':'" AT "/41943040/'},"
		"{'filename':'b','path':'" AT "/file'}]",
		TOO_MUCH},
	};
	struct http_server *server =
	    http_server_start("127.0.0.2", NULL, email_fetched_serve, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
		g_autofree char *change = with_port(server, refusals[i].change);
		struct refusal refusal = refusals[i];
		refusal.change = change;
		email_refuse_all(fixture, &refusal, 1);
	}
	http_server_stop(server);
}

/* Nothing is fetched for an email that is refused anyway. */
Test(email_fetched, come_last)
{
	static const struct refusal refusals[] = {
	    {"field", FILE_OF(AT "/file") ",'from':''", "from is required"},
	    {"domain", FILE_OF(AT "/file") ",'from':'a@example.org'",
		"Domain example.org is not registered", 403},
	    {"template", FILE_OF(AT "/file") ",'html':null,'template_id':'x'",
		"Template not found"},
	    {"other attachment",
		"'attachments':[{'filename':'a','path':'" AT "/file'},{'filename':'b'}]",
		"attachments[1] must have either path or content"},
	};
	struct http_server *server =
	    http_server_start("127.0.0.2", NULL, email_fetched_serve, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
		g_autofree char *change = with_port(server, refusals[i].change);
		struct refusal refusal = refusals[i];
		refusal.change = change;
		email_refuse_all(fixture, &refusal, 1);
	}
	cr_expect_eq(http_server_count(server), 0);
	http_server_stop(server);
}

/* A server that tells of each request, and replies when it may. */
struct gate {
	GAsyncQueue *asked, *opened;
};

static void
serve_later(struct http_peer *peer, const char *request, void *data)
{
	struct gate *gate = data;

	g_async_queue_push(gate->asked, gate);
	g_async_queue_pop(gate->opened);
	email_fetched_serve(peer, request, NULL);
}

static struct answer *
send_once(const char *body)
{
	const struct exchange exchange = {.name = "once",
	    .method = "POST",
	    .path = "/v1/emails",
	    .body = body,
	    .headers = {"Idempotency-Key: once"}};

	return exchange_ask(fixture, &exchange);
}

static void *
email_fetched_send_in_thread(void *body)
{
	return send_once(body);
}

/* The same request again, while the first one fetches and after it. */
Test(email_fetched, are_fetched_once_for_a_key)
{
	struct gate gate = {g_async_queue_new(), g_async_queue_new()};
	struct http_server *server = http_server_start("127.0.0.2", NULL, serve_later, &gate);
	g_autofree char *body = with_port(server,
	    "{'from':'a@example.com','to':'b@example.net','subject':'S','html':'H'," FILE_OF(
		AT "/file") "}");
	GThread *thread = g_thread_new("client", email_fetched_send_in_thread, body);
	g_async_queue_pop(gate.asked);
	gint64 before = g_get_monotonic_time();
	AUTO(answer) busy = send_once(body);
	gint64 seconds = (g_get_monotonic_time() - before) / G_USEC_PER_SEC;
	g_async_queue_push(gate.opened, &gate);
	AUTO(answer) first = g_thread_join(thread);
	AUTO(answer) again = send_once(body);
	g_autofree char *header = answer_header(again, "Idempotent-Replayed");

	cr_expect_eq(busy->status, 409, "got %u: %s", busy->status, busy->body);
	cr_expect_str_eq(answer_text(busy, "message"),
	    "A request with this Idempotency-Key is still in progress");
	cr_expect_geq(seconds, LIMIT_IDEMPOTENCY_WAIT_S, "took %d s", (int)seconds);
	cr_expect_eq(first->status, 201, "got %u: %s", first->status, first->body);
	cr_expect_str_eq(again->body, first->body);
	cr_expect_str_eq(header, "true");
	cr_expect_eq(http_server_count(server), 1);
	http_server_stop(server);
	g_async_queue_unref(gate.asked);
	g_async_queue_unref(gate.opened);
}
