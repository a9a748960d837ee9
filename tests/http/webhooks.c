/* SPDX-License-Identifier: MIT */
/* Webhooks: create, read, list, change, delete, rotate, and replay of a span of time. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/list.h"
#include "base/limits/webhook.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"
#include "tests/support/deliveries.h"

FIXTURE_SUITE(webhooks, 900);

#define URL "'url':'https://hooks.example.com/a?b=c'"
#define MISSING "{'message':'Webhook not found'}"

/* Adds a webhook with more members. The caller owns the answer. */
static struct answer *
webhooks_add(const char *more)
{
	AUTO(answer) answer = audience_ask(fixture, "POST", more, "/v1/webhooks");

	cr_assert_eq(answer->status, 200u, "%s: got %s", more, answer->body);
	return g_steal_pointer(&answer);
}

static char *
webhooks_add_id(const char *body)
{
	AUTO(answer) answer = webhooks_add(body);

	return g_strdup(answer_text(answer, "id"));
}

Test(webhooks, are_made_with_defaults)
{
	static const char *const bodies[] = {
	    "{" URL "}", "{" URL ",'events':null,'enabled':null,'description':null,'batch':null}"};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		const struct exchange exchange = {bodies[i], "POST", "/v1/webhooks", bodies[i], 200,
		    .want = {"id : string", "url = 'https://hooks.example.com/a?b=c'",
			"events = ['*']", "enabled = true", "description = ''", "batch = false",
			"created : integer", "disabled_reason = null", "failing_since = null",
			"previous_expires = null", "secret : string"},
		    .want_header = {"Ignored-Members:"}};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		const char *secret = answer_text(answer, "secret");

		cr_expect(
		    g_regex_match_simple("^whsec_[A-Za-z0-9+/]{43}=$", secret, 0, 0), "%s", secret);
	}
}

