/* SPDX-License-Identifier: MIT */
/* What all commands that take in a file of comma-separated values have in common. */
#ifndef CLI_INTAKE_H
#define CLI_INTAKE_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;
struct cli_column;

#define INTAKE_COLUMNS 4

struct cli_intake {
	const char *path;
	const struct cli_column *columns;
	guint count;
	bool header; /* the first line is one */
	bool raw;    /* fields are as they stand: see cli_formula_unguard */

	/* Takes one record: the values of the columns, NULL where the file has no such column.
	   INVALID says what is wrong with this one; any other error ends it all. */
	bool (*take)(const char *const *values, void *context, GError **error);
	void *context;

	/* Takes, as char *, the columns that are not used: their headers or, where there are none,
	   their numbers from 1. */
	GPtrArray *unused;
};

/* The unused columns as a JSON array, for the answer's object. The caller owns it. */
char *cli_intake_unused(const GPtrArray *unused);

/* Takes in all records. Columns that are not used are told on standard error before the first one
   (with --json they stand in the answer alone). Each record that is no good is told at once on
 standard error, with its line. *bad_r: how many. False when it could not come to the end. */
bool cli_intake_run(
    struct cli_call *call, const struct cli_intake *intake, guint64 *bad_r, GError **error);

/* The end of a command whose answer is given: INVALID where some were no good. */
bool cli_intake_end(guint64 bad, GError **error);

#endif
