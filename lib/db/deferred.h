/* SPDX-License-Identifier: MIT */
#ifndef DB_DEFERRED_H
#define DB_DEFERRED_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct db_value;

/* For this room: the statements of a transaction that wait for company (db_defer of
   db/statement.h), in their order. */
GPtrArray *db_deferred_new(void);

/* True when they are few and small enough to wait. */
bool db_deferred_takes(const struct db_value *values, gsize columns, gsize rows);

/* Lets one more wait, with a copy of its values; where too much waits already, that is run first.
 */
bool db_deferred_add(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Runs those that wait, together in one round trip. Errors: as of db_run. Whatever it returns, none
   waits any more. */
bool db_deferred_run(struct db *db, GError **error);

/* Before the transaction ends: makes sure that those that wait can be run with COMMIT. Errors: as
   of db_run. */
bool db_deferred_settle(struct db *db, GError **error);

/* Runs those that wait and COMMIT in one round trip; there is at least one. On an error db->failure
   tells what of; the transaction may still be open. Whatever it returns, none waits any more. */
bool db_deferred_commit(struct db *db, GError **error);

void db_deferred_forget(struct db *db);

#endif
