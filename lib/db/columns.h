/* SPDX-License-Identifier: MIT */
/* The columns of a noun: one list gives the text of its SELECT and the reader of its rows.

   A list is a macro. FIRST and NEXT stand for a column: the member of the struct, the SQL, and, if
   it may be NULL and this is of interest, the member that says that it is not, a bool:

	#define TOPIC_COLUMNS(FIRST, NEXT) \
		FIRST(id, "t.id")          \
		NEXT(name, "t.name")       \
		NEXT(user_id, "t.user_id", has_user)

   Members are read by their types:

	struct base_id		an id, in 16 bytes; another size leaves it unchanged
	bool			whether an integer is not 0
	integers, an enum	an integer
	char *			text; the struct owns the copy
	const char *		text that lives as long as the rows
	GBytes *		bytes; the struct owns the copy
	guint8 [n]		the first n bytes; SQL NULL leaves it unchanged

   SQL NULL is NULL, 0 or false. A member of another type does not compile. */
#ifndef DB_COLUMNS_H
#define DB_COLUMNS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"

struct db_rows;

/* The text between SELECT and FROM. */
#define DB_COLUMNS_SQL(LIST) LIST(DB_COLUMN_FIRST_SQL, DB_COLUMN_NEXT_SQL)
#define DB_COLUMN_FIRST_SQL(member, sql, ...) sql
#define DB_COLUMN_NEXT_SQL(member, sql, ...) ", " sql

/* The number of the columns, which is the number of the column that follows them. */
#define DB_COLUMNS_END(LIST) (0 LIST(DB_COLUMN_ONE, DB_COLUMN_ONE))
#define DB_COLUMN_ONE(member, sql, ...) +1

/* Defines a static function name(rows, first, row), which sets the members of *row, a struct of
   this type, from the current row, in which the columns begin at the column first. */
#define DB_COLUMNS_READER(name, type, LIST)                                                        \
	static void name(const struct db_rows *rows, guint first, type *row)                       \
	{                                                                                          \
		static const struct db_column columns[] = {                                        \
		    LIST(DB_COLUMN_ENTRY, DB_COLUMN_ENTRY)};                                       \
                                                                                                   \
		db_columns_read(rows, first, columns, G_N_ELEMENTS(columns), row);                 \
	}

/* Defines a static function name(rows), which makes a struct of this type from a row that begins
   with these columns. The caller frees it. */
#define DB_COLUMNS_MAKER(name, type, LIST)                                                         \
	DB_COLUMNS_READER(name##_columns, type, LIST)                                              \
                                                                                                   \
	static type *name(const struct db_rows *rows)                                              \
	{                                                                                          \
		type *row = g_new0(type, 1);                                                       \
                                                                                                   \
		name##_columns(rows, 0, row);                                                      \
		return row;                                                                        \
	}

struct db_column {
	enum db_column_kind {
		DB_COLUMN_ID,
		DB_COLUMN_TEXT,
		DB_COLUMN_BORROWED,
		DB_COLUMN_BYTES,
		DB_COLUMN_ARRAY,
		/* Those that follow can read an integer. */
		DB_COLUMN_BOOL,
		DB_COLUMN_INT,
		DB_COLUMN_INT64,
	} kind;
	guint offset; /* of the member */
	guint has;    /* the offset of the bool beside it; 0: none */
	guint size;   /* of the member */
};

/* An enum is an integer here. The address of an array has a type of its own. */
#define DB_COLUMN_ENTRY(member, sql, ...)                                                          \
	{_Generic(&row->member,                                                                    \
	     struct base_id *: DB_COLUMN_ID,                                                       \
	     bool *: DB_COLUMN_BOOL,                                                               \
	     int *: DB_COLUMN_INT,                                                                 \
	     guint *: DB_COLUMN_INT,                                                               \
	     gint64 *: DB_COLUMN_INT64,                                                            \
	     guint64 *: DB_COLUMN_INT64,                                                           \
	     char **: DB_COLUMN_TEXT,                                                              \
	     const char **: DB_COLUMN_BORROWED,                                                    \
	     GBytes **: DB_COLUMN_BYTES,                                                           \
	     guint8 (*)[sizeof(row->member)]: DB_COLUMN_ARRAY),                                    \
	    offsetof(__typeof__(*row), member),                                                    \
	    0 __VA_OPT__(+_Generic(&row->__VA_ARGS__, bool *: offsetof(__typeof__(*row), __VA_ARGS__))), \
	    sizeof(row->member)},

/* In db/rows.c. */
void db_columns_read(const struct db_rows *rows, guint first, const struct db_column *columns,
    gsize count, void *row);

#endif
