/* SPDX-License-Identifier: MIT */
/* The limits of a field on how long or how many. */
#ifndef JSON_EXTENT_H
#define JSON_EXTENT_H

#include <glib.h>
#include <stdbool.h>

struct json_field;
struct json_place;

/* Whether a string's length is within the field's min and max. text is valid UTF-8. INVALID with
   the sentences that json/fields.h shows. */
bool json_extent_string(const struct json_field *field, const struct json_place *place,
    const char *text, gsize size, GError **error);

/* The same of a number of things, named by unit ("elements"). */
bool json_extent_count(const struct json_field *field, const struct json_place *place, gsize count,
    const char *unit, GError **error);

#endif
