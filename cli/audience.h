/* SPDX-License-Identifier: MIT */
/* Audiences as commands name them. */
#ifndef CLI_AUDIENCE_H
#define CLI_AUDIENCE_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;
struct base_id;

/* What help says of an argument AUDIENCE. */
#define AUDIENCE_HELP "its id, or its name where only one has it"

/* The audience of the workspace that is meant by an id or a name. NOT_FOUND; INVALID when there are
   several of that name. */
bool cli_audience_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error);

#endif
