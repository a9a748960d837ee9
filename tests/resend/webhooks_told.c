/* SPDX-License-Identifier: MIT */
/* The events of webhooks under /resend, as it reaches a receiver. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/exchange.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"
#include "tests/support/receiver.h"

static struct fixture *fixture;
static struct receiver *receiver;

static void
webhooks_told_begin(void)
{
	fixture = fixture_open();
	ALONE_SET(fixture, "fetch.allow=127.0.0.0/8");
	receiver = receiver_start(NULL, NULL);
}

static void
webhooks_told_end(void)
{
	fixture_close(fixture);
	receiver_stop(receiver);
}

TestSuite(
    resend_webhooks_told, .init = webhooks_told_begin, .fini = webhooks_told_end, .timeout = 900);

/* Makes a webhook, and returns its secret, which the caller owns. */
static char *
webhooks_told_add(const char *events)
{
	g_autofree char *body = g_strdup_printf(
	    "{'endpoint':'http://127.0.0.1:%u/','events':[%s]}", receiver_port(receiver), events);
	const struct exchange exchange = {events, "POST", "/resend/webhooks", body, 201};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "signing_secret"));
}

static struct answer *
webhooks_told_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, method, path, body, status};

	exchange_next_moment();
	return exchange_expect(fixture, &exchange);
}

/* The request of this type, the last one. */
static const struct receiver_request *
webhooks_told_find(const char *type)
{
	g_autofree char *start = g_strdup_printf("{\"type\":\"%s\",\"created_at\":\"", type);

	for (guint i = receiver_count(receiver); i > 0; i--)
		if (g_str_has_prefix(receiver_get(receiver, i - 1)->body, start))
			return receiver_get(receiver, i - 1);
	return NULL;
}

/* The receiver has been told of this type. The caller owns the answer that stands for it. */
static struct answer *
told(const char *type, const char *const *want)
{
	const struct receiver_request *request = webhooks_told_find(type);
	struct answer *answer = g_new0(struct answer, 1);

	cr_assert(request, "nothing is told of %s", type);
	answer->json = json_parse(request->body, request->size, NULL);
	cr_assert(answer->json, "%s", request->body);
	for (; *want; want++) {
		g_auto(GStrv) parts = g_strsplit(*want, " = ", 2);
		g_autofree char *got = json_print(answer_at(answer, parts[0]));
		g_autofree char *quoted = exchange_quoted(parts[1]);

		cr_expect_str_eq(got, quoted, "%s: %s is %s, want %s", type, parts[0], got, quoted);
	}
	return answer;
}
#define TOLD(type, ...) answer_free(told(type, (const char *const[]){__VA_ARGS__, NULL}))

static void
webhooks_told_expect_header(
    const struct receiver_request *request, const char *name, const char *want)
{
	g_autofree char *got = receiver_header(request, name);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

/* The signature is that of Standard Webhooks, under both names, and the id that of the event. */
static void
check_signature(const struct receiver_request *request, const char *secret)
{
	gsize size;
	g_autofree char *id = receiver_header(request, "webhook-id");
	g_autofree char *at = receiver_header(request, "webhook-timestamp");
	g_autofree char *text = g_strdup_printf("%s.%s.%s", id, at, request->body);
	g_autofree guchar *key = g_base64_decode(secret + strlen("whsec_"), &size);
	guint8 digest[32];
	gsize digest_size = sizeof(digest);
	GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA256, key, size);

	g_hmac_update(hmac, (const guchar *)text, -1);
	g_hmac_get_digest(hmac, digest, &digest_size);
	g_hmac_unref(hmac);
	g_autofree char *hash = g_base64_encode(digest, digest_size);
	g_autofree char *want = g_strconcat("v1,", hash, NULL);
	webhooks_told_expect_header(request, "webhook-signature", want);
	webhooks_told_expect_header(request, "svix-signature", want);
	webhooks_told_expect_header(request, "svix-id", id);
	webhooks_told_expect_header(request, "svix-timestamp", at);
	webhooks_told_expect_header(request, "content-type", "application/json");
}

#define SEND(to, more)                                                                             \
	"{'from':'Ann <a@" FIXTURE_DOMAIN ">','to':['" to "'],'subject':'S','html':'<p>Hi</p>',"   \
	"'tags':[{'name':'order','value':'7'}]" more "}"
