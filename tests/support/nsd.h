/* SPDX-License-Identifier: MIT */
/* Starts a private NSD and changes its zones. */
#ifndef TESTS_SUPPORT_NSD_H
#define TESTS_SUPPORT_NSD_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* A private DNS server (NSD) on a free port of loopback. Errors end the process with a message. */
struct test_nsd;

/* Starts one that serves these zones, NULL-terminated, each with a SOA and NS record and no more.
   It ends with the process, if not before. */
struct test_nsd *test_nsd_start(const char *const *zones);

/* Whether NSD is installed; if not, a suite skips its tests. */
bool test_nsd_there(void);

/* Gives a zone these records, lines of a zone file with names relative to it, in place of those it
   had, and waits until they are served. */
void test_nsd_set(struct test_nsd *nsd, const char *zone, const char *records);

/* Stops the server, so that nothing answers; test_nsd_set starts it again. */
void test_nsd_end(struct test_nsd *nsd);

/* "127.0.0.1:PORT", for [dns] servers. */
const char *test_nsd_address(const struct test_nsd *nsd);

void test_nsd_stop(struct test_nsd *nsd);
DEFINE_AUTO(test_nsd, test_nsd_stop)

#endif
