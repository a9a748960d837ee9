/* SPDX-License-Identifier: MIT */
/* Requests of workspaces that take much processor time: they wait for their turn, and nobody else
   for them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/limits/request.h"
#include "config/settings.h"
#include "tests/fcgi/program/fixture.h"

#define END_MS 120000
#define AWAY "{\"message\":\"The service is not available at the moment\"}"
#define SPENT "{\"message\":\"html takes too long to render\"}"

#define ROW 11 /* so many in a row make a workspace heavy for some seconds */

TestSuite(fcgi_heavy, .timeout = 900);

/* A template that is rendered for as long as it may be. The caller owns the email. */
static char *
endless_email(void)
{
	GString *text = g_string_new("{\"from\":\"a@example.org\",\"to\":\"b@example.net\","
				     "\"subject\":\"S\",\"html\":\"{{#each b}}");

	for (guint i = 0; i < 20000; i++)
		g_string_append(text, "{{x}}");
	g_string_append(text, "{{/each}}\",\"variables\":{\"b\":[0");
	for (guint i = 0; i < 1000; i++)
		g_string_append(text, ",0");
	g_string_append(text, "]}}");
	return g_string_free(text, FALSE);
}

/* A program with one worker whose workspace is heavy. */
static struct fixture *
heavy_open(const char *settings)
{
	struct fixture *fixture = fixture_open(NULL, settings, "1");
	g_autofree char *email = endless_email();

	test_house_domain(fixture->house, "example.org");
	for (guint i = 0; i < ROW; i++)
		fixture_expect(fixture, "in a row", "POST", "/v1/emails", email, 400, SPENT);
	return fixture;
}

/* Takes all turns and slots until the file is closed. */
static int
hold_turns(const struct fixture *fixture)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	g_autofree char *path =
	    g_build_filename(config_settings_text(fixture->house->settings, SETTING_SPOOL_DIR),
		"requests.heavy", NULL);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	cr_assert_geq(fd, 0, "there is no %s", path);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &all), 0);
	return fd;
}

static struct fcgi_client *
heavy_begin_post(struct fixture *fixture, const char *path, const char *body)
{
	struct fcgi_client *client = fixture_begin(fixture, "POST", path, strlen(body));

	fcgi_client_body(client, body, strlen(body));
	fcgi_client_body(client, NULL, 0);
	return client;
}

static void
heavy_finish(struct fcgi_client *client, guint want_status)
{
	struct fcgi_answer answer = fcgi_client_answer(client);

	cr_expect(answer.complete && answer.status == want_status, "got %u, %s", answer.status,
	    answer.body);
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}

Test(fcgi_heavy, waits_for_its_turn_while_others_are_served)
{
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 60000\n");
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting[LIMIT_HEAVY_PARKED];

	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
		waiting[i] = heavy_begin_post(fixture, "/v1/templates", "{}");
	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
		fcgi_client_wait_read(waiting[i]);
	fixture_expect(fixture, "another", "GET", "/health", NULL, 200, "{\"status\":\"ok\"}");
	struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/templates", "{}");
	cr_expect_eq(answer.status, 503, "one more: got %u", answer.status);
	cr_expect_str_eq(answer.body, AWAY);
	cr_expect(strstr(answer.head, "Retry-After: 5"), "%s", answer.head);
	fcgi_answer_clear(&answer);
	close(fd);
	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
		heavy_finish(waiting[i], 400);
}

Test(fcgi_heavy, keeps_bodies_of_a_limit_meanwhile)
{
	AUTO(fixture) fixture = heavy_open(NULL);
	int fd = hold_turns(fixture);
	g_autofree char *body = g_strnfill(LIMIT_HEAVY_PARKED_BYTES / 2, ' ');
	const gsize size = strlen(body);
	struct fcgi_client *waiting[2];

	memcpy(body, "{}", 2);
	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++) {
		waiting[i] = fixture_begin(fixture, "POST", "/v1/templates", size);
		fcgi_client_body(waiting[i], body, size);
		fcgi_client_body(waiting[i], NULL, 0);
		fcgi_client_wait_read(waiting[i]);
	}
	fixture_expect(fixture, "past it", "POST", "/v1/templates", "{}", 503, AWAY);
	close(fd);
	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
		heavy_finish(waiting[i], 400);
}

Test(fcgi_heavy, waits_no_longer_than_the_settings_say)
{
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 0\n");
	int fd = hold_turns(fixture);

	fixture_expect(fixture, "at once", "POST", "/v1/templates", "{}", 503, AWAY);
	cr_expect(test_program_wait_log(fixture->program, "[limits] heavy_wait_ms"));
	close(fd);
}

/* They wait from the first one on, and not in the worker. */
Test(fcgi_heavy, is_each_count_of_people)
{
	static const char rules[] = "{\"rules\":{\"rules\":[]}}";
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "1");

	heavy_finish(heavy_begin_post(fixture, "/v1/segments/preview", rules), 200);
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting = heavy_begin_post(fixture, "/v1/segments/preview", rules);
	fcgi_client_wait_read(waiting);
	fixture_expect(fixture, "another of the workspace", "POST", "/v1/templates", "{}", 400,
	    "{\"message\":\"name is required\"}");
	close(fd);
	heavy_finish(waiting, 200);
}

/* It has waited for its turn; the process does not end before its answer. */
Test(fcgi_heavy, is_served_before_the_end)
{
	AUTO(fixture) fixture = heavy_open(NULL);
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting = heavy_begin_post(fixture, "/v1/templates", "{}");

	fcgi_client_wait_read(waiting);
	test_program_signal(fixture->program, SIGTERM);
	heavy_finish(waiting, 400);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
	close(fd);
}

/* A process without a pool has nobody else to serve meanwhile. */
Test(fcgi_heavy, waits_in_a_process_that_serves_alone)
{
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 0\n");
	g_autofree char *email = endless_email();

	test_program_signal(fixture->program, SIGTERM);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
	fixture_start(fixture, NULL);
	for (guint i = 0; i < ROW; i++)
		fixture_expect(fixture, "in a row", "POST", "/v1/emails", email, 400, SPENT);
	int fd = hold_turns(fixture);
	fixture_expect(fixture, "alone", "POST", "/v1/templates", "{}", 503, AWAY);
	close(fd);
	fixture_expect(fixture, "free", "POST", "/v1/templates", "{}", 400,
	    "{\"message\":\"name is required\"}");
}