#define OF_EMAIL                                                                                   \
	"data.from = 'Ann <a@" FIXTURE_DOMAIN ">'", "data.subject = 'S'",                          \
	    "data.tags = {'order':'7'}", "data.template_id = null", "data.broadcast_id = null"

Test(resend_webhooks_told, are_told_of_emails)
{
	g_autofree char *secret = webhooks_told_add(
	    "'email.sent','email.scheduled','email.delivered','email.delivery_delayed',"
	    "'email.bounced','email.complained','email.suppressed','email.received',"
	    "'suppression.added'");
	AUTO(answer) bounced = webhooks_told_ask("POST", "/resend/emails",
	    SEND("bounced@resend.dev", ",'headers':{'X-Order':'7','X-Kind':'k: v'}"), 200);
	answer_free(
	    webhooks_told_ask("POST", "/resend/emails", SEND("complained+a@resend.dev", ""), 200));
	answer_free(
	    webhooks_told_ask("POST", "/resend/emails", SEND("suppressed@resend.dev", ""), 200));
	AUTO(answer) scheduled = webhooks_told_ask("POST", "/resend/emails",
	    SEND("delivered@resend.dev", ",'cc':'b@example.net','scheduled_at':'in 1 hour'"), 200);
	g_autofree char *id = g_strdup_printf("data.email_id = '%s'", answer_text(bounced, "id"));
	g_autofree char *message_id = g_strdup_printf(
	    "data.message_id = '<%s@" FIXTURE_DOMAIN ">'", answer_text(bounced, "id"));
	g_autofree char *later =
	    g_strdup_printf("data.email_id = '%s'", answer_text(scheduled, "id"));

	alone_spool(fixture, 0);
	alone_spool(fixture, 10000);
	TOLD("email.bounced", id, message_id, OF_EMAIL, "data.to = ['bounced@resend.dev']",
	    "data.headers = [{'name':'X-Order','value':'7'},{'name':'X-Kind','value':'k: v'}]",
	    "data.bounce = {'type':'Permanent','subType':'General',"
	    "'message':'550 5.1.1 test address',"
	    "'diagnosticCode':['smtp; 550 5.1.1 test address']}");
	TOLD("email.complained", OF_EMAIL, "data.to = ['complained+a@resend.dev']",
	    "data.bounce = null", "data.headers = []");
	TOLD("email.delivered", OF_EMAIL, "data.to = ['complained+a@resend.dev']");
	TOLD("email.suppressed", OF_EMAIL, "data.to = ['suppressed@resend.dev']",
	    "data.suppressed.type = 'OnAccountSuppressionList'");
	TOLD("email.sent", OF_EMAIL);
	TOLD("email.scheduled", later, OF_EMAIL, "data.to = ['delivered@resend.dev']");
	/* Test addresses leave no suppression. */
	cr_expect_null(webhooks_told_find("suppression.added"));
	check_signature(webhooks_told_find("email.bounced"), secret);
	check_signature(webhooks_told_find("email.scheduled"), secret);
}

/* A provider need not say why. */
Test(resend_webhooks_told, have_a_text_for_a_bounce_without_a_reason)
{
	g_autofree char *secret = webhooks_told_add("'email.bounced'");

	answer_free(
	    webhooks_told_ask("POST", "/resend/emails", SEND("bounced@resend.dev", ""), 200));
	test_db_plain(
	    fixture->db, "UPDATE event SET smtp_response = NULL WHERE workspace_id = @workspace");
	alone_spool(fixture, 10000);
	TOLD("email.bounced", "data.bounce = {'type':'Permanent','subType':'General',"
			      "'message':'','diagnosticCode':[]}");
}

static void
webhooks_told_fetch(const char *path)
{
	const struct exchange exchange = {
	    path, "GET", path, .headers = {"Authorization:", "User-Agent: Reader/1.0"}};

	answer_free(exchange_ask(fixture, &exchange));
}

