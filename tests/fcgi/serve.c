/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/api/gather.c with whole requests: the order of checks, scopes, and complete
 * replies. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/limits/request.h"
#include "base/limits/unit.h"
#include "config/settings.h"
#include "fcgi/api/auth.h"
#include "service/service.h"
#include "store/workspace/limit.h"
#include "tests/fcgi/fake_io.h"
#include "tests/fcgi/waiting.h"
#include "tests/support/db.h"
#include "tests/support/house.h"

#define HOUR_MS ((gint64)3600 * 1000)

static struct test_house *house;
static struct fcgi_auth *auth;

static void
serve_begin(void)
{
	house = test_house_open(NULL, "[limits]\nrequest_bytes = 1048576\n");
	auth = fcgi_auth_new(house->settings);
	test_house_key(house, "ph_full", KEY_FULL, 0);
	test_house_key(house, "ph_send", KEY_SEND, 0);
	test_house_key(house, "ph_read", KEY_READ, 0);
}

static void
serve_end(void)
{
	fcgi_auth_free(auth);
	test_house_close(house);
}

TestSuite(serve, .init = serve_begin, .fini = serve_end);

struct exchange {
	const char *name;
	const char *method, *path;
	const char *headers[2]; /* CGI variables */
	const char *body;
	guint want_status;
	const char *want_body;	 /* NULL: any */
	const char *want_header; /* "Name: value" */
};

#define BEARER(key) "HTTP_AUTHORIZATION=Bearer " key
#define MISSING "{\"message\":\"Missing API key\",\"code\":\"api_key_missing\"}"
#define WRONG "{\"message\":\"Invalid API key\",\"code\":\"api_key_invalid\"}"
#define ONLY_READ "{\"message\":\"This API key may only read\",\"code\":\"api_key_forbidden\"}"
#define ONLY_SEND                                                                                  \
	"{\"message\":\"This API key may only send emails and "                                    \
	"events\",\"code\":\"api_key_forbidden\"}"
#define NOT_FOUND "{\"message\":\"Not found\"}"
#define NOT_ALLOWED "{\"message\":\"Method not allowed\"}"
#define TOO_LARGE "{\"message\":\"The request body is larger than 1048576 bytes\"}"
#define NO_JSON "{\"message\":\"body must be a JSON object\"}"
#define NO_NAME "{\"message\":\"name is required\"}"
#define NO_FROM "{\"message\":\"from is required\"}"
#define MISSPELLED "{\"message\":\"Name is not a field of this request; did you mean name?\"}"
#define MALFORMED "{\"message\":\"The query string is malformed\"}"
#define NO_TEMPLATES "{\"templates\":[],\"count\":0,\"cursor\":null}"

/* Serves it; the caller frees the result. */
static struct fcgi_io *
serve_serve(const struct exchange *exchange)
{
	g_autoptr(GPtrArray) params = g_ptr_array_new_with_free_func(g_free);
	gsize size = exchange->body ? strlen(exchange->body) : 0;

	g_ptr_array_add(params, g_strconcat("REQUEST_METHOD=", exchange->method, NULL));
	g_ptr_array_add(params, g_strconcat("PATH_INFO=", exchange->path, NULL));
	g_ptr_array_add(params, g_strdup_printf("CONTENT_LENGTH=%zu", size));
	for (gsize i = 0; i < G_N_ELEMENTS(exchange->headers) && exchange->headers[i]; i++)
		g_ptr_array_add(params, g_strdup(exchange->headers[i]));
	g_ptr_array_add(params, NULL);
	struct fcgi_io *io =
	    fake_io_new((const char *const *)params->pdata, exchange->body, size, 0);
	waiting_serve_next(house->service, auth, NULL, io);
	return io;
}

