/* SPDX-License-Identifier: MIT */
/* Checks values against the JSON schemas of a document, for the keywords that openapi.json uses. */
#ifndef TESTS_HTTP_SCHEMA_H
#define TESTS_HTTP_SCHEMA_H

#include "json/value.h"

/* Describes the first fault of the value at place ("emails[0].id is missing"), or returns NULL. An
   unknown member and an unknown keyword are faults, too. $ref refers to document. The caller owns
   the text. */
char *schema_fault(const struct json *document, const struct json *schema, const char *place,
    const struct json *value);

/* The target of an object's "$ref", or the object itself without one. */
const struct json *schema_resolve(const struct json *document, const struct json *object);

#endif
