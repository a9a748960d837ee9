/* SPDX-License-Identifier: MIT */
/* The export of people, of an audience or of the workspace. */
#ifndef CLI_EXPORT_PEOPLE_H
#define CLI_EXPORT_PEOPLE_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct cli_call;

/* The people of an export, and the form of its file. */
struct cli_export_people {
	const struct base_id *audience; /* NULL: all people */
	const char *path;		/* NULL: standard output */
	bool raw;			/* texts as they are (cli/export.h) */
	guint64 total;			/* about the number of records; 0: unknown */
};

/* Writes all contacts of an audience, or all people, to a file, in the order of their addresses.
   Language, time zone and properties have columns where somebody has them. *count_r: the number of
   records. */
bool cli_export_people(
    struct cli_call *call, const struct cli_export_people *given, guint64 *count_r, GError **error);

#endif
