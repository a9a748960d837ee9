/* SPDX-License-Identifier: MIT */
/* The import of comma-separated values, shared by all commands that read such files. */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "text/csv.h"

struct cli_call;
struct cli_progress;

/* A column to find in the file. */
struct cli_column {
	const char *field;  /* its name in messages */
	const char *option; /* the option that names it */
	const char
	    *given; /* the value of that option: a header, or a number from 1; NULL: search */
	const char *const *names;  /* the headers to search for: letters and digits only, in lower
				      case; NULL-terminated */
	const char *const *others; /* likewise, where no header has one of those; NULL: none */
	bool required;
	bool ignored; /* no other column is found by the name of this one */
	bool late;    /* not found by its order in a file without header */
};

/* A record of the file. */
struct cli_import_record {
	const char *const *values; /* of the columns, NULL for one that the file does not have */
	guint64 line;
};

struct cli_import {
	const char *path;
	struct text_csv_form form; /* which --encoding and --separator give */
	const struct cli_column *columns;
	guint count;
	bool header; /* the first line is a header */
	bool raw;    /* take fields unchanged, see text_csv_unguard */

	/* Imports one record. INVALID refuses this record; any other error ends the import. */
	bool (*take)(const struct cli_import_record *record, void *context, GError **error);
	void *context;

	/* Receives the unused columns, as char *: their headers or, without a header, their numbers
	   from 1. */
	GPtrArray *unused;
};

#define COLUMN_NONE (-1)

/* Finds each column in the first record of a file, as cli_import_run describes. *places_r: indexes
   from 0, or COLUMN_NONE. INVALID when a column is missing or found twice. */
bool cli_import_find_columns(const struct cli_column *columns, guint count, bool header,
    const struct text_csv_record *first, int *places_r, GError **error);

/* Tells something of a line on standard error. member: its name in JSON, "error" or "warning". */
void cli_import_tell(struct cli_call *call, struct cli_progress *progress, guint64 line,
    const char *member, const char *text);

/* Tells the unused columns on standard error, unless the answer is JSON, which has them. */
void cli_import_tell_unused(const struct cli_call *call, const GPtrArray *unused);

/* Returns the unused columns as a JSON array, for the answer. The caller owns it. */
char *cli_import_unused(const GPtrArray *unused);

/* Imports all records of a file. Upper and lower case, spaces and punctuation do not matter in
   headers. Columns of a file without a header are found by number or, when no option names one, in
   their order. Reports unused columns on standard error first (not with --json), and each refused
   record with its line. *bad_r: the number of refused records. INVALID when a column is missing or
   found twice; errors of the file and of take. */
bool cli_import_run(
    struct cli_call *call, const struct cli_import *import, guint64 *bad_r, GError **error);

/* Ends a command after its answer. INVALID when records were refused. left: the number of people
   who kept their own choice; the last line on standard error tells it, unless it is 0. */
bool cli_import_end(struct cli_call *call, guint64 bad, guint64 left, GError **error);

#endif
