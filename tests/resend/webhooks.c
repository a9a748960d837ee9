/* SPDX-License-Identifier: MIT */
/* /resend/webhooks, and what their events and attempts show. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/webhook.h"
#include "store/webhook/delivery.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"
#include "tests/support/deliveries.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define AT G_GINT64_CONSTANT(1795174711000)
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define INVALID(field, text)                                                                       \
	FAILURE(422, "validation_error", "Invalid `" field "` field. " text ".")
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")
#define NOT_FOUND FAILURE(404, "not_found", "Webhook not found")
#define NO_UUID FAILURE(422, "invalid_parameter", "The `id` must be a valid UUID.")
#define BODY(url, events) "{'endpoint':'" url "','events':[" events "]}"

FIXTURE_SUITE(resend_webhooks, 900);

/* Makes a webhook that is told of email.sent, and returns its path, which the caller owns. */
static char *
resend_webhooks_add(const char *url, struct base_id *id_r)
{
	g_autofree char *body = g_strdup_printf("{'endpoint':'%s','events':['email.sent']}", url);
	const struct exchange exchange = {url, "POST", "/resend/webhooks", body, 201,
	    .want = {"object = 'webhook'", "id : string", "signing_secret : string"}};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	cr_expect(g_str_has_prefix(answer_text(answer, "signing_secret"), "whsec_"));
	if (id_r)
		cr_assert(base_id_parse(answer_text(answer, "id"), id_r));
	return g_strconcat("/resend/webhooks/", answer_text(answer, "id"), NULL);
}

/* Expects the texts of a member in a list, separated by blanks, and has_more. */
static void
webhooks_expect_list(
    const char *path, const char *query, const char *member, const char *want, bool more)
{
	g_autofree char *target = g_strconcat(path, query, NULL);
	const struct exchange exchange = {target, "GET", target, .want_status = 200,
	    .want = {"object = 'list'", more ? "has_more = true" : "has_more = false"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(data, i), member), NULL));
	cr_expect_str_eq(got->str, want, "%s: got %s, want %s", target, got->str, want);
}

