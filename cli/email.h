/* SPDX-License-Identifier: MIT */
#ifndef CLI_EMAIL_H
#define CLI_EMAIL_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;

/* A verb in a file of its own, and what it takes. */
#define EMAIL_ID_PARAMETERS 1
extern const struct cli_parameter cli_email_id_parameters[EMAIL_ID_PARAMETERS];
bool cli_email_show(struct cli_call *call, GError **error);

/* The first most of these addresses, and how many others there are. The caller owns it. */
#define EMAIL_NAMES 3
char *cli_email_names(const GPtrArray *addresses, guint most);

#endif
