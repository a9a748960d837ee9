/* SPDX-License-Identifier: MIT */
#ifndef DB_BATCH_H
#define DB_BATCH_H

#include <glib.h>
#include <mysql.h>

#include "base/scope.h"

struct db_value;

#define BATCH_SIZE (512 * 1024)

/* For db/statement.c: the values of one execution as the client library wants them; for several
   rows column by column. Points to the data of the values. */
struct db_batch {
	gsize columns, rows;
	gsize size; /* of the packet, bytes, rather more than less */
	MYSQL_BIND *binds;
};

struct db_batch *db_batch_new(const struct db_value *values, gsize columns, gsize rows);

/* How many of the rows to send at once: as many as stay within BATCH_SIZE, at least one. */
gsize db_batch_fill(const struct db_value *values, gsize columns, gsize rows);

void db_batch_free(struct db_batch *batch);
DEFINE_AUTO(db_batch, db_batch_free)

#endif
