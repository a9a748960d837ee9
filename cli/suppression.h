/* SPDX-License-Identifier: MIT */
#ifndef CLI_SUPPRESSION_H
#define CLI_SUPPRESSION_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;

/* Verbs in a file of their own, and what they take. */
#define SUPPRESSION_IMPORT_PARAMETERS 4
extern const struct cli_parameter cli_suppression_import_parameters[SUPPRESSION_IMPORT_PARAMETERS];
bool cli_suppression_import(struct cli_call *call, GError **error);

#define SUPPRESSION_EXPORT_PARAMETERS 2
extern const struct cli_parameter cli_suppression_export_parameters[SUPPRESSION_EXPORT_PARAMETERS];
bool cli_suppression_export(struct cli_call *call, GError **error);

#endif
