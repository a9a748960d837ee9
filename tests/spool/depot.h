/* SPDX-License-Identifier: MIT */
/* Fills an outbox, and runs posthouse-spool. */
#ifndef TESTS_SPOOL_DEPOT_H
#define TESTS_SPOOL_DEPOT_H

#include "base/scope.h"
#include "tests/support/house.h"
#include "tests/support/program.h"
#include "tests/support/smtp_server.h"

/* An installation whose emails only posthouse-spool delivers, and a relay. Errors of these
   functions end the test. */
struct depot {
	struct test_house *house;
	struct smtp_server *relay;
};

/* server: as in test_house_open. batch: the setting [spool] batch. The caller closes the result. */
struct depot *depot_open(
    const struct test_mariadb *server, const struct smtp_script *script, guint batch);
void depot_close(struct depot *depot);
DEFINE_AUTO(depot, depot_close)

/* Stores count emails that are due at epoch ms, 0 = now. */
void depot_submit(struct depot *depot, guint count, gint64 at);

/* Stores count emails to an address, due now. */
void depot_submit_to(struct depot *depot, const char *address, guint count);

/* Return the number of outbox entries, and of claimed outbox entries. */
gint64 depot_left(struct depot *depot);
gint64 depot_claimed(struct depot *depot);

/* Wait until the number is count, for four minutes at most; decided: of those that were tried, or
   told to wait. */
void depot_wait_left(struct depot *depot, gint64 count);
void depot_wait_claimed(struct depot *depot, gint64 count);
void depot_wait_decided(struct depot *depot, gint64 count);

/* Starts the program with these arguments, NULL-terminated. */
struct test_program *depot_start(struct depot *depot, const char *const *arguments);

/* Starts the program, and returns its exit status. */
int depot_run(struct depot *depot, const char *const *arguments);

#define ARGUMENTS(...)                                                                             \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

#endif
