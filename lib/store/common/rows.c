/* SPDX-License-Identifier: MIT */
/* Stores rows of one INSERT. */
#include "store/common/rows.h"

#include "db/statement.h"

bool
store_rows_insert(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    guint rows, GError **error)
{
	return rows == 1 ? db_defer_row(db, sql, values, columns, error)
			 : db_defer(db, sql, values, columns, rows, error);
}
