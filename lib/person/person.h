/* SPDX-License-Identifier: MIT */
/* The rules for the properties of people. */
#ifndef PERSON_H
#define PERSON_H

#include <glib.h>
#include <stdbool.h>

#include "store/person/property.h"

struct service;
struct json;

/* Checks the key of a definition. INVALID "key must be 1 to 50 letters, digits or _, and not begin
   with a digit". */
bool person_check_key(const char *key, GError **error);

/* Reads a word of store_property_types. INVALID "type must be one of ...". */
bool person_read_type(const char *word, enum store_property_type *type_r, GError **error);

/* Checks that a value is of a type; null is of each. INVALID "WHAT must be a number", and so on. */
bool person_check_value(
    const char *what, enum store_property_type type, const struct json *value, GError **error);

/* Makes a value of a type, JSON, of text as people write it: true, yes, y and 1 are true. INVALID
   as above. The caller owns it. */
char *person_value(
    const char *what, enum store_property_type type, const char *text, GError **error);

/* Checks the size of a default (JSON, NULL: none). INVALID "WHAT must be at most 4096 bytes". */
bool person_check_default(const char *what, const char *value, GError **error);

/* Check a person's own data. INVALID "language must be a BCP 47 language tag", "time_zone must be
   an IANA time zone". NULL is none. */
bool person_check_language(const char *language, GError **error);
bool person_check_time_zone(const char *time_zone, GError **error);

/* Checks properties (an object, or NULL) against the definitions of the workspace; keys without one
   are free. INVALID "properties.age must be a number", and so on. */
bool person_check_properties(struct service *service, const struct base_id *workspace,
    const struct json *properties, GError **error);

/* The same against definitions, an array of struct store_property. */
bool person_check_defined(
    const GPtrArray *definitions, const struct json *properties, GError **error);

/* Checks the size of the properties of a person. INVALID "properties must be at most 262144 bytes".
 */
bool person_check_size(const char *properties, GError **error);

#endif
