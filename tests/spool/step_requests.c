/* SPDX-License-Identifier: MIT */
/* Tests the requests of workflows' steps, which posthouse-spool makes, with a receiver on loopback.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "base/secret.h"
#include "config/settings.h"
#include "json/strict.h"
#include "service/metrics.h"
#include "service/service.h"
#include "tests/spool/asking.h"
#include "tests/support/db.h"

TestSuite(step_requests, .timeout = 900);

#define SIGNING_KEY "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

Test(step_requests, are_filled_in_and_signed)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(asking_say_id, NULL);

	asking_secret(house, "token", "t0p");
	asking_secret(house, "signing", "whsec_" SIGNING_KEY);
	asking_begin(house, receiver, "a/{{event.name}}?x={{none|y}}",
	    ",'method':'PUT','headers':{'Authorization':'Bearer {{secret.token}}!','X-Name':"
	    "'{{name}}','X-Empty':'{{none}}'},'body':{'a':[1,'{{event.name}}',{'var':'event.id'},"
	    "{'var':'none'},true],'b':{'var':'contact.email'}}",
	    true);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	cr_expect(g_str_has_prefix(request->head, "PUT /a/A%2Fb%20c?x=y HTTP/1.1\r\n"), "%s",
	    request->head);
	cr_expect_str_eq(request->body,
	    "{\"a\":[1,\"A/b c\",7,null,true],\"b\":\"ann@example.org\"}", "%s", request->body);
	asking_expect_header(request, "Authorization", "Bearer t0p!");
	asking_expect_header(request, "X-Name", "A/b c");
	asking_expect_header(request, "X-Empty", "");
	asking_expect_header(request, "Content-Type", "application/json");
	g_autofree char *id = receiver_header(request, "webhook-id");
	g_autofree char *want = test_db_text(house->db,
	    "SELECT CONCAT(INSERT(INSERT(INSERT(INSERT(LOWER(HEX(id)), 21, 0, '-'), 17, 0, '-'),"
	    " 13, 0, '-'), 9, 0, '-'), '.2') FROM execution");
	cr_expect_str_eq(id, want);
	g_autofree char *time = receiver_header(request, "webhook-timestamp");
	g_autofree char *signed_text = g_strdup_printf("%s.%s.%s", id, time, request->body);
	g_autoptr(GHmac) hmac =
	    g_hmac_new(G_CHECKSUM_SHA256, (const guchar *)"0123456789abcdef0123456789abcdef", 32);
	guint8 digest[32];
	gsize size = sizeof(digest);
	g_hmac_update(hmac, (const guchar *)signed_text, -1);
	g_hmac_get_digest(hmac, digest, &size);
	g_autofree char *encoded = g_base64_encode(digest, size);
	g_autofree char *signature = g_strconcat("v1,", encoded, NULL);
	asking_expect_header(request, "webhook-signature", signature);
	asking_expect(house, "done", "COMPLETED y");
	asking_expect_properties(house, "result", "{'status': 200, 'body': {'id': [1, 'x']}}");
	telling_expect(house, "no row", "SELECT COUNT(*) FROM step_request", 0);
}

Test(step_requests, have_a_body_of_their_own)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	asking_begin(house, receiver, "", "", true);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	g_autoptr(GError) error = NULL;
	AUTO(json) body = json_parse(request->body, request->size, &error);
	const struct json *data = json_member_get(body, "data");
	const char *const want[] = {
	    "workflow_id", "execution_id", "step_id", "email", "properties", "event", NULL};

	cr_assert(body, "%s", request->body);
	cr_expect(g_str_has_prefix(request->head, "POST / HTTP/1.1\r\n"));
	cr_expect_str_eq(json_string(json_member_get(body, "type"), NULL), "workflow.request");
	cr_expect(json_string(json_member_get(body, "timestamp"), NULL));
	for (guint i = 0; want[i]; i++)
		cr_expect(json_member_get(data, want[i]), "%s", want[i]);
	cr_expect_eq(json_member_count(data), 6);
	cr_expect_str_eq(json_string(json_member_get(data, "email"), NULL), "ann@example.org");
	cr_expect_str_eq(json_string(json_member_get(data, "step_id"), NULL), "r");
	asking_expect_header(request, "webhook-signature", "-");
	/* "ok" is no JSON. */
	asking_expect_properties(house, "result", "{'status': 200}");
}

Test(step_requests, of_get_have_no_body)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	asking_begin(house, receiver, "", ",'method':'GET','body':{'a':1}", true);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	cr_expect(g_str_has_prefix(receiver_get(receiver, 0)->head, "GET / HTTP/1.1\r\n"));
	cr_expect_eq(receiver_get(receiver, 0)->size, 0);
	asking_expect_header(receiver_get(receiver, 0), "Content-Type", "-");
}

/* The metrics have so many attempts of a result, and of no other. */
static void
step_requests_expect_counted(struct test_house *house, const char *name, const char *want)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT GROUP_CONCAT(labels, ' ', value) FROM metric WHERE name = %d AND value > 0",
	    METRIC_STEP_REQUESTS);
	g_autofree char *got = test_db_text(house->db, sql);

	cr_expect_str_eq(got ? got : "", want, "%s: got %s, want %s", name, got, want);
}

