#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <glib.h>
#include <stdbool.h>

/* Whether bytes are one JSON object as json_parse_as (json/strict.h) wants it, which has the errors
   too. Builds nothing. *is_mangled_r tells whether json-c would misread an escape in it. */
bool json_check(
    const char *name, const char *bytes, gsize size, bool *is_mangled_r, GError **error);

#endif
