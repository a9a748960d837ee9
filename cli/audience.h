/* SPDX-License-Identifier: MIT */
/* The lookup of an audience that a command line names. */
#ifndef CLI_AUDIENCE_H
#define CLI_AUDIENCE_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;
struct base_id;

/* The help on an argument AUDIENCE. */
#define AUDIENCE_HELP "its id, or its name where only one has it"

/* Finds the audience of the workspace by its id or its name. NOT_FOUND; INVALID when several have
   the name. */
bool cli_audience_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error);

#endif
