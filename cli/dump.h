/* SPDX-License-Identifier: MIT */
/* The client program of MariaDB that writes all of a database. */
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct config_settings;

/* A program that runs, with the pipe to it. */
struct cli_dump {
	GPid pid;
	int fd;	    /* to read from */
	int errors; /* what it complains about */
	const char *name;
};

/* Starts mariadb-dump, whose output is read from the pipe, with these options and then the tables
   (NULL-terminated). It connects as [database] says; no argument shows the password. FAILED, with
   the package that has it, when the program is missing. */
bool cli_dump_export(struct cli_dump *dump, const struct config_settings *settings,
    const char *const *options, const char *const *tables, GError **error);

/* Closes the pipe, and waits for the program. FAILED, with its complaint, unless it succeeded. */
bool cli_dump_end(struct cli_dump *dump, GError **error);

#endif
