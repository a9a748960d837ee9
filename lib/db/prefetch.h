/* SPDX-License-Identifier: MIT */
/* The results of several executions of a SELECT, read by one statement before they are asked
   for. */
#ifndef DB_PREFETCH_H
#define DB_PREFETCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "db/value.h"

struct db;
struct db_rows;

#define DB_PREFETCH_MOST 8 /* results that one statement reads */
#define DB_PREFETCH_SIZES 3

/* A SELECT of db_select_row, and one that reads the results of several of its executions. MariaDB
   spends most of the time of a short SELECT on opening tables and on the plan, so that one for many
   costs little more than one for one. */
struct db_prefetch_form {
	const char *one; /* its first column is an id, which is the first of its values, too */
	const char
	    *many[DB_PREFETCH_SIZES]; /* DB_PREFETCH_MANY: for 2, 4 and 8 lists of its values */
	guint count;		      /* of its values */
	guint most;		      /* rows to which rest limits many; 0: none */
};

/* select: the columns and tables of one, up to WHERE. It names its indexes, since the optimizer
   takes a long condition for many rows. condition: that of one. rest: what is behind it. */
#define DB_PREFETCH_MANY(select, condition, rest)                                                  \
	{                                                                                          \
		select " WHERE (" DB_PREFETCH_OR_2(condition) ")" rest,                            \
		    select " WHERE (" DB_PREFETCH_OR_4(condition) ")" rest,                        \
		    select " WHERE (" DB_PREFETCH_OR_4(condition) " OR " DB_PREFETCH_OR_4(         \
			condition) ")" rest                                                        \
	}
#define DB_PREFETCH_OR_2(condition) "(" condition ") OR (" condition ")"
#define DB_PREFETCH_OR_4(condition) DB_PREFETCH_OR_2(condition) " OR " DB_PREFETCH_OR_2(condition)

/* Executions of a form, and their rows; db_select_ahead makes it. Rows that db_select_prefetched
   has taken from it must not be used any more when it is freed. */
struct db_prefetch;
void db_prefetch_free(struct db_prefetch *ahead);
DEFINE_AUTO(db_prefetch, db_prefetch_free)

/* For this room: values has places times form->count values, which are copied. The caller frees
   it. */
struct db_prefetch *db_prefetch_new(
    const struct db_prefetch_form *form, const struct db_value *values, guint places);

/* The statement that reads them. Its values belong to ahead. */
struct db_query db_prefetch_query(struct db_prefetch *ahead);

/* Takes over the rows of that statement. */
void db_prefetch_keep(struct db_prefetch *ahead, struct db_rows *rows);

/* The result for a query. It lives no longer than ahead, which may be NULL. NULL: it has to be
   read. */
struct db_rows *db_prefetch_take(const struct db_prefetch *ahead, const struct db_query *query);

#endif
