/* SPDX-License-Identifier: MIT */
/* Files of comma-separated values (RFC 4180), read record by record in bounded memory, and written
   so that they are read back the same. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/scope.h"

/* A longer record is at fault, and never in memory as a whole. */
#define CSV_RECORD_BYTES (1024 * 1024)

struct cli_csv;

/* Opens a file; "-" is standard input. A byte order mark of UTF-8 is passed over. NOT_FOUND or
   FAILED when it cannot be read, INVALID when it is UTF-16. The caller frees it. */
struct cli_csv *cli_csv_open(const char *path, GError **error);
void cli_csv_free(struct cli_csv *csv);
DEFINE_AUTO(cli_csv, cli_csv_free)

/* Lives until the next one is read. */
struct cli_csv_record {
	guint64 line;		   /* in the file, from 1, where it begins */
	const char *const *fields; /* UTF-8 without NUL; white space is part of them */
	guint count;
	const char *fault; /* not NULL: why it is no good; there are no fields then */
};

/* The next record; lines may end in CRLF, LF or CR, and empty ones are passed over. What is at
   fault is that record alone: the next one is read as if it were not there. False at the end, and
   with FAILED when the file cannot be read. */
bool cli_csv_next(struct cli_csv *csv, struct cli_csv_record *record_r, GError **error);

/* How far it has been read, and the whole, 0 where nobody knows. Bytes. */
guint64 cli_csv_position(const struct cli_csv *csv);
guint64 cli_csv_size(const struct cli_csv *csv);

/* Writes a record, every field in quotes, NULL as an empty one. False when the file takes it no
   more. */
bool cli_csv_write(FILE *file, const char *const *fields, guint count);

#endif
