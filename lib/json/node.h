/* SPDX-License-Identifier: MIT */
/* How a value is kept in memory. */
#ifndef JSON_NODE_H
#define JSON_NODE_H

#include <glib.h>
#include <stdbool.h>

/* One value: 16 bytes, for a document may have a million of them. A number is kept as it is
   written. An object's members are pairs of values, the key (a string) first, in the order of the
   text; behind those of more than JSON_NODE_FEW stand their numbers, in the order of
   json_keys_compare (json/keys.h). */
struct json {
	union {
		char *text;	     /* of a string or a number: a part of the document's bytes */
		struct json *values; /* of an array or an object; NULL when it is empty */
	};
	guint32 size;	 /* of text, without the NUL behind it; of elements, or members */
	guint8 kind;	 /* enum json_kind (json/value.h) */
	bool is_escaped; /* a string that has escapes, until json_tree_settle */
	bool truth;	 /* of a boolean */
};

#define JSON_NODE_FEW 16

/* The numbers of an object's members, sorted; there are more than JSON_NODE_FEW. */
static inline guint32 *
json_node_order(const struct json *object)
{
	return (guint32 *)(void *)(object->values + 2 * (gsize)object->size);
}

#endif
