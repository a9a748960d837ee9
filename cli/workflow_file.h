/* SPDX-License-Identifier: MIT */
/* The verbs of posthouse workflow that work on files: check and simulate. */
#ifndef CLI_WORKFLOW_FILE_H
#define CLI_WORKFLOW_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;

/* Reports the faults of a design. INVALID when it has any. */
#define WORKFLOW_CHECK_PARAMETERS 1
extern const struct cli_parameter cli_workflow_check_parameters[WORKFLOW_CHECK_PARAMETERS];
bool cli_workflow_check(struct cli_call *call, GError **error);

/* Simulates a design for one contact, and prints each step. */
#define WORKFLOW_SIMULATE_PARAMETERS 9
extern const struct cli_parameter cli_workflow_simulate_parameters[WORKFLOW_SIMULATE_PARAMETERS];
bool cli_workflow_simulate(struct cli_call *call, GError **error);

#endif
