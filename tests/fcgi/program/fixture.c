/* SPDX-License-Identifier: MIT */
/* Starts posthouse.fcgi for a test. */
#include "tests/fcgi/program/fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

void
fixture_start(struct fixture *fixture, const char *workers)
{
	const char *argv[] = {"posthouse.fcgi", workers ? "--workers" : NULL, workers, NULL};
	g_autofree char *config = g_strconcat("POSTHOUSE_CONFIG=", fixture->house->config, NULL);
	/* Tests look at its memory, also those of a user who is not root. */
	const char *environment[] = {config, "POSTHOUSE_TRACEABLE=yes", NULL};

	g_clear_pointer(&fixture->program, test_program_free);
	fixture->program = test_program_start(argv, environment, fixture->listener, -1);
}

struct fixture *
fixture_open(const struct test_mariadb *server, const char *more, const char *workers)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->house = test_house_open(server, more);
	test_house_key(fixture->house, "ph_full", KEY_FULL, 0);
	fixture->socket = g_strdup_printf("%s/%d.fcgi", test_mariadb_dir(server), (int)getpid());
	fixture->listener = fcgi_client_listen(fixture->socket);
	fixture_start(fixture, workers);
	return fixture;
}

void
fixture_close(struct fixture *fixture)
{
	test_program_free(fixture->program);
	close(fixture->listener);
	unlink(fixture->socket);
	g_free(fixture->socket);
	test_house_close(fixture->house);
	g_free(fixture);
}

struct fcgi_answer
fixture_request(struct fixture *fixture, const char *method, const char *path, const char *body)
{
	return fcgi_client_request(fixture->socket, method, path, FIXTURE_KEY, body);
}

void
fixture_expect(struct fixture *fixture, const char *name, const char *method, const char *path,
    const char *body, guint want_status, const char *want_body)
{
	struct fcgi_answer answer = fixture_request(fixture, method, path, body);

	cr_expect(answer.complete, "%s: the answer is not complete", name);
	if (answer.status != want_status) {
		g_autofree char *log = test_program_log(fixture->program);
		cr_expect_fail("%s: got status %u, want %u; its log: %s", name, answer.status,
		    want_status, log);
	}
	cr_expect(g_strcmp0(answer.body, want_body) == 0, "%s: got %s, want %s", name, answer.body,
	    want_body);
	fcgi_answer_clear(&answer);
}

struct fcgi_client *
fixture_begin(struct fixture *fixture, const char *method, const char *path, gsize body_size)
{
	struct fcgi_client *client = fcgi_client_connect(fixture->socket);
	g_autofree char *method_param = g_strconcat("REQUEST_METHOD=", method, NULL);
	g_autofree char *path_param = g_strconcat("PATH_INFO=", path, NULL);
	g_autofree char *size_param = g_strdup_printf("CONTENT_LENGTH=%zu", body_size);
	const char *params[] = {method_param, path_param, size_param, FIXTURE_KEY, NULL};

	fcgi_client_begin(client, false);
	fcgi_client_params(client, params);
	return client;
}

void
fixture_expect_ok(struct fcgi_client *client, const char *name)
{
	struct fcgi_answer answer = fcgi_client_answer(client);

	cr_expect(answer.complete && answer.status == 200, "%s: got %u, %s", name, answer.status,
	    answer.body);
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}

struct fcgi_client *
fixture_hold(struct fixture *fixture)
{
	struct fcgi_client *client = fixture_begin(fixture, "POST", "/v1/templates", 2);

	fcgi_client_wait_read(client);
	return client;
}

void
fixture_release(struct fcgi_client *client)
{
	fcgi_client_body(client, "{}", 2);
	fcgi_client_body(client, NULL, 0);
	struct fcgi_answer answer = fcgi_client_answer(client);
	cr_expect(
	    answer.complete && answer.status == 400, "got %u, %s", answer.status, answer.body);
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}