/* The secret is in the first answer alone. */
Test(webhooks, come_back_as_they_were_given)
{
	g_autofree char *longest = g_strnfill(LIMIT_WEBHOOK_DESCRIPTION_LENGTH - 1, 'x');
	g_autofree char *body =
	    g_strdup_printf("{" URL ",'events':['email.complained','email.bounced',"
			    "'email.complained'],'enabled':false,'description':'\u00e9%s',"
			    "'batch':true}",
		longest);
	g_autofree char *description = g_strdup_printf("description = '\u00e9%s'", longest);
	g_autofree char *id = webhooks_add_id(body), *path = g_strconcat("/v1/webhooks/", id, NULL);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"url = 'https://hooks.example.com/a?b=c'",
		    "events = ['email.bounced','email.complained']", "enabled = false", description,
		    "batch = true", "disabled_reason = null", "failing_since = null",
		    "previous_expires = null", "secret : absent"}},
	    {"list", "GET", "/v1/webhooks", NULL, 200,
		.want = {"count = 1", "cursor = null", "webhooks[0].id : string",
		    "webhooks[0].events = ['email.bounced','email.complained']",
		    "webhooks[0].secret : absent"}},
	    {"*", "PATCH", path, "{'events':'*'}", 200, .want = {"events = ['*']"}},
	    {"one", "PATCH", path, "{'events':['domain.failed']}", 200,
		.want = {"events = ['domain.failed']", "secret : absent"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define MALFORMED "url must be an absolute http or https URL"
#define PRIVATE "url must not lead to a private address"
#define NO_ARRAY "events must be an array"
#define NO_EVENT "events[0] must be the name of an event"

Test(webhooks, are_refused_by_field)
{
	g_autofree char *past = g_strnfill(LIMIT_WEBHOOK_DESCRIPTION_LENGTH + 1, 'x');
	g_autofree char *long_description = g_strdup_printf("{" URL ",'description':'%s'}", past);
	g_autofree char *path =
	    g_strnfill(LIMIT_WEBHOOK_URL_BYTES + 1 - strlen("http://a.example/"), 'x');
	g_autofree char *long_url = g_strdup_printf("{'url':'http://a.example/%s'}", path);
	const struct {
		const char *body, *want;
		bool create_only;
	} cases[] = {
	    {"{}", "url is required", true},
	    {"{'url':null}", "url is required", true},
	    {"{'url':7}", "url must be a string"},
	    {"{'url':''}", MALFORMED},
	    {"{'url':'hooks.example.com'}", MALFORMED},
	    {"{'url':'ftp://hooks.example.com/'}", MALFORMED},
	    {"{'url':'https://ann:x@hooks.example.com/'}", MALFORMED},
	    {long_url, MALFORMED},
	    {"{'url':'http://127.0.0.1/'}", PRIVATE},
	    {"{'url':'http://0x7f.1/'}", PRIVATE},
	    {"{'url':'http://[::1]:8080/'}", PRIVATE},
	    {"{'url':'http://localhost/'}", PRIVATE},
	    {"{'url':'http://x.localhost/'}", PRIVATE},
	    {"{'url':'https://hooks.example.com:8080/'}", "url must not use port 8080"},
	    {"{" URL ",'events':[]}", "events must not be empty"},
	    {"{" URL ",'events':['']}", NO_EVENT},
	    {"{" URL ",'events':['webhook.test']}", NO_EVENT},
	    {"{" URL ",'events':['email.sent','email.read']}",
		"events[1] must be the name of an event"},
	    {"{" URL ",'events':['email.sent',7]}", "events[1] must be a string"},
	    {"{" URL ",'events':[null]}", "events[0] must be a string"},
	    {"{" URL ",'events':''}", NO_ARRAY},
	    {"{" URL ",'events':'email.sent'}", NO_ARRAY},
	    {"{" URL ",'events':7}", NO_ARRAY},
	    {"{" URL ",'events':1.5}", NO_ARRAY},
	    {"{" URL ",'events':false}", NO_ARRAY},
	    {"{" URL ",'events':{}}", NO_ARRAY},
	    {"{'url':7,'events':7}", "url must be a string"},
	    {"{'url':'','events':7}", MALFORMED},
	    {"{'url':'http://localhost/','events':['x']}", PRIVATE},
	    {"{'events':7}", "url is required", true},
	    {"{'url':null,'events':[]}", "url is required", true},
	    {"{" URL ",'enabled':'yes'}", "enabled must be a boolean"},
	    {"{" URL ",'batch':1}", "batch must be a boolean"},
	    {"{" URL ",'description':1}", "description must be a string"},
	    {long_description, "description must be at most 200 characters"},
	    {"{" URL ",'descripton':'x'}",
		"descripton is not a field of this request; did you mean description?"},
	};
	g_autofree char *id = webhooks_add_id("{" URL ",'description':'before'}");
	g_autofree char *before = fixture_rows(fixture);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *want = g_strdup_printf("{'message':'%s'}", cases[i].want);

		audience_expect(fixture, "POST", cases[i].body, 400, want, "/v1/webhooks");
		if (!cases[i].create_only)
			audience_expect(
			    fixture, "PATCH", cases[i].body, 400, want, "/v1/webhooks/%s", id);
	}
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before);
}

