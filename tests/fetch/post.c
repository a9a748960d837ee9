/* SPDX-License-Identifier: MIT */
/* Tests posts, against receivers that behave and others that do not. */
#include "fetch/post.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/webhook.h"
#include "tests/support/http_server.h"
#include "tests/support/receiver.h"

TestSuite(post, .timeout = 900);

static const char *const loopback[] = {"127.0.0.0/8", NULL};
static const char *const nothing[] = {NULL};
static const struct fetch_rules allowing = {loopback, NULL};

static struct fetch_post *
new_post(struct fetch_lane *lane, const char *url, const char *body)
{
	struct fetch_post *post = g_new0(struct fetch_post, 1);

	post->lane = lane;
	post->width = 4;
	post->url = g_strdup(url);
	post->headers = g_strsplit("Content-Type: application/json|X-A: b", "|", -1);
	post->body = g_bytes_new(body, strlen(body));
	return post;
}

/* Posts once: "200 text" or the error. */
static char *
post_outcome_of(const struct fetch_rules *rules, const char *url)
{
	AUTO(fetch_poster) poster = fetch_poster_new(rules, 4, 4, NULL);
	g_autofree char *host = fetch_post_host(url);
	struct fetch_lane *lane = fetch_lane_new(host);
	AUTO(fetch_post) post = NULL;

	fetch_poster_send(poster, new_post(lane, url, "{}"));
	post = fetch_poster_take(poster, 120000);
	cr_assert_not_null(post);
	cr_assert_not(post->unsent);
	fetch_lane_free(lane);
	return post->error ? g_strdup(post->error)
			   : g_strdup_printf("%u %s", post->status, post->text->str);
}

static char *
post_say(guint number, const struct receiver_request *request, void *data)
{
	return g_strdup(data);
}

Test(post, ends_with_an_answer_or_a_reason)
{
	static const struct {
		const char *answer, *want;
	} cases[] = {
	    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 ok"},
	    {"HTTP/1.1 204 No\r\n\r\n", "204 "},
	    {"HTTP/1.1 103 Hint\r\nA: b\r\n\r\nHTTP/1.1 201 OK\r\nContent-Length: 0\r\n\r\n",
		"201 "},
	    {"HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
		"302 "},
	    {"HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nbusy", "503 busy"},
	    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", "200 ok"}, /* it does not end */
	    {"hello\r\n\r\n", "The server does not answer in HTTP"},
	    {NULL, "The server ended the connection without an answer"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(receiver) receiver = receiver_start(post_say, (void *)cases[i].answer);
		g_autofree char *url =
		    g_strdup_printf("http://127.0.0.1:%u/a?b", receiver_port(receiver));
		g_autofree char *got = post_outcome_of(&allowing, url);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].answer, got);
		cr_expect_eq(receiver_count(receiver), 1);
		const struct receiver_request *request = receiver_get(receiver, 0);
		g_autofree char *header = receiver_header(request, "X-A");
		cr_expect_str_eq(header, "b");
		cr_expect_str_eq(request->body, "{}");
		cr_expect(g_str_has_prefix(request->head, "POST /a?b HTTP/1.1\r\n"));
	}
}

Test(post, leads_to_permitted_addresses_alone)
{
	static const struct fetch_rules none = {nothing, NULL};
	static const struct {
		const char *url, *want;
	} cases[] = {
	    {"http://127.0.0.1:PORT/", "The host has no public address"},
	    {"http://localhost:PORT/", "The host has no public address"},
	    {"http://10.1.2.3/", "The host has no public address"},
	    {"http://192.88.98.1:81/", "Port 81 is not permitted"},
	    {"http://nobody.invalid/", "The host's name does not resolve"},
	};
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *port = g_strdup_printf("%u", receiver_port(receiver));
		g_auto(GStrv) parts = g_strsplit(cases[i].url, "PORT", -1);
		g_autofree char *url = g_strjoinv(port, parts);
		g_autofree char *got = post_outcome_of(&none, url);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", url, got);
	}
	cr_expect_eq(receiver_connections(receiver), 0);
	g_autofree char *closed = post_outcome_of(&allowing, "http://127.0.0.1:1/");
	cr_expect_str_eq(closed, "The server refuses connections");
}

