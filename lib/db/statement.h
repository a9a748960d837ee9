/* SPDX-License-Identifier: MIT */
/* Statements: run for one row, for many rows, for their result, or deferred. */
#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "db/rows.h"
#include "db/value.h"

struct db;
struct db_prefetch;
struct db_prefetch_form;

/* Question marks for lists of this length. */
#define DB_MARKS_8 "?, ?, ?, ?, ?, ?, ?, ?"
#define DB_MARKS_10 DB_MARKS_8 ", ?, ?"
#define DB_MARKS_20 DB_MARKS_10 ", " DB_MARKS_10
#define DB_MARKS_25 DB_MARKS_10 ", " DB_MARKS_10 ", ?, ?, ?, ?, ?"
#define DB_MARKS_50 DB_MARKS_25 ", " DB_MARKS_25
#define DB_PAIRS_5 "(?, ?), (?, ?), (?, ?), (?, ?), (?, ?)"
#define DB_PAIRS_10 DB_PAIRS_5 ", " DB_PAIRS_5
#define DB_PAIRS_25 DB_PAIRS_10 ", " DB_PAIRS_10 ", " DB_PAIRS_5
#define DB_PAIRS_50 DB_PAIRS_25 ", " DB_PAIRS_25
#define DB_MARKS_64                                                                                \
	DB_MARKS_8 ", " DB_MARKS_8 ", " DB_MARKS_8 ", " DB_MARKS_8 ", " DB_MARKS_8 ", " DB_MARKS_8 \
		   ", " DB_MARKS_8 ", " DB_MARKS_8

/* Branches for a CASE of 25 values. */
#define DB_WHEN_5 " WHEN ? THEN ? WHEN ? THEN ? WHEN ? THEN ? WHEN ? THEN ? WHEN ? THEN ?"
#define DB_WHEN_25 DB_WHEN_5 DB_WHEN_5 DB_WHEN_5 DB_WHEN_5 DB_WHEN_5

/* All functions: sql is a literal that lives as long as the process. Its address is the key of the
   prepared statement, which each connection prepares at its first use. The number of values must be
   that of the question marks, and only db_select and db_select_together may return rows; a
   violation is a programming error and ends the process.

   Errors of all functions: CONFLICT when a unique key or a foreign key forbids the statement;
   LIMITED when a CHECK does; TEMPORARY when the connection is lost, when the server has rolled back
   the transaction (deadlock, lock wait, Galera), or when it cannot run the statement now
   (read-only, disk full, interrupted); UNCERTAIN when a change outside a transaction was sent and
   the connection was lost before the answer; FAILED for all other errors. db_cause
   (db/connection.h) tells more. */

/* Runs a statement that returns no rows. Outside a transaction it is one by itself: where the
   server has rolled it back, it is run again like db_transact. *affected_r (may be NULL) is the
   number of rows that match WHERE, changed or not. For INSERT ... ON DUPLICATE KEY UPDATE it is 2
   for an existing row that was changed, else 1. */
bool db_run(struct db *db, const char *sql, const struct db_value *values, gsize count,
    guint64 *affected_r, GError **error);

/* Runs a compound statement, BEGIN ... END, otherwise like db_run. */
bool db_run_compound(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Runs a statement once for each row of values by array binding, with one round trip for each half
   MiB. values has rows times columns values, row by row. The values of a column have the same type
   or are NULL. With rows = 0 it does nothing. Outside a transaction, some rows may be stored when
   it fails. */
bool db_run_rows(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, guint64 *affected_r, GError **error);

/* Queues a statement that returns no rows; call it in the body of a transaction. The queue is run
   in the order of the calls, in the same round trip as the next statement that is not deferred, or
   as COMMIT. An error therefore comes from a later call or from db_transact; db_cause tells the
   cause. The values are copied. Rows of an INSERT that ends with its list of values, or has
   ON DUPLICATE KEY UPDATE behind it, become one statement. Many rows and large rows are run at
   once, like db_run_rows. */
bool db_defer(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, GError **error);

/* Like db_defer, for one row of an INSERT that becomes one statement with others. The row joins the
   deferred statement of the same text, if there is one with room. So it may be stored before rows
   of other statements that were deferred earlier, which must not matter to them. */
bool db_defer_row(
    struct db *db, const char *sql, const struct db_value *values, gsize columns, GError **error);

/* Like db_defer, inside a transaction, for one execution that happens only where a fact has one of
   the bits of mask. fact is a SELECT of one number in one row, which does not lock. The server asks
   for it once for all statements that are deferred with the same fact and go in one round trip, so
   that statements which mostly have nothing to do cost nearly nothing. */
bool db_defer_if(struct db *db, const struct db_query *fact, guint mask,
    const struct db_query *query, GError **error);

/* Runs the deferred statements now, so that an error of theirs is not taken for an error of the
   next statement. Takes no extra round trip if the next statement is not deferred. Errors as of
   db_run; does nothing if no statement is deferred. */
bool db_run_deferred(struct db *db, GError **error);

/* Runs a statement that returns rows, and reads all of them. Never UNCERTAIN: a statement that also
   changes something (INSERT ... RETURNING) must be in a transaction. The statement must name its
   columns: SELECT * fails once after the number of columns has changed. Returns NULL only with an
   error; the caller frees the result. */
struct db_rows *db_select(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Like db_select, for a SELECT that reads one thing: its guard is joined with the tables, so that
   one look at the rows tells both. A result without rows may mean that the guard does not hold; it
   is then still to be checked. sql is a plain SELECT ... FROM ... WHERE, without question marks
   before WHERE, without functions of all rows (COUNT, MAX), and its names of columns say their
   table. */
struct db_rows *db_select_row(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error);

/* Reads the results of up to DB_PREFETCH_MOST executions of form->one by one statement:
   db_select_prefetched of form->one with one of these lists of values then takes its rows from the
   result. values has places times form->count values. The first of two places with the same id and
   other values counts. The caller frees the result. */
struct db_prefetch *db_select_ahead(struct db *db, const struct db_prefetch_form *form,
    const struct db_value *values, guint places, GError **error);

/* The same as db_select_row, but that the rows are taken from ahead (NULL: nothing), where it has
   them. Not in a transaction, nor while a guard is to be checked. */
struct db_rows *db_select_prefetched(struct db *db, const struct db_prefetch *ahead,
    const char *sql, const struct db_value *values, gsize count, GError **error);

/* Runs several such statements in order in one round trip; each sees the data at the time it runs.
   rows_r has room for count results, which the caller frees. On error all of them are NULL. A count
   of 0 reads nothing. */
bool db_select_together(struct db *db, const struct db_query *queries, gsize count,
    struct db_rows **rows_r, GError **error);

/* Runs one statement of the schema, without parameters and without a time limit. Its rows are
   dropped. */
bool db_run_plain(struct db *db, const char *sql, GError **error);

#endif
