/* SPDX-License-Identifier: MIT */
/* Reading a parsed document. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* One JSON value. NULL is the value null, so every function takes it. Values belong to the root of
   their document and live as long as it does; nothing changes them. */
struct json;

enum json_kind {
	JSON_NULL,
	JSON_BOOLEAN,
	JSON_INTEGER, /* written without fraction and exponent; fits gint64 */
	JSON_NUMBER,  /* any other number: 5.0, 1e5, and the longer whole ones */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* Frees a whole document; for its root alone. */
void json_free(struct json *root);
DEFINE_AUTO(json, json_free)

enum json_kind json_kind(const struct json *value);

/* Frees the values below an array or an object, which is empty from then on; nothing for other
   values. Texts and keys that were given of it stay. */
void json_forget(const struct json *value);

/* Bytes of memory that a document takes beside its text. */
gsize json_weight(const struct json *root);

/* The text of a string, UTF-8 with a NUL behind it; it may also hold NULs (\u0000), so size_r (may
   be NULL) takes its size. NULL, with size 0, for anything but a string. */
const char *json_string(const struct json *value, gsize *size_r);

/* False for anything but a boolean. */
bool json_boolean(const struct json *value);

/* 0 for anything but a JSON_INTEGER. */
gint64 json_integer(const struct json *value);

/* The nearest double of either kind of number, infinite where it is too large for one; 0 for
   anything else. */
double json_number(const struct json *value);

/* Either kind of number as it was written: 1.50, 1e5, -0. NULL for anything else. */
const char *json_number_text(const struct json *value);

/* 0 for anything but an array. */
gsize json_array_length(const struct json *array);

/* The element at index; NULL past the end. */
const struct json *json_array_at(const struct json *array, gsize index);

/* The number of members; 0 for anything but an object. */
gsize json_member_count(const struct json *object);

/* The member; NULL when it is null, absent, or object is none. */
const struct json *json_member_get(const struct json *object, const char *key);

/* Whether there is such a member, null or not. */
bool json_member_has(const struct json *object, const char *key);

/* The members of an object in the order of the text:

	struct json_iterator members = json_members(object);
	while (json_iterator_next(&members, &key, &value))

   Anything but an object has none. Keys are UTF-8 without NUL. */
struct json_iterator {
	const struct json *next, *end;
};

struct json_iterator json_members(const struct json *object);
bool json_iterator_next(
    struct json_iterator *iterator, const char **key_r, const struct json **value_r);

#endif
