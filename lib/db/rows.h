/* SPDX-License-Identifier: MIT */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

/* What a statement gave, all of it in memory: it needs neither the statement nor the connection any
   more. */
struct db_rows;

/* Goes to the next row, at first to the first one. False after the last. */
bool db_rows_next(struct db_rows *rows);

/* Columns of the row, from 0. Of SQL NULL: true, 0, NULL, NULL with size 0, false. Pointers live as
   long as rows. */
bool db_rows_is_null(const struct db_rows *rows, guint column);

/* Integers of any type, and the whole part of DECIMAL (SUM gives that). Unsigned values past
   G_MAXINT64 are G_MAXINT64. */
gint64 db_rows_int(const struct db_rows *rows, guint column);

/* All types but integers. Text ends in NUL, which size does not count. */
const char *db_rows_text(const struct db_rows *rows, guint column);
const void *db_rows_bytes(const struct db_rows *rows, guint column, gsize *size_r);

/* False, and *id_r untouched, also when there are not 16 bytes. */
bool db_rows_id(const struct db_rows *rows, guint column, struct base_id *id_r);

void db_rows_free(struct db_rows *rows);
DEFINE_AUTO(db_rows, db_rows_free)

/* What db_select_together gave. */
void db_rows_free_all(struct db_rows **rows, gsize count);

struct db;
struct st_mysql_stmt;

/* For db/statement.c: reads what the executed statement gives. sql as in db_handle_failed. */
struct db_rows *db_rows_read(
    struct db *db, struct st_mysql_stmt *statement, const char *sql, GError **error);

#endif
