/* SPDX-License-Identifier: MIT */
/* Installs a Posthouse for a test. */
#ifndef TESTS_SUPPORT_HOUSE_H
#define TESTS_SUPPORT_HOUSE_H

#include "base/id.h"
#include "base/scope.h"
#include "store/workspace/key.h"
#include "tests/support/mariadb.h"

struct service;
struct db;

/* An installation for one test: a database of its own with the latest schema and a workspace with a
   user. Errors end the test. */
struct test_house {
	char *config; /* path of the settings file */
	struct config_settings *settings;
	struct service *service;
	struct db *db; /* the service's */
	struct base_id workspace, user;
};

/* server: NULL for the suite's. more: as in test_mariadb_file. */
struct test_house *test_house_open(const struct test_mariadb *server, const char *more);
void test_house_close(struct test_house *house);
DEFINE_AUTO(test_house, test_house_close)

/* Makes text an API key. expires: epoch ms, 0 = never. */
struct base_id test_house_key(
    struct test_house *house, const char *text, enum store_key_scope scope, gint64 expires);

/* Registers a domain that may be sent from. */
void test_house_domain(struct test_house *house, const char *name);

#endif
