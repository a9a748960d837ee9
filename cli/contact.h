/* SPDX-License-Identifier: MIT */
/* The verbs of posthouse contact that have a file of their own, and what they take. */
#ifndef CLI_CONTACT_H
#define CLI_CONTACT_H

#include <stdbool.h>

#include "cli/grammar.h"

struct cli_call;

#define CONTACT_IMPORT_PARAMETERS 10
extern const struct cli_parameter cli_contact_import_parameters[CONTACT_IMPORT_PARAMETERS];
bool cli_contact_import(struct cli_call *call, GError **error);

#define CONTACT_ERASE_PARAMETERS 1
extern const struct cli_parameter cli_contact_erase_parameters[CONTACT_ERASE_PARAMETERS];
bool cli_contact_erase(struct cli_call *call, GError **error);

#endif
