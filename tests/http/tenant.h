/* SPDX-License-Identifier: MIT */
/* A workspace of a test's own in the suite's instance, so that tests do not see each other. */
#ifndef TESTS_HTTP_TENANT_H
#define TESTS_HTTP_TENANT_H

#include <criterion/criterion.h>
#include <glib.h>

#include "base/id.h"
#include "base/scope.h"
#include "tests/support/instance.h"

struct db;
struct config_settings;

/* The domain that each tenant may send from. */
#define TENANT_DOMAIN "example.com"

struct tenant {
	struct test_instance *instance;
	struct config_settings *settings;
	struct db *db; /* the test's own connection; @workspace is the workspace's id in SQL */
	char *name;
	char *key; /* of scope full */
	struct base_id id;
};

/* Creates a workspace with the admin program. A failure ends the test. */
struct tenant *tenant_open(void);
void tenant_close(struct tenant *tenant);
DEFINE_AUTO(tenant, tenant_close)

/* A suite whose tests each have their own tenant and this timeout in seconds. */
#define TENANT_SUITE(name, seconds)                                                                \
	static struct tenant *tenant;                                                              \
	static void begin(void)                                                                    \
	{                                                                                          \
		tenant = tenant_open();                                                            \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		tenant_close(tenant);                                                              \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end, .timeout = (seconds))

/* Another key; expires is an ISO 8601 time or NULL. The caller owns it. */
char *tenant_new_key(const struct tenant *tenant, const char *scope, const char *expires);

/* The number of rows of this workspace in each table, as text. The caller owns it. */
char *tenant_rows(const struct tenant *tenant);

#endif
