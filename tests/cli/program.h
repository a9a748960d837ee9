/* SPDX-License-Identifier: MIT */
/* Runs the posthouse that was built. */
#ifndef TESTS_CLI_PROGRAM_H
#define TESTS_CLI_PROGRAM_H

#include <glib.h>

#include "base/scope.h"

/* What it did. */
struct outcome {
	int status;
	char *output, *errors;
};

void outcome_free(struct outcome *outcome);
DEFINE_AUTO(outcome, outcome_free)

/* posthouse with these arguments (NULL-terminated) and no settings but config, if not NULL. */
struct outcome *program_run(const char *config, const char *const *arguments);

/* Runs it, and expects this status, and outputs that these patterns with * and ? fit; NULL: an
   empty one. Says line, the words as a shell would have them, where that fails. */
void program_expect(
    const char *config, const char *line, int status, const char *output, const char *errors);

/* The first line of its output; it must succeed. The caller owns it. */
char *program_line(const char *config, const char *line);

#endif
