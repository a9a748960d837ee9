/* SPDX-License-Identifier: MIT */
#ifndef DB_BLOCK_TEXT_H
#define DB_BLOCK_TEXT_H

#include <glib.h>

struct db;
struct db_query;

/* For this room: queries as one statement, for one round trip. What else is in it: */
enum db_block {
	DB_BLOCK_BEGINS = 1,   /* START TRANSACTION before them */
	DB_BLOCK_COMMITS = 2,  /* COMMIT behind them */
	DB_BLOCK_COMPOUND = 4, /* nothing, but they can only be run in a block */
};

/* The text, and its values, which are appended to values (of struct db_value): the guard comes
   first, if there is one. A query with nothing else is its own text; all others belong to db, which
   keeps them, and what is prepared of them, until there are too many. So it is to be executed
   before the next call. */
const char *db_block_build(struct db *db, const struct db_query *queries, gsize count,
    enum db_block parts, GArray *values);

#endif
