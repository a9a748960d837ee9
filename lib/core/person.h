/* SPDX-License-Identifier: MIT */
/* The rules for the properties of people. */
#ifndef CORE_PERSON_H
#define CORE_PERSON_H

#include <glib.h>
#include <stdbool.h>

#include "store/property.h"

struct json;

/* Checks the key of a definition. INVALID "key must be 1 to 50 letters, digits or _, and not begin
   with a digit". */
bool core_person_check_key(const char *key, GError **error);

/* Reads a word of store_property_types. INVALID "type must be one of ...". */
bool core_person_read_type(const char *word, enum store_property_type *type_r, GError **error);

/* Checks that a value is of a type; null is of each. INVALID "WHAT must be a number", and so on. */
bool core_person_check_value(
    const char *what, enum store_property_type type, const struct json *value, GError **error);

/* Makes a value of a type, JSON, of text as people write it: true, yes, y and 1 are true. INVALID
   as above. The caller owns it. */
char *core_person_value(
    const char *what, enum store_property_type type, const char *text, GError **error);

/* Checks the size of a default (JSON, NULL: none). INVALID "WHAT must be at most 4096 bytes". */
bool core_person_check_default(const char *what, const char *value, GError **error);

#endif
