/* SPDX-License-Identifier: MIT */
#ifndef DB_EXECUTE_H
#define DB_EXECUTE_H

#include <glib.h>
#include <mysql.h>
#include <stdbool.h>

struct db;
struct db_batch;

/* What to make of a failure: db_handle_failed or db_handle_doubted. */
typedef bool (*db_execute_failed)(
    struct db *db, MYSQL_STMT *statement, const char *sql, GError **error);

/* For this room: executes a statement with its values. sql's address is the key of the prepared
   statement. One that the server does not know any more (it was never run then) is prepared anew,
   once. Returns the executed statement, which belongs to db. */
MYSQL_STMT *db_execute(struct db *db, const char *sql, const struct db_batch *batch,
    db_execute_failed failed, GError **error);

#endif
