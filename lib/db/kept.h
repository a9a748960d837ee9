/* SPDX-License-Identifier: MIT */
#ifndef DB_KEPT_H
#define DB_KEPT_H

#include <glib.h>

#include "db/value.h"

/* For this room: a query that is run later. The data of its values stands behind them. g_free frees
   it. */
struct db_kept {
	struct db_query query;
	struct db_value values[];
};

struct db_kept *db_kept_new(const char *sql, const struct db_value *values, gsize count);

/* Bytes of the data of the values. */
gsize db_kept_size(const struct db_value *values, gsize count);

#endif
