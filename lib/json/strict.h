/* SPDX-License-Identifier: MIT */
/* Parsing JSON strictly. */
#ifndef JSON_STRICT_H
#define JSON_STRICT_H

#include <glib.h>

#include "json/value.h"

/* Parses a JSON text (RFC 8259) whose outermost value is an object. The bytes are copied and need
   no NUL after them. The caller frees the result.

   INVALID with "body is not valid JSON: PROBLEM at byte N", where N counts from 0 and " (line M)"
   follows from the second line on, or with "body must be a JSON object". Besides text outside the
   grammar, these are refused: invalid, overlong or surrogate UTF-8; a byte order mark; a \u escape
   of a surrogate without its other half; U+0000 in a key; a repeated key in one object, after
   escapes are resolved; more than LIMIT_JSON_DEPTH levels, the outermost object included; more than
   LIMIT_JSON_VALUES values, not counting keys. \u0000 in a string value is accepted. TOO_LARGE from
   2 GiB. */
struct json *json_parse(const char *bytes, gsize size, GError **error);

/* Parses a text that the errors call name ("design is not valid JSON: ..."); otherwise like
   json_parse. */
struct json *json_parse_as(const char *name, const char *bytes, gsize size, GError **error);

/* Parses a body whose outermost value may also be an array; otherwise like json_parse. */
struct json *json_parse_any(const char *bytes, gsize size, GError **error);

/* Like json_parse_take, but the outermost value may also be an array: "body must be a JSON object
   or array". An array of integers from 0 to 255 is packed (json/value.h), and counts as one value
   however long it is. */
struct json *json_parse_container_take(char *bytes, gsize size, GError **error);

/* Takes over bytes, which g_malloc allocated, instead of copying them; frees them on error.
   Otherwise like json_parse. */
struct json *json_parse_take(char *bytes, gsize size, GError **error);

/* Each of these makes a document of a single value. The text is valid UTF-8 below 4 GiB, which
   g_malloc allocated and the document takes over; NULL gives NULL. The caller frees the result. */
struct json *json_make_string(char *text);
struct json *json_make_integer(gint64 number);
struct json *json_make_boolean(bool truth);

#endif
