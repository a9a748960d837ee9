/* SPDX-License-Identifier: MIT */
/* Rows of one INSERT, of which there may be one or hundreds. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct db_value;

/* Inside a transaction: stores rows by an INSERT that takes a list of rows. One row is deferred and
   joins others of the same text (db_defer_row), a few are deferred, and many are sent at once by
   array binding. Errors of db/statement.h. */
bool store_rows_insert(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    guint rows, GError **error);

#endif