Test(resend_webhooks_told, are_told_of_opens_and_clicks)
{
	g_autofree char *secret = webhooks_told_add("'email.opened','email.clicked'");
	tracking_enable(fixture, true, true);
	AUTO(answer) sent = webhooks_told_ask("POST", "/resend/emails",
	    "{'from':'a@" FIXTURE_DOMAIN "','to':['b@example.net'],'subject':'S',"
	    "'html':'<p><a href=\\u0022http://x.org/\\u0022>x</a></p>','headers':{'X-A':'1'}}",
	    200);
	AUTO(arrival) arrival = arrival_wait(fixture, answer_text(sent, "id"));
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	g_autofree char *link = tracking_path(fixture, html, "a href", "/t/c/");

	webhooks_told_fetch(pixel);
	webhooks_told_fetch(link);
	answer_free(tracking_wait(fixture, answer_text(sent, "id"), 4));
	alone_spool(fixture, 1000);
	AUTO(answer)
	opened = told(
	    "email.opened", (const char *const[]){"data.headers = [{'name':'X-A','value':'1'}]",
				"data.open.ipAddress = '127.0.0.1'",
				"data.open.userAgent = 'Reader/1.0'", "data.click = null", NULL});
	cr_expect_eq(strlen(answer_text(opened, "data.open.timestamp")), 24);
	AUTO(answer)
	clicked = told(
	    "email.clicked", (const char *const[]){"data.click.ipAddress = '127.0.0.1'",
				 "data.click.userAgent = 'Reader/1.0'",
				 "data.click.link = 'http://x.org/'", "data.open = null", NULL});
	cr_expect_eq(strlen(answer_text(clicked, "data.click.timestamp")), 24);
}

Test(resend_webhooks_told, are_told_of_broadcasts)
{
	g_autofree char *secret = webhooks_told_add("'email.delivered'");
	AUTO(answer) list = webhooks_told_ask("POST", "/resend/segments", "{'name':'List'}", 201);
	g_autofree char *contacts =
	    g_strdup_printf("/resend/audiences/%s/contacts", answer_text(list, "id"));
	g_autofree char *body = g_strdup_printf(
	    "{'segment_id':'%s','from':'a@" FIXTURE_DOMAIN "','subject':'S','send':true,"
	    "'html':'<a href={{{RESEND_UNSUBSCRIBE_URL}}}>out</a>'}",
	    answer_text(list, "id"));

	answer_free(webhooks_told_ask(
	    "POST", contacts, "{'email':'delivered@test.posthouse.invalid'}", 201));
	AUTO(answer) sent = webhooks_told_ask("POST", "/resend/broadcasts", body, 201);
	g_autofree char *of = g_strdup_printf("data.broadcast_id = '%s'", answer_text(sent, "id"));
	alone_spool(fixture, 0);
	alone_spool(fixture, 10000);
	TOLD("email.delivered", of, "data.to = ['delivered@test.posthouse.invalid']",
	    "data.subject = 'S'", "data.tags = {}");
}

/* The name of the member differs from ours; the id stays, and get shows the same payload. */
Test(resend_webhooks_told, are_told_of_delays)
{
	g_autofree char *secret = webhooks_told_add("'email.delivery_delayed'");
	AUTO(answer) made = webhooks_told_ask("POST", "/v1/emails",
	    "{'from':'a@" FIXTURE_DOMAIN "','to':['delayed@test.posthouse.invalid'],'subject':'S',"
	    "'html':'x'}",
	    201);

	alone_spool(fixture, 0);
	alone_spool(fixture, 1000);
	TOLD("email.delivery_delayed", "data.to = ['delayed@test.posthouse.invalid']",
	    "data.tags = {}");
	AUTO(answer) hooks = webhooks_told_ask("GET", "/resend/webhooks", NULL, 200);
	const struct receiver_request *request = webhooks_told_find("email.delivery_delayed");
	g_autofree char *id = receiver_header(request, "webhook-id");
	g_autofree char *event =
	    g_strdup_printf("/resend/webhooks/%s/events/%s", answer_text(hooks, "data[0].id"), id);
	AUTO(answer) shown = webhooks_told_ask("GET", event, NULL, 200);
	g_autofree char *payload = json_print(answer_at(shown, "payload"));
	cr_expect_str_eq(payload, request->body);
	cr_expect_str_eq(answer_text(shown, "status"), "success");
	/* In /v1 it is shown as it was told. */
	AUTO(answer) list = webhooks_told_ask("GET", "/v1/webhooks", NULL, 200);
	g_autofree char *deliveries =
	    g_strdup_printf("/v1/webhooks/%s/deliveries", answer_text(list, "webhooks[0].id"));
	AUTO(answer) ours = webhooks_told_ask("GET", deliveries, NULL, 200);
	cr_expect_str_eq(answer_text(ours, "deliveries[0].type"), "email.delayed");
}

