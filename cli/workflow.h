/* SPDX-License-Identifier: MIT */
/* The lookup of a workflow that a command line names. */
#ifndef CLI_WORKFLOW_H
#define CLI_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;
struct base_id;

/* The help on an argument that names a workflow. */
#define WORKFLOW_HELP "its name, or its id if several have that name"

/* Finds a workflow by its name or id. NOT_FOUND; INVALID when several have the name. */
bool cli_workflow_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error);

#endif