/* Sends a header, then a body without end. */
static void
flood(struct http_peer *peer, const char *request, void *data)
{
	static const char head[] = "HTTP/1.1 200 OK\r\n\r\n";
	char bytes[1000];

	memset(bytes, 'x', sizeof(bytes));
	http_peer_send(peer, head, strlen(head));
	for (gsize *sent = data; http_peer_send(peer, bytes, sizeof(bytes));)
		*sent += sizeof(bytes);
}

static void
flood_head(struct http_peer *peer, const char *request, void *data)
{
	static const char head[] = "HTTP/1.1 200 OK\r\n";

	http_peer_send(peer, head, strlen(head));
	while (http_peer_send(peer, "A: bbbbbbbbbbbbbbbb\r\n", 21))
		continue;
}

Test(post, reads_no_more_than_it_needs)
{
	gsize sent = 0;
	struct http_server *server = http_server_start("127.0.0.1", NULL, flood, &sent);
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%d/", http_server_port(server));
	g_autofree char *got = post_outcome_of(&allowing, url);

	http_server_stop(server);
	cr_expect_eq(strlen(got), strlen("200 ") + LIMIT_WEBHOOK_ANSWER_BYTES);
	server = http_server_start("127.0.0.1", NULL, flood_head, NULL);
	g_autofree char *other = g_strdup_printf("http://127.0.0.1:%d/", http_server_port(server));
	g_autofree char *reason = post_outcome_of(&allowing, other);
	http_server_stop(server);
	cr_expect_str_eq(reason, "The server sends too many headers");
}

static void
be_silent(struct http_peer *peer, const char *request, void *data)
{
	http_peer_left(peer, -1);
}

Test(post, waits_ten_seconds)
{
	struct http_server *server = http_server_start("127.0.0.1", NULL, be_silent, NULL);
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%d/", http_server_port(server));
	gint64 begin = base_clock_boot();
	g_autofree char *got = post_outcome_of(&allowing, url);
	gint64 took = base_clock_boot() - begin;

	http_server_stop(server);
	cr_expect_str_eq(got, "There was no answer within 10 seconds");
	cr_expect_geq(took, 10000, "%d ms", (int)took);
}

static char *
fail_third(guint number, const struct receiver_request *request, void *data)
{
	return receiver_say(number == 2 ? 500 : 200, "");
}

/* Ten posts one by one, the third of which fails: those behind it come back, and are taken again
   with a higher generation alone. */
Test(post, halts_its_lane_by_failing)
{
	AUTO(receiver) receiver = receiver_start(fail_third, NULL);
	AUTO(fetch_poster) poster = fetch_poster_new(&allowing, 20, 4, NULL);
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%u/", receiver_port(receiver));
	g_autofree char *host = fetch_post_host(url);
	struct fetch_lane *lane = fetch_lane_new(host);
	guint unsent = 0, failed = 0;

	for (guint generation = 0; generation < 2; generation++) {
		for (guint i = 0; i < 10; i++) {
			struct fetch_post *post = new_post(lane, url, "{}");

			post->width = 1;
			post->generation = generation;
			fetch_poster_send(poster, post);
		}
		for (guint i = 0; i < 10; i++) {
			AUTO(fetch_post) post = fetch_poster_take(poster, 120000);

			cr_assert_not_null(post);
			unsent += post->unsent;
			failed += post->halted;
		}
		cr_expect_eq(unsent, 7);
		cr_expect_eq(failed, 1);
	}
	cr_expect_eq(receiver_count(receiver), 13);
	cr_expect_eq(receiver_connections(receiver), 1);
	fetch_lane_free(lane);
}

static char *
post_wait_for_word(guint number, const struct receiver_request *request, void *data)
{
	if (number == 0)
		g_async_queue_pop(data);
	return receiver_say(200, "");
}

/* The host has one connection, which is taken until the post that cannot wait comes back. */
Test(post, comes_back_when_it_cannot_begin_in_time)
{
	g_autoptr(GAsyncQueue) words = g_async_queue_new();
	AUTO(receiver) receiver = receiver_start(post_wait_for_word, words);
	AUTO(fetch_poster) poster = fetch_poster_new(&allowing, 4, 1, NULL);
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%u/", receiver_port(receiver));
	g_autofree char *host = fetch_post_host(url);
	struct fetch_lane *lanes[3];

	for (guint i = 0; i < G_N_ELEMENTS(lanes); i++) {
		struct fetch_post *post = new_post(lanes[i] = fetch_lane_new(host), url, "{}");

		if (i > 0)
			post->begin_by = base_clock_boot() + (i == 1 ? 300 : 600000);
		fetch_poster_send(poster, post);
	}
	for (guint i = 0; i < G_N_ELEMENTS(lanes); i++) {
		AUTO(fetch_post) post = fetch_poster_take(poster, 120000);

		cr_assert_not_null(post);
		cr_expect_eq(post->unsent, i == 0, "post %u", i);
		cr_expect_eq(post->lane == lanes[1], i == 0, "post %u", i);
		if (i == 0)
			g_async_queue_push(words, words);
	}
	cr_expect_eq(receiver_count(receiver), 2);
	for (guint i = 0; i < G_N_ELEMENTS(lanes); i++)
		fetch_lane_free(lanes[i]);
}

