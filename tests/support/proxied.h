/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_PROXIED_H
#define TESTS_SUPPORT_PROXIED_H

#include <criterion/criterion.h>

#include "tests/support/db.h"
#include "tests/support/mariadb.h"
#include "tests/support/proxy.h"

/* A fresh database on the suite's server, as test_mariadb_database makes it for a test, and a proxy
   in front of it. *direct_r are settings that lead there straight, *proxied_r through the proxy.
   The caller frees both, and stops the proxy after the connections are closed. */
struct test_proxy *test_proxied_database(
    struct base_settings **direct_r, struct base_settings **proxied_r);

/* A suite whose tests each have that: db goes through proxy, other goes straight, and only looks or
   gets in the way. The statements make what there is at first. */
#define PROXIED_SUITE(name, ...)                                                                   \
	static struct base_settings *settings, *proxied;                                           \
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
		base_settings_free(settings);                                                      \
		base_settings_free(proxied);                                                       \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end)

#endif
