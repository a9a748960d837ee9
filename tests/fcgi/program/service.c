/* SPDX-License-Identifier: MIT */
/* Starts posthouse.fcgi for a test. */
#include "tests/fcgi/program/service.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

void
service_start(struct service *service, const char *workers)
{
	const char *argv[] = {"posthouse.fcgi", workers ? "--workers" : NULL, workers, NULL};
	g_autofree char *config = g_strconcat("POSTHOUSE_CONFIG=", service->house->config, NULL);
	/* Tests look at its memory, also those of a user who is not root. */
	const char *environment[] = {config, "POSTHOUSE_TRACEABLE=yes", NULL};

	g_clear_pointer(&service->program, test_program_free);
	service->program = test_program_start(argv, environment, service->listener, -1);
}

struct service *
service_open(const struct test_mariadb *server, const char *more, const char *workers)
{
	struct service *service = g_new0(struct service, 1);

	service->house = test_house_open(server, more);
	test_house_key(service->house, "ph_full", KEY_FULL, 0);
	service->socket = g_strdup_printf("%s/%d.fcgi", test_mariadb_dir(server), (int)getpid());
	service->listener = fcgi_client_listen(service->socket);
	service_start(service, workers);
	return service;
}

void
service_close(struct service *service)
{
	test_program_free(service->program);
	close(service->listener);
	unlink(service->socket);
	g_free(service->socket);
	test_house_close(service->house);
	g_free(service);
}

struct fcgi_answer
service_request(struct service *service, const char *method, const char *path, const char *body)
{
	return fcgi_client_request(service->socket, method, path, SERVICE_KEY, body);
}

void
service_expect(struct service *service, const char *name, const char *method, const char *path,
    const char *body, guint want_status, const char *want_body)
{
	struct fcgi_answer answer = service_request(service, method, path, body);

	cr_expect(answer.complete, "%s: the answer is not complete", name);
	cr_expect_eq(answer.status, want_status, "%s: got status %u, want %u", name, answer.status,
	    want_status);
	cr_expect(g_strcmp0(answer.body, want_body) == 0, "%s: got %s, want %s", name, answer.body,
	    want_body);
	fcgi_answer_clear(&answer);
}

struct fcgi_client *
service_begin(struct service *service, const char *method, const char *path, gsize body_size)
{
	struct fcgi_client *client = fcgi_client_connect(service->socket);
	g_autofree char *method_param = g_strconcat("REQUEST_METHOD=", method, NULL);
	g_autofree char *path_param = g_strconcat("PATH_INFO=", path, NULL);
	g_autofree char *size_param = g_strdup_printf("CONTENT_LENGTH=%zu", body_size);
	const char *params[] = {method_param, path_param, size_param, SERVICE_KEY, NULL};

	fcgi_client_begin(client, false);
	fcgi_client_params(client, params);
	return client;
}
