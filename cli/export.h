/* SPDX-License-Identifier: MIT */
/* The output of a command that writes comma-separated values: standard output, or a file that
   appears complete or not at all. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct cli_export;

/* The parameters of such a command. */
#define EXPORT_PARAMETER_FILE                                                                      \
	{                                                                                          \
		"FILE", "what to write; without it, or where it is -, standard output",            \
		    .type = PARAMETER_FILE, .optional = true                                       \
	}
#define EXPORT_PARAMETER_RAW                                                                       \
	{                                                                                          \
		"--raw", "put no ' in front of fields that a spreadsheet would take for formulas", \
		    .type = PARAMETER_FLAG                                                         \
	}

/* Returns the path for an argument FILE: NULL, standard output, for NULL and "-". */
const char *cli_export_path(const char *argument);

/* Opens the output. path: of a file, readable by its owner alone; NULL: standard output. raw: write
   fields unchanged, else guarded (text_csv_guard). total: the number of records for the progress
   line, 0 = unknown. FAILED when the file cannot be made. The caller frees the result; a file that
   is not finished is removed then. */
struct cli_export *cli_export_open(const char *path, bool raw, guint64 total, GError **error);
void cli_export_free(struct cli_export *export);
DEFINE_AUTO(cli_export, cli_export_free)

/* Writes a record; the first is the header. FAILED when it cannot be written. */
bool cli_export_write(
    struct cli_export *export, const char *const *fields, guint count, GError **error);

/* Returns the number of records without the header. */
guint64 cli_export_count(const struct cli_export *export);

/* Finishes the file and moves it to its path, where it replaces an existing file. FAILED when it
   cannot be written. */
bool cli_export_finish(struct cli_export *export, GError **error);

#endif
