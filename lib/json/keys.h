/* SPDX-License-Identifier: MIT */
/* Finds keys that an object repeats, while its text is read. */
#ifndef JSON_KEYS_H
#define JSON_KEYS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* The keys of the objects that are open, the outermost object's first. */
struct json_keys;

struct json_keys *json_keys_new(void);
void json_keys_free(struct json_keys *keys);
DEFINE_AUTO(json_keys, json_keys_free)

/* How many keys there are: the mark of an object that opens here. */
gsize json_keys_mark(const struct json_keys *keys);

/* Adds a key to the innermost object: what stands between its quotes, checked, escapes and all. The
   bytes are borrowed. False if it holds U+0000. */
bool json_keys_add(struct json_keys *keys, const char *source, gsize size);

/* Closes the object that opened at mark, which forgets its keys. order_r (NULL: not wanted) takes
   the numbers of its members, from 0, in the order of json_keys_compare. The source of a key that
   means the same as one before it, with its size; NULL if there is none. */
const char *json_keys_close(struct json_keys *keys, gsize mark, guint32 *order_r, gsize *size_r);

/* Shorter keys come first, and keys of one length in the order of memcmp. */
int json_keys_compare(const char *text, gsize size, const char *other, gsize other_size);

#endif
