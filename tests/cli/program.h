/* SPDX-License-Identifier: MIT */
/* Runs the posthouse that was built. */
#ifndef TESTS_CLI_PROGRAM_H
#define TESTS_CLI_PROGRAM_H

#include <glib.h>

#include "base/scope.h"

/* The result of a run. */
struct outcome {
	int status;
	char *output, *errors;
};

void outcome_free(struct outcome *outcome);
DEFINE_AUTO(outcome, outcome_free)

/* Runs posthouse with these arguments (NULL-terminated), and with the settings of config or, if
   that is NULL, none. The caller frees the result. */
struct outcome *program_run(const char *config, const char *const *arguments);

/* Runs a line, split as a shell does. Expects the status, and outputs that match the patterns with
   * and
   ?; NULL: an empty output. */
void program_expect(
    const char *config, const char *line, int status, const char *output, const char *errors);

/* Runs a line, which must succeed, and returns the first line of its output. The caller owns it. */
char *program_line(const char *config, const char *line);

#endif
