/* SPDX-License-Identifier: MIT */
/* API keys: their scopes and their end, on each route. */
#include <criterion/criterion.h>

#include "db/statement.h"
#include "store/workspace/key.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define MISSING "{'message':'Missing API key','code':'api_key_missing'}"
#define WRONG "{'message':'Invalid API key','code':'api_key_invalid'}"
#define ONLY_READ "{'message':'This API key may only read','code':'api_key_forbidden'}"
#define ONLY_SEND                                                                                  \
	"{'message':'This API key may only send emails and events','code':'api_key_forbidden'}"

FIXTURE_SUITE(authentication, 900);

/* A GET whose one header is FORMAT with the key in it. */
static void
authentication_expect(
    const char *name, const char *format, const char *key, guint status, const char *body)
{
	g_autofree char *key_mark = g_strdup(format);
	g_auto(GStrv) parts = g_strsplit(key_mark, "KEY", -1);
	g_autofree char *line = g_strjoinv(key, parts);
	const struct exchange exchange = {
	    .name = name,
	    .method = "GET",
	    .path = "/v1/emails",
	    .want_status = status,
	    .want_body = body,
	    .headers = {line},
	    .want_header = {status == 401 ? "WWW-Authenticate: Bearer" : "WWW-Authenticate:",
		"Content-Type: application/json", "Cache-Control: no-store"},
	};

	answer_free(exchange_expect(fixture, &exchange));
}

#define NONE "{'emails':[],'count':0,'cursor':null}"