Test(webhooks, are_changed_member_by_member)
{
	g_autofree char *id = webhooks_add_id(
	    "{" URL ",'events':['email.sent'],'enabled':false,'description':'D','batch':true}");
	g_autofree char *path = g_strconcat("/v1/webhooks/", id, NULL);
	const struct exchange exchanges[] = {
	    {"nothing", "PATCH", path, "{}", 200,
		.want = {"url = 'https://hooks.example.com/a?b=c'", "events = ['email.sent']",
		    "enabled = false", "description = 'D'", "batch = true"}},
	    {"null leaves", "PATCH", path, "{'url':null,'enabled':null,'batch':null}", 200,
		.want = {"url = 'https://hooks.example.com/a?b=c'", "enabled = false",
		    "batch = true"}},
	    {"null clears", "PATCH", path, "{'events':null,'description':null}", 200,
		.want = {"events = ['*']", "description = ''"}},
	    {"url", "PATCH", path, "{'url':'http://other.example/'}", 200,
		.want = {"url = 'http://other.example/'", "events = ['*']", "enabled = false"}},
	    {"the others", "PATCH", path,
		"{'events':['contact.created'],'enabled':true,'description':'E','batch':false}",
		200,
		.want = {"events = ['contact.created']", "enabled = true", "description = 'E'",
		    "batch = false"}},
	    {"get", "GET", path, NULL, 200,
		.want = {"url = 'http://other.example/'", "events = ['contact.created']",
		    "enabled = true", "description = 'E'", "batch = false"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

static void
webhooks_run(const char *sql, const char *id)
{
	struct base_id parsed;

	cr_assert(base_id_parse(id, &parsed));
	cr_assert(db_run(fixture->db, sql, DB_VALUES(db_id(&parsed)), NULL, NULL));
}

Test(webhooks, are_switched_on_again)
{
	g_autofree char *id = webhooks_add_id("{" URL "}"),
			*path = g_strconcat("/v1/webhooks/", id, NULL);
	const struct exchange off = {"off", "PATCH", path, "{'description':'x'}", 200,
	    .want = {"enabled = false", "disabled_reason = 'failing'", "failing_since = 5"}};
	const struct exchange gone = {"gone", "GET", path, NULL, 200,
	    .want = {"enabled = false", "disabled_reason = 'gone'"}};
	const struct exchange on = {"on", "PATCH", path, "{'enabled':true}", 200,
	    .want = {"enabled = true", "disabled_reason = null", "failing_since = null"}};
	struct test_delivery delivery = {.next_attempt = base_clock_now() + 3600000};

	cr_assert(base_id_parse(id, &delivery.webhook));
	test_delivery_store(fixture->db, &fixture->id, &delivery);
	webhooks_run(
	    "UPDATE webhook SET enabled = 0, disabled_reason = 2, failing_since = 5 WHERE id = ?",
	    id);
	answer_free(exchange_expect(fixture, &off));
	webhooks_run("UPDATE webhook SET disabled_reason = 1 WHERE id = ?", id);
	answer_free(exchange_expect(fixture, &gone));
	answer_free(exchange_expect(fixture, &on));
	AUTO(answer) list = audience_ask(fixture, "GET", NULL, "/v1/webhooks/%s/deliveries", id);
	cr_expect(json_integer(answer_at(list, "deliveries[0].next_attempt")) <= base_clock_now(),
	    "%s", list->body);
}

Test(webhooks, get_a_new_secret)
{
	AUTO(answer) made = webhooks_add("{" URL "}");
	const char *id = answer_text(made, "id");
	gint64 now = base_clock_now(), day = LIMIT_WEBHOOK_SECRET_MS;
	AUTO(answer) first = audience_ask(fixture, "POST", NULL, "/v1/webhooks/%s/rotate", id);
	AUTO(answer) second = audience_ask(fixture, "POST", "{}", "/v1/webhooks/%s/rotate", id);
	gint64 expires = json_integer(answer_at(first, "previous_expires"));

	cr_assert_eq(first->status, 200u, "%s", first->body);
	cr_assert_eq(second->status, 200u, "%s", second->body);
	cr_expect_str_eq(answer_text(first, "id"), id);
	cr_expect_eq(json_member_count(first->json), 3u);
	cr_expect(expires >= now + day && expires <= base_clock_now() + day);
	cr_expect_str_neq(answer_text(first, "secret"), answer_text(made, "secret"));
	cr_expect_str_neq(answer_text(first, "secret"), answer_text(second, "secret"));
	AUTO(answer) got = audience_ask(fixture, "GET", NULL, "/v1/webhooks/%s", id);
	cr_expect_eq(json_integer(answer_at(got, "previous_expires")),
	    json_integer(answer_at(second, "previous_expires")));
	cr_expect_null(strstr(got->body, "whsec_"));
	webhooks_run("UPDATE webhook SET previous_expires = 5 WHERE id = ?", id);
	const struct exchange over = {"over", "GET", "/v1/webhooks", NULL, 200,
	    .want = {"webhooks[0].previous_expires = null"}};
	answer_free(exchange_expect(fixture, &over));
}

Test(webhooks, are_deleted_with_their_deliveries)
{
	g_autofree char *id = webhooks_add_id("{" URL "}");
	struct test_delivery delivery = {.status = DELIVERY_FAILED};

	cr_assert(base_id_parse(id, &delivery.webhook));
	test_delivery_store(fixture->db, &fixture->id, &delivery);
	audience_expect(
	    fixture, "DELETE", NULL, 200, "{'message':'Webhook deleted'}", "/v1/webhooks/%s", id);
	audience_expect(fixture, "DELETE", NULL, 404, MISSING, "/v1/webhooks/%s", id);
	audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/webhooks/%s", id);
	audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/webhooks/%s/deliveries", id);
	audience_expect(
	    fixture, "GET", NULL, 200, "{'webhooks':[],'count':0,'cursor':null}", "/v1/webhooks");
}

/* Every operation, with a webhook that is not there or of another workspace. */
Test(webhooks, belong_to_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	AUTO(answer) theirs = audience_ask(other, "POST", "{" URL "}", "/v1/webhooks");
	const char *const ids[] = {answer_text(theirs, "id"), "x",
	    "01890a5d-ac96-774b-bcce-b302099a8057", "00000000-0000-0000-0000-000000000000"};
	g_autofree char *before = fixture_rows(other);

	for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
		audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/webhooks/%s", ids[i]);
		audience_expect(
		    fixture, "PATCH", "{'enabled':false}", 404, MISSING, "/v1/webhooks/%s", ids[i]);
		audience_expect(fixture, "PATCH", "{'url':''}", 400, "{'message':'" MALFORMED "'}",
		    "/v1/webhooks/%s", ids[i]);
		audience_expect(fixture, "PATCH", "{'events':['x']}", 400,
		    "{'message':'" NO_EVENT "'}", "/v1/webhooks/%s", ids[i]);
		audience_expect(fixture, "DELETE", NULL, 404, MISSING, "/v1/webhooks/%s", ids[i]);
		audience_expect(
		    fixture, "POST", NULL, 404, MISSING, "/v1/webhooks/%s/rotate", ids[i]);
		audience_expect(
		    fixture, "POST", NULL, 404, MISSING, "/v1/webhooks/%s/test", ids[i]);
		audience_expect(
		    fixture, "POST", "{'from':0}", 404, MISSING, "/v1/webhooks/%s/replay", ids[i]);
		audience_expect(
		    fixture, "GET", NULL, 404, MISSING, "/v1/webhooks/%s/deliveries", ids[i]);
		audience_expect(
		    fixture, "GET", NULL, 404, MISSING, "/v1/webhooks/%s/deliveries/x", ids[i]);
		audience_expect(fixture, "POST", NULL, 404, MISSING,
		    "/v1/webhooks/%s/deliveries/x/replay", ids[i]);
	}
	audience_expect(
	    fixture, "GET", NULL, 200, "{'webhooks':[],'count':0,'cursor':null}", "/v1/webhooks");
	g_autofree char *after = fixture_rows(other);
	cr_expect_str_eq(after, before);
}

/* Wrong fields are told before a webhook that is not there. */
Test(webhooks, are_looked_up_after_the_fields)
{
	static const struct exchange exchanges[] = {
	    {"patch", "PATCH", "/v1/webhooks/x", "{'url':'x'}", 400, "{'message':'" MALFORMED "'}"},
	    {"replay", "POST", "/v1/webhooks/x/replay", "{}", 400,
		"{'message':'from is required'}"},
	    {"list", "GET", "/v1/webhooks/x/deliveries?status=x", NULL, 400,
		"{'message':'status must be one of pending, succeeded, failed'}"},
	    {"method", "PUT", "/v1/webhooks/x", "{}", 405, "{'message':'Method not allowed'}",
		.want_header = {"Allow: GET, HEAD, PATCH, DELETE"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(webhooks, are_limited)
{
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "workspace", "limit", fixture->name, "webhooks=2"));
	g_autofree char *first = webhooks_add_id("{" URL "}");
	answer_free(webhooks_add("{" URL "}"));
	audience_expect(fixture, "POST", "{" URL "}", 409,
	    "{'message':'Limit reached: at most 2 webhooks'}", "/v1/webhooks");
	audience_expect(fixture, "DELETE", NULL, 200, NULL, "/v1/webhooks/%s", first);
	answer_free(webhooks_add("{" URL "}"));
}

Test(webhooks, are_limited_to_50_by_default)
{
	for (guint i = 0; i < LIMIT_WEBHOOKS; i++)
		answer_free(webhooks_add("{" URL "}"));
	audience_expect(fixture, "POST", "{" URL "}", 409,
	    "{'message':'Limit reached: at most 50 webhooks'}", "/v1/webhooks");
	AUTO(answer) page = audience_ask(fixture, "GET", NULL, "/v1/webhooks");
	cr_expect_eq(json_integer(answer_at(page, "count")), LIMIT_PAGE);
	cr_expect_null(answer_at(page, "cursor"), "%s", page->body);
}

/* The cursor is the id of the last one. */
Test(webhooks, are_listed_in_pages)
{
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);

	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "workspace", "limit", fixture->name, "webhooks=0"));
	for (guint i = 0; i < LIMIT_PAGE + 1; i++) {
		g_ptr_array_add(ids, webhooks_add_id("{" URL "}"));
		exchange_next_moment();
	}
	AUTO(answer) first = audience_ask(fixture, "GET", NULL, "/v1/webhooks");
	cr_assert_eq(json_integer(answer_at(first, "count")), LIMIT_PAGE);
	cr_expect_str_eq(answer_text(first, "webhooks[0].id"), ids->pdata[LIMIT_PAGE]);
	cr_expect_str_eq(answer_text(first, "cursor"), ids->pdata[1]);
	AUTO(answer) rest = audience_ask(
	    fixture, "GET", NULL, "/v1/webhooks?cursor=%s", answer_text(first, "cursor"));
	cr_expect_eq(json_integer(answer_at(rest, "count")), 1);
	cr_expect_str_eq(answer_text(rest, "webhooks[0].id"), ids->pdata[0]);
	cr_expect_null(answer_at(rest, "cursor"));
	audience_expect(fixture, "GET", NULL, 400, "{'message':'cursor is malformed'}",
	    "/v1/webhooks?cursor=x");
}

#define AT G_GINT64_CONSTANT(1795174711000) /* 2026-11-20T11:38:31Z */

/* Stores a delivery that was created so many ms after AT. */
static void
webhooks_store(const char *webhook, gint64 after, enum store_delivery_status status)
{
	struct test_delivery delivery = {.created = AT + after, .status = status};

	cr_assert(base_id_parse(webhook, &delivery.webhook));
	test_delivery_store(fixture->db, &fixture->id, &delivery);
}

Test(webhooks, are_told_a_span_again)
{
	static const struct {
		const char *body;
		guint want_status;
		const char *want;
	} cases[] = {
	    {"{'from':1795174711002,'to':1795174711004}", 200, "{'count':2,'more':false}"},
	    {"{'from':'2026-11-20T11:38:31.003Z','to':null}", 200, "{'count':2,'more':false}"},
	    {"{'from':0,'status':'succeeded'}", 200, "{'count':1,'more':false}"},
	    {"{'from':0,'status':'succeeded'}", 200, "{'count':0,'more':false}"},
	    {"{'from':5,'to':4}", 200, "{'count':0,'more':false}"},
	    {"{'from':0,'status':null}", 200, "{'count':4,'more':false}"},
	    {"{}", 400, "{'message':'from is required'}"},
	    {"{'from':null}", 400, "{'message':'from is required'}"},
	    {"{'from':'x'}", 400,
		"{'message':'from must be epoch milliseconds or an ISO 8601 time'}"},
	    {"{'from':0,'to':true}", 400,
		"{'message':'to must be epoch milliseconds or an ISO 8601 time'}"},
	    {"{'from':0,'status':'FAILED'}", 400,
		"{'message':'status must be one of pending, succeeded, failed'}"},
	    {"{'from':0,'status':''}", 400,
		"{'message':'status must be one of pending, succeeded, failed'}"},
	};
	g_autofree char *id = webhooks_add_id("{" URL "}"), *other = webhooks_add_id("{" URL "}");

	webhooks_store(id, 1, DELIVERY_SUCCEEDED);
	webhooks_store(id, 2, DELIVERY_FAILED);
	webhooks_store(id, 3, DELIVERY_FAILED);
	webhooks_store(id, 4, DELIVERY_PENDING);
	webhooks_store(other, 3, DELIVERY_FAILED);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		audience_expect(fixture, "POST", cases[i].body, cases[i].want_status, cases[i].want,
		    "/v1/webhooks/%s/replay", id);
	AUTO(answer) theirs =
	    audience_ask(fixture, "GET", NULL, "/v1/webhooks/%s/deliveries", other);
	cr_expect_str_eq(answer_text(theirs, "deliveries[0].status"), "failed");
	audience_expect(fixture, "PATCH", "{'enabled':false}", 200, NULL, "/v1/webhooks/%s", id);
	audience_expect(fixture, "POST", "{'from':0}", 409, "{'message':'Webhook is disabled'}",
	    "/v1/webhooks/%s/replay", id);
}
