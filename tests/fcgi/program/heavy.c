/* SPDX-License-Identifier: MIT */
/* Requests of workspaces that take much processor time: they wait for their turn, and nobody else
   for them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "service/large.h"
#include "store/workspace/session.h"
#include "tests/fcgi/program/fixture.h"
#include "tests/support/db.h"

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
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0, "there is no %s", path);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &all), 0);
	return fd;
}

/* Begins a request with this parameter for its key, and waits until the worker has taken it: it is
   parked when a later one is served. They come by two queues, so one that was only sent before may
   still wait in the other then. */
static struct fcgi_client *
heavy_begin_as(struct fixture *fixture, const char *key, const char *path, const char *body)
{
	struct fcgi_client *client = fcgi_client_connect(fixture->socket);
	g_autofree char *path_param = g_strconcat("PATH_INFO=", path, NULL);
	g_autofree char *size = g_strdup_printf("CONTENT_LENGTH=%zu", strlen(body));
	const char *params[] = {"REQUEST_METHOD=POST", path_param, size, key, NULL};

	fcgi_client_begin(client, false);
	fcgi_client_params(client, params);
	fcgi_client_body(client, body, strlen(body));
	fcgi_client_body(client, NULL, 0);
	fcgi_client_wait_read(client);
	return client;
}

static struct fcgi_client *
heavy_begin_post(struct fixture *fixture, const char *path, const char *body)
{
	return heavy_begin_as(fixture, FIXTURE_KEY, path, body);
}

/* All that the worker took before is parked then. */
static void
heavy_expect_other(struct fixture *fixture)
{
	fixture_expect(fixture, "another", "GET", "/health", NULL, 200, "{\"status\":\"ok\"}");
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

#define COUNTED "{\"rules\":{\"rules\":[]}}"
#define COUNT "/v1/segments/preview"

/* One workspace has half of the room; the rest is left for others. */
Test(fcgi_heavy, waits_for_its_turn_while_others_are_served)
{
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 60000\n");
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting[LIMIT_HEAVY_PARKED / 2];

	fixture->house->workspace = base_id_new();
	test_house_key(fixture->house, "ph_other", KEY_FULL, 0);
	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
		waiting[i] = heavy_begin_post(fixture, "/v1/templates", "{}");
	heavy_expect_other(fixture);
	struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/templates", "{}");
	cr_expect_eq(answer.status, 503, "one more: got %u", answer.status);
	cr_expect_str_eq(answer.body, AWAY);
	cr_expect(strstr(answer.head, "Retry-After: 5"), "%s", answer.head);
	fcgi_answer_clear(&answer);
	cr_expect(test_program_wait_log(fixture->program, "too many wait for their turn"));
	struct fcgi_client *other =
	    heavy_begin_as(fixture, "HTTP_X_API_KEY=ph_other", COUNT, COUNTED);
	heavy_expect_other(fixture);
	close(fd);
	for (guint i = 0; i < G_N_ELEMENTS(waiting); i++)
		heavy_finish(waiting[i], 400);
	heavy_finish(other, 200);
}

static gint64
count_templates(const struct fixture *fixture)
{
	return test_db_number(fixture->house->db, "SELECT COUNT(*) FROM template");
}

#define TEMPLATE "{\"name\":\"T\",\"subject\":\"S\",\"html\":\"<p>\"}"

/* The key is known for the first time, so it was read from the database when the request came. */
Test(fcgi_heavy, ends_with_its_key)
{
	static const struct {
		const char *name, *end;
		guint want;
		gint64 want_templates;
	} cases[] = {
	    {"it stays", "UPDATE api_key SET name = 'n'", 200, 1},
	    {"revoked", "UPDATE api_key SET revoked = 1", 403, 1},
	    {"expired", "UPDATE api_key SET revoked = NULL, expires = 1", 403, 1},
	};
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 60000\n");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *key = g_strdup_printf("ph_fresh%zu", i);
		g_autofree char *param = g_strconcat("HTTP_X_API_KEY=", key, NULL);
		int fd = hold_turns(fixture);

		test_house_key(fixture->house, key, KEY_FULL, 0);
		struct fcgi_client *waiting =
		    heavy_begin_as(fixture, param, "/v1/templates", TEMPLATE);
		heavy_expect_other(fixture);
		test_db_plain(fixture->house->db, cases[i].end);
		close(fd);
		heavy_finish(waiting, cases[i].want);
		cr_expect_eq(
		    count_templates(fixture), cases[i].want_templates, "%s", cases[i].name);
	}
}

