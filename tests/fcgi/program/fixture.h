/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FCGI_PROGRAM_FIXTURE_H
#define TESTS_FCGI_PROGRAM_FIXTURE_H

#include "base/scope.h"
#include "tests/support/fcgi_client.h"
#include "tests/support/house.h"
#include "tests/support/program.h"

/* A test_house whose posthouse.fcgi listens on a FastCGI socket. It has the key ph_full. */
struct fixture {
	struct test_house *house;
	char *socket;
	int listener;
	struct test_program *program;
};

#define FIXTURE_KEY "HTTP_AUTHORIZATION=Bearer ph_full"

/* server and more are as for test_house_open. workers is the number as text, or NULL. */
struct fixture *fixture_open(
    const struct test_mariadb *server, const char *more, const char *workers);

/* Starts the program, or restarts it after it has ended. */
void fixture_start(struct fixture *fixture, const char *workers);

void fixture_close(struct fixture *fixture);
DEFINE_AUTO(fixture, fixture_close)

/* Sends a request with the key; the caller clears the reply. */
struct fcgi_answer fixture_request(
    struct fixture *fixture, const char *method, const char *path, const char *body);

/* The same, and expects this status and body. Failures name the case. */
void fixture_expect(struct fixture *fixture, const char *name, const char *method, const char *path,
    const char *body, guint want_status, const char *want_body);

/* Connects, begins a request, and sends its parameters. The caller frees it. */
struct fcgi_client *fixture_begin(
    struct fixture *fixture, const char *method, const char *path, gsize body_size);

/* Expects status 200, and frees the client. */
void fixture_expect_ok(struct fcgi_client *client, const char *name);

/* Keeps a process busy: it reads a request whose body comes with fixture_release, which expects the
   answer 400, and frees the client. */
struct fcgi_client *fixture_hold(struct fixture *fixture);
void fixture_release(struct fcgi_client *client);

#endif
