/* SPDX-License-Identifier: MIT */
/* For this room: binding values and executing prepared statements. */
#ifndef DB_EXECUTE_H
#define DB_EXECUTE_H

#include <glib.h>
#include <mysql.h>
#include <stdbool.h>

#include "base/scope.h"

struct db;
struct db_value;

#define BATCH_SIZE (512 * 1024)

/* The values of one execution, bound as the client library needs them; for several rows, column by
   column. It points to the data of the values. */
struct db_batch {
	gsize columns, rows;
	gsize size; /* of the packet in bytes, estimated upwards */
	MYSQL_BIND *binds;
};

/* Binds rows times columns values, given row by row. The caller frees the result. */
struct db_batch *db_batch_new(const struct db_value *values, gsize columns, gsize rows);

/* The number of rows to send at once: as many as fit into BATCH_SIZE, but at least one. */
gsize db_batch_fill(const struct db_value *values, gsize columns, gsize rows);

void db_batch_free(struct db_batch *batch);
DEFINE_AUTO(db_batch, db_batch_free)

/* Called for a failed statement: db_handle_failed or db_handle_doubted. */
typedef bool (*db_execute_failed)(
    struct db *db, MYSQL_STMT *statement, const char *sql, GError **error);

/* Executes a statement with its values. The address of sql is the key of the prepared statement. If
   the server no longer knows the statement, it has not been run; it is then prepared and executed
   once more. Returns the executed statement, which belongs to db; NULL after calling failed, or
   FAILED when the values exceed max_allowed_packet. */
MYSQL_STMT *db_execute(struct db *db, const char *sql, const struct db_batch *batch,
    db_execute_failed failed, GError **error);

#endif
