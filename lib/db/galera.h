/* SPDX-License-Identifier: MIT */
#ifndef DB_GALERA_H
#define DB_GALERA_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* For this room: transactions on a node of Galera. A node undoes one for another node's write, and
   as a rule says so at the next statement. But within an array of rows, behind a block, and now and
   then elsewhere it does not (make galera shows it), and what is left of the transaction would be
   run, and committed, by itself. So there nothing commits by itself while a transaction is on, and
   a savepoint, which is gone with the transaction that it was set in, is looked for at the end. */

/* Asks whether the server is one: db->galera. */
bool db_galera_ask(struct db *db, GError **error);

bool db_galera_begin(struct db *db, GError **error);

/* Runs what was put off, and makes sure that all has been done in one transaction, which is still
   open. TEMPORARY, to be run again, when it was not. */
bool db_galera_settle(struct db *db, GError **error);

/* After COMMIT or ROLLBACK. Where it fails the connection is dead. */
void db_galera_end(struct db *db);

#endif