static void
serve_expect(const struct exchange *exchange)
{
	struct fcgi_io *io = serve_serve(exchange);

	cr_expect_eq(fake_io_status(io), exchange->want_status, "%s: got status %u, want %u",
	    exchange->name, fake_io_status(io), exchange->want_status);
	if (exchange->want_body)
		cr_expect_str_eq(fake_io_body(io), exchange->want_body, "%s: got %s, want %s",
		    exchange->name, fake_io_body(io), exchange->want_body);
	if (exchange->want_header) {
		g_auto(GStrv) want = g_strsplit(exchange->want_header, ": ", 2);
		g_autofree char *got = fake_io_header(io, want[0]);
		cr_expect(g_strcmp0(got, want[1]) == 0, "%s: %s is \"%s\", want \"%s\"",
		    exchange->name, want[0], got, want[1]);
	}
	g_autofree char *id = fake_io_header(io, "X-Request-Id");
	cr_expect(id && strlen(id) == 36, "%s: X-Request-Id is %s", exchange->name, id);
	cr_expect(fake_io_finished(io), "%s: not finished once", exchange->name);
	fake_io_free(io);
}

static char *
text_of_size(gsize size)
{
	return g_strnfill(size, 'x');
}

Test(serve, takes_the_id_of_a_request)
{
	static const struct {
		const char *header;
		bool want;
	} cases[] = {
	    {"aZ09._:-", true},
	    {"0", true},
	    {"", false},
	    {"a b", false},
	    {"a,b", false},
	    {"caf\xc3\xa9", false},
	    {"a\r\nSet-Cookie: x", false},
	};
	g_autofree char *largest = text_of_size(LIMIT_REQUEST_ID_LENGTH);
	g_autofree char *large = text_of_size(LIMIT_REQUEST_ID_LENGTH + 1);

	for (gsize i = 0; i < G_N_ELEMENTS(cases) + 2; i++) {
		const char *text = i < G_N_ELEMENTS(cases)    ? cases[i].header
				   : i == G_N_ELEMENTS(cases) ? largest
							      : large;
		bool want = i < G_N_ELEMENTS(cases) ? cases[i].want : text == largest;
		g_autofree char *header = g_strconcat("HTTP_X_REQUEST_ID=", text, NULL);
		const struct exchange get = {
		    "get", "GET", "/openapi.json", {header}, NULL, 200, NULL, NULL};
		struct fcgi_io *io = serve_serve(&get);
		g_autofree char *got = fake_io_header(io, "X-Request-Id");
		struct base_id id;
		cr_expect(want ? g_strcmp0(got, text) == 0 : got && base_id_parse(got, &id),
		    "\"%s\": got %s", text, got);
		fake_io_free(io);
	}
}

