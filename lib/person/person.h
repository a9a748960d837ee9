/* SPDX-License-Identifier: MIT */
/* The rules for the properties of people. */
#ifndef PERSON_H
#define PERSON_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;
struct json;

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
