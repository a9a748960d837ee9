/* SPDX-License-Identifier: MIT */
/* Short functions for common database work of tests. */
#ifndef TESTS_SUPPORT_DB_H
#define TESTS_SUPPORT_DB_H

#include "db/connection.h"
#include "db/statement.h"
#include "tests/support/mariadb.h"

/* Short functions for common database work of tests. A failure fails the test. */

struct db *test_db_open(const struct config_settings *settings);

void test_db_plain(struct db *db, const char *sql);

/* Gives the outbox the primary key that it has until step 0493 of "schema migrate --finish", which
   is not recorded any more. Connections that have asked for the step go on as if it were. */
void test_db_outbox_of_before(struct db *db);

/* The first column of the first row; NULL, to be freed, for SQL NULL. */
gint64 test_db_number(struct db *db, const char *sql);
char *test_db_text(struct db *db, const char *sql);

/* Waits until so many connections to its database, or more, wait for the lock of a row. */
void test_db_wait_locked(struct db *db, guint count);

#endif
