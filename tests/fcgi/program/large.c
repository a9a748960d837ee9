/* SPDX-License-Identifier: MIT */
/* Large requests: all processes of a host share the slots. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits/request.h"
#include "base/limits/unit.h"
#include "config/settings.h"
#include "tests/fcgi/program/fixture.h"

#define AWAY "{\"message\":\"The service is not available at the moment\"}"
#define NO_NAME "{\"message\":\"name is required\"}"

static struct fixture *fixture;

static void
large_begin(void)
{
	fixture = fixture_open(NULL, NULL, "6");
}

static void
large_end(void)
{
	fixture_close(fixture);
}

TestSuite(large, .init = large_begin, .fini = large_end, .timeout = 900);

/* An object of that size. The caller owns it. */
static char *
object_of(gsize size)
{
	char *text = g_strnfill(size, ' ');

	text[0] = '{';
	text[size - 1] = '}';
	return text;
}

/* A client that has announced its body and sent half of it. */
static struct fcgi_client *
large_hold(gsize size)
{
	struct fcgi_client *client = fixture_begin(fixture, "POST", "/v1/templates", size);
	g_autofree char *body = object_of(size);

	cr_assert(fcgi_client_body(client, body, size / 2));
	fcgi_client_wait_read(client);
	return client;
}

/* Sends the rest, and gets the answer. */
static void
large_finish(struct fcgi_client *client, gsize size)
{
	g_autofree char *body = object_of(size);

	fcgi_client_body(client, body + size / 2, size - size / 2);
	fcgi_client_body(client, NULL, 0);
	struct fcgi_answer answer = fcgi_client_answer(client);
	cr_expect_str_eq(answer.body, NO_NAME);
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}

/* Sends a whole request of that size. Returns the ms until the reply. */
static gint64
large_expect(const char *name, gsize size, guint want_status, const char *want_body)
{
	g_autofree char *body = object_of(size);
	gint64 begun = base_clock_boot();
	struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/templates", body);

	cr_expect_eq(answer.status, want_status, "%s: got %u", name, answer.status);
	cr_expect_str_eq(answer.body, want_body, "%s: got %s", name, answer.body);
	cr_expect_eq(strstr(answer.head, "Retry-After: 5") != NULL, want_status == 503, "%s: %s",
	    name, answer.head);
	fcgi_answer_clear(&answer);
	return base_clock_boot() - begun;
}

#define LARGE (2 * LIMIT_MIB)

Test(large, are_two_at_once)
{
	struct fcgi_client *first = large_hold(LARGE), *second = large_hold(LARGE);

	large_expect("at the limit", LIMIT_MIB, 400, NO_NAME);
	gint64 took = large_expect("one byte past it", LIMIT_MIB + 1, 503, AWAY);
	cr_expect_geq(took, LIMIT_LARGE_WAIT_MS, "after %d ms", (int)took);
	cr_expect(test_program_wait_log(fixture->program, "[limits] large_requests"));
	fixture_expect(fixture, "a small one", "POST", "/v1/templates", "{}", 400, NO_NAME);
	large_finish(first, LARGE);
	large_expect("in its place", LARGE, 400, NO_NAME);
	large_finish(second, LARGE);
}

struct waiting {
	char *body;
	struct fcgi_answer answer;
};

static void *
large_ask(void *context)
{
	struct waiting *waiting = context;

	waiting->answer = fixture_request(fixture, "POST", "/v1/templates", waiting->body);
	return NULL;
}

Test(large, wait_for_one_that_ends)
{
	struct fcgi_client *first = large_hold(LARGE), *second = large_hold(LARGE);
	struct waiting waiting = {.body = object_of(LARGE)};
	GThread *thread = g_thread_new("waiting", large_ask, &waiting);

	large_finish(first, LARGE);
	g_thread_join(thread);
	cr_expect_eq(waiting.answer.status, 400, "got %u", waiting.answer.status);
	fcgi_answer_clear(&waiting.answer);
	g_free(waiting.body);
	large_finish(second, LARGE);
}

