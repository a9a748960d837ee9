/* SPDX-License-Identifier: MIT */
/* Files of comma-separated values (RFC 4180): read record by record in bounded memory, and written
   so that they read back the same. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/scope.h"

/* A longer record is refused, and never held in memory as a whole. */
#define CSV_RECORD_BYTES (1024 * 1024)

struct base_csv;

/* Opens a file; "-" is standard input. Skips a byte order mark of UTF-8. NOT_FOUND or FAILED when
   the file cannot be read, INVALID when it is UTF-16. The caller frees it. */
struct base_csv *base_csv_open(const char *path, GError **error);
/* The same for a file in memory, from a position of base_csv_position on; 0 is its begin. INVALID
   "file is UTF-16: save it as UTF-8". */
struct base_csv *base_csv_open_bytes(GBytes *bytes, guint64 from, GError **error);
void base_csv_free(struct base_csv *csv);
DEFINE_AUTO(base_csv, base_csv_free)

/* A record; valid until the next one is read. */
struct base_csv_record {
	guint64 line;		   /* the line of the file, from 1, at which it begins */
	const char *const *fields; /* UTF-8 without NUL, with their white space */
	guint count;
	const char
	    *fault; /* not NULL: the reason why the record is refused; it has no fields then */
};

/* Reads the next record. Lines may end in CRLF, LF or CR; empty lines are skipped. A fault concerns
   one record only: the next one is read as usual. Returns false at the end, and with FAILED when
   the file cannot be read. */
bool base_csv_next(struct base_csv *csv, struct base_csv_record *record_r, GError **error);

/* Returns the number of bytes read so far. */
guint64 base_csv_position(const struct base_csv *csv);

/* Returns the size of the file in bytes; 0 when it is unknown. */
guint64 base_csv_size(const struct base_csv *csv);

/* Writes a record with every field in quotes; NULL is an empty field. Returns false when the file
   cannot be written. */
bool base_csv_write(FILE *file, const char *const *fields, guint count);

/* The letters and digits of a header, in lower case, by which headers are compared. The caller owns
   it. */
char *base_csv_fold(const char *header);

/* Guards a text that a spreadsheet would take for a formula: one that begins with = + - @, tab or
   CR, or with ' before such a character, gets a ' in front. Returns text, or *buffer_r, which the
   caller frees. */
const char *base_csv_guard(const char *text, char **buffer_r);

/* Removes the guard: base_csv_unguard(base_csv_guard(x)) is x. Borrows from text. */
const char *base_csv_unguard(const char *text);

#endif