Test(resend_webhooks_told, are_told_of_contacts)
{
	g_autofree char *secret =
	    webhooks_told_add("'contact.created','contact.updated','contact.deleted'");
	AUTO(answer) list = webhooks_told_ask("POST", "/resend/segments", "{'name':'List'}", 201);
	g_autofree char *contacts =
	    g_strdup_printf("/resend/audiences/%s/contacts", answer_text(list, "id"));
	g_autofree char *one = g_strconcat(contacts, "/a@example.net", NULL);
	g_autofree char *of = g_strdup_printf("data.audience_id = '%s'", answer_text(list, "id"));
	g_autofree char *in = g_strdup_printf("data.segment_ids = ['%s']", answer_text(list, "id"));

	answer_free(webhooks_told_ask(
	    "POST", contacts, "{'email':'a@example.net','first_name':'Ada'}", 201));
	answer_free(webhooks_told_ask("PATCH", one, "{'last_name':'L'}", 200));
	answer_free(webhooks_told_ask("DELETE", one, NULL, 200));
	alone_spool(fixture, 1000);
	TOLD("contact.created", of, in, "data.email = 'a@example.net'", "data.first_name = 'Ada'",
	    "data.last_name = null");
	TOLD("contact.updated", of, in, "data.last_name = 'L'");
	AUTO(answer) deleted = told("contact.deleted", (const char *const[]){of, in, NULL});
	cr_expect_eq(json_kind(answer_at(deleted, "data.unsubscribed")), JSON_BOOLEAN);
	cr_expect_eq(strlen(answer_text(deleted, "data.created_at")), 24);
	cr_expect_eq(strlen(answer_text(deleted, "data.updated_at")), 24);
	cr_expect_eq(strlen(answer_text(deleted, "data.id")), 36);
	cr_expect_null(answer_at(deleted, "data.contact"));
}

/* Those of /resend/contacts, which need be in no segment. */
Test(resend_webhooks_told, are_told_of_people)
{
	g_autofree char *secret =
	    webhooks_told_add("'contact.created','contact.updated','contact.deleted'");
	const char *one = "/resend/contacts/a@example.net";
	g_autofree char *ours = g_strdup_printf("{'url':'http://127.0.0.1:%u/','events':"
						"['contact.created','contact.updated']}",
	    receiver_port(receiver));

	/* A webhook of /v1 is told of contacts of audiences alone. */
	answer_free(webhooks_told_ask("POST", "/v1/webhooks", ours, 200));
	AUTO(answer) made = webhooks_told_ask("POST", "/resend/contacts",
	    "{'email':'a@example.net','first_name':'Ada','unsubscribed':true}", 201);
	g_autofree char *id = g_strdup_printf("data.id = '%s'", answer_text(made, "id"));
	alone_spool(fixture, 1000);
	cr_expect_eq(receiver_count(receiver), 1);
	TOLD("contact.created", id, "data.audience_id = ''", "data.segment_ids = []",
	    "data.email = 'a@example.net'", "data.first_name = 'Ada'", "data.last_name = null",
	    "data.unsubscribed = true");
	answer_free(webhooks_told_ask("PATCH", one, "{'last_name':'L'}", 200));
	alone_spool(fixture, 2000);
	TOLD("contact.updated", id, "data.last_name = 'L'", "data.unsubscribed = true");
	answer_free(webhooks_told_ask("PATCH", one, "{'properties':{'plan':'pro'}}", 200));
	answer_free(webhooks_told_ask("PATCH", one, "{'last_name':'L'}", 200));
	alone_spool(fixture, 3000);
	cr_expect_eq(receiver_count(receiver), 3, "one change");
	answer_free(webhooks_told_ask("PATCH", one, "{'unsubscribed':false}", 200));
	alone_spool(fixture, 4000);
	TOLD("contact.updated", id, "data.unsubscribed = false");
	answer_free(webhooks_told_ask("DELETE", one, NULL, 200));
	alone_spool(fixture, 5000);
	TOLD("contact.deleted", id, "data.email = 'a@example.net'");
	cr_expect_eq(receiver_count(receiver), 5);
}