/* The answers that end a request or have it made again. */
Test(step_requests, go_on_by_their_answer)
{
	static const struct {
		const char *name;
		guint statuses[3];
		const char *more;
		bool has_failed;
		guint requests;
		const char *want, *properties, *counted;
	} cases[] = {
	    {"204", {204}, "", true, 1, "COMPLETED y", "{'status': 204}", "ok 1"},
	    {"404", {404}, "", true, 1, "COMPLETED n", "{'failed': 404}", "failed 1"},
	    {"302 is not followed", {302}, "", true, 1, "COMPLETED n", "{'failed': 302}",
		"failed 1"},
	    {"404 without a way", {404}, "", false, 1, "FAILED r 127.0.0.1 answered 404", "{}",
		"failed 1"},
	    {"503, one attempt", {503}, ",'attempts':1", false, 1,
		"FAILED r 127.0.0.1 answered 503", "{}", "failed 1"},
	    {"503", {503}, "", true, 1, "IN_PROGRESS r 127.0.0.1 answered 503", "{}", "retried 1"},
	    {"429", {429}, "", true, 1, "IN_PROGRESS r 127.0.0.1 answered 429", "{}", "retried 1"},
	    {"408", {408}, "", true, 1, "IN_PROGRESS r 127.0.0.1 answered 408", "{}", "retried 1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(test_house) house = telling_house();
		AUTO(receiver)
		receiver = receiver_start(telling_say_in_turn, (void *)cases[i].statuses);

		asking_begin(house, receiver, "", cases[i].more, cases[i].has_failed);
		telling_run(house, NOW);
		cr_expect_eq(receiver_count(receiver), cases[i].requests, "%s", cases[i].name);
		asking_expect(house, cases[i].name, cases[i].want);
		asking_expect_properties(house, cases[i].name, cases[i].properties);
		step_requests_expect_counted(house, cases[i].name, cases[i].counted);
	}
}

Test(step_requests, are_made_again_by_the_schedule)
{
	static const guint statuses[] = {503, 0};
	static const gint64 after[] = {60000, 5 * 60000, 15 * 60000, 60 * 60000};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, (void *)statuses);
	gint64 now = NOW;

	asking_begin(house, receiver, "", "", true);
	telling_run(house, now);
	for (guint i = 0; i < G_N_ELEMENTS(after); i++) {
		gint64 due = test_db_number(house->db, "SELECT due_at FROM step_request");

		cr_expect(due >= now + after[i] && due < now + after[i] + 30000,
		    "%u: %" G_GINT64_FORMAT, i, due - now);
		telling_run(house, due - 20 * SECOND_MS);
		cr_expect_eq(receiver_count(receiver), i + 1, "early %u", i);
		now = due;
		telling_run(house, now);
		cr_expect_eq(receiver_count(receiver), i + 2, "due %u", i);
	}
	asking_expect(house, "all attempts", "COMPLETED n");
	asking_expect_properties(house, "all attempts", "{'failed': 503}");
	for (guint i = 1; i < receiver_count(receiver); i++) {
		g_autofree char *first = receiver_header(receiver_get(receiver, 0), "webhook-id");

		asking_expect_header(receiver_get(receiver, i), "webhook-id", first);
	}
}

static char *
step_requests_say_later(guint number, const struct receiver_request *request, void *data)
{
	return g_strdup_printf("HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n",
	    (const char *)data);
}

Test(step_requests, wait_as_long_as_the_answer_asks)
{
	static const struct {
		const char *after;
		gint64 want;
	} cases[] = {{"600", 600000}, {"3", 60000}, {"86400", 3600000}, {"soon", 60000},
	    {"Fri, 15 Jan 2027 08:30:00 GMT", 1800000}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(test_house) house = telling_house();
		AUTO(receiver)
		receiver = receiver_start(step_requests_say_later, (void *)cases[i].after);

		asking_begin(house, receiver, "", "", true);
		telling_run(house, NOW);
		gint64 due = test_db_number(house->db, "SELECT due_at FROM step_request") - NOW;
		cr_expect(due >= cases[i].want && due < cases[i].want + 30000,
		    "%s: %" G_GINT64_FORMAT, cases[i].after, due);
	}
}

/* Nobody listens there: the last attempt fails. */
Test(step_requests, fail_without_an_answer)
{
	AUTO(test_house) house = telling_house();
	guint port;
	{
		AUTO(receiver) receiver = receiver_start(NULL, NULL);
		port = receiver_port(receiver);
	}
	g_autofree char *data = g_strdup_printf("'url':'http://127.0.0.1:%u/','attempts':1", port);

	base_clock_set(BEFORE);
	asking_workflow(house, data, false);
	asking_happen(house, "ann@example.org", "{}");
	telling_run(house, NOW);
	asking_expect(house, "refused", "FAILED r 127.0.0.1: Connection refused");
}