#define TOKEN "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

Test(fcgi_heavy, ends_with_its_session)
{
	const gint64 now = base_clock_now();
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 60000\n");
	struct store_session session = {.id = base_id_new(),
	    .workspace_id = fixture->house->workspace,
	    .user_id = fixture->house->user,
	    .email = (char *)"ann@example.org",
	    .created = now,
	    .last_seen = now,
	    .expires = now + 3600000};
	const char *const params[] = {"REQUEST_METHOD=GET", "PATH_INFO=/v1/templates",
	    "HTTP_COOKIE=posthouse_session=" TOKEN, NULL};
	guint8 hash[SHA256_SIZE];

	base_secret_sha256(TOKEN, strlen(TOKEN), hash);
	cr_assert(store_session_add(fixture->house->db, &session, hash, NULL));
	for (guint want = 200; want <= 401; want += 201) {
		int fd = hold_turns(fixture);
		struct fcgi_client *waiting = fcgi_client_connect(fixture->socket);

		fcgi_client_begin(waiting, false);
		fcgi_client_params(waiting, params);
		fcgi_client_body(waiting, NULL, 0);
		heavy_expect_other(fixture);
		if (want == 401)
			test_db_plain(fixture->house->db, "DELETE FROM session");
		close(fd);
		heavy_finish(waiting, want);
	}
}

/* To read what is refused is work, too. */
Test(fcgi_heavy, is_who_sends_much_that_is_refused)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[limits]\nheavy_wait_ms = 0\n", "1");
	int fd = hold_turns(fixture);
	GString *body = g_string_new("{\"x\":[0");
	guint status = 400;

	while (body->len < LIMIT_MIB - 4)
		g_string_append(body, ",0");
	g_string_append(body, "]}");
	for (guint i = 0; i < 200 && status == 400; i++) {
		struct fcgi_answer answer =
		    fixture_request(fixture, "POST", "/v1/templates", body->str);

		status = answer.status;
		fcgi_answer_clear(&answer);
	}
	cr_expect_eq(status, 503, "got %u", status);
	g_string_free(body, TRUE);
	close(fd);
}

/* It takes its memory with its turn; while it waits for that, others have memory. */
Test(fcgi_heavy, holds_no_memory_while_it_waits)
{
	AUTO(fixture) fixture = heavy_open("[limits]\nheavy_wait_ms = 60000\nlarge_requests = 1\n");
	int fd = hold_turns(fixture);
	const gsize size = 2 * LIMIT_MIB;
	g_autofree char *body = g_strnfill(size, ' ');
	struct fcgi_client *large = fixture_begin(fixture, "POST", "/v1/templates", size);
	struct service_large memory = {.settings = fixture->house->settings};

	memcpy(body, "{}", 2);
	heavy_expect_other(fixture);
	cr_expect(service_large_try(&memory));
	service_large_leave(&memory);
	close(fd);
	fcgi_client_body(large, body, size);
	fcgi_client_body(large, NULL, 0);
	heavy_finish(large, 400);
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
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "1");

	heavy_finish(heavy_begin_post(fixture, COUNT, COUNTED), 200);
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting = heavy_begin_post(fixture, COUNT, COUNTED);
	fixture_expect(fixture, "another of the workspace", "POST", "/v1/templates", "{}", 400,
	    "{\"message\":\"name is required\"}");
	close(fd);
	heavy_finish(waiting, 200);
}

/* The process does not end before its answer, but keeps to the turns. */
Test(fcgi_heavy, is_served_before_the_end)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, "1");
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting = heavy_begin_post(fixture, COUNT, COUNTED);

	heavy_expect_other(fixture);
	test_program_signal(fixture->program, SIGTERM);
	cr_expect_eq(test_program_wait(fixture->program, 100), -1, "it ends before");
	close(fd);
	heavy_finish(waiting, 200);
	cr_expect_eq(test_program_wait(fixture->program, END_MS), 0);
}

/* A turn that does not come does not hold up the end. */
Test(fcgi_heavy, is_refused_before_the_end)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[limits]\nheavy_wait_ms = 60000\n", "1");
	int fd = hold_turns(fixture);
	struct fcgi_client *waiting = heavy_begin_post(fixture, COUNT, COUNTED);

	heavy_expect_other(fixture);
	test_program_signal(fixture->program, SIGTERM);
	heavy_finish(waiting, 503);
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