Test(resend_webhooks_told, are_told_of_people_in_segments)
{
	g_autofree char *secret = webhooks_told_add("'contact.deleted'");
	AUTO(answer) list = webhooks_told_ask("POST", "/resend/segments", "{'name':'List'}", 201);
	g_autofree char *in = g_strdup_printf("data.segment_ids = ['%s']", answer_text(list, "id"));
	g_autofree char *body = g_strdup_printf(
	    "{'email':'a@example.net','segments':[{'id':'%s'}]}", answer_text(list, "id"));

	AUTO(answer) made = webhooks_told_ask("POST", "/resend/contacts", body, 201);
	g_autofree char *path = g_strconcat("/resend/contacts/", answer_text(made, "id"), NULL);
	answer_free(webhooks_told_ask("DELETE", path, NULL, 200));
	alone_spool(fixture, 1000);
	/* Once as the contact of the segment, and once as the person. */
	TOLD("contact.deleted", in);
	cr_expect_eq(receiver_count(receiver), 2);
}

/* The client for Rust reads no domain without capabilities. */
#define OF_DOMAIN                                                                                  \
	"data.open_tracking = false", "data.click_tracking = false",                               \
	    "data.tracking_subdomain = null",                                                      \
	    "data.capabilities = {'sending':'enabled','receiving':'disabled'}"

Test(resend_webhooks_told, are_told_of_domains)
{
	g_autofree char *secret =
	    webhooks_told_add("'domain.created','domain.updated','domain.deleted'");
	AUTO(answer) made = webhooks_told_ask(
	    "POST", "/resend/domains", "{'name':'d.example.net','region':'eu-west-1'}", 201);
	g_autofree char *path = g_strconcat("/resend/domains/", answer_text(made, "id"), NULL);
	g_autofree char *id = g_strdup_printf("data.id = '%s'", answer_text(made, "id"));
	g_autofree char *at =
	    g_strdup_printf("data.created_at = '%s'", answer_text(made, "created_at"));

	alone_spool(fixture, 1000);
	TOLD("domain.created", id, at, "data.name = 'd.example.net'", "data.status = 'not_started'",
	    "data.region = 'eu-west-1'", "data.records[0].record = 'SPF'",
	    "data.records[3].record = 'DKIM'", OF_DOMAIN);
	g_free(TEST_RUN(fixture->instance, "posthouse", "domain", "trust", "d.example.net",
	    "--workspace", fixture->name));
	alone_spool(fixture, 2000);
	TOLD("domain.updated", id, at, "data.status = 'verified'", "data.region = 'eu-west-1'",
	    "data.domain = null", OF_DOMAIN);
	answer_free(webhooks_told_ask("DELETE", path, NULL, 200));
	alone_spool(fixture, 3000);
	TOLD("domain.deleted", id, "data.name = 'd.example.net'", "data.status = 'verified'",
	    "data.region = 'eu-west-1'", "data.records = []", OF_DOMAIN);
	cr_expect_eq(receiver_count(receiver), 3);
}

Test(resend_webhooks_told, are_told_of_topics)
{
	g_autofree char *secret = webhooks_told_add(
	    "'topic.created','topic.updated','topic.deleted','contact.topics.updated'");
	AUTO(answer) made = webhooks_told_ask("POST", "/resend/topics",
	    "{'name':'News','description':'Now','default_subscription':'opt_in'}", 201);
	g_autofree char *path = g_strconcat("/resend/topics/", answer_text(made, "id"), NULL);
	g_autofree char *id = g_strdup_printf("data.id = '%s'", answer_text(made, "id"));
	g_autofree char *left = g_strdup_printf("data = {'email':'A@example.net','topics':"
						"[{'id':'%s','subscription':'opt_out'}]}",
	    answer_text(made, "id"));
	g_autofree char *out =
	    g_strdup_printf("[{'id':'%s','subscription':'opt_out'}]", answer_text(made, "id"));

	answer_free(
	    webhooks_told_ask("POST", "/resend/contacts", "{'email':'A@example.net'}", 201));
	answer_free(webhooks_told_ask("PATCH", "/resend/contacts/a@example.net/topics", out, 200));
	/* A choice that stands is no change. */
	answer_free(webhooks_told_ask("PATCH", "/resend/contacts/a@example.net/topics", out, 200));
	answer_free(webhooks_told_ask("PATCH", path, "{'name':'Old'}", 200));
	answer_free(webhooks_told_ask("DELETE", path, NULL, 200));
	alone_spool(fixture, 1000);
	TOLD("topic.created", id, "data.name = 'News'", "data.description = 'Now'",
	    "data.default_subscription = 'opt_in'", "data.deleted = false");
	TOLD("topic.updated", id, "data.name = 'Old'", "data.deleted = false");
	TOLD("topic.deleted", id, "data.name = 'Old'", "data.deleted = true");
	TOLD("contact.topics.updated", left);
	cr_expect_eq(receiver_count(receiver), 4);
}

