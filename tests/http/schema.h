/* SPDX-License-Identifier: MIT */
/* Holds values against the JSON schemas of a document, as far as openapi.json uses them. */
#ifndef TESTS_HTTP_SCHEMA_H
#define TESTS_HTTP_SCHEMA_H

#include "json/value.h"

/* What the value at place has that the schema does not allow, or NULL: "emails[0].id is missing".
   A member that the schema does not know is a fault too, and so is a keyword that is not read here.
   $ref leads into document. The caller owns it. */
char *schema_fault(const struct json *document, const struct json *schema, const char *place,
    const struct json *value);

/* What "$ref" of an object leads to; the object itself where it has none. */
const struct json *schema_resolve(const struct json *document, const struct json *object);

#endif
