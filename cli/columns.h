/* SPDX-License-Identifier: MIT */
/* Which column of a file holds what. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <glib.h>
#include <stdbool.h>

struct cli_csv_record;

/* What is looked for. */
struct cli_column {
	const char *field;	  /* what it is called in what is said */
	const char *option;	  /* that names its column */
	const char *given;	  /* by that option: a header, or a number from 1; NULL: find it */
	const char *const *names; /* headers by which it is found, letters and digits alone, in
				     lower case; NULL-terminated */
	bool required;
};

#define COLUMN_NONE (-1)

/* Finds each column in the first record of a file: by its header or, where the file has none
   (header false), by its number; where nothing at all is given then, the columns stand in their
   order. *places_r: from 0, or COLUMN_NONE. Upper and lower case, spaces and punctuation make no
   difference in headers. INVALID with a sentence when one is not there, or more than once. */
bool cli_columns_find(const struct cli_column *columns, guint count, bool header,
    const struct cli_csv_record *first, int *places_r, GError **error);

#endif
