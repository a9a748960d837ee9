/* SPDX-License-Identifier: MIT */
/* A workspace of a test's own in the suite's instance, so that tests do not see each other. */
#ifndef TESTS_HTTP_FIXTURE_H
#define TESTS_HTTP_FIXTURE_H

#include <criterion/criterion.h>
#include <glib.h>

#include "base/id.h"
#include "base/scope.h"
#include "tests/support/instance.h"

struct db;
struct config_settings;

/* The domain that each fixture may send from. */
#define FIXTURE_DOMAIN "example.com"

struct fixture {
	struct test_instance *instance;
	struct config_settings *settings;
	struct db *db; /* the test's own connection; @workspace is the workspace's id in SQL */
	char *name;
	char *key; /* of scope full */
	struct base_id id;
};

/* Creates a workspace with the admin program. A failure ends the test. */
struct fixture *fixture_open(void);
void fixture_close(struct fixture *fixture);
DEFINE_AUTO(fixture, fixture_close)

/* A suite whose tests each have their own fixture and this timeout in seconds. */
#define FIXTURE_SUITE(name, seconds)                                                               \
	static struct fixture *fixture;                                                            \
	static void begin(void)                                                                    \
	{                                                                                          \
		fixture = fixture_open();                                                          \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		fixture_close(fixture);                                                            \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end, .timeout = (seconds))

/* Another key; expires is an ISO 8601 time or NULL. The caller owns it. */
char *fixture_new_key(const struct fixture *fixture, const char *scope, const char *expires);

/* The number of rows of this workspace in each table, as text. The caller owns it. */
char *fixture_rows(const struct fixture *fixture);

#endif
