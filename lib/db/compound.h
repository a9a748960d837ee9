/* SPDX-License-Identifier: MIT */
/* For this room: several statements as one compound statement, for one round trip. */
#ifndef DB_COMPOUND_H
#define DB_COMPOUND_H

#include <glib.h>
#include <stdbool.h>

#include "db/value.h"

struct db;
struct db_guard;
struct db_texts;

/* A query runs only where its fact has one of the bits of the mask (db_defer_if). */
struct db_when {
	struct db_query fact; /* sql NULL: it runs always */
	guint mask;
};

/* A copy of a query that is run later. The data of its values follows them in the same memory; free
   it with g_free. */
struct db_query_copy {
	struct db_query query;
	struct db_when when; /* the values of the fact follow those of the query */
	struct db_value values[];
};

/* Copies the values and their data; sql is not copied. The caller frees the result with g_free. */
struct db_query_copy *db_query_copy_new(
    const char *sql, const struct db_value *values, gsize count);

/* The size of the data of the values, in bytes. */
gsize db_query_copy_size(const struct db_value *values, gsize count);

/* The texts that a connection keeps, up to a number and a size, with their prepared statements.
   db_texts_free frees them. */
struct db_texts *db_texts_new(void);
void db_texts_free(struct db_texts *texts);

/* Whether sql is an INSERT whose list of values, "VALUES (...)", has all its question marks. Its
   query may have the values of several rows, and db_compound_build then repeats the list. */
bool db_compound_takes_rows(const char *sql);

/* Further parts of a compound statement; flags. */
enum db_compound_parts {
	DB_COMPOUND_BEGINS = 1,	 /* START TRANSACTION before the queries */
	DB_COMPOUND_COMMITS = 2, /* COMMIT after the queries */
	DB_COMPOUND_ALWAYS = 4,	 /* make it compound even if it has only one part */
};

/* The queries of a compound statement, in order, and its further parts. */
struct db_compound {
	const struct db_query *queries;
	gsize count; /* of queries */
	enum db_compound_parts parts;
	const struct db_when *whens; /* one for each query; NULL: all of them run always */
};

/* Joins a guard (NULL: none), the queries and the parts into one statement. Appends the values to
   values (of struct db_value) and returns the text. A single query without other parts is
   returned unchanged. Every other text belongs to db, which frees it and closes its prepared
   statement when it has too many later ones; so execute it before the next call. */
const char *db_compound_build(struct db *db, const struct db_guard *guard,
    const struct db_compound *compound, GArray *values);

/* Puts the condition of a guard in front of the columns of a query. NULL when that is not possible:
   the query is no plain SELECT. Else as db_compound_build. */
const char *db_compound_column(
    struct db *db, const struct db_guard *guard, const struct db_query *query, GArray *values);

/* Joins a guard to the tables of a plain SELECT with WHERE and without question marks before that.
   NULL when the guard is no table. Else as db_compound_build. */
const char *db_compound_join(
    struct db *db, const struct db_guard *guard, const struct db_query *query, GArray *values);

#endif
