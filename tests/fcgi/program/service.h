/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FCGI_PROGRAM_SERVICE_H
#define TESTS_FCGI_PROGRAM_SERVICE_H

#include "base/scope.h"
#include "tests/support/fcgi_client.h"
#include "tests/support/house.h"
#include "tests/support/program.h"

/* A house whose posthouse.fcgi answers on a FastCGI socket. It has the key ph_full. */
struct service {
	struct test_house *house;
	char *socket;
	int listener;
	struct test_program *program;
};

#define SERVICE_KEY "HTTP_AUTHORIZATION=Bearer ph_full"

/* server and more: as test_house_open has them. workers: NULL, or the number. */
struct service *service_open(
    const struct test_mariadb *server, const char *more, const char *workers);

/* Starts the program, again once it has ended. */
void service_start(struct service *service, const char *workers);

void service_close(struct service *service);
DEFINE_AUTO(service, service_close)

/* One request with the key; the caller clears the answer. */
struct fcgi_answer service_request(
    struct service *service, const char *method, const char *path, const char *body);

/* The same, which must have this status and body; the case's name is what failures say. */
void service_expect(struct service *service, const char *name, const char *method, const char *path,
    const char *body, guint want_status, const char *want_body);

/* Connects, begins a request, and sends its parameters. The caller frees it. */
struct fcgi_client *service_begin(
    struct service *service, const char *method, const char *path, gsize body_size);

#endif
