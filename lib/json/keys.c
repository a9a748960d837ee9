/* SPDX-License-Identifier: MIT */
/* Finds keys that an object repeats, and sorts those of large objects. */
#include "json/keys.h"

#include <stdlib.h>
#include <string.h>

#include "json/escape.h"

struct key {
	const char *text;   /* what it means, escapes resolved */
	const char *source; /* where it stands */
	guint32 size, source_size;
	guint32 number; /* of the member in its object */
};

struct json_keys {
	GArray *open;	       /* of struct key */
	GStringChunk *decoded; /* the texts of keys with escapes */
	GString *scratch;
};

struct json_keys *
json_keys_new(void)
{
	struct json_keys *keys = g_new(struct json_keys, 1);

	keys->open = g_array_new(false, false, sizeof(struct key));
	keys->decoded = g_string_chunk_new(256);
	keys->scratch = g_string_new(NULL);
	return keys;
}

void
json_keys_free(struct json_keys *keys)
{
	g_array_unref(keys->open);
	g_string_chunk_free(keys->decoded);
	g_string_free(keys->scratch, true);
	g_free(keys);
}

gsize
json_keys_mark(const struct json_keys *keys)
{
	return keys->open->len;
}

static void
decode(struct json_keys *keys, struct key *key)
{
	GString *text = keys->scratch;

	g_string_set_size(text, key->source_size);
	key->size = (guint32)json_escape_resolve(key->source, key->source_size, text->str);
	key->text = g_string_chunk_insert_len(keys->decoded, text->str, key->size);
}

bool
json_keys_add(struct json_keys *keys, const char *source, gsize size)
{
	struct key key = {source, source, (guint32)size, (guint32)size, 0};

	if (memchr(source, '\\', size))
		decode(keys, &key);
	g_array_append_val(keys->open, key);
	return !memchr(key.text, '\0', key.size);
}

int
json_keys_compare(const char *text, gsize size, const char *other, gsize other_size)
{
	if (size != other_size)
		return size < other_size ? -1 : 1;
	return memcmp(text, other, size);
}

/* Equal texts stand side by side; of those, the first in the source first. */
static int
compare(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order = json_keys_compare(a->text, a->size, b->text, b->size);

	return order ? order : (a->source > b->source) - (a->source < b->source);
}

const char *
json_keys_close(struct json_keys *keys, gsize mark, guint32 *order_r, gsize *size_r)
{
	struct key *first = &g_array_index(keys->open, struct key, mark);
	gsize count = keys->open->len - mark;
	const char *repeated = NULL;

	for (gsize i = 0; i < count; i++)
		first[i].number = (guint32)i;
	if (count > 1)
		qsort(first, count, sizeof(*first), compare);
	for (gsize i = 1; i < count && !repeated; i++)
		if (first[i].size == first[i - 1].size &&
		    memcmp(first[i].text, first[i - 1].text, first[i].size) == 0) {
			repeated = first[i].source;
			*size_r = first[i].source_size;
		}
	for (gsize i = 0; i < count && order_r; i++)
		order_r[i] = first[i].number;
	g_array_set_size(keys->open, (guint)mark);
	return repeated;
}
