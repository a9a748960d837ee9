/* SPDX-License-Identifier: MIT */
/* Tests fetching a file: answers, sizes, deadlines. */
#include "fetch/fetch.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "tests/support/http_server.h"

#define ROOM 10 /* bytes that the tests take */

enum after { CLOSE, RESET, HOLD, DRIP, FLOOD };

/* The server's answer to a request for a path, and its next action. */
static const struct fcgi_route {
	const char *path, *answer;
	enum after after;
} routes[] = {
    {"/ok", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", CLOSE},
    {"/ok-1.0", "HTTP/1.0 200 OK\r\n\r\nhello", CLOSE},
    {"/ok-held", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", HOLD},
    {"/empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", CLOSE},
    {"/empty-close", "HTTP/1.1 200 OK\r\n\r\n", CLOSE},
    {"/exact", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", CLOSE},
    {"/exact-close", "HTTP/1.1 200 OK\r\n\r\n0123456789", CLOSE},
    {"/exact-chunked",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	"4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n",
	CLOSE},
    {"/more", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", HOLD},
    {"/more-close", "HTTP/1.1 200 OK\r\n\r\n0123456789a", CLOSE},
    {"/more-chunked",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	"a\r\n0123456789\r\n1\r\na\r\n0\r\n\r\n",
	CLOSE},
    {"/length-past-64-bits", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
	HOLD},
    {"/length-negative", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", CLOSE},
    {"/flood", "HTTP/1.1 200 OK\r\n\r\n", FLOOD},
    {"/flood-headers", "HTTP/1.1 200 OK\r\nX: ", FLOOD},
    {"/flood-redirect", "HTTP/1.1 302 Found\r\nLocation: /ok\r\n\r\n", FLOOD},
    {"/flood-404", "HTTP/1.1 404 Not Found\r\n\r\n", FLOOD},
    {"/short", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", CLOSE},
    {"/short-chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello", CLOSE},
    {"/short-chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", CLOSE},
    {"/bad-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n", CLOSE},
    {"/reset", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", RESET},
    {"/nothing", "", CLOSE},
    {"/nothing-reset", "", RESET},
    {"/http09", "<html>hello</html>\n", CLOSE},
    {"/binary", "\x16\x03\x01\x02", CLOSE},
    {"/silent", "", HOLD},
    {"/headers-held", "HTTP/1.1 200 OK\r\nContent-Le", HOLD},
    {"/body-held", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", HOLD},
    {"/headers-drip", "HTTP/1.1 200 OK\r\nX: ", DRIP},
    {"/body-drip", "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", DRIP},
    {"/gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b", CLOSE},
    {"/gzip-second",
	"HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\n"
	"content-encoding:br\r\nContent-Length: 5\r\n\r\nhello",
	CLOSE},
    {"/gzip-transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	CLOSE},
    {"/identity", "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
	CLOSE},
    {"/trailers",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
	"Content-Encoding: gzip\r\nLocation: /404\r\n\r\n",
	CLOSE},
    {"/interim",
	"HTTP/1.1 103 Early Hints\r\nLocation: /404\r\nContent-Encoding: gzip\r\n"
	"Content-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	CLOSE},
    {"/101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", HOLD},
    {"/204", "HTTP/1.1 204 No Content\r\n\r\n", CLOSE},
    {"/206", "HTTP/1.1 206 Partial\r\nContent-Length: 5\r\n\r\nhello", CLOSE},
    {"/300", "HTTP/1.1 300 Choices\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n", CLOSE},
    {"/301-alone", "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n", CLOSE},
    {"/304", "HTTP/1.1 304 Not Modified\r\n\r\n", CLOSE},
    {"/401", "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\n\r\n", CLOSE},
    {"/404", "HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nnothing", CLOSE},
    {"/404-held", "HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\n", HOLD},
    {"/500", "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", CLOSE},
};

static void
fetch_serve(struct http_peer *peer, const char *request, void *data)
{
	static const char flood[65536] = "xxxxxxxxxxxxxxxx";
	const struct fcgi_route *route = NULL;
	const char *path = strchr(request, ' ') + 1;
	size_t length = strcspn(path, " ");

	for (size_t i = 0; i < G_N_ELEMENTS(routes); i++)
		if (strlen(routes[i].path) == length && !strncmp(routes[i].path, path, length))
			route = &routes[i];
	if (!route || !http_peer_send(peer, route->answer, strlen(route->answer)))
		return;
	if (route->after == HOLD)
		http_peer_left(peer, -1);
	while (route->after == DRIP && http_peer_send(peer, "x", 1) && !http_peer_left(peer, 10))
		;
	while (route->after == FLOOD && http_peer_send(peer, flood, sizeof(flood)))
		;
	if (route->after == RESET)
		http_peer_reset(peer);
}

static void
serve_bytes(struct http_peer *peer, const char *request, void *data)
{
	gsize size;
	const char *bytes = g_bytes_get_data(data, &size);

	http_peer_send(peer, bytes, size);
}

static struct http_server *server;

static void
fetch_start(void)
{
	signal(SIGPIPE, SIG_IGN);
	server = http_server_start("127.0.0.1", NULL, fetch_serve, NULL);
}

static void
fetch_stop(void)
{
	http_server_stop(server);
}

TestSuite(fetch, .init = fetch_start, .fini = fetch_stop, .timeout = 900);

static GBytes *
tests_fetch_fetch_get(const char *path, gsize max_bytes, gint64 patience, GError **error)
{
	static const char *const allow[] = {"127.0.0.0/8", NULL};
	static const struct fetch_rules rules = {allow, NULL};
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d%s", http_server_port(server), path);

	return fetch_get(url, &rules, max_bytes, base_clock_boot() + patience, error);
}

Test(fetch, takes_a_file_as_the_server_has_it)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
	    {"/ok", "hello"},
	    {"/ok-1.0", "hello"},
	    {"/ok-held", "hello"},
	    {"/empty", ""},
	    {"/empty-close", ""},
	    {"/exact", "0123456789"},
	    {"/exact-close", "0123456789"},
	    {"/exact-chunked", "0123456789"},
	    {"/identity", "hello"},
	    {"/trailers", "hello"},
	    {"/interim", "hello"},
	    {"/flood-redirect", "hello"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) want = g_bytes_new_static(cases[i].want, strlen(cases[i].want));
		g_autoptr(GBytes) got =
		    tests_fetch_fetch_get(cases[i].path, ROOM, LIMIT_FETCH_MS, &error);
		cr_expect(got && g_bytes_equal(got, want), "%s: got %.*s %s, want %s",
		    cases[i].path, got ? (int)g_bytes_get_size(got) : 0,
		    got ? (const char *)g_bytes_get_data(got, NULL) : "",
		    error ? error->message : "", cases[i].want);
	}
}

Test(fetch, says_why_it_takes_no_other)
{
	static const struct {
		const char *path;
		int code;
		const char *want;
	} cases[] = {
	    {"/more", PH_ERROR_TOO_LARGE, "it is larger than 10 bytes"},
	    {"/more-close", PH_ERROR_TOO_LARGE, "it is larger than 10 bytes"},
	    {"/more-chunked", PH_ERROR_TOO_LARGE, "it is larger than 10 bytes"},
	    {"/length-past-64-bits", PH_ERROR_TOO_LARGE, "it is larger than 10 bytes"},
	    {"/length-negative", PH_ERROR_INVALID, "the server does not answer in HTTP"},
	    {"/flood", PH_ERROR_TOO_LARGE, "it is larger than 10 bytes"},
	    {"/flood-headers", PH_ERROR_INVALID,
		"the server sends more than 65536 bytes of headers"},
	    {"/flood-404", PH_ERROR_INVALID, "the server answered 404"},
	    {"/short", PH_ERROR_INVALID, "the connection ended before the file did"},
	    {"/short-chunked", PH_ERROR_INVALID, "the connection ended before the file did"},
	    {"/short-chunks", PH_ERROR_INVALID, "the connection ended before the file did"},
	    {"/bad-chunk", PH_ERROR_INVALID, "the connection ended before the file did"},
	    {"/reset", PH_ERROR_INVALID, "the connection ended before the file did"},
	    {"/nothing", PH_ERROR_INVALID, "the server gives no answer"},
	    {"/nothing-reset", PH_ERROR_INVALID, "the connection ended before the file did"},
	    {"/http09", PH_ERROR_INVALID, "the server does not answer in HTTP"},
	    {"/binary", PH_ERROR_INVALID, "the server does not answer in HTTP"},
	    {"/gzip", PH_ERROR_INVALID,
		"the server sends it encoded (gzip), which was not asked for"},
	    {"/gzip-second", PH_ERROR_INVALID,
		"the server sends it encoded (br), which was not asked for"},
	    /* a newer curl sees it first, and says so in its own words */
	    {"/gzip-transfer", PH_ERROR_INVALID, "*ncod* (gzip*"},
	    {"/101", PH_ERROR_INVALID, "the server answered 101"},
	    {"/204", PH_ERROR_INVALID, "the server answered 204"},
	    {"/206", PH_ERROR_INVALID, "the server answered 206"},
	    {"/300", PH_ERROR_INVALID, "the server answered 300"},
	    {"/301-alone", PH_ERROR_INVALID, "the server answered 301"},
	    {"/304", PH_ERROR_INVALID, "the server answered 304"},
	    {"/401", PH_ERROR_INVALID, "the server answered 401"},
	    {"/404", PH_ERROR_INVALID, "the server answered 404"},
	    {"/404-held", PH_ERROR_INVALID, "the server answered 404"},
	    {"/500", PH_ERROR_INVALID, "the server answered 500"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) got =
		    tests_fetch_fetch_get(cases[i].path, ROOM, LIMIT_FETCH_MS, &error);
		cr_expect(got == NULL, "%s: got a file", cases[i].path);
		cr_expect(error && g_error_matches(error, PH_ERROR, cases[i].code) &&
			      g_pattern_match_simple(cases[i].want, error->message),
		    "%s: got %d %s, want %d %s", cases[i].path, error ? error->code : -1,
		    error ? error->message : "no error", cases[i].code, cases[i].want);
	}
}

Test(fetch, takes_nothing_but_an_empty_file_where_there_is_no_room)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) empty = tests_fetch_fetch_get("/empty", 0, LIMIT_FETCH_MS, NULL);
	g_autoptr(GBytes) more = tests_fetch_fetch_get("/ok", 0, LIMIT_FETCH_MS, &error);

	cr_expect(empty != NULL);
	cr_expect(more == NULL && g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE));
}

Test(fetch, ends_in_time)
{
	static const struct {
		const char *path;
		gint64 patience;
		const char *want;
	} cases[] = {
	    {"/silent", 200, "it took longer than * ms"},
	    {"/headers-held", 200, "it took longer than * ms"},
	    {"/headers-drip", 200, "it took longer than * ms"},
	    {"/body-held", 200, "it took longer than * ms"},
	    {"/body-drip", 200, "it took longer than * ms"},
	    {"/silent", 2100, "it took longer than 2 seconds"},
	    {"/ok", 0, "there was no time left for it"},
	    {"/ok", -5000, "there was no time left for it"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		gint64 before = base_clock_boot();
		g_autoptr(GBytes) got =
		    tests_fetch_fetch_get(cases[i].path, 1 << 20, cases[i].patience, &error);
		gint64 taken = base_clock_boot() - before;
		cr_expect(got == NULL, "%s: got a file", cases[i].path);
		cr_expect(error && error->code == PH_ERROR_INVALID &&
			      g_pattern_match_simple(cases[i].want, error->message),
		    "%s: got %s, want %s", cases[i].path, error ? error->message : "no error",
		    cases[i].want);
		cr_expect(taken >= MIN(cases[i].patience, 0) && taken < cases[i].patience + 8000,
		    "%s: took %d ms", cases[i].path, (int)taken);
	}
}

Test(fetch, asks_for_nothing_but_the_file)
{
	g_autoptr(GBytes) got = tests_fetch_fetch_get("/ok", ROOM, LIMIT_FETCH_MS, NULL);
	g_autofree char *request = http_server_last(server);
	g_autofree char *want = g_strdup_printf("GET /ok HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
						"User-Agent: Posthouse\r\nAccept: */*\r\n\r\n",
	    http_server_port(server));

	cr_expect(got != NULL);
	cr_expect_str_eq(request, want, "got %s", request);
}

/* The result when the server's whole answer is size bytes at answer. */
static GBytes *
get_answer(const char *answer, gsize size, GError **error)
{
	g_autoptr(GBytes) bytes = g_bytes_new(answer, size);
	struct http_server *usual = server;
	GBytes *got;

	server = http_server_start("127.0.0.1", NULL, serve_bytes, bytes);
	got = tests_fetch_fetch_get("/", ROOM, LIMIT_FETCH_MS, error);
	http_server_stop(server);
	server = usual;
	return got;
}

Test(fetch, takes_a_nul_for_a_byte)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na\0b";
	g_autoptr(GBytes) want = g_bytes_new_static("a\0b", 4);
	g_autoptr(GBytes) got = get_answer(answer, sizeof(answer), NULL);

	cr_expect(got && g_bytes_equal(got, want));
}

/* An answer without a body, of headers of size bytes. */
static GString *
fetch_headers_of(gsize size)
{
	GString *answer = g_string_new("HTTP/1.1 200 OK\r\n");

	while (size - answer->len > 2000)
		g_string_append_printf(answer, "X: %01000d\r\n", 0);
	g_string_append_printf(answer, "X: %0*d\r\n\r\n", (int)(size - answer->len - 7), 0);
	return answer;
}

Test(fetch, takes_headers_up_to_their_limit)
{
	static const struct {
		gsize size;
		const char *want;
	} cases[] = {
	    {LIMIT_FETCH_HEADER_BYTES, ""},
	    {LIMIT_FETCH_HEADER_BYTES + 1, "the server sends more than 65536 bytes of headers"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GString) answer = fetch_headers_of(cases[i].size);
		g_autoptr(GBytes) got = get_answer(answer->str, answer->len, &error);
		const char *message = error ? error->message : "";
		cr_assert_eq(answer->len, cases[i].size, "the test's own answer");
		cr_expect_str_eq(message, cases[i].want, "%d bytes: got \"%s\", want \"%s\"",
		    (int)cases[i].size, message, cases[i].want);
	}
}

Test(fetch, refuses_what_is_no_url_or_network)
{
	static const char *const networks[] = {"127.0.0.0/8", "127.0.0.1/8", NULL};
	static const struct fetch_rules none = {networks, NULL}, empty = {NULL, NULL};
	g_autoptr(GError) no_url = NULL;
	g_autoptr(GError) no_network = NULL;
	gint64 deadline = base_clock_boot() + LIMIT_FETCH_MS;

	cr_expect(fetch_get("file:///etc/passwd", &empty, ROOM, deadline, &no_url) == NULL);
	cr_expect(g_error_matches(no_url, PH_ERROR, PH_ERROR_INVALID));
	cr_expect(fetch_get("http://127.0.0.1/", &none, ROOM, deadline, &no_network) == NULL);
	cr_expect(g_error_matches(no_network, PH_ERROR, PH_ERROR_FAILED));
}
