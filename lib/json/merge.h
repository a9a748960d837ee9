/* SPDX-License-Identifier: MIT */
/* The JSON merge patch of RFC 7396. */
#ifndef JSON_MERGE_H
#define JSON_MERGE_H

#include <stdbool.h>

struct json;

/* Merges a patch into an object (RFC 7396), both objects or NULL: objects merge member by member,
   null deletes, or stays if nulls is true, and any other value replaces. Members keep their order,
   new ones come last. Returns JSON text, which the caller owns. */
char *json_merge(const struct json *base, const struct json *patch, bool nulls);

#endif
