/* SPDX-License-Identifier: MIT */
/* The lookup of a workflow that a command line names. */
#ifndef CLI_WORKFLOW_FIND_H
#define CLI_WORKFLOW_FIND_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct cli_call;

/* The help on an argument that names a workflow. */
#define WORKFLOW_HELP "its name, or its id if several have that name"

/* Finds a workflow by its name or id. NOT_FOUND; INVALID when several have the name. */
bool cli_workflow_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error);

#endif
