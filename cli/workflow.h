/* SPDX-License-Identifier: MIT */
#ifndef CLI_WORKFLOW_H
#define CLI_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;
struct base_id;

/* How help explains an argument that names a workflow. */
#define WORKFLOW_HELP "its name, or its id where several have that name"

/* The workflow that an argument names, by name or id. NOT_FOUND; INVALID when several have the
   name. */
bool cli_workflow_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error);

/* Verbs in files of their own, and what they take. */
bool cli_workflow_show(struct cli_call *call, GError **error);

#define WORKFLOW_PUT_PARAMETERS 5
extern const struct cli_parameter cli_workflow_put_parameters[WORKFLOW_PUT_PARAMETERS];
bool cli_workflow_put(struct cli_call *call, GError **error);

#endif
