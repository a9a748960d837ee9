/* SPDX-License-Identifier: MIT */
/* The parameters of a statement, with their types. */
#ifndef DB_VALUE_H
#define DB_VALUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

/* A bound parameter, made by the functions below. Its data must live until the call that uses it
 * returns. */
struct db_value {
	enum db_type { DB_TYPE_NULL, DB_TYPE_INT, DB_TYPE_TEXT, DB_TYPE_BYTES } type;
	gint64 number;
	const void *data;
	gsize size;
};

/* Make a parameter. Texts, bytes and ids are borrowed. */
struct db_value db_null(void);
struct db_value db_int(gint64 number);
struct db_value db_int_or_null(gint64 number);		/* 0 is SQL NULL */
struct db_value db_id(const struct base_id *id);	/* NULL is SQL NULL */
struct db_value db_text(const char *text);		/* UTF-8; NULL is SQL NULL */
struct db_value db_bytes(const void *data, gsize size); /* data NULL is SQL NULL */

/* Whether both are the same type and value. */
bool db_value_equal(const struct db_value *a, const struct db_value *b);

/* The parameters of a statement in their order, as two arguments: DB_VALUES(db_id(&id), db_int(3))
 */
#define DB_VALUES(...)                                                                             \
	(const struct db_value[]){__VA_ARGS__},                                                    \
	    G_N_ELEMENTS(((const struct db_value[]){__VA_ARGS__}))

/* A statement with its values. */
struct db_query {
	const char *sql; /* as in db/statement.h */
	const struct db_value *values;
	gsize count;
};

#endif
