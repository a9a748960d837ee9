/* SPDX-License-Identifier: MIT */
/* The properties of contacts and events: JSON objects. */
#ifndef RULE_PROPERTIES_H
#define RULE_PROPERTIES_H

#include <glib.h>

struct json;

/* Returns the value at a dot path: "address.city", "items.0.price" (a number is an index into an
   array). A member whose own name contains dots is found when the rest of the path equals its name.
   NULL when the value is null or missing. properties owns the value. */
const struct json *rule_properties_get(const struct json *properties, const char *path);

/* Returns the text of a string, a number or a boolean, which value owns; NULL for other values. */
const char *rule_properties_text(const struct json *value);

/* Merges a patch into properties (RFC 7396), both objects or NULL: objects merge member by member,
   null deletes, any other value replaces. Members keep their order, new ones come last. Returns
   JSON text, which the caller owns. */
char *rule_properties_merge(const struct json *properties, const struct json *patch);

/* Merges a patch into another, so that its nulls stay. Returns JSON text, which the caller owns. */
char *rule_properties_overlay(const struct json *patch, const struct json *over);

/* Makes a patch from an object whose member names are dot paths: {"a.b": 1} gives {"a": {"b": 1}};
   of two conflicting members the later wins. Returns JSON text, which the caller owns. NULL when a
   name is empty, has an empty part or more than LIMIT_PROPERTY_PARTS parts; *bad_r is that name,
   borrowed from set. */
char *rule_properties_patch(const struct json *set, const char **bad_r);

#endif
