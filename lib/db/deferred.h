/* SPDX-License-Identifier: MIT */
/* The queue of deferred statements of a transaction. deferred.c explains it. */
#ifndef DB_DEFERRED_H
#define DB_DEFERRED_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct db_query;
struct db_value;
struct db_when;

/* For this room: the queue of deferred statements of a transaction, in the order of the calls of
   db_defer (db/statement.h). */
GPtrArray *db_deferred_new(void);

/* Appends a statement for rows, the first of which is row, with copies of the values of all, if
   they are few and small enough (*taken_r): once for all rows if it is an INSERT of a list, else
   once for each. Runs the queue first if it is full. */
bool db_deferred_add(
    struct db *db, const struct db_query *row, gsize rows, bool *taken_r, GError **error);

/* Appends a statement with copies of its values and those of its fact. Runs the queue first if it
   is full. */
bool db_deferred_add_if(
    struct db *db, const struct db_when *when, const struct db_query *query, GError **error);

/* Adds a row to the statement of this text in the queue, unless that has a condition. False when
   there is none with room. */
bool db_deferred_join(struct db *db, const char *sql, const struct db_value *values, gsize columns);

/* Runs the queue in one round trip. It is empty afterwards, also after an error. Errors as of
   db_run. */
bool db_deferred_run(struct db *db, GError **error);

/* Prepares the connection for db_deferred_commit if the queue is not empty. Errors as of db_run. */
bool db_deferred_settle(struct db *db, GError **error);

/* Runs the queue, which must not be empty, and COMMIT in one round trip. The queue is empty
   afterwards, also after an error. After an error db->failure tells the cause, and the transaction
   may still be open. */
bool db_deferred_commit(struct db *db, GError **error);

/* Empties the queue without running it. */
void db_deferred_forget(struct db *db);

#endif