Test(authentication, reads_keys)
{
	const struct {
		const char *name, *format;
		guint want_status;
		const char *want_body;
	} cases[] = {
	    {"none", "Authorization:", 401, MISSING},
	    {"Bearer", "Authorization: Bearer KEY", 200, NONE},
	    {"in small letters", "authorization: bearer KEY", 200, NONE},
	    {"in capitals", "AUTHORIZATION: BEARER KEY", 200, NONE},
	    {"two spaces", "Authorization: Bearer  KEY", 200, NONE},
	    {"spaces behind", "Authorization: Bearer KEY  ", 200, NONE},
	    {"Basic", "Authorization: Basic cGg6cGg=", 401, MISSING},
	    {"Digest", "Authorization: Digest username=\"x\"", 401, MISSING},
	    {"no scheme", "Authorization: KEY", 401, MISSING},
	    {"a longer scheme", "Authorization: Bearers KEY", 401, MISSING},
	    {"scheme alone", "Authorization: Bearer", 401, MISSING},
	    {"empty", "Authorization;", 401, MISSING},
	    {"unknown", "Authorization: Bearer ph_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 403,
		WRONG},
	    {"no key of ours", "Authorization: Bearer x", 403, WRONG},
	    {"one letter more", "Authorization: Bearer KEYx", 403, WRONG},
	    {"two keys", "Authorization: Bearer KEY KEY", 403, WRONG},
	    {"quoted", "Authorization: Bearer \"KEY\"", 403, WRONG},
	    {"SQL", "Authorization: Bearer ' OR 1=1 -- ", 403, WRONG},
	    {"X-API-Key", "X-API-Key: KEY", 200, NONE},
	    {"X-API-Key, wrong", "X-API-Key: nothing", 403, WRONG},
	    {"X-API-Key with a scheme", "X-API-Key: Bearer KEY", 403, WRONG},
	    {"X-API-Key, empty", "X-API-Key;", 401, MISSING},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		authentication_expect(cases[i].name, cases[i].format, fixture->key,
		    cases[i].want_status, cases[i].want_body);
}

Test(authentication, prefers_authorization)
{
	g_autofree char *good = g_strconcat("X-API-Key: ", fixture->key, NULL);
	const struct exchange exchanges[] = {
	    {.name = "wrong",
		.method = "GET",
		.path = "/v1/emails",
		.want_status = 403,
		.want_body = WRONG,
		.headers = {"Authorization: Bearer x", good}},
	    {.name = "another scheme",
		.method = "GET",
		.path = "/v1/emails",
		.want_status = 401,
		.want_body = MISSING,
		.headers = {"Authorization: Basic cGg6cGg=", good}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The key in its printed form may not be cut, padded or recased. */
Test(authentication, takes_the_whole_key_alone)
{
	g_autofree char *cut = g_strndup(fixture->key, strlen(fixture->key) - 1);
	g_autofree char *upper = g_ascii_strup(fixture->key, -1);

	authentication_expect("cut", "Authorization: Bearer KEY", cut, 403, WRONG);
	authentication_expect("recased", "Authorization: Bearer KEY", upper, 403, WRONG);
	authentication_expect(
	    "without its prefix", "Authorization: Bearer KEY", fixture->key + 3, 403, WRONG);
}

static void
note_newest_key(const struct store_key_row *row, void *id)
{
	if (*(char *)id == '\0')
		base_id_format(&row->key.id, id);
}

static void
let_expire(void)
{
	g_autoptr(GError) error = NULL;

	cr_assert(
	    db_run(fixture->db,
		"UPDATE api_key SET expires = ? WHERE expires > 0 AND workspace_id = ?",
		DB_VALUES(db_int(g_get_real_time() / 1000), db_id(&fixture->id)), NULL, &error),
	    "%s", error ? error->message : "");
}

Test(authentication, ends_keys)
{
	g_autofree char *revoked = fixture_new_key(fixture, "full", NULL);
	char id[ID_TEXT_SIZE] = "";

	cr_assert(store_key_list(fixture->db, &fixture->id, note_newest_key, id, NULL));
	g_autofree char *expired = fixture_new_key(fixture, "full", "2090-01-01T00:00:00Z");
	authentication_expect("not revoked", "Authorization: Bearer KEY", revoked, 200, NONE);
	authentication_expect("not expired", "Authorization: Bearer KEY", expired, 200, NONE);
	let_expire();
	authentication_expect("expired", "Authorization: Bearer KEY", expired, 403, WRONG);
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "key", "revoke", id, "--workspace", fixture->name));
	authentication_expect("revoked", "Authorization: Bearer KEY", revoked, 403, WRONG);
	authentication_expect("another", "Authorization: Bearer KEY", fixture->key, 200, NONE);
}

/* The status of each scope on each route. Bodies and ids are invalid, so an allowed request fails
 * too. */
static const struct {
	const char *method, *path, *body;
	guint full, send, read;
} routes[] = {
    {"POST", "/v1/emails", "{}", 400, 400, 403},
    {"GET", "/v1/emails", NULL, 200, 403, 200},
    {"GET", "/v1/emails/x", NULL, 404, 403, 404},
    {"HEAD", "/v1/emails/x", NULL, 404, 403, 404},
    {"POST", "/v1/emails/batch", "{}", 400, 400, 403},
    {"PATCH", "/v1/emails/x", "{}", 400, 403, 403},
    {"DELETE", "/v1/emails/x", NULL, 404, 403, 403},
    {"POST", "/v1/emails/x/cancel", NULL, 404, 403, 403},
    {"POST", "/v1/templates", "{}", 400, 403, 403},
    {"GET", "/v1/templates", NULL, 200, 403, 200},
    {"GET", "/v1/templates/x", NULL, 404, 403, 404},
    {"PATCH", "/v1/templates/x", "{}", 404, 403, 403},
    {"DELETE", "/v1/templates/x", NULL, 404, 403, 403},
    {"POST", "/v1/segments", "{}", 400, 403, 403},
    {"GET", "/v1/segments", NULL, 200, 403, 200},
    {"POST", "/v1/segments/preview", "{}", 400, 403, 403},
    {"GET", "/v1/segments/x", NULL, 404, 403, 404},
    {"PATCH", "/v1/segments/x", "{}", 404, 403, 403},
    {"DELETE", "/v1/segments/x", NULL, 404, 403, 403},
    {"GET", "/v1/segments/x/count", NULL, 404, 403, 404},
    {"GET", "/v1/segments/x/people", NULL, 404, 403, 404},
    {"POST", "/v1/segments/x/freeze", "{'name':'x'}", 404, 403, 403},
    {"POST", "/v1/properties", "{}", 400, 403, 403},
    {"GET", "/v1/properties", NULL, 200, 403, 200},
    {"PATCH", "/v1/properties/x", "{}", 404, 403, 403},
    {"DELETE", "/v1/properties/x", NULL, 404, 403, 403},
    {"POST", "/v1/audiences", "{}", 400, 403, 403},
    {"GET", "/v1/audiences", NULL, 200, 403, 200},
    {"GET", "/v1/audiences/x", NULL, 404, 403, 404},
    {"DELETE", "/v1/audiences/x", NULL, 404, 403, 403},
    {"POST", "/v1/audiences/x/contacts", "{}", 400, 403, 403},
    {"GET", "/v1/audiences/x/contacts", NULL, 404, 403, 404},
    {"GET", "/v1/audiences/x/contacts/y", NULL, 404, 403, 404},
    {"PATCH", "/v1/audiences/x/contacts/y", "{}", 404, 403, 403},
    {"DELETE", "/v1/audiences/x/contacts/y", NULL, 404, 403, 403},
    {"POST", "/v1/suppressions", "{}", 400, 403, 403},
    {"GET", "/v1/suppressions", NULL, 200, 403, 200},
    {"GET", "/v1/suppressions/x", NULL, 404, 403, 404},
    {"DELETE", "/v1/suppressions/x", NULL, 404, 403, 403},
    {"POST", "/v1/events", "{}", 400, 400, 403},
    {"POST", "/v1/workflows", "{}", 400, 403, 403},
    {"GET", "/v1/workflows", NULL, 200, 403, 200},
    {"GET", "/v1/workflows/x", NULL, 404, 403, 404},
    {"PATCH", "/v1/workflows/x", "{}", 404, 403, 403},
    {"DELETE", "/v1/workflows/x", NULL, 404, 403, 403},
    {"GET", "/v1/workflows/x/executions", NULL, 404, 403, 404},
    {"GET", "/v1/workflows/x/emails", NULL, 404, 403, 404},
    {"GET", "/v1/executions/x", NULL, 404, 403, 404},
    {"POST", "/v1/executions/x/cancel", "", 404, 403, 403},
    {"GET", "/v1/executions/x/emails", NULL, 404, 403, 404},
    {"POST", "/v1/webhooks", "{}", 400, 403, 403},
    {"GET", "/v1/webhooks", NULL, 200, 403, 200},
    {"GET", "/v1/webhooks/x", NULL, 404, 403, 404},
    {"PATCH", "/v1/webhooks/x", "{}", 404, 403, 403},
    {"DELETE", "/v1/webhooks/x", NULL, 404, 403, 403},
    {"POST", "/v1/webhooks/x/rotate", "", 404, 403, 403},
    {"POST", "/v1/webhooks/x/test", "", 404, 403, 403},
    {"POST", "/v1/webhooks/x/replay", "{'from':0}", 404, 403, 403},
    {"GET", "/v1/webhooks/x/deliveries", NULL, 404, 403, 404},
    {"GET", "/v1/webhooks/x/deliveries/y", NULL, 404, 403, 404},
    {"POST", "/v1/webhooks/x/deliveries/y/replay", "", 404, 403, 403},
    {"GET", "/v1/automation/contacts", NULL, 200, 403, 200},
    {"GET", "/v1/automation/contacts/x", NULL, 404, 403, 404},
    {"PATCH", "/v1/automation/contacts/x", "{'properties':{}}", 404, 403, 403},
    {"DELETE", "/v1/automation/contacts/x", NULL, 404, 403, 403},
    {"GET", "/v1/automation/contacts/x/executions", NULL, 404, 403, 404},
    {"GET", "/v1/automation/contacts/x/events", NULL, 404, 403, 404},
    {"GET", "/health", NULL, 200, 200, 200},
    {"GET", "/ready", NULL, 200, 200, 200},
};

static void
expect_scope(gsize route, const char *scope, const char *key, guint status)
{
	g_autofree char *line = g_strconcat("Authorization: Bearer ", key, NULL);
	g_autofree char *name =
	    g_strdup_printf("%s %s with %s", routes[route].method, routes[route].path, scope);
	const char *refusal = *scope == 'r' ? ONLY_READ : ONLY_SEND;
	bool head = *routes[route].method == 'H';
	const struct exchange exchange = {
	    .name = name,
	    .method = routes[route].method,
	    .path = routes[route].path,
	    .body = routes[route].body,
	    .want_status = status,
	    .want_body = status == 403 && !head ? refusal : NULL,
	    .headers = {line},
	};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(authentication, holds_keys_to_their_scopes)
{
	g_autofree char *send = fixture_new_key(fixture, "send", NULL);
	g_autofree char *read = fixture_new_key(fixture, "read", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(routes); i++) {
		expect_scope(i, "full", fixture->key, routes[i].full);
		expect_scope(i, "send", send, routes[i].send);
		expect_scope(i, "read", read, routes[i].read);
	}
}

#define ONLY_METRICS                                                                               \
	"{'message':'This API key may only read the metrics','code':'api_key_forbidden'}"
#define NOT_METRICS                                                                                \
	"{'message':'Only a key of scope metrics may read the "                                    \
	"metrics','code':'api_key_forbidden'}"

/* A key for metrics is good for nothing else, and no other key is good for metrics. */
Test(authentication, keeps_metrics_apart)
{
	static const struct {
		const char *scope, *method, *path, *body;
		guint want;
		const char *want_body;
	} cases[] = {
	    {"metrics", "GET", "/metrics", NULL, 200},
	    {"metrics", "HEAD", "/metrics", NULL, 200},
	    {"metrics", "GET", "/v1/emails", NULL, 403, ONLY_METRICS},
	    {"metrics", "POST", "/v1/emails", "{}", 403, ONLY_METRICS},
	    {"metrics", "POST", "/v1/events", "{}", 403, ONLY_METRICS},
	    {"metrics", "GET", "/v1/workflows", NULL, 403, ONLY_METRICS},
	    {"metrics", "GET", "/v1/domains", NULL, 403, ONLY_METRICS},
	    {"metrics", "GET", "/resend/emails", NULL, 401},
	    {"full", "GET", "/metrics", NULL, 403, NOT_METRICS},
	    {"read", "GET", "/metrics", NULL, 403, ONLY_READ},
	    {"send", "GET", "/metrics", NULL, 403, ONLY_SEND},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *key = fixture_new_key(fixture, cases[i].scope, NULL);
		g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
		g_autofree char *name =
		    g_strdup_printf("%s %s %s", cases[i].scope, cases[i].method, cases[i].path);
		const struct exchange exchange = {.name = name,
		    .method = cases[i].method,
		    .path = cases[i].path,
		    .body = cases[i].body,
		    .want_status = cases[i].want,
		    .want_body = cases[i].want_body,
		    .headers = {header},
		    .want_header = {
			cases[i].want == 200
			    ? "Content-Type: application/openmetrics-text; version=1.0.0; "
			      "charset=utf-8"
			    : NULL}};

		answer_free(exchange_expect(fixture, &exchange));
	}
}

/* doctor asks the service with a key of its own, and leaves none behind. */
Test(authentication, lets_doctor_see_that_keys_arrive)
{
	static const char count[] = "SELECT COUNT(*) FROM api_key WHERE name = 'posthouse doctor'";
	g_autofree char *found =
	    TEST_RUN(fixture->instance, "posthouse", "doctor", "--only", "web", "--only", "relay");
	AUTO(db_rows) rows = db_select(fixture->db, count, NULL, 0, NULL);

	cr_expect(g_pattern_match_simple("ok    relay 127.0.0.1:*: it answers*\nok    web: "
					 "http://127.0.0.1:* answers, and keys arrive\n",
		      found),
	    "got %s", found);
	cr_assert(rows && db_rows_next(rows));
	cr_expect_eq(db_rows_int(rows, 0), 0, "a key is left");
}
