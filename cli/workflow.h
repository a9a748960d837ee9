/* SPDX-License-Identifier: MIT */
/* The lookup of a workflow that a command line names. */
#ifndef CLI_WORKFLOW_H
#define CLI_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;
struct json;
struct base_id;

/* The help on an argument that names a workflow. */
#define WORKFLOW_HELP "its name, or its id if several have that name"

/* Finds a workflow by its name or id. NOT_FOUND; INVALID when several have the name. */
bool cli_workflow_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error);

/* posthouse workflow start, which is in cli/start.c. */
#define CLI_START_PARAMETERS 5
extern const struct cli_parameter cli_start_parameters[CLI_START_PARAMETERS];
bool cli_start_workflow(struct cli_call *call, GError **error);

/* Reads KEY=VALUE texts into an object. name: of the parameter. INVALID. The caller frees it. */
struct json *cli_event_properties(const char *name, char *const *given, GError **error);

#endif
