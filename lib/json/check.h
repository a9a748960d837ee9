#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <glib.h>
#include <stdbool.h>

/* Whether bytes are one JSON object as json_parse_as (json/strict.h) wants it, which has the errors
   too; *end_r is then where the object ends, white space behind it left out. Builds nothing. */
bool json_check(const char *name, const char *bytes, gsize size, gsize *end_r, GError **error);

#endif
