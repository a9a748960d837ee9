/* SPDX-License-Identifier: MIT */
/* The properties of contacts and events: JSON objects. */
#ifndef AUTOMATION_PROPERTIES_H
#define AUTOMATION_PROPERTIES_H

#include <glib.h>

struct json;

/* The value at a dot path: "address.city", "items.0.price" (a number is a place in an array). A
   name that holds dots itself is found too, where the rest of the path is just that name. NULL when
   it is null or there is none. */
const struct json *automation_properties_get(const struct json *properties, const char *path);

/* The text of properties with a patch merged into them, both objects or NULL (as RFC 7396): objects
   merge member by member, null deletes, all else replaces. Members keep their order, new ones come
   last. The caller owns it. */
char *automation_properties_merge(const struct json *properties, const struct json *patch);

/* The patch, as text, that sets each member of set, whose names are dot paths: {"a.b": 1} gives
   {"a": {"b": 1}}; of two that meet the later wins. The caller owns it. NULL for a name that is
   empty, has an empty part or more than LIMIT_PROPERTY_PARTS parts: *bad_r is then that. */
char *automation_properties_patch(const struct json *set, const char **bad_r);

#endif