Test(resend_webhooks, are_made_within_the_rules)
{
	g_autofree char *longest =
	    g_strnfill(LIMIT_WEBHOOK_URL_BYTES - strlen("https://x.org/"), 'a');
	g_autofree char *fits =
	    g_strdup_printf("{'endpoint':'https://x.org/%s','events':['email.sent']}", longest);
	g_autofree char *over =
	    g_strdup_printf("{'endpoint':'https://x.org/%sa','events':['email.sent']}", longest);
	const struct exchange exchanges[] = {
	    {"no body", "POST", "/resend/webhooks", NULL, 422, MISSING("endpoint")},
	    {"no endpoint", "POST", "/resend/webhooks", "{'events':['email.sent']}", 422,
		MISSING("endpoint")},
	    {"an empty one", "POST", "/resend/webhooks", BODY("", "'email.sent'"), 422,
		MISSING("endpoint")},
	    {"no events", "POST", "/resend/webhooks", "{'endpoint':'https://x.org/'}", 422,
		MISSING("events")},
	    {"none of them", "POST", "/resend/webhooks", BODY("https://x.org/", ""), 422,
		MISSING("events")},
	    {"ours", "POST", "/resend/webhooks",
		BODY("https://x.org/", "'email.sent','email.delayed'"), 422,
		INVALID("events", "events[1] must be the name of an event")},
	    {"all", "POST", "/resend/webhooks", BODY("https://x.org/", "'*'"), 422,
		INVALID("events", "events[0] must be the name of an event")},
	    {"a number", "POST", "/resend/webhooks", "{'endpoint':'https://x.org/','events':[1]}",
		422, INVALID("events", "events[0] must be a string")},
	    {"no URL", "POST", "/resend/webhooks", BODY("x.org", "'email.sent'"), 422,
		INVALID("endpoint", "endpoint must be an absolute http or https URL")},
	    {"a private address", "POST", "/resend/webhooks",
		BODY("http://10.0.0.1/", "'email.sent'"), 422,
		INVALID("endpoint", "endpoint must not lead to a private address")},
	    {"a port", "POST", "/resend/webhooks", BODY("https://x.org:81/", "'email.sent'"), 422,
		INVALID("endpoint", "endpoint must not use port 81")},
	    {"2048 bytes", "POST", "/resend/webhooks", fits, 201},
	    {"2049 bytes", "POST", "/resend/webhooks", over, 422,
		INVALID("endpoint", "endpoint must be an absolute http or https URL")},
	    {"more members", "POST", "/resend/webhooks",
		"{'endpoint':'http://x.org/','events':['inbox.created'],'Events':1,'name':'x'}",
		201},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* All names of the type WebhookEvent are taken and shown. */
#define EVERY                                                                                      \
	"['email.sent','email.scheduled','email.delivered','email.delivery_delayed',"              \
	"'email.complained','email.bounced','email.opened','email.clicked','email.received',"      \
	"'email.failed','email.suppressed','contact.created','contact.updated',"                   \
	"'contact.deleted','contact.topics.updated','domain.created','domain.updated',"            \
	"'domain.deleted','suppression.added','suppression.removed','topic.created',"              \
	"'topic.updated','topic.deleted','inbox.created','inbox.updated','inbox.deleted',"         \
	"'inbox.thread.created','inbox.thread.folder.updated','inbox.thread.assigned',"            \
	"'inbox.thread.unassigned','inbox.thread.labels.updated','inbox.email.received',"          \
	"'inbox.email.sent','inbox.draft.created','inbox.draft.updated','inbox.draft.sent',"       \
	"'inbox.draft.deleted']"

Test(resend_webhooks, are_shown_and_changed)
{
	g_autofree char *path = resend_webhooks_add("https://a.example.net/hook", NULL);
	const char *id = strrchr(path, '/') + 1;
	g_autofree char *ours = g_strconcat("/v1/webhooks/", id, NULL);
	g_autofree char *changed = g_strdup_printf("{'object':'webhook','id':'%s'}", id);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'webhook','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 200,
		.want = {"object = 'webhook'", "id : string", "created_at : string",
		    "status = 'enabled'", "endpoint = 'https://a.example.net/hook'",
		    "events = ['email.sent']", "signing_secret : string"}},
	    {"in /v1", "GET", ours, .want_status = 200,
		.want = {"url = 'https://a.example.net/hook'", "events = ['email.sent']",
		    "enabled = true", "batch = false", "description = ''"}},
	    {"nothing", "PATCH", path, "{'endpoint':null}", 200, changed},
	    {"off", "PATCH", path, "{'status':'disabled'}", 200, changed},
	    {"is off", "GET", path, .want_status = 200, .want = {"status = 'disabled'"}},
	    {"all", "PATCH", path,
		"{'endpoint':'https://b.example.net/','status':'enabled','events':" EVERY "}", 200,
		changed},
	    {"has all", "GET", path, .want_status = 200,
		.want = {"status = 'enabled'", "endpoint = 'https://b.example.net/'",
		    "events = " EVERY}},
	    {"told of in /v1", "GET", ours, .want_status = 200,
		.want = {"events = ['email.sent','email.delivered','email.delayed',"
			 "'email.bounced','email.complained','email.opened','email.clicked',"
			 "'email.failed','email.suppressed','email.scheduled','contact.created',"
			 "'contact.updated','contact.deleted','domain.verified','domain.failed',"
			 "'domain.warning','domain.created','domain.deleted',"
			 "'suppression.added','suppression.removed','email.received']"}},
	    {"another word", "PATCH", path, "{'status':'on'}", 422,
		INVALID("status", "status must be enabled or disabled")},
	    {"another event", "PATCH", path, "{'events':['email']}", 422,
		INVALID("events", "events[0] must be the name of an event")},
	    {"another endpoint", "PATCH", path, "{'endpoint':'ftp://x.org/'}", 422,
		INVALID("endpoint", "endpoint must be an absolute http or https URL")},
	    {"unknown", "PATCH", "/resend/webhooks/" UNKNOWN, "{}", 404, NOT_FOUND},
	    {"fields come first", "PATCH", "/resend/webhooks/" UNKNOWN, "{'endpoint':'x'}", 422,
		INVALID("endpoint", "endpoint must be an absolute http or https URL")},
	    {"no UUID", "GET", "/resend/webhooks/x", .want_status = 422, .want_body = NO_UUID},
	    {"remove", "DELETE", path, .want_status = 200, .want_body = gone},
	    {"again", "DELETE", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"not there", "GET", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"not in /v1", "GET", ours, .want_status = 404},
	    /* /v1 knows its own names alone. */
	    {"new names", "POST", "/v1/webhooks",
		"{'url':'https://x.org/','events':['domain.created']}", 400,
		"{'message':'events[0] must be the name of an event'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The secret is shown to keys of scope full; a rotation gives another. */
Test(resend_webhooks, have_a_secret)
{
	g_autofree char *path = resend_webhooks_add("https://a.example.net/", NULL);
	g_autofree char *rotate = g_strconcat(path, "/signing-secret/rotate", NULL);
	g_autofree char *read_key = fixture_new_key(fixture, "read", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", read_key, NULL);
	const struct exchange get = {"get", "GET", path, .want_status = 200};
	const struct exchange other = {"read", "GET", path, .want_status = 200,
	    .want = {"signing_secret : null"}, .headers = {header}};
	const struct exchange denied = {
	    "rotate", "POST", rotate, .want_status = 401, .headers = {header}};
	const struct exchange again = {"rotate", "POST", rotate, .want_status = 200,
	    .want = {"object = 'webhook'", "id : string"}};

	AUTO(answer) before = exchange_expect(fixture, &get);
	answer_free(exchange_expect(fixture, &other));
	answer_free(exchange_expect(fixture, &denied));
	AUTO(answer) rotated = exchange_expect(fixture, &again);
	AUTO(answer) after = exchange_expect(fixture, &get);
	cr_expect_str_neq(
	    answer_text(before, "signing_secret"), answer_text(after, "signing_secret"));
	cr_expect_str_eq(
	    answer_text(rotated, "signing_secret"), answer_text(after, "signing_secret"));
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM webhook"
			 " WHERE previous_secret IS NOT NULL AND workspace_id = @workspace"),
	    1);
}

Test(resend_webhooks, are_listed)
{
	struct base_id id;
	g_autofree char *c = resend_webhooks_add("https://c.example.net/", &id);
	g_autofree char *b = resend_webhooks_add("https://b.example.net/", NULL);
	g_autofree char *a = resend_webhooks_add("https://a.example.net/", NULL);
	const struct exchange ours = {
	    "ours", "POST", "/v1/webhooks", "{'url':'https://v1.example.net/'}", 200};
	AUTO(answer) made = exchange_expect(fixture, &ours);
	g_autofree char *hidden = g_strconcat("/resend/webhooks/", answer_text(made, "id"), NULL);
	g_autofree char *after = g_strconcat("?limit=1&after=", strrchr(a, '/') + 1, NULL);
	g_autofree char *before = g_strconcat("?before=", strrchr(c, '/') + 1, NULL);
	const struct exchange exchanges[] = {
	    {"hidden", "GET", hidden, .want_status = 404, .want_body = NOT_FOUND},
	    {"patch", "PATCH", hidden, "{'status':'disabled'}", 404, NOT_FOUND},
	    {"remove", "DELETE", hidden, .want_status = 404, .want_body = NOT_FOUND},
	    {"limit", "GET", "/resend/webhooks?limit=101", .want_status = 422},
	};

	EXPECT_ALL(fixture, exchanges);
	webhooks_expect_list("/resend/webhooks", "", "endpoint",
	    "https://a.example.net/ https://b.example.net/ https://c.example.net/", false);
	webhooks_expect_list("/resend/webhooks", after, "endpoint", "https://b.example.net/", true);
	webhooks_expect_list("/resend/webhooks", before, "endpoint",
	    "https://a.example.net/ https://b.example.net/", false);
}

Test(resend_webhooks, of_others_are_not_there)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *path = resend_webhooks_add("https://a.example.net/", NULL);
	g_autofree char *events = g_strconcat(path, "/events", NULL);
	g_autofree char *rotate = g_strconcat(path, "/signing-secret/rotate", NULL);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"change", "PATCH", path, "{}", 404, NOT_FOUND},
	    {"remove", "DELETE", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"rotate", "POST", rotate, .want_status = 404, .want_body = NOT_FOUND},
	    {"events", "GET", events, .want_status = 404, .want_body = NOT_FOUND},
	    {"list", "GET", "/resend/webhooks", .want_status = 200,
		.want_body = "{'object':'list','has_more':false,'data':[]}"},
	};

	EXPECT_ALL(other, exchanges);
}