/* 16 KiB of JSON are kept, and one byte more is not. */
static char *
step_requests_say_long(guint number, const struct receiver_request *request, void *data)
{
	g_autofree char *text = g_strnfill(*(const gsize *)data - 2, 'x');
	g_autofree char *json = g_strdup_printf("\"%s\"", text);

	return receiver_say(200, json);
}

Test(step_requests, keep_16_KiB_of_the_answer)
{
	for (guint more = 0; more < 2; more++) {
		AUTO(test_house) house = telling_house();
		gsize size = LIMIT_REQUEST_RESULT_BYTES + more;
		AUTO(receiver) receiver = receiver_start(step_requests_say_long, &size);

		asking_begin(house, receiver, "", "", true);
		telling_run(house, NOW);
		gint64 got = test_db_number(house->db,
		    "SELECT IFNULL(LENGTH(JSON_VALUE(properties, '$.body')), 0) FROM person");
		cr_expect_eq(
		    got, more ? 0 : LIMIT_REQUEST_RESULT_BYTES - 2, "%u: %ld", more, (long)got);
	}
}

/* The network of the receiver is no longer allowed when the request is made. */
Test(step_requests, do_not_reach_private_addresses)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	asking_begin(house, receiver, "", ",'attempts':1", false);
	g_autofree char *text = NULL;
	gsize size;
	cr_assert(g_file_get_contents(house->config, &text, &size, NULL));
	g_autofree char *strict = g_strdup(text);
	char *allow = strstr(strict, "127.0.0.0/8");
	cr_assert(allow);
	memcpy(allow, "10.0.0.0/16", strlen("127.0.0.0/8"));
	cr_assert(g_file_set_contents(house->config, strict, -1, NULL));
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 0);
	asking_expect(house, "private", "FAILED r data.url must not lead to a private address");
}

/* Waits for a word of main, or of another receiver. */
static char *
step_requests_wait(guint number, const struct receiver_request *request, void *data)
{
	g_async_queue_pop(data);
	return receiver_say(200, "{}");
}

static char *
step_requests_signal(guint number, const struct receiver_request *request, void *data)
{
	g_async_queue_push(data, data);
	return receiver_say(200, "{}");
}

Test(step_requests, to_a_slow_host_end_in_their_time)
{
	AUTO(test_house) house = telling_house();
	g_autoptr(GAsyncQueue) words = g_async_queue_new();
	AUTO(receiver) receiver = receiver_start(step_requests_wait, words);

	asking_begin(house, receiver, "", ",'timeout':1,'attempts':1", false);
	telling_run(house, NOW);
	asking_expect(house, "slow", "FAILED r 127.0.0.1: There was no answer within 1 second");
	g_async_queue_push(words, words);
}

/* The slow host answers once the other one has been asked. */
Test(step_requests, to_a_slow_host_delay_no_other)
{
	AUTO(test_house) house = telling_house();
	g_autoptr(GAsyncQueue) words = g_async_queue_new();
	AUTO(receiver) slow = receiver_start(step_requests_wait, words);
	AUTO(receiver) quick = receiver_start(step_requests_signal, words);
	g_autofree char *slow_data = asking_data(slow, "", ",'attempts':1");
	g_autofree char *quick_data = asking_data(quick, "", ",'attempts':1");

	base_clock_set(BEFORE);
	asking_workflow(house, slow_data, true);
	asking_workflow(house, quick_data, true);
	asking_happen(house, "ann@example.org", "{}");
	telling_run(house, NOW);
	telling_expect(
	    house, "both", "SELECT COUNT(*) FROM execution WHERE status = 3 AND step_id = 'y'", 2);
}

static char *
step_requests_say_endless(guint number, const struct receiver_request *request, void *data)
{
	return g_strdup("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{\"a\": ");
}

Test(step_requests, take_no_endless_answer)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(step_requests_say_endless, NULL);

	asking_begin(house, receiver, "", "", true);
	telling_run(house, NOW);
	asking_expect(house, "endless", "COMPLETED y");
	asking_expect_properties(house, "endless", "{'status': 200}");
}

/* A value of a person cannot name a secret, nor begin a header of its own. */
Test(step_requests, keep_values_apart_from_secrets_and_headers)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	g_autofree char *data =
	    asking_data(receiver, "", ",'headers':{'X-A':'{{name}}','X-B':'{{secret.token}}'}");

	asking_secret(house, "token", "t0p");
	base_clock_set(BEFORE);
	asking_workflow(house, data, true);
	asking_happen(house, "ann@example.org", "{'name':'{{secret.token}}\\r\\nX-C: 1'}");
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	g_autofree char *value = receiver_header(request, "X-A");
	cr_expect(g_str_has_prefix(value, "{{secret.token}} "), "%s", value);
	asking_expect_header(request, "X-B", "t0p");
	asking_expect_header(request, "X-C", "-");
}

/* The secret is gone when the request is made. */
Test(step_requests, fail_without_their_secret)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	asking_secret(house, "token", "t0p");
	asking_begin(house, receiver, "", ",'headers':{'X-B':'{{secret.token}}'}", false);
	test_db_plain(house->db, "DELETE FROM secret");
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 0);
	asking_expect(house, "no secret", "FAILED r data.headers.X-B: no secret \"token\"");
}
