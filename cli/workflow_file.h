/* SPDX-License-Identifier: MIT */
/* The verbs of posthouse workflow that work on files. */
#ifndef CLI_WORKFLOW_FILE_H
#define CLI_WORKFLOW_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;
struct automation_design;

/* The design that was given for a parameter of PARAMETER_FILE; its text in *text_r, unless that is
   NULL. Errors of cli_value_read_file and automation_design_parse. The caller frees both. */
struct automation_design *cli_workflow_read(
    const struct cli_parameter *parameter, const char *path, GBytes **text_r, GError **error);

#define WORKFLOW_CHECK_PARAMETERS 1
extern const struct cli_parameter cli_workflow_check_parameters[WORKFLOW_CHECK_PARAMETERS];
bool cli_workflow_check(struct cli_call *call, GError **error);

#define WORKFLOW_SIMULATE_PARAMETERS 5
extern const struct cli_parameter cli_workflow_simulate_parameters[WORKFLOW_SIMULATE_PARAMETERS];
bool cli_workflow_simulate(struct cli_call *call, GError **error);

#endif
