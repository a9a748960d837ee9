/* SPDX-License-Identifier: MIT */
/* webhook.test: sent at once, once, and listed with the other deliveries. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/exchange.h"
#include "tests/support/http_server.h"

static struct fixture *fixture;

static void
webhook_tested_begin(void)
{
	fixture = fixture_open();
	ALONE_SET(fixture, "fetch.allow=127.0.0.2/32");
}

static void
webhook_tested_end(void)
{
	fixture_close(fixture);
}

TestSuite(webhook_tested, .init = webhook_tested_begin, .fini = webhook_tested_end, .timeout = 900);

/* Answers with the status that is the path. */
static void
webhook_tested_serve(struct http_peer *peer, const char *request, void *data)
{
	g_autofree char *answer = g_strdup_printf(
	    "HTTP/1.1 %.3s X\r\nContent-Length: 2\r\n\r\nok", strchr(request, '/') + 1);

	http_peer_send(peer, answer, strlen(answer));
}

/* Adds a webhook, and returns its path, which the caller owns. */
static char *
webhook_tested_add(int port, const char *rest)
{
	g_autofree char *body = g_strdup_printf("{'url':'http://127.0.0.2:%d%s}", port, rest);
	const struct exchange exchange = {rest, "POST", "/v1/webhooks", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strconcat("/v1/webhooks/", answer_text(answer, "id"), NULL);
}

Test(webhook_tested, tells_what_it_answered)
{
	struct http_server *server =
	    http_server_start("127.0.0.2", NULL, webhook_tested_serve, NULL);
	int port = http_server_port(server);
	const struct {
		const char *rest; /* of its url, and more members */
		int port;
		const char *want_status, *want_response, *want_error;
	} cases[] = {
	    {"/204'", port, "status = 'succeeded'", "attempts[0].response_status = 204",
		"attempts[0].error = null"},
	    {"/200','enabled':false,'events':['domain.failed']", port, "status = 'succeeded'",
		"attempts[0].response_status = 200", "attempts[0].error = null"},
	    {"/200','batch':true", port, "status = 'succeeded'",
		"attempts[0].response_status = 200", "attempts[0].error = null"},
	    {"/500'", port, "status = 'failed'", "attempts[0].response_status = 500",
		"attempts[0].error = null"},
	    {"/302'", port, "status = 'failed'", "attempts[0].response_status = 302",
		"attempts[0].error = null"},
	    {"/'", 1, "status = 'failed'", "attempts[0].response_status = null",
		"attempts[0].error : string"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *hook = webhook_tested_add(cases[i].port, cases[i].rest);
		g_autofree char *path = g_strconcat(hook, "/test", NULL),
				*list = g_strconcat(hook, "/deliveries?type=webhook.test", NULL);
		const struct exchange test = {cases[i].rest, "POST", path, NULL, 200,
		    .want = {"type = 'webhook.test'", cases[i].want_status, "created : integer",
			"next_attempt = null", "attempts[0].timestamp : integer",
			"attempts[0].duration : integer", "attempts[0].response_body : string",
			cases[i].want_response, cases[i].want_error, "attempts[1] : null"}};
		AUTO(answer) answer = exchange_expect(fixture, &test);
		g_autofree char *id =
		    g_strdup_printf("deliveries[0].id = '%s'", answer_text(answer, "id"));
		g_autofree char *one =
		    g_strconcat(hook, "/deliveries/", answer_text(answer, "id"), NULL);
		g_autofree char *data = g_strdup_printf(
		    "payload.data = {'webhook_id':'%s'}", answer_text(answer, "webhook_id"));
		g_autofree char *event =
		    g_strdup_printf("payload.id = '%s'", answer_text(answer, "event_id"));
		const struct exchange exchanges[] = {
		    {"listed", "GET", list, NULL, 200, .want = {"count = 1", id}},
		    {"read", "GET", one, NULL, 200,
			.want = {cases[i].want_status, event, "payload.type = 'webhook.test'",
			    "payload.timestamp : string", data}},
		    /* It counts for nothing. */
		    {"the webhook", "GET", hook, NULL, 200,
			.want = {"failing_since = null", "disabled_reason = null"}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
	http_server_stop(server);
}

/* 410 says the same here as elsewhere. */
Test(webhook_tested, ends_with_a_receiver_that_is_gone)
{
	struct http_server *server =
	    http_server_start("127.0.0.2", NULL, webhook_tested_serve, NULL);
	int port = http_server_port(server);
	g_autofree char *on = webhook_tested_add(port, "/410'"),
			*off = webhook_tested_add(port, "/410','enabled':false"),
			*test_on = g_strconcat(on, "/test", NULL),
			*test_off = g_strconcat(off, "/test", NULL);
	const struct exchange exchanges[] = {
	    {"test", "POST", test_on, NULL, 200,
		.want = {"status = 'failed'", "attempts[0].response_status = 410"}},
	    {"off", "GET", on, NULL, 200,
		.want = {"enabled = false", "disabled_reason = 'gone'", "failing_since = null"}},
	    {"on again", "PATCH", on, "{'enabled':true}", 200,
		.want = {"enabled = true", "disabled_reason = null"}},
	    {"test of one that is off", "POST", test_off, NULL, 200, .want = {"status = 'failed'"}},
	    {"off as before", "GET", off, NULL, 200,
		.want = {"enabled = false", "disabled_reason = null"}},
	};

	EXPECT_ALL(fixture, exchanges);
	http_server_stop(server);
}
