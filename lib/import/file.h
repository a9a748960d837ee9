/* SPDX-License-Identifier: MIT */
/* The file of an import of people: finds the use of each column by the names that well-known
   exports have, or as the operator says, and reads line by line what import/import.h stores. The
   command line, import/request.h and import/contacts.h share it. */
#ifndef IMPORT_FILE_H
#define IMPORT_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "import/import.h"
#include "text/csv.h"

/* The use of a column. SUBSCRIBED and UNSUBSCRIBED may both be there: then one No is enough. */
enum import_use {
	IMPORT_UNUSED, /* no name that is known, and nothing said */
	IMPORT_IGNORE,
	IMPORT_EMAIL,
	IMPORT_FIRST_NAME,
	IMPORT_LAST_NAME,
	IMPORT_SUBSCRIBED,
	IMPORT_UNSUBSCRIBED, /* true there means no */
	IMPORT_LANGUAGE,
	IMPORT_TIME_ZONE,
	IMPORT_PROPERTY,
	IMPORT_USES
};

/* A column as the operator says, or as it is understood. */
struct import_column {
	char *name; /* the header; or, without a header, the number from 1 */
	enum import_use use;
	char *key;	    /* of a property */
	const char *option; /* that said so, for messages: "--email"; static */
	bool is_typed;	    /* of an export of ours: its texts are values of any type */
};

/* The columns of an array are freed with it. The caller releases it. */
GArray *import_columns_new(void); /* of struct import_column */

/* Adds a column whose use is a word: "email", "first_name", "last_name", "subscribed" (or
   "is_subscribed"), "unsubscribed", "language", "time_zone", "properties.KEY" or "ignore".
   INVALID "WHAT must be one of email, ..., not \"USE\"". what: the option of the word, static. */
bool import_columns_add(
    GArray *columns, const char *what, const char *name, const char *use, GError **error);

/* Adds a column with a use. key: of a property; else NULL. */
void import_columns_put(
    GArray *columns, const char *option, const char *name, enum import_use use, const char *key);

/* The word of the use of a column: as above, or "unused". The caller owns it. */
char *import_column_word(const struct import_column *column);

struct import_file_options {
	struct text_csv_form form;
	const GArray *columns; /* as the operator says; NULL: all by their names; borrowed */
	const char *dashes;    /* before the options that messages name: "--" of a command line,
				  "" of a document; static */
	bool is_of_people;     /* the column for the choice is "subscribed" in messages, not
				  "is_subscribed" */
	bool unsubscribed;     /* all lines, whatever their columns say */
	bool with_rest;	       /* columns left over become properties of their names */
	bool without_header;   /* the first line is a person, and columns have numbers */
	bool raw;	       /* fields are taken unchanged, see text_csv_unguard */
};

struct import_file;

/* Opens a file ("-": standard input), or one in memory, and finds its columns. INVALID "PATH is
   empty", "line 1: it is not UTF-8...", "no column of the first line is the email: name it with
   --email...", "two columns may be the email, \"E-Mail\" and \"Mail\": name one with --email" and
   others; errors of text_csv_open. name: of the file in messages. The caller frees it. */
struct import_file *import_file_open(
    const char *path, const struct import_file_options *options, GError **error);
struct import_file *import_file_open_bytes(
    GBytes *bytes, const char *name, const struct import_file_options *options, GError **error);
void import_file_free(struct import_file *file);
DEFINE_AUTO(import_file, import_file_free)

/* All columns of the file in their order, of struct import_column. The file owns it. */
const GArray *import_file_columns(const struct import_file *file);

/* Gives an import the keys of the properties of this file, which the file owns. */
void import_file_set_keys(const struct import_file *file, struct import *import);

/* A line of the file, valid until the next one is read. */
struct import_line {
	guint64 line;		   /* of the file, from 1 */
	const char *const *fields; /* as they stand, in the order of the columns; NULL: none */
	guint count;
	const char *fault;	       /* not NULL: the reason why the line is refused */
	struct import_contact contact; /* for import_add; without a fault */
};

/* Reads the next line. False at the end, and with FAILED when the file cannot be read. */
bool import_file_next(struct import_file *file, struct import_line *line_r, GError **error);

/* The separator of the file. */
char import_file_separator(const struct import_file *file);

/* The number of bytes read so far, and of the file (0: unknown). */
guint64 import_file_position(const struct import_file *file);
guint64 import_file_size(const struct import_file *file);

/* The place behind the last line, of a file in memory. Reading goes on at a place of another reader
   of the same bytes and options. */
struct text_csv_place import_file_place(const struct import_file *file);
void import_file_seek(struct import_file *file, const struct text_csv_place *place);

/* The use that a header has by its usual names; IMPORT_UNUSED: none. *is_late_r: only where no
   other column has it. */
enum import_use import_use_of(const char *header, bool *is_late_r);

/* Reads a word for yes or no in any case, with blanks around: true and false, yes and no, y and n,
   1 and 0, ja and nein, wahr and falsch, oui and non, on and off, subscribed and unsubscribed.
   inverse: of a column that says whether somebody is unsubscribed; the last two words mean
   themselves all the same, and a date says when somebody was. *given_r: false for an empty text or
   NULL. Returns false for any other text. */
bool import_read_flag(const char *text, bool inverse, bool *given_r, bool *is_subscribed_r);

#endif
