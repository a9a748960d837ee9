/* SPDX-License-Identifier: MIT */
/* Declared input: a table of fields, read from an object into a struct. */
#ifndef JSON_FIELDS_H
#define JSON_FIELDS_H

#include <glib.h>
#include <stdbool.h>

#include "json/field.h"
#include "json/value.h"

struct json_place;

/* Reads the fields in the order of the table; other members of the object are ignored
   (json/unknown.h tells of them). null is as
   if absent: the member of *out stays as it is, so defaults are put there before (NULL in what is
   owned). False at the first fault, with INVALID and a sentence that begins with the field's path:

	subject is required
	to must be a string or an array of strings
	to[3] must be a string
	attachments[2].filename must be at most 255 characters
	name must be 4 to 192 characters
	text must be at most 10MB             MB is 2^20 bytes; other limits of bytes: "... bytes"
	level must be between 1 and 5         also: must be at least 1
	variables must have at most 100 properties        lists: elements
	scheduled_at must be epoch milliseconds or an ISO 8601 time
	html must not contain the character U+0000

   Nothing is then left to free. */
bool json_fields_read(const struct json *object, const struct json_field *fields, gsize count,
    void *out, GError **error);

/* Whether no string in the value, which stands at place, holds U+0000, however deep. */
bool json_fields_check_texts(
    const struct json *value, const struct json_place *place, GError **error);

/* Frees what is owned, and sets it to NULL. */
void json_fields_free(const struct json_field *fields, gsize count, void *out);

#endif
