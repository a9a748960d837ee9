/* SPDX-License-Identifier: MIT */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* Reads bytes, which have to be one JSON object as json_parse_as (json/strict.h) wants it, which
   has the errors too. The values refer to the bytes, which stay as they are. */
bool json_tree_read(const char *name, char *bytes, gsize size, struct json *root_r, GError **error);

/* Resolves the escapes of all strings where they stand, and puts a NUL behind each string and
   number. */
void json_tree_settle(struct json *root);

/* Frees what belongs to the value, not the value itself. */
void json_tree_clear(struct json *value);

#endif
