/* SPDX-License-Identifier: MIT */
/* For this room: a JSON value in memory. */
#ifndef JSON_NODE_H
#define JSON_NODE_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* One value. It takes 16 bytes, because a document may have a million values. A number is kept as
   it was written. The members of an object are pairs of values, the key (a string) first, in the
   order of the text. An object with more than JSON_NODE_FEW members also has their numbers behind
   the pairs, sorted by json_node_compare. An array that is_packed has one byte for each of its
   elements, which are integers from 0 to 255. */
struct json {
	union {
		char *text;	     /* of a string or a number: a part of the document's bytes */
		struct json *values; /* of an array or an object; NULL when it is empty */
		guint8 *bytes;	     /* of an array that is packed */
	};
	guint32 size;	 /* of text, without the NUL after it; or number of elements or members */
	guint8 kind;	 /* enum json_kind (json/value.h) */
	bool is_escaped; /* a string whose escapes are not resolved yet */
	bool truth;	 /* of a boolean */
	bool is_packed;	 /* an array that has bytes in place of values */
};

#define JSON_NODE_FEW 16

/* The sorted numbers of the members of an object that has more than JSON_NODE_FEW. */
static inline guint32 *
json_node_order(const struct json *object)
{
	return (guint32 *)(void *)(object->values + 2 * (gsize)object->size);
}

/* The order of keys: by length, then by memcmp. */
static inline int
json_node_compare(const char *text, gsize size, const char *other, gsize other_size)
{
	if (size != other_size)
		return size < other_size ? -1 : 1;
	return memcmp(text, other, size);
}

/* The member's value, which may be a null of the document; NULL when there is no such member. Its
   key is the value before it. */
const struct json *json_node_find(const struct json *object, const char *key);

#endif
