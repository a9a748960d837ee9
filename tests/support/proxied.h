#ifndef TESTS_SUPPORT_PROXIED_H
#define TESTS_SUPPORT_PROXIED_H

#include "tests/support/mariadb.h"
#include "tests/support/proxy.h"

/* A fresh database on the suite's server, as test_mariadb_database makes it for a test, and a proxy
   in front of it. *direct_r are settings that lead there straight, *proxied_r through the proxy.
   The caller frees both, and stops the proxy after the connections are closed. */
struct test_proxy *test_proxied_database(struct settings **direct_r, struct settings **proxied_r);

#endif
