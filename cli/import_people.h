/* SPDX-License-Identifier: MIT */
/* The import of people, into an audience or without memberships. */
#ifndef CLI_IMPORT_PEOPLE_H
#define CLI_IMPORT_PEOPLE_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct base_id;
struct cli_call;
struct cli_value;

/* The parameters, in the order of their values. */
#define IMPORT_COLUMN_LENGTH 200
#define IMPORT_COLUMN(option, help)                                                                \
	{                                                                                          \
		option, help, "COLUMN", .max = IMPORT_COLUMN_LENGTH                                \
	}
/* clang-format off */
#define IMPORT_PEOPLE_PARAMETERS \
	{"FILE", "comma-separated values; - is standard input", .type = PARAMETER_FILE}, \
	{"--duplicates", "how to treat those that exist: update (the default) changes them as the " \
	    "file says, skip leaves them unchanged, refuse reports their lines", \
	    .type = PARAMETER_CHOICE, .choices = {"update", "skip", "refuse"}}, \
	IMPORT_COLUMN("--email", "the header of the column with the emails, or its number"), \
	IMPORT_COLUMN("--first-name", "likewise"), \
	IMPORT_COLUMN("--last-name", "likewise"), \
	IMPORT_COLUMN("--subscribed", "the same for the column with true or false"), \
	IMPORT_COLUMN("--language", "the same for the column with BCP 47 language tags"), \
	IMPORT_COLUMN("--time-zone", "the same for the column with IANA time zones"), \
	{"--property", "a column whose texts become the property KEY", "COLUMN=KEY", \
	    .repeated = true, .max = 2 * IMPORT_COLUMN_LENGTH}, \
	{"--properties", "every column left over becomes the property of its name", \
	    .type = PARAMETER_FLAG}, \
	{"--column", "a column and its use: email, first_name, last_name, subscribed, " \
	    "unsubscribed, language, time_zone, properties.KEY or ignore", "NAME=USE", \
	    .repeated = true, .max = 2 * IMPORT_COLUMN_LENGTH}, \
	{"--encoding", "utf-8 (the default), windows-1252 or latin1; a byte order mark decides " \
	    "before it", "NAME", .max = IMPORT_COLUMN_LENGTH}, \
	{"--separator", "comma, semicolon or tab; if not given, the first line decides", "NAME", \
	    .type = PARAMETER_ANY}, \
	{"--unsubscribed", "all are unsubscribed, whatever the columns say", \
	    .type = PARAMETER_FLAG}, \
	{"--lenient", "leave out a language, time zone or property that does not fit, and warn", \
	    .type = PARAMETER_FLAG}, \
	{"--start-workflows", "let workflows start by what the file makes and changes", \
	    .type = PARAMETER_FLAG}, \
	{"--dry-run", "show the columns and what an import would do, and store nothing", \
	    .type = PARAMETER_FLAG}, \
	{"--no-header", "the first line is a contact, and columns have numbers", \
	    .type = PARAMETER_FLAG}, \
	{"--raw", "read fields unchanged: see contact export", .type = PARAMETER_FLAG}, \
	PARAMETER_OVERRIDE("also subscribe people who have unsubscribed")
/* clang-format on */

/* Imports a file and answers with the numbers. audience NULL: people alone. values: those of the
   parameters. INVALID also when lines were refused. */
bool cli_import_people(struct cli_call *call, const struct base_id *audience,
    const struct cli_value *values, GError **error);

#endif
