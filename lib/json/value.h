/* SPDX-License-Identifier: MIT */
/* Reading the values of a parsed JSON document. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* One JSON value. NULL is the value null, so every function accepts it. Values belong to their
   document, live as long as its root, and do not change. */
struct json;

enum json_kind {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_INTEGER, /* a number without fraction and exponent that fits gint64 */
	JSON_NUMBER,  /* any other number: 5.0, 1e5, or a longer integer */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* Frees a whole document, given its root. */
void json_free(struct json *root);
DEFINE_AUTO(json, json_free)

enum json_kind json_kind(const struct json *value);

/* Empties an array or an object and frees the values in it; does nothing for other values. Texts
   and keys that callers have read from it stay valid. */
void json_forget(const struct json *value);

/* The memory that a document takes besides its text, in bytes. */
gsize json_weight(const struct json *root);

/* The text of a string in UTF-8, followed by NUL. It may also contain NULs (\u0000); *size_r (may
   be NULL) is its size. Other values give NULL and size 0. */
const char *json_string(const struct json *value, gsize *size_r);

/* The boolean; false for other values. */
bool json_boolean(const struct json *value);

/* The integer; 0 for values that are not JSON_INTEGER. */
gint64 json_integer(const struct json *value);

/* A JSON_INTEGER or JSON_NUMBER as it was written: 1.50, 1e5, -0. NULL for other values. */
const char *json_number_text(const struct json *value);

/* The number of elements; 0 for values that are not arrays. */
gsize json_array_length(const struct json *array);

/* The element at index, from 0; NULL after the end. */
const struct json *json_array_at(const struct json *array, gsize index);

/* The bytes of an array of integers from 0 to 255 that json_parse_container_take has packed, as
   many as it has elements; NULL for other values. */
const guint8 *json_array_bytes(const struct json *array);

/* The number of members; 0 for values that are not objects. */
gsize json_member_count(const struct json *object);

/* The value of a member; NULL when it is null or missing, or when object is not an object. */
const struct json *json_member_get(const struct json *object, const char *key);

/* The member at index, from 0, in the order of the text; NULL when it is null, or after the end. */
const struct json *json_member_at(const struct json *object, gsize index, const char **key_r);

/* The value at a path: names of members and places of elements, separated by dots. A member whose
   name is the rest of the path comes first. NULL when there is none. */
const struct json *json_member_find(const struct json *value, const char *path);

/* Whether the object has the member; its value may be null. */
bool json_member_has(const struct json *object, const char *key);

/* The members of an object in the order of the text:

	struct json_iterator members = json_members(object);
	while (json_iterator_next(&members, &key, &value))

   Other values have no members. Keys are UTF-8 without NUL. */
struct json_iterator {
	const struct json *next, *end;
};

/* The place in front of the first member; behind the last one for an object without members and for
   any other value. */
struct json_iterator json_members(const struct json *object);
/* Goes to the next member and sets *key_r and *value_r, which the document owns. False behind the
   last one; then neither is set. */
bool json_iterator_next(
    struct json_iterator *iterator, const char **key_r, const struct json **value_r);

#endif