Test(serve, checks_in_order)
{
	g_autofree char *large = text_of_size(LIMIT_MIB + 1), *largest = text_of_size(LIMIT_MIB);
	const struct exchange exchanges[] = {
	    {"path before all", "POST", "/v1/nothing", {0}, large, 404, NOT_FOUND, NULL},
	    {"a path that can be none", "GET", "/v1/templates\n", {0}, NULL, 404, NOT_FOUND, NULL},
	    {"method before key", "PUT", "/v1/templates", {0}, large, 405, NOT_ALLOWED,
		"Allow: POST, GET, HEAD"},
	    {"no method that we know", "TRACE", "/v1/emails/1", {0}, NULL, 405, NOT_ALLOWED,
		"Allow: GET, HEAD, PATCH, DELETE"},
	    {"no key before size", "POST", "/v1/templates", {0}, large, 401, MISSING,
		"WWW-Authenticate: Bearer"},
	    {"key before size", "POST", "/v1/templates", {BEARER("ph_x")}, large, 403, WRONG, NULL},
	    {"scope before size", "POST", "/v1/templates", {BEARER("ph_read")}, large, 403,
		ONLY_READ, NULL},
	    {"size before JSON", "POST", "/v1/templates", {BEARER("ph_full")}, large, 413,
		TOO_LARGE, NULL},
	    {"the largest size", "POST", "/v1/templates", {BEARER("ph_full")}, largest, 400,
		NO_JSON, NULL},
	    {"JSON before fields", "POST", "/v1/templates", {BEARER("ph_full")}, "[]", 400, NO_JSON,
		NULL},
	    {"JSON before names", "POST", "/v1/templates", {BEARER("ph_full"), "QUERY_STRING=%"},
		"[]", 400, NO_JSON, NULL},
	    {"names of members before parameters", "POST", "/v1/templates",
		{BEARER("ph_full"), "QUERY_STRING=%"}, "{\"Name\":7}", 400, MISSPELLED, NULL},
	    {"names of parameters before fields", "POST", "/v1/templates",
		{BEARER("ph_full"), "QUERY_STRING=%"}, "{}", 400, MALFORMED, NULL},
	    {"names before fields", "POST", "/v1/templates", {BEARER("ph_full")},
		"{\"html\":7,\"Name\":7}", 400, MISSPELLED, NULL},
	    {"fields", "POST", "/v1/templates", {BEARER("ph_full")}, "{}", 400, NO_NAME, NULL},
	    {"fields before state", "PATCH", "/v1/templates/none", {BEARER("ph_full")},
		"{\"name\":7}", 400, "{\"message\":\"name must be a string\"}", NULL},
	    {"state", "PATCH", "/v1/templates/none", {BEARER("ph_full")}, "{}", 404,
		"{\"message\":\"Template not found\"}", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
		serve_expect(&exchanges[i]);
}

Test(serve, reads_the_key)
{
	const struct exchange exchanges[] = {
	    {"none", "GET", "/v1/templates", {0}, NULL, 401, MISSING, "WWW-Authenticate: Bearer"},
	    {"Bearer", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200, NO_TEMPLATES, NULL},
	    {"in small letters", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=bearer ph_full"},
		NULL, 200, NO_TEMPLATES, NULL},
	    {"in capitals", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=BEARER ph_full"}, NULL,
		200, NO_TEMPLATES, NULL},
	    {"two spaces", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=Bearer  ph_full"}, NULL,
		200, NO_TEMPLATES, NULL},
	    {"Basic", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=Basic cGg6cGg="}, NULL, 401,
		MISSING, "WWW-Authenticate: Bearer"},
	    {"no scheme", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=ph_full"}, NULL, 401,
		MISSING, NULL},
	    {"a scheme that begins like it", "GET", "/v1/templates",
		{"HTTP_AUTHORIZATION=Bearerph_full"}, NULL, 401, MISSING, NULL},
	    {"Bearer alone", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=Bearer"}, NULL, 401,
		MISSING, NULL},
	    {"Bearer and nothing", "GET", "/v1/templates", {"HTTP_AUTHORIZATION=Bearer "}, NULL,
		401, MISSING, NULL},
	    {"X-API-Key", "GET", "/v1/templates", {"HTTP_X_API_KEY=ph_full"}, NULL, 200,
		NO_TEMPLATES, NULL},
	    {"X-API-Key, empty", "GET", "/v1/templates", {"HTTP_X_API_KEY="}, NULL, 401, MISSING,
		NULL},
	    {"Authorization wins", "GET", "/v1/templates",
		{BEARER("ph_wrong"), "HTTP_X_API_KEY=ph_full"}, NULL, 403, WRONG, NULL},
	    {"Authorization wins, even another scheme", "GET", "/v1/templates",
		{"HTTP_AUTHORIZATION=Basic cGg6cGg=", "HTTP_X_API_KEY=ph_full"}, NULL, 401, MISSING,
		NULL},
	    {"an empty Authorization is none", "GET", "/v1/templates",
		{"HTTP_AUTHORIZATION=", "HTTP_X_API_KEY=ph_full"}, NULL, 200, NO_TEMPLATES, NULL},
	    {"from an inner redirect of Apache", "GET", "/v1/templates",
		{"REDIRECT_HTTP_AUTHORIZATION=Bearer ph_full"}, NULL, 200, NO_TEMPLATES, NULL},
	    {"a header of that name", "GET", "/v1/templates",
		{"HTTP_REDIRECT_HTTP_AUTHORIZATION=Bearer ph_full"}, NULL, 401, MISSING, NULL},
	    {"unknown", "GET", "/v1/templates", {BEARER("ph_unknown")}, NULL, 403, WRONG, NULL},
	    {"other case", "GET", "/v1/templates", {BEARER("PH_FULL")}, NULL, 403, WRONG, NULL},
	    {"no text", "GET", "/v1/templates", {BEARER("\xff\xfe")}, NULL, 403, WRONG, NULL},
	    {"public", "GET", "/health", {0}, NULL, 200, "{\"status\":\"ok\"}", NULL},
	    {"public, with a wrong key", "GET", "/health", {BEARER("ph_wrong")}, NULL, 200,
		"{\"status\":\"ok\"}", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
		serve_expect(&exchanges[i]);
}

Test(serve, holds_keys_to_their_scopes)
{
	const struct exchange exchanges[] = {
	    {"full reads", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200, NO_TEMPLATES,
		NULL},
	    {"full writes", "POST", "/v1/templates", {BEARER("ph_full")}, "{}", 400, NO_NAME, NULL},
	    {"full sends", "POST", "/v1/emails", {BEARER("ph_full")}, "{}", 400, NO_FROM, NULL},
	    {"read reads", "GET", "/v1/templates", {BEARER("ph_read")}, NULL, 200, NO_TEMPLATES,
		NULL},
	    {"read does not write", "POST", "/v1/templates", {BEARER("ph_read")}, "{}", 403,
		ONLY_READ, NULL},
	    {"read does not delete", "DELETE", "/v1/templates/1", {BEARER("ph_read")}, NULL, 403,
		ONLY_READ, NULL},
	    {"read does not send", "POST", "/v1/emails", {BEARER("ph_read")}, "{}", 403, ONLY_READ,
		NULL},
	    {"send does not read", "GET", "/v1/templates", {BEARER("ph_send")}, NULL, 403,
		ONLY_SEND, NULL},
	    {"send does not read emails", "GET", "/v1/emails", {BEARER("ph_send")}, NULL, 403,
		ONLY_SEND, NULL},
	    {"send does not write", "POST", "/v1/templates", {BEARER("ph_send")}, "{}", 403,
		ONLY_SEND, NULL},
	    {"send sends", "POST", "/v1/emails", {BEARER("ph_send")}, "{}", 400, NO_FROM, NULL},
	    {"send does not cancel", "DELETE", "/v1/emails/1", {BEARER("ph_send")}, NULL, 403,
		ONLY_SEND, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
		serve_expect(&exchanges[i]);
}

Test(serve, ends_keys)
{
	const struct exchange good = {
	    "good", "GET", "/v1/templates", {BEARER("ph_short")}, NULL, 200, NO_TEMPLATES, NULL};
	struct exchange revoked = good, expired = good;
	gint64 now = base_clock_now();
	struct base_id id = test_house_key(house, "ph_short", KEY_READ, now + HOUR_MS);
	g_autoptr(GError) error = NULL;

	serve_expect(&good);
	base_clock_set(now + HOUR_MS);
	expired.name = "expired";
	expired.want_status = 403;
	expired.want_body = WRONG;
	serve_expect(&expired);
	base_clock_set(now);
	serve_expect(&good);
	cr_assert(store_key_revoke(house->db, &house->workspace, &id, &error));
	revoked.name = "revoked";
	revoked.want_status = 403;
	revoked.want_body = WRONG;
	serve_expect(&revoked);
}

/* A cached key is confirmed with the operation's first statement. After the key has ended, no
   operation changes or tells anything. */
Test(serve, does_nothing_for_a_key_that_has_ended)
{
	static const char template[] = "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}";
	g_autofree char *large = text_of_size(LIMIT_MIB + 1);
	const struct exchange exchanges[] = {
	    {"reads", "GET", "/v1/templates", {BEARER("ph_end")}, NULL, 403, WRONG, NULL},
	    {"is missing", "GET", "/v1/templates/t", {BEARER("ph_end")}, NULL, 403, WRONG, NULL},
	    {"HEAD", "HEAD", "/v1/templates", {BEARER("ph_end")}, NULL, 403, "", NULL},
	    {"writes", "POST", "/v1/templates", {BEARER("ph_end")}, template, 403, WRONG, NULL},
	    {"removes", "DELETE", "/v1/templates/kept", {BEARER("ph_end")}, NULL, 403, WRONG, NULL},
	    {"event", "POST", "/v1/events", {BEARER("ph_end")},
		"{\"event_name\":\"e\",\"email\":\"a@x.org\"}", 403, WRONG, NULL},
	    {"audience", "POST", "/v1/audiences", {BEARER("ph_end")}, "{\"name\":\"A\"}", 403,
		WRONG, NULL},
	    {"wrong fields", "POST", "/v1/templates", {BEARER("ph_end")}, "{}", 403, WRONG, NULL},
	    {"no JSON", "POST", "/v1/templates", {BEARER("ph_end")}, "[", 403, WRONG, NULL},
	    {"too large", "POST", "/v1/templates", {BEARER("ph_end")}, large, 403, WRONG, NULL},
	    {"beyond its scope", "GET", "/v1/templates", {BEARER("ph_end_send")}, NULL, 403, WRONG,
		NULL},
	    {"a public one after it", "GET", "/health", {0}, NULL, 200, "{\"status\":\"ok\"}",
		NULL},
	    {"another's after it", "GET", "/v1/templates/t", {BEARER("ph_full")}, NULL, 404,
		"{\"message\":\"Template not found\"}", NULL},
	};
	const struct exchange before[] = {
	    {"known", "POST", "/v1/templates", {BEARER("ph_end")},
		"{\"id\":\"kept\",\"name\":\"T\",\"html\":\"<p>\"}", 200, NULL, NULL},
	    {"known too", "POST", "/v1/emails", {BEARER("ph_end_send")}, "{}", 400, NULL, NULL},
	    {"another", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200, NULL, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		fcgi_auth_free(auth);
		auth = fcgi_auth_new(house->settings);
		test_db_plain(house->db, "DELETE FROM template");
		test_db_plain(house->db, "DELETE FROM api_key WHERE revoked IS NOT NULL");
		struct base_id ids[] = {test_house_key(house, "ph_end", KEY_FULL, 0),
		    test_house_key(house, "ph_end_send", KEY_SEND, 0)};
		for (gsize j = 0; j < G_N_ELEMENTS(before); j++) {
			struct fcgi_io *io = serve_serve(&before[j]);
			cr_assert_eq(fake_io_status(io), before[j].want_status, "%s: %s",
			    before[j].name, fake_io_body(io));
			fake_io_free(io);
		}
		for (gsize j = 0; j < G_N_ELEMENTS(ids); j++)
			cr_assert(store_key_revoke(house->db, &house->workspace, &ids[j], NULL));
		serve_expect(&exchanges[i]);
		cr_expect_eq(test_db_number(house->db, "SELECT COUNT(*) FROM template"), 1, "%s",
		    exchanges[i].name);
		cr_expect_eq(test_db_number(house->db, "SELECT (SELECT COUNT(*) FROM person) +"
						       " (SELECT COUNT(*) FROM audience)"),
		    0, "%s", exchanges[i].name);
	}
}

/* The number of statements so far, this one included. */
static gint64
executed(void)
{
	return test_db_number(house->service->db,
	    "SELECT CAST(VARIABLE_VALUE AS INTEGER) FROM information_schema.SESSION_STATUS"
	    " WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'");
}

/* The number of statements that a request takes. */
static gint64
statements_of(const struct exchange *exchange)
{
	gint64 before = executed();

	serve_expect(exchange);
	return executed() - before - 1;
}

static const struct exchange put_template = {"put", "POST", "/v1/templates", {BEARER("ph_full")},
    "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}", 200, NULL, NULL};

Test(serve, looks_up_a_known_key_with_what_it_does)
{
	const struct exchange get = {
	    "get", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200, NULL, NULL};
	const struct exchange none = {
	    "none", "GET", "/v1/templates/u", {BEARER("ph_full")}, NULL, 404, NULL, NULL};
	const struct exchange wrong = {
	    "wrong", "POST", "/v1/templates", {BEARER("ph_full")}, "{}", 400, NO_NAME, NULL};

	serve_expect(&wrong);
	serve_expect(&put_template);
	fcgi_auth_free(auth);
	auth = fcgi_auth_new(house->settings);
	/* A SELECT that finds nothing tells nothing of the key either. */
	const gint64 want[] = {2, 1, 1, 2};
	const struct exchange *const given[] = {&get, &get, &wrong, &none};
	for (gsize i = 0; i < G_N_ELEMENTS(want); i++) {
		gint64 got = statements_of(given[i]);
		cr_expect_eq(
		    got, want[i], "%d: %d statements, not %d", (int)i, (int)got, (int)want[i]);
	}
}

Test(serve, answers_head_without_a_body)
{
	const struct exchange head = {
	    "HEAD", "HEAD", "/v1/templates", {BEARER("ph_read")}, NULL, 200, "", NULL};
	const struct exchange missing = {"HEAD of nothing", "HEAD", "/v1/templates/none",
	    {BEARER("ph_read")}, NULL, 404, "", NULL};
	g_autofree char *length = g_strdup_printf("Content-Length: %zu", strlen(NO_TEMPLATES));
	struct exchange sized = head;

	sized.want_header = length;
	serve_expect(&sized);
	serve_expect(&missing);
}

Test(serve, takes_bodies_without_a_length)
{
	static const char body[] = "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}";
	const char *params[] = {
	    "REQUEST_METHOD=POST", "PATH_INFO=/v1/templates/", BEARER("ph_full"), NULL};
	struct fcgi_io *io = fake_io_new(params, body, strlen(body), 5);

	waiting_serve_next(house->service, auth, NULL, io);
	cr_expect_eq(fake_io_status(io), 200, "got %s", fake_io_body(io));
	fake_io_free(io);
}

Test(serve, refuses_bodies_that_end_early)
{
	const char *params[] = {"REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", BEARER("ph_full"),
	    "CONTENT_LENGTH=100", NULL};
	static const char body[] = "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}";
	struct fcgi_io *io = fake_io_new(params, body, strlen(body), 0);

	waiting_serve_next(house->service, auth, NULL, io);
	cr_expect_eq(fake_io_status(io), 400, "got %s", fake_io_body(io));
	cr_expect_eq(test_db_number(house->db, "SELECT COUNT(*) FROM template"), 0);
	fake_io_free(io);
}

Test(serve, does_not_read_a_body_that_it_does_not_want)
{
	const char *params[] = {
	    "REQUEST_METHOD=POST", "PATH_INFO=/v1/emails", "CONTENT_LENGTH=5", NULL};
	struct fcgi_io *io = fake_io_new(params, "12345", 5, 0);

	waiting_serve_next(house->service, auth, NULL, io);
	cr_expect_eq(fake_io_status(io), 401);
	cr_expect_eq(fake_io_read(io), 0);
	fake_io_free(io);
}

Test(serve, keeps_workspaces_apart)
{
	const struct exchange create = {"create", "POST", "/v1/templates", {BEARER("ph_full")},
	    "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}", 200, NULL, NULL};
	const struct exchange other = {"another's", "GET", "/v1/templates/t", {BEARER("ph_other")},
	    NULL, 404, "{\"message\":\"Template not found\"}", NULL};
	struct fcgi_io *io = serve_serve(&create);

	cr_expect_eq(fake_io_status(io), 200, "got %s", fake_io_body(io));
	fake_io_free(io);
	house->workspace = base_id_new();
	test_house_key(house, "ph_other", KEY_FULL, 0);
	serve_expect(&other);
}

/* The service owns the connection of the house, and closing the service closes it. */
Test(serve, answers_without_a_database)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	struct test_house *own = test_house_open(server, NULL);
	struct test_house *shared = house;
	const struct exchange exchanges[] = {
	    {"needs no database", "GET", "/v1/nothing", {0}, NULL, 404, NOT_FOUND, NULL},
	    {"no key", "GET", "/v1/templates", {0}, NULL, 401, MISSING, NULL},
	    {"a key that cannot be checked", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 503,
		"{\"message\":\"The service is not available at the moment\"}", "Retry-After: 5"},
	    {"health", "GET", "/health", {0}, NULL, 503,
		"{\"message\":\"The service is not available at the moment\"}", "Retry-After: 5"},
	};
	const struct exchange back = {
	    "back", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200, NO_TEMPLATES, NULL};

	test_house_key(own, "ph_full", KEY_FULL, 0);
	house = own;
	serve_expect(&back);
	test_mariadb_kill(server);
	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
		serve_expect(&exchanges[i]);
	test_mariadb_restart(server);
	serve_expect(&back);
	house = shared;
	test_house_close(own);
}

static void
serve_set_limit(enum config_setting limit, gint64 value)
{
	cr_assert(store_limit_set(house->db, &house->workspace, &limit, &value, 1, NULL));
}

#define TOO_MANY "{\"message\":\"Too many requests. Try again in 1 s\"}"

/* Asks until a request is refused: a second that goes by lets another one through. */
static void
serve_expect_refusal(const struct exchange *get)
{
	for (guint i = 0; i < 1000; i++) {
		gint64 before = executed();
		struct fcgi_io *io = serve_serve(get);
		bool refused = fake_io_status(io) == 429;
		gint64 statements = executed() - before - 1;
		g_autofree char *policy = fake_io_header(io, "RateLimit-Policy");

		if (refused) {
			cr_expect_eq(statements, 0);
			cr_expect_str_eq(fake_io_body(io), TOO_MANY);
			cr_expect_str_eq(policy, "\"key\";q=2;w=2");
		}
		fake_io_free(io);
		if (refused)
			return;
	}
	cr_assert_fail("nothing is refused");
}

/* The clock of limits goes on in these tests by this; see room.mk. */
static gint64 boot_shift;

gint64 __real_base_clock_boot(void);
gint64 __wrap_base_clock_boot(void);

gint64
__wrap_base_clock_boot(void)
{
	return __real_base_clock_boot() + boot_shift;
}

/* Rates are read with the key, and a request past them takes no statement. */
Test(serve, refuses_past_a_rate_without_the_database)
{
	const struct exchange get = {
	    "get", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200, NULL, NULL};
	struct exchange other = get;

	other.headers[0] = BEARER("ph_read");
	serve_expect(&put_template);
	fcgi_auth_free(auth);
	auth = fcgi_auth_new(house->settings);
	serve_set_limit(SETTING_LIMITS_KEY_REQUESTS_PER_SECOND, 1);
	cr_expect_eq(statements_of(&get), 2);
	cr_expect_eq(statements_of(&get), 1);
	serve_expect_refusal(&get);
	serve_expect(&other);
	/* New limits are not seen at first; after 5 s they are read again. */
	serve_set_limit(SETTING_LIMITS_KEY_REQUESTS_PER_SECOND, 0);
	serve_expect_refusal(&get);
	boot_shift = 5000;
	cr_expect_eq(statements_of(&get), 2);
}

Test(serve, serves_everybody_without_a_spool_folder)
{
	const struct exchange get = {"get", "GET", "/v1/templates", {BEARER("ph_full")}, NULL, 200,
	    NO_TEMPLATES, "RateLimit: \"workspace\";r=1;t=0"};
	g_autofree char *path = g_build_filename(
	    config_settings_text(house->settings, SETTING_SPOOL_DIR), "rates", NULL);

	serve_set_limit(SETTING_LIMITS_REQUESTS_PER_SECOND, 1);
	serve_set_limit(SETTING_LIMITS_BURST, 1);
	g_unlink(path);
	cr_assert_eq(g_mkdir(path, 0700), 0);
	for (guint i = 0; i < 10; i++)
		serve_expect(&get);
	g_rmdir(path);
}
