/* SPDX-License-Identifier: MIT */
/* Where a command writes a file of comma-separated values: to a file, which is there as a whole or
   not at all, or to standard output. */
#ifndef CLI_OUTLET_H
#define CLI_OUTLET_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct cli_outlet;

/* The parameters of what is written there. */
#define OUTLET_FILE                                                                                \
	{                                                                                          \
		"FILE", "what to write; without it, or where it is -, standard output",            \
		    .type = PARAMETER_FILE, .optional = true                                       \
	}
#define OUTLET_RAW                                                                                 \
	{                                                                                          \
		"--raw", "put no ' in front of fields that a spreadsheet would take for formulas", \
		    .type = PARAMETER_FLAG                                                         \
	}

/* What a command line says of it as a path: NULL, standard output, for NULL and "-". */
const char *cli_outlet_path(const char *argument);

/* path: of a file, readable by its owner alone, or NULL: standard output. raw: fields go out as
   they stand, else guarded (cli_formula_guard). total: of the progress. FAILED when it cannot be
   made. The caller frees it; a file that was not finished is gone then. */
struct cli_outlet *cli_outlet_open(const char *path, bool raw, guint64 total, GError **error);
void cli_outlet_free(struct cli_outlet *outlet);
DEFINE_AUTO(cli_outlet, cli_outlet_free)

/* A record; the first is the header. FAILED when it cannot be written. */
bool cli_outlet_write(
    struct cli_outlet *outlet, const char *const *fields, guint count, GError **error);

/* How many records were written after the header. */
guint64 cli_outlet_count(const struct cli_outlet *outlet);

/* The end: a file takes its name, in place of one that had it. FAILED. */
bool cli_outlet_finish(struct cli_outlet *outlet, GError **error);

#endif
