/* SPDX-License-Identifier: MIT */
/* From text to tree. */
#ifndef JSON_STRICT_H
#define JSON_STRICT_H

#include <glib.h>

#include "json/value.h"

/* Reads a JSON text (RFC 8259) that is an object, which the caller frees. bytes need not live on
   and need no NUL behind them. INVALID, with "body is not valid JSON: WHAT at byte N" (from 0),
   with " (line M)" from the second line on, or "body must be a JSON object", for whatever the
   grammar rejects, and for what it leaves open: invalid, overlong or surrogate UTF-8, a byte order
   mark, a lone surrogate written as \u escape, U+0000 in a key, a key repeated in one object
   (escapes resolved), more than LIMIT_JSON_DEPTH levels (the object itself is the first), more than
   LIMIT_JSON_VALUES values (keys not counted). TOO_LARGE from 2 GiB. \u0000 in a string value is
   let through. */
struct json *json_parse(const char *bytes, gsize size, GError **error);

/* The same of a text that the errors call name ("design is not valid JSON: ..."). */
struct json *json_parse_as(const char *name, const char *bytes, gsize size, GError **error);

/* The same of bytes of g_malloc, which the document takes and changes, and which are freed where
   there is none: a large text is not copied. */
struct json *json_parse_take(char *bytes, gsize size, GError **error);

#endif
