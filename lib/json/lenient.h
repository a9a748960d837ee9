/* SPDX-License-Identifier: MIT */
/* Documents as clients of many languages write them, brought into the form of a table. */
#ifndef JSON_LENIENT_H
#define JSON_LENIENT_H

#include <stdbool.h>

#include "json/fields.h"

struct json;

#define JSON_LENIENT_TWIN_SIZE 64 /* no declared name is as long */

/* Writes the camelCase twin of a declared name. False when it is the name itself. */
bool json_lenient_twin(const char *name, char twin_r[JSON_LENIENT_TWIN_SIZE]);

/* Changes an object, and the objects in fields with a table of their own, at any depth:

   - A member with the camelCase twin of a declared name (scheduledAt) gets the declared name. If
     the object has both, the twin goes.
   - "" and [""], the zero values of a text and of a list of texts, count as absent: the member
     goes, but for a required field without a minimum, which may be empty. An "" stays in a
     FIELD_JSON or FIELD_KNOWN whose kinds have JSON_STRING: it is a value there.
   - [], the empty map of PHP, becomes {} in a FIELD_OBJECT, and in a field whose kinds have
     JSON_OBJECT and not JSON_ARRAY.

   Values that callers have read before may be gone. */
void json_lenient_settle(const struct json *object, const struct json_table *table);

#endif
