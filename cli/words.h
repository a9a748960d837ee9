/* SPDX-License-Identifier: MIT */
/* The words of a command line, sorted into options and what is none. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

/* What the options of one command, and those of all, are read into. Texts are as they were given,
   and NULL where they were not. */
struct cli_words {
	/* as GOption wants to know them */
	const struct cli_command *command;
	GOptionEntry entries[GLOBAL_COUNT + COMMAND_PARAMETERS + 3];
	guint count;

	char *values[COMMAND_PARAMETERS];
	char **lists[COMMAND_PARAMETERS]; /* of repeated ones */
	gboolean flags[COMMAND_PARAMETERS];
	char *config, *workspace;
	gboolean json, help, version;
	char **rest; /* what is no option */
};

/* Takes the options of a command, and those of all commands, out of argv into words, which is zero,
   in any place; what is no option stands in rest. command NULL: only the options of all, up to the
   first word that is none, and argv keeps that and what follows. An error of GOptionContext, with
   a sentence; words is to be cleared all the same. */
bool cli_words_read(
    struct cli_words *words, char ***argv, const struct cli_command *command, GError **error);

/* An argument of the command, from 0, or NULL. */
const char *cli_words_argument(const struct cli_words *words, guint i);

void cli_words_clear(struct cli_words *words);

#endif
