/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi stops at once when idle, else after its request and delivery. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "tests/fcgi/program/fixture.h"
#include "tests/support/db.h"
#include "tests/support/smtp_server.h"

#define END_MS 120000
#define HELD_MS 600000 /* longer than anybody waits */
#define HEALTHY "{\"status\":\"ok\"}"
#define TEMPLATE "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}"

TestSuite(stop, .timeout = 900);

static const int signals[] = {SIGTERM, SIGUSR1, SIGINT};

Test(stop, leaves_at_once_when_idle)
{
	static const char *const workers[] = {NULL, "3"};
	AUTO(fixture) fixture = fixture_open(NULL, NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(signals) * G_N_ELEMENTS(workers); i++) {
		const char *number = workers[i / G_N_ELEMENTS(signals)];

		fixture_start(fixture, number);
		fixture_expect(fixture, "before", "GET", "/health", NULL, 200, HEALTHY);
		test_program_signal(fixture->program, signals[i % G_N_ELEMENTS(signals)]);
		cr_expect_eq(test_program_wait(fixture->program, END_MS), 0,
		    "signal %d, workers %s: did not end", signals[i % G_N_ELEMENTS(signals)],
		    number);
	}
}

/* The body comes slowly; the signal comes in the middle of it. */
Test(stop, finishes_the_request_in_hand)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, NULL);
	gsize size = strlen(TEMPLATE);

	for (gsize i = 0; i < G_N_ELEMENTS(signals); i++) {
		struct fcgi_client *client;

		test_db_plain(fixture->house->db, "DELETE FROM template");
		fixture_start(fixture, NULL);
		client = fixture_begin(fixture, "POST", "/v1/templates", size);
		fcgi_client_body(client, TEMPLATE, 10);
		fcgi_client_wait_read(client);
		test_program_signal(fixture->program, signals[i]);
		cr_expect_eq(test_program_wait(fixture->program, 200), -1,
		    "signal %d: it has left in the middle", signals[i]);
		fcgi_client_body(client, TEMPLATE + 10, size - 10);
		fcgi_client_body(client, NULL, 0);
		struct fcgi_answer answer = fcgi_client_answer(client);
		cr_expect(answer.complete && answer.status == 200, "signal %d: got %u, %s",
		    signals[i], answer.status, answer.body);
		fcgi_answer_clear(&answer);
		cr_expect_eq(test_program_wait(fixture->program, END_MS), 0,
		    "signal %d: did not end", signals[i]);
		cr_expect_eq(
		    test_db_number(fixture->house->db, "SELECT COUNT(*) FROM template"), 1);
		fcgi_client_free(client);
	}
}

/* A signal is seen after the next request, even when more requests wait. */
Test(stop, leaves_a_queue_behind)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, NULL);
	struct fcgi_client *clients[50], *first;

	first = fixture_begin(fixture, "POST", "/v1/templates", 2);
	fcgi_client_wait_read(first);
	for (gsize i = 0; i < G_N_ELEMENTS(clients); i++) {
		clients[i] = fixture_begin(fixture, "GET", "/health", 0);
		fcgi_client_body(clients[i], NULL, 0);
	}
	test_program_signal(fixture->program, SIGTERM);
	fcgi_client_body(first, "{}", 2);
	fcgi_client_body(first, NULL, 0);
	struct fcgi_answer answer = fcgi_client_answer(first);
	cr_expect_eq(answer.status, 400, "got %u, %s", answer.status, answer.body);
	fcgi_answer_clear(&answer);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
	/* The next process serves the waiting requests. */
	fixture_start(fixture, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(clients); i++) {
		answer = fcgi_client_answer(clients[i]);
		cr_expect_eq(answer.status, 200, "client %zu: got %u", i, answer.status);
		fcgi_answer_clear(&answer);
		fcgi_client_free(clients[i]);
	}
	fcgi_client_free(first);
}

static struct fixture *
open_with_relay(struct smtp_server *relay, const char *workers)
{
	g_autofree char *more = g_strdup_printf(
	    "[smtp]\nhost = 127.0.0.1\nport = %u\ntls = none\n", smtp_server_port(relay));
	struct fixture *fixture = fixture_open(NULL, more, workers);

	test_house_domain(fixture->house, "example.org");
	return fixture;
}

static struct fcgi_client *
stop_begin_email(struct fixture *fixture)
{
	static const char body[] = "{\"from\":\"a@example.org\",\"to\":\"b@example.net\","
				   "\"subject\":\"S\",\"html\":\"<p>Hi\"}";
	struct fcgi_client *client = fixture_begin(fixture, "POST", "/v1/emails", strlen(body));

	fcgi_client_body(client, body, strlen(body));
	fcgi_client_body(client, NULL, 0);
	return client;
}

Test(stop, finishes_the_attempt_in_hand)
{
	static const struct smtp_script slow = {.rules = {{".", 0, NULL, THEN_GO_ON, HELD_MS}}};
	static const char *const workers[] = {NULL, "2"};

	for (gsize i = 0; i < G_N_ELEMENTS(workers); i++) {
		AUTO(smtp_server) relay = smtp_server_start(&slow);
		AUTO(fixture) fixture = open_with_relay(relay, workers[i]);
		struct fcgi_client *client = stop_begin_email(fixture);

		cr_assert(smtp_server_wait(relay, "."));
		test_program_signal(fixture->program, SIGTERM);
		smtp_server_release(relay);
		struct fcgi_answer answer = fcgi_client_answer(client);
		cr_expect(answer.complete && answer.status == 201, "got %u, %s", answer.status,
		    answer.body);
		fcgi_answer_clear(&answer);
		cr_expect_eq(test_program_wait(fixture->program, END_MS), 0, "did not end");
		smtp_server_stop(relay);
		cr_expect_eq(smtp_server_count(relay), 1);
		cr_expect_eq(test_db_number(fixture->house->db, "SELECT COUNT(*) FROM outbox"), 0);
		fcgi_client_free(client);
	}
}

/* A relay that takes longer than the client waits. */
Test(stop, finishes_a_delivery_after_its_client_has_the_answer)
{
	static const struct smtp_script slow = {.rules = {{".", 0, NULL, THEN_GO_ON, HELD_MS}}};
	AUTO(smtp_server) relay = smtp_server_start(&slow);
	AUTO(fixture) fixture = open_with_relay(relay, NULL);
	struct fcgi_client *client = stop_begin_email(fixture);
	gint64 started = g_get_monotonic_time();

	struct fcgi_answer answer = fcgi_client_answer(client);
	gint64 took = g_get_monotonic_time() - started;
	cr_expect(answer.complete && answer.closed && answer.status == 201, "got %u, %s",
	    answer.status, answer.body);
	cr_expect_gt(took, 14 * G_USEC_PER_SEC, "the answer came after %d ms", (int)(took / 1000));
	cr_expect_eq(test_db_number(fixture->house->db, "SELECT COUNT(*) FROM outbox"), 1);
	test_program_signal(fixture->program, SIGTERM);
	cr_expect_eq(test_program_wait(fixture->program, 200), -1, "it has left in the middle");
	smtp_server_release(relay);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
	cr_expect_eq(test_db_number(fixture->house->db, "SELECT COUNT(*) FROM outbox"), 0);
	smtp_server_stop(relay);
	cr_expect_eq(smtp_server_count(relay), 1);
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}
