/* SPDX-License-Identifier: MIT */
/* The values of arguments and options. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "config/settings_table.h"

struct cli_parameter;
struct json_writer;

/* The value of a parameter, checked by the parameter's type. */
struct cli_value {
	char *text; /* NULL when it was not given */
	gint64 number;
	struct base_id id;
	char **texts; /* of a repeated parameter: all texts, NULL-terminated; text is the first */
};

/* Reads the value of a parameter. INVALID, with a sentence that names the parameter. The caller
   frees value_r->text. */
bool cli_value_read(const struct cli_parameter *parameter, const char *given,
    struct cli_value *value_r, GError **error);

/* Parses the value of a PARAMETER_LIMIT, LIMIT=VALUE. *value_r: -1 for "default". Returns false
   when limit (*limit_r is SETTING_COUNT) or value is not valid. */
bool cli_value_limit(const char *given, enum config_setting *limit_r, gint64 *value_r);

/* Writes a text: as JSON when it is valid JSON, else as a string. */
void cli_value_write(struct json_writer *writer, const char *key, const char *text);

/* Reads the file that is the value of a parameter, or standard input for "-", of at most max bytes.
   NOT_FOUND, FAILED or TOO_LARGE, with a sentence that names the parameter. The caller owns the
   content. */
GBytes *cli_value_read_bytes(
    const struct cli_parameter *parameter, const char *path, gsize max, GError **error);

/* Reads a file in the same way: UTF-8 text without NUL of at most max bytes. NOT_FOUND, FAILED,
   INVALID or TOO_LARGE, with a sentence that names the parameter. The caller owns the content. */
GBytes *cli_value_read_file(
    const struct cli_parameter *parameter, const char *path, gsize max, GError **error);

#endif
