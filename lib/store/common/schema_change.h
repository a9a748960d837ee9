/* SPDX-License-Identifier: MIT */
/* The work that a statement of the schema makes. */
#ifndef STORE_COMMON_SCHEMA_CHANGE_H
#define STORE_COMMON_SCHEMA_CHANGE_H

#include <glib.h>

/* The kinds of statements of schema/, from the quick to the slow. */
enum store_schema_work {
	SCHEMA_CREATE,	/* makes a table: at once */
	SCHEMA_INSTANT, /* changes the description of a table: at once */
	SCHEMA_INDEX,	/* reads all rows; other clients read and write meanwhile */
	SCHEMA_REBUILD, /* writes all rows anew; writers may have to wait */
	SCHEMA_ROWS,	/* changes rows */
	SCHEMA_BATCHES, /* changes rows in small parts; other clients work meanwhile */
	SCHEMA_WORKS
};

/* The kind of a statement, and the table whose rows count for it, "" where it names none. The
   caller owns that. */
enum store_schema_work store_schema_work_of(const char *statement, char **table_r);

/* About how many seconds such work takes on a table of so many rows. */
gint64 store_schema_seconds(enum store_schema_work work, gint64 rows);

#endif
