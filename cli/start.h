/* SPDX-License-Identifier: MIT */
/* The verb of posthouse workflow that starts one by hand. */
#ifndef CLI_START_H
#define CLI_START_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;

#define CLI_START_PARAMETERS 5
extern const struct cli_parameter cli_start_parameters[CLI_START_PARAMETERS];
bool cli_start_workflow(struct cli_call *call, GError **error);

#endif
