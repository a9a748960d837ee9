/* SPDX-License-Identifier: MIT */
/* A proxy of MariaDB's protocol that loses commands and answers on demand. */
#ifndef TESTS_SUPPORT_PROXY_H
#define TESTS_SUPPORT_PROXY_H

#include <criterion/criterion.h>
#include <glib.h>

#include "base/scope.h"
#include "tests/support/db.h"
#include "tests/support/mariadb.h"

/* Stands between a client and a MariaDB server, one connection after the other, and can break it at
   an exact point of the conversation. */
struct test_proxy;

enum test_proxy_fault {
	TEST_PROXY_CUT_COMMAND, /* the command does not reach the server */
	TEST_PROXY_CUT_ANSWER,	/* the server has answered, and its answer does not come back */
	TEST_PROXY_CUT_WITHIN,	/* the same, but its beginning does */
	TEST_PROXY_ERROR,	/* the server does not see it, and an error is the answer */
	TEST_PROXY_LATE, /* the connection ends; the server sees it when the next such command
			    comes, and has answered before that is passed on */
};

/* Commands of the protocol, by their number. */
enum test_proxy_command {
	TEST_PROXY_QUERY = 0x03,
	TEST_PROXY_PREPARE = 0x16,
	TEST_PROXY_EXECUTE = 0x17,
	TEST_PROXY_BULK_EXECUTE = 0xfa, /* with array binding */
	TEST_PROXY_COMMIT = 0x100,	/* what ends a transaction: a query, or a block executed */
};

/* Listens on a Unix socket, path, and connects to another one for each client. */
struct test_proxy *test_proxy_start(const char *path, const char *target);

/* The fault befalls the next such command that begins with text, or executes a statement that does.
   code: of TEST_PROXY_ERROR. */
void test_proxy_break(struct test_proxy *proxy, enum test_proxy_fault fault,
    enum test_proxy_command command, const char *text, guint code);

/* How many commands the clients have sent. */
guint test_proxy_commands(struct test_proxy *proxy);

/* Ends the connection and stops listening. */
void test_proxy_stop(struct test_proxy *proxy);
DEFINE_AUTO(test_proxy, test_proxy_stop)

/* A fresh database on the suite's server, as test_mariadb_database makes it for a test, and a proxy
   in front of it. *direct_r are settings that lead there straight, *proxied_r through the proxy.
   The caller frees both, and stops the proxy after the connections are closed. */
struct test_proxy *test_proxied_database(
    struct config_settings **direct_r, struct config_settings **proxied_r);

/* A suite whose tests each have that: db goes through proxy, other goes straight, and only looks or
   gets in the way. The statements make what there is at first. */
#define PROXIED_SUITE(name, ...)                                                                   \
	static struct config_settings *settings, *proxied;                                         \
	static struct test_proxy *proxy;                                                           \
	static struct db *db, *other;                                                              \
	static void begin(void)                                                                    \
	{                                                                                          \
		static const char *const statements[] = {__VA_ARGS__};                             \
		proxy = test_proxied_database(&settings, &proxied);                                \
		db = test_db_open(proxied);                                                        \
		other = test_db_open(settings);                                                    \
		for (gsize i = 0; i < G_N_ELEMENTS(statements); i++)                               \
			test_db_plain(other, statements[i]);                                       \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		db_close(db);                                                                      \
		db_close(other);                                                                   \
		test_proxy_stop(proxy);                                                            \
		config_settings_free(settings);                                                    \
		config_settings_free(proxied);                                                     \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end)

#endif
