/* SPDX-License-Identifier: MIT */
/* Files of comma-separated values (RFC 4180): read record by record in bounded memory, and written
   so that they read back the same. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/charset.h"
#include "base/scope.h"

/* A longer record is refused, and never held in memory as a whole. */
#define CSV_RECORD_BYTES (1024 * 1024)

struct base_csv;

/* The form of a file. */
struct base_csv_form {
	enum base_charset charset; /* CHARSET_UTF_8 to CHARSET_LATIN_1; a byte order mark decides
				      before it */
	char separator; /* comma, semicolon or tab; 0: the first line with a text decides,
			   the comma where two are in it as often */
};

/* Opens a file; "-" is standard input. form NULL: UTF-8, and the separator of the first line. A
   line "sep=;" in front is no record, and decides if the form does not. NOT_FOUND or FAILED when
   the file cannot be read. The caller frees it. */
struct base_csv *base_csv_open(const char *path, const struct base_csv_form *form, GError **error);

/* The same for a file in memory. */
struct base_csv *base_csv_open_bytes(GBytes *bytes, const struct base_csv_form *form);
void base_csv_free(struct base_csv *csv);
DEFINE_AUTO(base_csv, base_csv_free)

/* A record; valid until the next one is read. */
struct base_csv_record {
	guint64 line;		   /* the line of the file, from 1, at which it begins */
	const char *const *fields; /* UTF-8 without NUL, with their white space */
	guint count;
	const char
	    *fault; /* not NULL: the reason why the record is refused; it has no fields then */
	bool is_not_utf8; /* the fault: the file was read as UTF-8, and the record is none */
};

/* Reads the next record. Lines may end in CRLF, LF or CR. Empty lines, and records of which no
   field has more than white space, are passed over. A fault concerns one record only: the next one
   is read as usual. Returns false at the end, and with FAILED when the file cannot be read. */
bool base_csv_next(struct base_csv *csv, struct base_csv_record *record_r, GError **error);

/* Returns the number of bytes read so far, of a file in memory those of its text in UTF-8. */
guint64 base_csv_position(const struct base_csv *csv);

/* A place between two records of a file in memory: the position and the line that follow. The
   position counts the bytes of base_charset_text of the file. Reading goes on at a place of another
   reader of the same bytes and form. */
struct base_csv_place {
	guint64 position, line;
};
struct base_csv_place base_csv_place(const struct base_csv *csv);
void base_csv_seek(struct base_csv *csv, const struct base_csv_place *place);

/* The separator. */
char base_csv_separator(const struct base_csv *csv);

/* Reads a separator: a comma, a semicolon, a tab, or these words. INVALID "WHAT must be comma,
   semicolon or tab". */
bool base_csv_read_separator(const char *what, const char *text, char *separator_r, GError **error);

/* Returns the size of the file in bytes; 0 when it is unknown. */
guint64 base_csv_size(const struct base_csv *csv);

/* Writes a record with every field in quotes; NULL is an empty field. Returns false when the file
   cannot be written. */
bool base_csv_write(FILE *file, const char *const *fields, guint count);

/* The letters and digits of a header, in lower case, by which headers are compared. The caller owns
   it. */
char *base_csv_fold(const char *header);

/* Returns the text without white space, no-break spaces and marks around it. Borrows from text, or
   from buffer. */
const char *base_csv_trim(const char *text, GString *buffer);

/* Guards a text that a spreadsheet would take for a formula: one that begins with = + - @, tab or
   CR, or with ' before such a character, gets a ' in front. Returns text, or *buffer_r, which the
   caller frees. */
const char *base_csv_guard(const char *text, char **buffer_r);

/* Removes the guard: base_csv_unguard(base_csv_guard(x)) is x. Borrows from text. */
const char *base_csv_unguard(const char *text);

#endif
