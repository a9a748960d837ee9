/* SPDX-License-Identifier: MIT */
#ifndef JSON_KINDS_H
#define JSON_KINDS_H

#include <glib.h>
#include <stdbool.h>

struct json_place;

/* INVALID: "PATH must be a string, a number or an object", for the kinds that would be right (bits
   of JSON_KIND). Returns false. */
bool json_kinds_fail(const struct json_place *place, unsigned kinds, GError **error);

#endif