/* Two of the three workers are busy; the third one serves others while a large request waits. */
Test(large, let_nobody_else_wait)
{
	fixture_close(fixture);
	fixture = fixture_open(NULL, NULL, "3");
	struct fcgi_client *first = large_hold(LARGE), *second = large_hold(LARGE);
	struct fcgi_client *waiting = fixture_begin(fixture, "POST", "/v1/templates", LARGE);

	for (guint i = 0; i < 5; i++)
		fixture_expect(fixture, "a small one", "POST", "/v1/templates", "{}", 400, NO_NAME);
	large_finish(first, LARGE);
	g_autofree char *body = object_of(LARGE);
	fcgi_client_body(waiting, body, LARGE / 2);
	large_finish(waiting, LARGE);
	large_finish(second, LARGE);
}

/* A body of unknown length takes its slot when it passes 1 MiB. */
Test(large, may_come_without_a_length)
{
	static const char *const params[] = {
	    "REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", FIXTURE_KEY, NULL};
	struct fcgi_client *first = large_hold(LARGE), *second = large_hold(LARGE);
	const gsize sizes[] = {LIMIT_MIB, LIMIT_MIB + 1};

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct fcgi_client *client = fcgi_client_connect(fixture->socket);
		g_autofree char *body = object_of(sizes[i]);

		fcgi_client_begin(client, false);
		fcgi_client_params(client, params);
		cr_expect(fcgi_client_body(client, body, sizes[i]));
		cr_expect(fcgi_client_body(client, NULL, 0));
		struct fcgi_answer answer = fcgi_client_answer(client);
		cr_expect_eq(answer.status, i == 0 ? 400 : 503, "%zu bytes: got %u", sizes[i],
		    answer.status);
		fcgi_answer_clear(&answer);
		fcgi_client_free(client);
	}
	large_finish(first, LARGE);
	large_finish(second, LARGE);
}

Test(large, free_their_slots_when_they_are_killed)
{
	struct fcgi_client *first = large_hold(LARGE), *second = large_hold(LARGE);
	g_autoptr(GArray) workers = test_program_children(fixture->program);

	for (guint i = 0; i < workers->len; i++)
		kill(g_array_index(workers, pid_t, i), SIGKILL);
	for (guint i = 0; i < workers->len; i++)
		test_program_wait_gone(g_array_index(workers, pid_t, i));
	fcgi_client_free(first);
	fcgi_client_free(second);
	large_expect("after them", LARGE, 400, NO_NAME);
}

static void
open_with(const char *settings)
{
	fixture_close(fixture);
	fixture = fixture_open(NULL, settings, "6");
}

Test(large, are_as_many_as_the_settings_say)
{
	open_with("[limits]\nlarge_requests = 1\n");
	struct fcgi_client *first = large_hold(LARGE);
	large_expect("a second one", LARGE, 503, AWAY);
	large_finish(first, LARGE);

	open_with("[limits]\nlarge_requests = 0\n");
	struct fcgi_client *clients[] = {large_hold(LARGE), large_hold(LARGE), large_hold(LARGE)};
	large_expect("no limit", LARGE, 400, NO_NAME);
	for (gsize i = 0; i < G_N_ELEMENTS(clients); i++)
		large_finish(clients[i], LARGE);
}

Test(large, go_on_where_nothing_can_be_counted)
{
	const char *dir = config_settings_text(fixture->house->settings, SETTING_SPOOL_DIR);
	g_autofree char *away = g_strconcat(dir, ".away", NULL);

	cr_assert_eq(rename(dir, away), 0);
	struct fcgi_client *clients[] = {large_hold(LARGE), large_hold(LARGE)};
	large_expect("a third one", LARGE, 400, NO_NAME);
	for (gsize i = 0; i < G_N_ELEMENTS(clients); i++)
		large_finish(clients[i], LARGE);
	cr_assert_eq(rename(away, dir), 0);
}
