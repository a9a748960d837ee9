/* SPDX-License-Identifier: MIT */
/* The rows of a result, read into memory, and their columns. */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

/* The rows of a result, all of them in memory, independent of the statement and the connection. */
struct db_rows;

/* Goes to the next row; the first call goes to the first one. Returns false after the last. */
bool db_rows_next(struct db_rows *rows);

/* The functions below read a column, counted from 0, of the current row. Pointers live as long as
   rows. SQL NULL reads as 0, NULL, NULL with size 0, or false. */

/* The column of a result that has only one. The columns of other results are named by an enum,
   which stands beside the list of columns in the statement. */
enum { DB_ROWS_ONLY };

/* Whether the column of the current row is SQL NULL. */
bool db_rows_is_null(const struct db_rows *rows, guint column);

/* An integer of any type, or the whole part of a DECIMAL (the type of SUM). Unsigned values above
   G_MAXINT64 read as G_MAXINT64. */
gint64 db_rows_int(const struct db_rows *rows, guint column);

/* A column of any type except integers. Text ends with NUL, which *size_r does not count; size_r
   may be NULL. */
const char *db_rows_text(const struct db_rows *rows, guint column);
const void *db_rows_bytes(const struct db_rows *rows, guint column, gsize *size_r);

/* An id. Returns false and leaves *id_r unchanged if the value is not 16 bytes long. */
bool db_rows_id(const struct db_rows *rows, guint column, struct base_id *id_r);

void db_rows_free(struct db_rows *rows);
DEFINE_AUTO(db_rows, db_rows_free)

/* Frees the results of db_select_together and sets them to NULL. */
void db_rows_free_all(struct db_rows **rows, gsize count);

struct db;
struct st_mysql_stmt;

/* For db/statement.c: reads the result of an executed statement. sql is for error messages. hidden
   columns, none or one, stand in front of the columns that are counted. The caller frees the
   result; NULL on error, as of db_handle_failed. */
struct db_rows *db_rows_read(
    struct db *db, struct st_mysql_stmt *statement, const char *sql, guint hidden, GError **error);

/* The number of rows, read or not. */
guint db_rows_count(const struct db_rows *rows);

/* For db/prefetch.c: the rows whose first column is this id, as a result of their own, which lives
   no longer than rows. *last_r says whether the last one of rows is among them, or there are none.
 */
struct db_rows *db_rows_of(const struct db_rows *rows, const struct base_id *id, bool *last_r);

/* For db/statement.c: whether the hidden integer of the first row is not 0. */
bool db_rows_hidden(const struct db_rows *rows);

#endif
