/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/http/request.c: method, path, query, body and client address. */
#include "fcgi/http/request.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "tests/fcgi/fake_io.h"
#include "tests/support/settings.h"

Test(request, reads_methods)
{
	static const struct {
		const char *param;
		enum fcgi_method want;
		bool want_head;
	} cases[] = {
	    {"REQUEST_METHOD=GET", METHOD_GET, false},
	    {"REQUEST_METHOD=HEAD", METHOD_GET, true},
	    {"REQUEST_METHOD=POST", METHOD_POST, false},
	    {"REQUEST_METHOD=PATCH", METHOD_PATCH, false},
	    {"REQUEST_METHOD=DELETE", METHOD_DELETE, false},
	    {"REQUEST_METHOD=PUT", METHOD_PUT, false},
	    {"REQUEST_METHOD=OPTIONS", METHOD_OPTIONS, false},
	    {"REQUEST_METHOD=TRACE", METHOD_OTHER, false},
	    {"REQUEST_METHOD=get", METHOD_OTHER, false},
	    {"REQUEST_METHOD=", METHOD_OTHER, false},
	    {"X=", METHOD_OTHER, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *params[] = {cases[i].param, "PATH_INFO=/", NULL};
		struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
		struct fcgi_request request;

		cr_assert(fcgi_request_read(&request, io));
		cr_expect(request.method == cases[i].want && request.head == cases[i].want_head,
		    "%s: got %d %d, want %d %d", cases[i].param, request.method, request.head,
		    cases[i].want, cases[i].want_head);
		fcgi_request_clear(&request);
		fake_io_free(io);
	}
}

/* want is NULL when no route can have the path. */
static void
expect_path(const char *name, const char *path, const char *want)
{
	g_autofree char *param = path ? g_strconcat("PATH_INFO=", path, NULL) : g_strdup("X=");
	const char *params[] = {"REQUEST_METHOD=POST", param, NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request;
	bool routable = fcgi_request_read(&request, io);

	cr_expect_eq(routable, want != NULL, "%s: got %d", name, routable);
	cr_expect_eq(request.method, METHOD_POST, "%s: the method was forgotten", name);
	if (want)
		cr_expect_str_eq(
		    request.path, want, "%s: got \"%s\", want \"%s\"", name, request.path, want);
	fcgi_request_clear(&request);
	fake_io_free(io);
}

Test(request, checks_paths)
{
	static const struct {
		const char *name, *path, *want;
	} cases[] = {
	    {"none", NULL, NULL},
	    {"empty", "", ""},
	    {"root", "/", "/"},
	    {"plain", "/v1/emails", "/v1/emails"},
	    {"final slash", "/v1/emails/", "/v1/emails"},
	    {"two final slashes", "/v1/emails//", "/v1/emails/"},
	    {"never decoded again", "/v1/a%2Fb%00+", "/v1/a%2Fb%00+"},
	    {"UTF-8", "/v1/\xc3\xa9", "/v1/\xc3\xa9"},
	    {"space", "/v1/a b", "/v1/a b"},
	    {"tab", "/v1/a\tb", NULL},
	    {"line feed", "/v1/a\nb", NULL},
	    {"line feed at the end", "/v1/a\n", NULL},
	    {"escape", "/v1/\033[2J", NULL},
	    {"DEL", "/v1/\x7f", NULL},
	    {"NEL, a control character of two bytes", "/v1/\xc2\x85", NULL},
	    {"a byte that is no UTF-8", "/v1/\xff", NULL},
	    {"overlong", "/v1/\xc0\xaf", NULL},
	    {"half a surrogate", "/v1/\xed\xa0\x80", NULL},
	    {"cut off", "/v1/\xc3", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_path(cases[i].name, cases[i].path, cases[i].want);
}

Test(request, limits_the_length_of_paths)
{
	g_autofree char *longest = g_strnfill(LIMIT_PATH_BYTES, 'a');
	g_autofree char *too_long = g_strnfill(LIMIT_PATH_BYTES + 1, 'a');

	longest[0] = too_long[0] = '/';
	expect_path("at the limit", longest, longest);
	expect_path("one past the limit", too_long, NULL);
}

/* want is "refusal method path ?query", the path "(none)" where no route can have it. */
Test(request, reads_what_the_web_server_refused)
{
	static const struct {
		const char *name, *status, *path, *uri, *want;
	} cases[] = {
	    {"a POST without a length", "411", "/refused", "/v1/a%20b/?c=%64",
		"0 POST /v1/a b ?c=%64"},
	    {"at a root of its own", "411", "/resend/refused", "/domains/x",
		"0 POST /resend/domains/x ?"},
	    {"a method of nobody", "501", "/refused", NULL, "501 GET (none) ?"},
	    {"too large", "413", "/refused", "/v1/a?b", "413 GET /v1/a ?b"},
	    {"the server's fault", "599", "/refused", "/v1/a", "599 GET /v1/a ?"},
	    {"a path that is none", "400", "/refused", "/v1/%00", "400 GET (none) ?"},
	    {"control characters", "411", "/refused", "/v1/%0a", "0 POST (none) ?"},
	    {"no UTF-8", "411", "/refused", "/v1/%ff", "0 POST (none) ?"},
	    {"an address", "411", "/refused", "http://x.org/v1", "0 POST (none) ?"},
	    {"no address", "411", "/refused", NULL, "0 POST (none) ?"},
	    {"another path", "411", "/v1/a", "/v1/b", "0 GET /v1/a ?q"},
	    {"asked for", "200", "/refused", "/refused", "0 GET /refused ?q"},
	    {"no status", NULL, "/refused", "/refused", "0 GET /refused ?q"},
	    {"a status of no kind", "600", "/refused", "/v1/a", "0 GET /refused ?q"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("PATH_INFO=", cases[i].path, NULL);
		g_autofree char *uri =
		    g_strconcat(cases[i].uri ? "REQUEST_URI=" : "X=", cases[i].uri, NULL);
		g_autofree char *status =
		    g_strconcat(cases[i].status ? "REDIRECT_STATUS=" : "Y=", cases[i].status, NULL);
		const char *query =
		    strstr(cases[i].want, "?q") ? "QUERY_STRING=q" : "QUERY_STRING=";
		const char *params[] = {"REQUEST_METHOD=GET", path, uri, status, query, NULL};
		struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
		struct fcgi_request request;
		bool routable = fcgi_request_read(&request, io);
		const char *method = request.method == METHOD_OTHER
					 ? "(none)"
					 : fcgi_request_method_name(request.method);
		g_autoptr(GError) error = NULL;
		const char *const *names = fcgi_request_parameters(&request, &error);
		g_autofree char *got = g_strdup_printf("%u %s %s ?%s", request.refusal, method,
		    routable ? request.path : "(none)",
		    names[0] && request.text ? request.text : "");

		cr_expect_str_eq(got, cases[i].want, "%s: got \"%s\"", cases[i].name, got);
		fcgi_request_clear(&request);
		fake_io_free(io);
	}
}

Test(request, gives_headers)
{
	const char *params[] = {"PATH_INFO=/", "HTTP_X_API_KEY=a=b", "HTTP_X_EMPTY=", NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request;

	cr_assert(fcgi_request_read(&request, io));
	cr_expect_str_eq(fcgi_request_header(&request, "HTTP_X_API_KEY"), "a=b");
	cr_expect_str_eq(fcgi_request_header(&request, "HTTP_X_EMPTY"), "");
	cr_expect_null(fcgi_request_header(&request, "HTTP_X_API"));
	fcgi_request_clear(&request);
	fake_io_free(io);
}

/* want: the value of "to", "(none)", "(malformed)" */
static void
expect_query(const char *query, const char *want)
{
	g_autofree char *param = query ? g_strconcat("QUERY_STRING=", query, NULL) : g_strdup("X=");
	const char *params[] = {param, NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request = {.io = io};
	const char *value;
	g_autoptr(GError) error = NULL;
	bool read = fcgi_request_query(&request, "to", &value, &error);
	const char *got = !read ? "(malformed)" : value ? value : "(none)";

	cr_expect_str_eq(got, want, "%.100s: got \"%s\", want \"%s\"", param, got, want);
	cr_expect(read || g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s: code %d", param,
	    error ? error->code : -1);
	/* The second call reads the parsed query. */
	g_clear_error(&error);
	cr_expect_eq(fcgi_request_query(&request, "to", &value, &error), read, "%s: again", param);
	fcgi_request_clear(&request);
	fake_io_free(io);
}

Test(request, decodes_queries)
{
	static const struct {
		const char *query, *want;
	} cases[] = {
	    {NULL, "(none)"},
	    {"", "(none)"},
	    {"to=x", "x"},
	    {"to=", ""},
	    {"to", ""},
	    {"cursor=1&to=x&status=sent", "x"},
	    {"to=x&to=y", "y"},
	    {"To=x", "(none)"},
	    {"xto=y", "(none)"},
	    {"&&to=x&", "x"},
	    {"flag&to=x", "x"},
	    {"=v&to=x", "x"},
	    {"to=a=b", "a=b"},
	    {"to=a%3Db%26c", "a=b&c"},
	    {"to=a+b%2Bc", "a b+c"},
	    {"to=a%40x.org", "a@x.org"},
	    {"to=a%2fb", "a/b"},
	    {"%74o=x", "x"},
	    {"to=%C3%A9", "\xc3\xa9"},
	    {"to=%25", "%"},
	    {"to=a;b", "a;b"},
	    {"to=%", "(malformed)"},
	    {"to=%4", "(malformed)"},
	    {"to=%zz", "(malformed)"},
	    {"to=%00", "(malformed)"},
	    {"to=%ff", "(malformed)"},
	    {"to=%ED%A0%80", "(malformed)"},
	    {"to=\xff", "(malformed)"},
	    {"to=x&other=%ff", "(malformed)"},
	    {"%ff=x", "(malformed)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_query(cases[i].query, cases[i].want);
}

Test(request, limits_the_length_of_queries)
{
	g_autofree char *value = g_strnfill(LIMIT_QUERY_BYTES - 3, 'a');
	g_autofree char *longest = g_strconcat("to=", value, NULL);
	g_autofree char *too_long = g_strconcat(longest, "a", NULL);

	expect_query(longest, value);
	expect_query(too_long, "(malformed)");
}

#define LIMIT 200000 /* more than twice the first buffer */

Test(request, reads_bodies)
{
	static const struct {
		const char *name;
		const char *length; /* NULL: chunked */
		gsize size, piece;
		int want;	   /* -1, or an error */
		gsize want_size;   /* of the body */
		gsize want_unread; /* bytes that were not read */
	} cases[] = {
	    {"empty", "0", 0, 0, -1, 0, 0},
	    {"one byte", "1", 1, 0, -1, 1, 0},
	    {"in pieces", "1000", 1000, 7, -1, 1000, 0},
	    {"one below the limit", "199999", LIMIT - 1, 0, -1, LIMIT - 1, 0},
	    {"at the limit", "200000", LIMIT, 0, -1, LIMIT, 0},
	    {"at the limit, in pieces", "200000", LIMIT, 4093, -1, LIMIT, 0},
	    {"one past the limit", "200001", LIMIT + 1, 0, PH_ERROR_TOO_LARGE, 0, 0},
	    {"one past the limit, in pieces", "200001", LIMIT + 1, 11, PH_ERROR_TOO_LARGE, 0, 0},
	    {"far past the limit", "200001", 10 * LIMIT, 0, PH_ERROR_TOO_LARGE, 0, 0},

	    {"chunked, empty", NULL, 0, 0, -1, 0, 0},
	    {"chunked, empty length", "", 3, 0, -1, 3, 0},
	    {"chunked, one byte", NULL, 1, 0, -1, 1, 0},
	    {"chunked, all of the first room", NULL, 65536, 0, -1, 65536, 0},
	    {"chunked, more than the first room", NULL, 65537, 0, -1, 65537, 0},
	    {"chunked, in pieces", NULL, 150000, 1000, -1, 150000, 0},
	    {"chunked, at the limit", NULL, LIMIT, 0, -1, LIMIT, 0},
	    {"chunked, at the limit, in pieces", NULL, LIMIT, 999, -1, LIMIT, 0},
	    {"chunked, one past the limit", NULL, LIMIT + 1, 0, PH_ERROR_TOO_LARGE, 0, 0},
	    {"chunked, far past the limit", NULL, 10 * LIMIT, 0, PH_ERROR_TOO_LARGE, 0, 0},

	    {"longer than announced", "10", 20, 0, -1, 10, 10},
	    {"announced as empty", "0", 20, 0, -1, 0, 20},
	    {"shorter than announced", "20", 19, 0, PH_ERROR_INVALID, 0, 0},
	    {"nothing of what was announced", "20", 0, 0, PH_ERROR_INVALID, 0, 0},
	    {"large, and lies", "18446744073709551615", 5, 0, PH_ERROR_TOO_LARGE, 0, 0},
	    {"larger than any number", "18446744073709551616", 5, 0, PH_ERROR_TOO_LARGE, 0, 0},
	    {"negative", "-1", 5, 0, PH_ERROR_INVALID, 0, 5},
	    {"no number", "five", 5, 0, PH_ERROR_INVALID, 0, 5},
	    {"two numbers", "5, 5", 5, 0, PH_ERROR_INVALID, 0, 5},
	    {"hexadecimal", "0x5", 5, 0, PH_ERROR_INVALID, 0, 5},
	};
	g_autofree char *bytes = g_malloc(10 * LIMIT);

	for (gsize i = 0; i < 10 * LIMIT; i++)
		bytes[i] = (char)(i * 31 % 251);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *param = g_strdup_printf("CONTENT_LENGTH=%s", cases[i].length);
		const char *params[] = {cases[i].length ? param : NULL, NULL};
		/* The input ends where its memory ends, so that a sanitizer sees a read past it. */
		g_autofree char *sent = g_memdup2(bytes, MAX(cases[i].size, 1));
		struct fcgi_io *io = fake_io_new(params, sent, cases[i].size, cases[i].piece);
		struct fcgi_request request = {.io = io};
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) body = fcgi_request_body(&request, LIMIT, &error);
		gsize unread = cases[i].size - fake_io_read(io);
		int got = body ? -1 : error->code;

		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].name, got, cases[i].want);
		cr_expect_eq(unread, cases[i].want_unread, "%s: %zu unread, want %zu",
		    cases[i].name, unread, cases[i].want_unread);
		if (body) {
			gsize size;
			const void *data = g_bytes_get_data(body, &size);
			cr_expect_eq(size, cases[i].want_size, "%s: got %zu bytes, want %zu",
			    cases[i].name, size, cases[i].want_size);
			cr_expect(size == 0 || memcmp(data, bytes, size) == 0, "%s: other bytes",
			    cases[i].name);
		}
		fcgi_request_clear(&request);
		fake_io_free(io);
	}
}

/* Nobody has shown a key: at most a buffer more than the limit is taken. */
Test(request, leaves_the_rest_of_a_body_without_a_key)
{
	static const struct {
		const char *name, *length;
		gsize size;
		bool want;
		gsize want_read;
	} cases[] = {
	    {"at the limit", "CONTENT_LENGTH=4096", 4096, true, 4096},
	    {"one past it", "CONTENT_LENGTH=4097", 4097, false, 0},
	    {"far past it", "CONTENT_LENGTH=2000000", 2000000, false, 0},
	    {"chunked, at the limit", "CONTENT_LENGTH=", 4096, true, 4096},
	    {"chunked, one past it", "CONTENT_LENGTH=", 4097, false, 4097},
	    {"chunked, far past it", "CONTENT_LENGTH=", 2000000, false, 4097},
	};
	g_autofree char *bytes = g_strnfill(2000000, 'x');

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *params[] = {cases[i].length, NULL};
		struct fcgi_io *io = fake_io_new(params, bytes, cases[i].size, 0);
		struct fcgi_request request = {.io = io, .skips_rest = true};
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) body = fcgi_request_body(&request, 4096, &error);

		cr_expect_eq(body != NULL, cases[i].want, "%s", cases[i].name);
		cr_expect(body || error->code == PH_ERROR_TOO_LARGE, "%s", cases[i].name);
		cr_expect_eq(fake_io_read(io), cases[i].want_read, "%s: %zu read", cases[i].name,
		    fake_io_read(io));
		fcgi_request_clear(&request);
		fake_io_free(io);
	}
}

Test(request, says_how_large_a_body_may_be)
{
	const char *params[] = {"CONTENT_LENGTH=11", NULL};
	struct fcgi_io *io = fake_io_new(params, "01234567890", 11, 0);
	struct fcgi_request request = {.io = io};
	g_autoptr(GError) error = NULL;

	cr_assert_null(fcgi_request_body(&request, 10, &error));
	cr_expect_str_eq(error->message, "The request body is larger than 10 bytes");
	fake_io_free(io);
}

Test(request, names_its_parameters_in_their_order)
{
	static const struct {
		const char *query, *want; /* want NULL: malformed */
	} cases[] = {
	    {"", ""},
	    {"b=1&a=2&c", "b,a,c"},
	    {"b=1&a=2&b=3&a", "b,a"},
	    {"&=x&%62+=y", ",b "},
	    {"a&%zz", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *param = g_strconcat("QUERY_STRING=", cases[i].query, NULL);
		const char *params[] = {param, NULL};
		struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
		struct fcgi_request request = {.io = io};
		g_autoptr(GError) error = NULL;
		const char *const *names = fcgi_request_parameters(&request, &error);
		g_autofree char *got = names ? g_strjoinv(",", (char **)names) : NULL;

		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: got %s", cases[i].query, got);
		cr_expect_eq(names == NULL, error != NULL);
		fcgi_request_clear(&request);
		fake_io_free(io);
	}
}

/* A request of our own inside another one has its own query. */
Test(request, takes_another_query)
{
	const char *params[] = {"QUERY_STRING=status=a&more", NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request = {.io = io};
	g_autofree char *list = NULL;
	const char *status;

	cr_assert(fcgi_request_use_query(&request, "status=b&status%5B%5D=c&x=1", NULL));
	cr_assert(fcgi_request_query(&request, "status", &status, NULL));
	cr_expect_str_eq(status, "b");
	cr_assert(fcgi_request_query_list(&request, "status", &list, NULL));
	cr_expect_str_eq(list, "b,c");
	const char *const *names = fcgi_request_parameters(&request, NULL);
	g_autofree char *got = g_strjoinv(",", (char **)names);
	cr_expect_str_eq(got, "status,status[],x");
	fcgi_request_clear(&request);
	fake_io_free(io);
}

#define TRUSTED "trust_proxy = 10.0.0.0/8, fd00::/8 192.0.2.7/32\n"

static void
request_expect_address(const struct config_settings *settings, const char *name, const char *peer,
    const char *header, const char *want)
{
	g_autofree char *remote = g_strconcat(peer ? "REMOTE_ADDR=" : "X=", peer, NULL);
	g_autofree char *forwarded = g_strconcat("HTTP_X_FORWARDED_FOR=", header, NULL);
	const char *params[] = {
	    "REQUEST_METHOD=GET", "PATH_INFO=/", remote, header ? forwarded : NULL, NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request;
	char text[ADDRESS_TEXT_SIZE];

	cr_assert(fcgi_request_read(&request, io));
	const char *got = fcgi_request_address(&request, settings, text) ? text : NULL;
	cr_expect_eq(g_strcmp0(got, want), 0, "%s: got %s, want %s", name, got, want);
	fcgi_request_clear(&request);
	fake_io_free(io);
}

Test(request, address_is_known_through_trusted_proxies_alone)
{
	static const struct {
		const char *name, *peer, *header, *want;
	} cases[] = {
	    {"no proxy", "203.0.113.5", NULL, "203.0.113.5"},
	    {"IPv6", "2001:DB8:0::5", NULL, "2001:db8::5"},
	    {"v4-mapped", "::ffff:203.0.113.5", NULL, "203.0.113.5"},
	    {"nobody", NULL, "203.0.113.5", NULL},
	    {"a socket", "unix:", "203.0.113.5", NULL},
	    {"a stranger's header", "203.0.113.5", "198.51.100.1", "203.0.113.5"},
	    {"a proxy's", "10.0.0.1", "198.51.100.1", "198.51.100.1"},
	    {"a v4-mapped proxy's", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"},
	    {"an IPv6 proxy's", "fd00::1", "2001:db8::1", "2001:db8::1"},
	    {"the only one of its network", "192.0.2.7", "198.51.100.1", "198.51.100.1"},
	    {"its neighbour", "192.0.2.8", "198.51.100.1", "192.0.2.8"},
	    {"a proxy without one", "10.0.0.1", NULL, "10.0.0.1"},
	    {"the right-most one", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"},
	    {"through several proxies", "10.0.0.1", "1.1.1.1, 198.51.100.1,10.0.0.3 , fd00::2",
		"198.51.100.1"},
	    {"v4-mapped in between", "10.0.0.1", "198.51.100.1, ::ffff:10.9.9.9", "198.51.100.1"},
	    {"v4-mapped at its end", "10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"},
	    {"none but proxies", "10.0.0.1", "10.0.0.9, 10.0.0.8", "10.0.0.9"},
	    {"with a port", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"},
	    {"IPv6 with a port", "10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"},
	    {"IPv6 in brackets", "10.0.0.1", "[2001:db8::1]", "2001:db8::1"},
	    {"garbage alone", "10.0.0.1", "unknown", "10.0.0.1"},
	    {"an empty header", "10.0.0.1", "", "10.0.0.1"},
	    {"commas", "10.0.0.1", ", ,,", "10.0.0.1"},
	    {"garbage on the left", "10.0.0.1", "<script>, 198.51.100.1", "198.51.100.1"},
	    {"garbage on the right", "10.0.0.1", "198.51.100.1, unix:", "198.51.100.1"},
	    {"what looks like an address", "10.0.0.1", "198.51.100.256", "10.0.0.1"},
	    {"a port that is none", "10.0.0.1", "198.51.100.1:x", "10.0.0.1"},
	    {"brackets that do not close", "10.0.0.1", "[2001:db8::1", "10.0.0.1"},
	    {"something behind the brackets", "10.0.0.1", "[2001:db8::1]x", "10.0.0.1"},
	    {"a zone", "10.0.0.1", "fe80::1%eth0", "10.0.0.1"},
	};
	g_autofree char *dir = g_dir_make_tmp("client-XXXXXX", NULL);
	struct config_settings *settings =
	    test_settings_load(dir, "trusting", "[service]\n" TRUSTED);
	struct config_settings *plain = test_settings_load(dir, "plain", "");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		request_expect_address(
		    settings, cases[i].name, cases[i].peer, cases[i].header, cases[i].want);
	request_expect_address(plain, "nobody is trusted", "10.0.0.1", "198.51.100.1", "10.0.0.1");
	config_settings_free(settings);
	config_settings_free(plain);
	g_autofree char *clean = g_strdup_printf("rm -r '%s'", dir);
	cr_assert_eq(system(clean), 0);
}
