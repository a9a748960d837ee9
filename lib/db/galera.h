/* SPDX-License-Identifier: MIT */
/* A transaction on a node of a Galera cluster, kept to one transaction. */
#ifndef DB_GALERA_H
#define DB_GALERA_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* For this room: makes sure that a transaction on a Galera node is one transaction.

   1. A node rolls back a local transaction when a write of another node conflicts with it.
   2. Usually the next statement reports that. But after array binding, after a compound statement,
      and sometimes elsewhere, it does not ("make galera" shows it).
   3. The server would then run the remaining statements with autocommit, and keep them although the
      earlier ones are lost.

   So autocommit is off during the transaction, and a savepoint is set at its beginning. The
   savepoint disappears with the transaction, so releasing it at the end fails if the transaction
   was lost. */

/* Asks whether the server is a Galera node and sets db->galera. */
bool db_galera_ask(struct db *db, GError **error);

/* Begins a transaction. Errors as of db_run. */
bool db_galera_begin(struct db *db, GError **error);

/* Runs the deferred statements, and checks that the transaction of db_galera_begin is still open.
   TEMPORARY, with a cause that lets the transaction be run again, when it is not. */
bool db_galera_settle(struct db *db, GError **error);

/* Turns autocommit on again, after COMMIT or ROLLBACK. On failure the connection is dead. */
void db_galera_end(struct db *db);

#endif