/* Stores a delivery of an event of its own, with attempts. */
static void
resend_webhooks_store(const struct base_id *webhook, struct test_delivery *delivery)
{
	exchange_next_moment();
	delivery->webhook = *webhook;
	delivery->event = base_id_new();
	delivery->id = store_webhook_delivery_id(&delivery->event, webhook);
	test_delivery_store(fixture->db, &fixture->id, delivery);
}

static char *
events_path(const char *webhook, const struct test_delivery *delivery, const char *rest)
{
	char id[ID_TEXT_SIZE];

	return g_strdup_printf(
	    "%s/events/%s%s", webhook, base_id_format(&delivery->event, id), rest);
}

Test(resend_webhooks, list_their_events)
{
	struct base_id id;
	g_autofree char *path = resend_webhooks_add("https://a.example.net/", &id);
	g_autofree char *events = g_strconcat(path, "/events", NULL);
	struct test_delivery rows[] = {
	    {.status = DELIVERY_SUCCEEDED, .attempts = 1, .created = AT},
	    {.status = DELIVERY_FAILED, .type = WEBHOOK_EMAIL_DELAYED, .attempts = 11},
	    {.type = WEBHOOK_DOMAIN_WARNING, .attempts = 1, .next_attempt = AT + 5000},
	    {.type = WEBHOOK_EMAIL_BOUNCED, .next_attempt = AT},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		resend_webhooks_store(&id, &rows[i]);
	g_autofree char *oldest = events_path(path, &rows[0], "");
	g_autofree char *newest = events_path(path, &rows[3], "");
	g_autofree char *waits = events_path(path, &rows[2], "");
	g_autofree char *after = g_strconcat("?limit=2&after=", strrchr(newest, '/') + 1, NULL);
	g_autofree char *before = g_strconcat("?limit=2&before=", strrchr(oldest, '/') + 1, NULL);
	g_autofree char *unknown = g_strconcat(events, "/" UNKNOWN, NULL);
	g_autofree char *no_uuid = g_strconcat(events, "/x", NULL);
	const struct exchange exchanges[] = {
	    {"the oldest", "GET", oldest, .want_status = 200,
		.want = {"object = 'webhook_event'", "id : string", "type = 'email.sent'",
		    "created_at = '2026-11-20T11:38:31.000Z'", "status = 'success'",
		    "next_attempt_at : null", "payload : null"}},
	    {"one that waits", "GET", waits, .want_status = 200,
		.want = {"type = 'domain.updated'", "status = 'attempting'",
		    "next_attempt_at = '2026-11-20T11:38:36.000Z'"}},
	    {"fields come first", "GET", "/resend/webhooks/" UNKNOWN "/events?limit=0",
		.want_status = 422},
	    {"fields come first", "GET",
		"/resend/webhooks/" UNKNOWN "/events/" UNKNOWN "/attempts?limit=0",
		.want_status = 422},
	    {"unknown", "GET", unknown, .want_status = 404,
		.want_body = FAILURE(404, "not_found", "Webhook event not found")},
	    {"no UUID", "GET", no_uuid, .want_status = 422, .want_body = NO_UUID},
	};

	webhooks_expect_list(events, "", "type",
	    "email.bounced domain.updated email.delivery_delayed email.sent", false);
	webhooks_expect_list(events, "", "status", "pending attempting failed success", false);
	webhooks_expect_list(events, after, "type", "domain.updated email.delivery_delayed", true);
	webhooks_expect_list(events, before, "type", "domain.updated email.delivery_delayed", true);
	EXPECT_ALL(fixture, exchanges);
}

Test(resend_webhooks, show_attempts_and_replay)
{
	struct base_id id;
	g_autofree char *path = resend_webhooks_add("https://a.example.net/", &id);
	struct test_delivery delivery = {.status = DELIVERY_FAILED, .attempts = 3, .created = AT};

	resend_webhooks_store(&id, &delivery);
	test_db_plain(fixture->db,
	    "UPDATE webhook_attempt SET response_status = NULL, error = 'no',"
	    " response_body = '' WHERE workspace_id = @workspace AND number = 2");
	g_autofree char *event = events_path(path, &delivery, "");
	g_autofree char *attempts = events_path(path, &delivery, "/attempts");
	g_autofree char *replay = events_path(path, &delivery, "/replay");
	g_autofree char *replayed =
	    g_strdup_printf("{'object':'webhook_event','id':'%s'}", strrchr(event, '/') + 1);
	const struct exchange all = {"attempts", "GET", attempts, .want_status = 200,
	    .want = {"object = 'list'", "has_more = false", "data[0].id : string",
		"data[0].http_status_code = 500", "data[0].response = 'no 3'",
		"data[0].sent_at = '2026-11-20T11:38:34.000Z'", "data[1].http_status_code = 0",
		"data[1].response = ''", "data[2].response = 'no 1'", "data[3] : null"}};
	AUTO(answer) answer = exchange_expect(fixture, &all);
	g_autofree char *after =
	    g_strdup_printf("%s?limit=1&after=%s", attempts, answer_text(answer, "data[0].id"));
	g_autofree char *before =
	    g_strdup_printf("%s?limit=1&before=%s", attempts, answer_text(answer, "data[2].id"));
	g_autofree char *last =
	    g_strdup_printf("%s?after=%s", attempts, answer_text(answer, "data[2].id"));
	const struct exchange exchanges[] = {
	    {"after", "GET", after, .want_status = 200,
		.want = {"has_more = true", "data[0].http_status_code = 0", "data[1] : null"}},
	    {"before", "GET", before, .want_status = 200,
		.want = {"has_more = true", "data[0].http_status_code = 0", "data[1] : null"}},
	    {"no more", "GET", last, .want_status = 200,
		.want_body = "{'object':'list','has_more':false,'data':[]}"},
	    {"replay", "POST", replay, .want_status = 200, .want_body = replayed},
	    {"is due", "GET", event, .want_status = 200,
		.want = {"status = 'pending'", "next_attempt_at : string"}},
	    {"keeps them", "GET", attempts, .want_status = 200,
		.want = {"data[2].response = 'no 1'"}},
	    {"off", "PATCH", path, "{'status':'disabled'}", 200},
	    {"replay when off", "POST", replay, .want_status = 422,
		.want_body = FAILURE(422, "validation_error", "Webhook is disabled")},
	};

	EXPECT_ALL(fixture, exchanges);
}
