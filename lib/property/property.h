/* SPDX-License-Identifier: MIT */
/* Properties of people: the rules of their definitions and values, and their JSON. Errors that a
   function does not name are those of the store. */
#ifndef PROPERTY_H
#define PROPERTY_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/person/property.h"

struct db;
struct json;

/* The members of a definition (struct store_property): key, type, default, created, updated. */
extern const struct json_view property_view;

/* Checks the key of a definition. INVALID "key must be 1 to 50 letters, digits or _, and not begin
   with a digit". */
bool property_check_key(const char *key, GError **error);

/* Reads a word of store_property_types. INVALID "type must be one of ...". */
bool property_read_type(const char *word, enum store_property_type *type_r, GError **error);

/* Checks that a value is of a type; null is of each. INVALID "WHAT must be a number", and so on. */
bool property_check_value(
    const char *what, enum store_property_type type, const struct json *value, GError **error);

/* Makes a value of a type, JSON, of text as people write it: true, yes, y and 1 are true. INVALID
   as above. The caller owns it. */
char *property_value(
    const char *what, enum store_property_type type, const char *text, GError **error);

/* A default as it is given: JSON or, if text is not NULL, a text as people write it. Neither: none.
   what: its name in errors. */
struct property_default {
	const char *what;
	const struct json *value;
	const char *text;
};

/* Checks the size of one of JSON, before its property is known. INVALID "WHAT must be at most 4096
   bytes". */
bool property_check_default(const struct property_default *given, GError **error);

/* Defines a property; type: a word of store_property_types. INVALID as above; CONFLICT of
 * store_property_create. The caller frees it. */
struct store_property *property_create(struct db *db, const struct base_id *workspace,
    const char *key, const char *type, const struct property_default *given, GError **error);

/* Stores another default. INVALID as above, NOT_FOUND. */
bool property_change(struct db *db, struct store_property *property,
    const struct property_default *given, GError **error);

#endif
