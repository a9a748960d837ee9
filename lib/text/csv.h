/* SPDX-License-Identifier: MIT */
/* Files of comma-separated values (RFC 4180): read record by record in bounded memory, and written
   so that they read back the same. */
#ifndef TEXT_CSV_H
#define TEXT_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/charset.h"
#include "base/scope.h"

/* A longer record is refused, and never held in memory as a whole. */
#define CSV_RECORD_BYTES (1024 * 1024)

struct text_csv;

/* The form of a file. */
struct text_csv_form {
	enum base_charset charset; /* CHARSET_UTF_8 to CHARSET_LATIN_1; a byte order mark decides
				      before it */
	char separator; /* comma, semicolon or tab; 0: the first line with a text decides,
			   the comma where two are in it as often */
};

/* Opens a file; "-" is standard input. form NULL: UTF-8, and the separator of the first line. A
   line "sep=;" in front is no record, and decides if the form does not. NOT_FOUND or FAILED when
   the file cannot be read. The caller frees it. */
struct text_csv *text_csv_open(const char *path, const struct text_csv_form *form, GError **error);

/* The same for a file in memory. */
struct text_csv *text_csv_open_bytes(GBytes *bytes, const struct text_csv_form *form);
void text_csv_free(struct text_csv *csv);
DEFINE_AUTO(text_csv, text_csv_free)

/* A record; valid until the next one is read. */
struct text_csv_record {
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
bool text_csv_next(struct text_csv *csv, struct text_csv_record *record_r, GError **error);

/* Returns the number of bytes read so far, of a file in memory those of its text in UTF-8. */
guint64 text_csv_position(const struct text_csv *csv);

/* A place between two records of a file in memory: the position and the line that follow. The
   position counts the bytes of base_charset_text of the file. Reading goes on at a place of another
   reader of the same bytes and form. */
struct text_csv_place {
	guint64 position, line;
};
struct text_csv_place text_csv_place(const struct text_csv *csv);
void text_csv_seek(struct text_csv *csv, const struct text_csv_place *place);

/* The separator. */
char text_csv_separator(const struct text_csv *csv);

/* Reads a separator: a comma, a semicolon, a tab, or these words. INVALID "WHAT must be comma,
   semicolon or tab". */
bool text_csv_read_separator(const char *what, const char *text, char *separator_r, GError **error);

/* Returns the size of the file in bytes; 0 when it is unknown. */
guint64 text_csv_size(const struct text_csv *csv);

/* Writes a record with every field in quotes; NULL is an empty field. Returns false when the file
   cannot be written. */
bool text_csv_write(FILE *file, const char *const *fields, guint count);

/* The letters and digits of a header, in lower case, by which headers are compared. The caller owns
   it. */
char *text_csv_fold(const char *header);

/* Returns the text without white space, no-break spaces and marks around it. Borrows from text, or
   from buffer. */
const char *text_csv_trim(const char *text, GString *buffer);

/* Guards a text that a spreadsheet would take for a formula: one that begins with = + - @, tab or
   CR, or with ' before such a character, gets a ' in front. Returns text, or *buffer_r, which the
   caller frees. */
const char *text_csv_guard(const char *text, char **buffer_r);

/* Removes the guard: text_csv_unguard(text_csv_guard(x)) is x. Borrows from text. */
const char *text_csv_unguard(const char *text);

#endif