Test(resend_webhooks_told, are_told_of_suppressions)
{
	g_autofree char *secret = webhooks_told_add("'suppression.added','suppression.removed'");

	/* Scope automation alone is not seen here; widening it is an addition. */
	answer_free(webhooks_told_ask(
	    "POST", "/v1/suppressions", "{'email':'a@example.net','reason':'unsubscribed'}", 200));
	alone_spool(fixture, 1000);
	cr_expect_eq(receiver_count(receiver), 0);
	AUTO(answer) added =
	    webhooks_told_ask("POST", "/resend/suppressions", "{'email':'a@example.net'}", 201);
	g_autofree char *id = g_strdup_printf("data.id = '%s'", answer_text(added, "id"));
	alone_spool(fixture, 2000);
	TOLD("suppression.added", id, "data.email = 'a@example.net'", "data.origin = 'manual'",
	    "data.source_id = null");
	/* There already. */
	answer_free(
	    webhooks_told_ask("POST", "/resend/suppressions", "{'email':'A@example.net'}", 201));
	answer_free(webhooks_told_ask("DELETE", "/resend/suppressions/a@example.net", NULL, 200));
	alone_spool(fixture, 3000);
	TOLD("suppression.removed", id, "data.email = 'a@example.net'", "data.origin = 'manual'");
	cr_expect_eq(receiver_count(receiver), 2);
	answer_free(
	    webhooks_told_ask("POST", "/v1/suppressions", "{'email':'b@example.net'}", 200));
	answer_free(webhooks_told_ask("DELETE", "/v1/suppressions/b@example.net", NULL, 200));
	alone_spool(fixture, 4000);
	TOLD("suppression.removed", "data.email = 'b@example.net'");
	cr_expect_eq(receiver_count(receiver), 4);
}

/* A test under /v1 of such a webhook has its form too. A webhook of /v1 keeps its own. */
Test(resend_webhooks_told, keep_their_form)
{
	g_autofree char *secret = webhooks_told_add("'email.sent'");
	AUTO(answer) list = webhooks_told_ask("GET", "/resend/webhooks", NULL, 200);
	g_autofree char *test =
	    g_strdup_printf("/v1/webhooks/%s/test", answer_text(list, "data[0].id"));
	g_autofree char *id =
	    g_strdup_printf("data.webhook_id = '%s'", answer_text(list, "data[0].id"));
	g_autofree char *ours = g_strdup_printf(
	    "{'url':'http://127.0.0.1:%u/','events':['email.sent']}", receiver_port(receiver));

	answer_free(webhooks_told_ask("POST", test, NULL, 200));
	TOLD("webhook.test", id);
	check_signature(webhooks_told_find("webhook.test"), secret);
	answer_free(webhooks_told_ask("POST", "/v1/webhooks", ours, 200));
	answer_free(
	    webhooks_told_ask("POST", "/resend/emails", SEND("delivered@resend.dev", ""), 200));
	alone_spool(fixture, 0);
	alone_spool(fixture, 10000);
	cr_assert_eq(receiver_count(receiver), 3);
	const char *first = receiver_get(receiver, 1)->body;
	const char *second = receiver_get(receiver, 2)->body;
	cr_expect_neq(g_str_has_prefix(first, "{\"id\":"), g_str_has_prefix(second, "{\"id\":"));
	cr_expect_neq(
	    g_str_has_prefix(first, "{\"type\":"), g_str_has_prefix(second, "{\"type\":"));
}
