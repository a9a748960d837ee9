/* SPDX-License-Identifier: MIT */
#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "db/rows.h"
#include "db/value.h"

struct db;

/* sql is a literal that lives as long as the process: its address is the key of the prepared
   statement, which each connection prepares at the first use. As many values as it has question
   marks, and a result only for db_select, else the process ends: that is a fault in the program.

   Errors of all calls: CONFLICT when a unique key or a foreign key forbids it, LIMITED when a CHECK
   does; TEMPORARY when the
   connection is lost, or the transaction was chosen to be run again (deadlock, lock wait, Galera),
   or the server says not now (read-only, disk full, interrupted); UNCERTAIN when a change outside a
   transaction was sent and the connection lost before the answer; FAILED for all else. db_cause of
   db/connection.h tells more closely. */

/* Runs a statement that gives no rows. affected_r may be NULL: the rows that WHERE matched, changed
   or not; of INSERT ... ON DUPLICATE KEY UPDATE 2 for an old row that it changed, else 1. */
bool db_run(struct db *db, const char *sql, const struct db_value *values, gsize count,
    guint64 *affected_r, GError **error);

/* The same of a compound statement, BEGIN ... END. */
bool db_run_compound(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Runs it once for each of rows sets of columns values, one after the other in values (row-major),
   by array binding: one round trip for each half MiB. A column has the same type in each row, or
   NULL. rows = 0 does nothing. Outside a transaction it may fail when some rows are in already. */
bool db_run_rows(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, guint64 *affected_r, GError **error);

/* In the body of a transaction: runs a statement that gives no rows as db_run_rows does, but not
   now: with the next one that is not put off, or with COMMIT, in one round trip with what else was
   put off, and in the order of the calls. So an error of it comes from a later call, or from
   db_transact; db_cause tells what of. The values are copied. Many rows, and large ones, are run
   now. */
bool db_defer(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, GError **error);

/* Runs what db_defer has put off now, for who comes next makes something of an error and means only
   what it runs itself. Costs nothing before a statement that is not put off. Errors: as of db_run;
   none when nothing waits. */
bool db_run_deferred(struct db *db, GError **error);

/* Runs a statement that gives rows, and reads them all. Never UNCERTAIN: one that changes something
   (INSERT ... RETURNING) belongs in a transaction. It names its columns: * fails once after their
   number has changed. Never NULL without error. The caller frees it. */
struct db_rows *db_select(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Several such statements, which are run in their order in one round trip; each sees what there is
   when its turn comes. Gives the rows of each, or none; the caller frees them. */
bool db_select_together(struct db *db, const struct db_query *queries, gsize count,
    struct db_rows **rows_r, GError **error);

/* Runs one statement of our own files as it stands, without parameters, for as long as it takes: a
   step of the schema. Rows that it gives are dropped. */
bool db_run_plain(struct db *db, const char *sql, GError **error);

#endif