/* A receiver, and the number of requests that are to be there at once. */
struct crowd {
	struct receiver *receiver;
	guint want;
};

static char *
wait_for_crowd(guint number, const struct receiver_request *request, void *data)
{
	const struct crowd *crowd = data;

	for (guint i = 0; receiver_most(crowd->receiver) < crowd->want && i < 60000; i++)
		g_usleep(1000);
	g_usleep(20000);
	return receiver_say(200, "");
}

/* Three lanes to one host have 4 connections together; slow ones have half of all. */
Test(post, keeps_the_limits_of_connections)
{
	static const struct {
		guint connections, host_connections;
		bool slow;
		guint want;
	} cases[] = {{20, 4, false, 4}, {3, 4, false, 3}, {20, 1, false, 1}, {6, 4, true, 3},
	    {1, 4, true, 1}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct crowd crowd = {NULL, cases[i].want};
		AUTO(receiver) receiver = crowd.receiver = receiver_start(wait_for_crowd, &crowd);
		g_autofree char *url =
		    g_strdup_printf("http://127.0.0.1:%u/", receiver_port(receiver));
		g_autofree char *host = fetch_post_host(url);
		struct fetch_lane *lanes[3];
		struct fetch_poster *poster = fetch_poster_new(
		    &allowing, cases[i].connections, cases[i].host_connections, NULL);

		for (gsize k = 0; k < G_N_ELEMENTS(lanes); k++) {
			lanes[k] = fetch_lane_new(host);
			for (guint n = 0; n < 8; n++) {
				struct fetch_post *post = new_post(lanes[k], url, "{}");

				post->slow = cases[i].slow;
				fetch_poster_send(poster, post);
			}
		}
		for (guint n = 0; n < 24; n++) {
			AUTO(fetch_post) post = fetch_poster_take(poster, 120000);

			cr_assert(post && fetch_post_succeeded(post));
		}
		fetch_poster_free(poster);
		cr_expect_eq(receiver_most(receiver), cases[i].want, "case %zu: %u", i,
		    receiver_most(receiver));
		cr_expect_eq(receiver_connections(receiver), cases[i].want, "case %zu", i);
		for (gsize k = 0; k < G_N_ELEMENTS(lanes); k++)
			fetch_lane_free(lanes[k]);
	}
}

Test(post, ends_when_it_is_told)
{
	struct http_server *server = http_server_start("127.0.0.1", NULL, be_silent, NULL);
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%d/", http_server_port(server));
	struct fetch_poster *poster = fetch_poster_new(&allowing, 1, 1, NULL);
	struct fetch_lane *lane = fetch_lane_new("a:1");
	gint64 begin = base_clock_boot();

	for (guint i = 0; i < 3; i++)
		fetch_poster_send(poster, new_post(lane, url, "{}"));
	while (http_server_count(server) == 0)
		g_usleep(1000);
	fetch_poster_halt(poster);
	for (guint i = 0; i < 2; i++) {
		AUTO(fetch_post) post = fetch_poster_take(poster, 120000);

		cr_assert(post && post->unsent);
	}
	fetch_poster_free(poster);
	fetch_lane_free(lane);
	cr_expect(base_clock_boot() - begin < 9000);
	http_server_stop(server);
}

Test(post, knows_a_host_in_all_spellings)
{
	static const struct {
		const char *url, *want;
	} cases[] = {{"http://Example.org/a", "example.org:80"},
	    {"https://example.org", "example.org:443"}, {"http://[::1]:8080/", "::1:8080"},
	    {"ftp://example.org/", NULL}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = fetch_post_host(cases[i].url);

		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: %s", cases[i].url, got);
	}
}
