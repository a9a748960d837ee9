/* SPDX-License-Identifier: MIT */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/settings_table.h"

struct cli_parameter;

/* What was given for a parameter, checked as its type says. */
struct cli_value {
	char *text; /* NULL when it was not given */
	gint64 number;
	struct base_id id;
	char **texts; /* of a repeated parameter: each text, NULL-terminated; text is the first */
};

/* Checks what was given for a parameter. INVALID, with a sentence that names the parameter. The
   caller frees value_r->text. */
bool cli_value_read(const struct cli_parameter *parameter, const char *given,
    struct cli_value *value_r, GError **error);

/* Reads what was given for a PARAMETER_LIMIT: a limit of a workspace and its value, -1 for
   "default". False when it is neither. */
bool cli_value_limit(const char *given, enum base_setting *limit_r, gint64 *value_r);

/* The whole content of the file that was given for a parameter: UTF-8 text without NUL of at most
   max bytes. NOT_FOUND, FAILED, INVALID or TOO_LARGE, with a sentence that names the parameter.
   The caller owns it. */
GBytes *cli_value_read_file(
    const struct cli_parameter *parameter, const char *path, gsize max, GError **error);

#endif
