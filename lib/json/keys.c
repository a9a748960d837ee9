/* Finds keys that an object repeats: json-c silently lets the last one win. */
#include "json/keys.h"

#include <stdlib.h>
#include <string.h>

#include "json/escape.h"

struct key {
	const char *text; /* what it means, escapes resolved */
	gsize size;
	const char *source; /* where it stands */
	gsize source_size;
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

	g_string_truncate(text, 0);
	json_escape_resolve(key->source, key->source_size, ESCAPE_ALL, text);
	key->text = g_string_chunk_insert_len(keys->decoded, text->str, (gssize)text->len);
	key->size = text->len;
}

bool
json_keys_add(struct json_keys *keys, const char *source, gsize size)
{
	struct key key = {source, size, source, size};

	if (memchr(source, '\\', size))
		decode(keys, &key);
	g_array_append_val(keys->open, key);
	return !memchr(key.text, '\0', key.size);
}

/* Any order that puts equal texts side by side will do; of those, the first in the source first. */
static int
compare(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	order = memcmp(a->text, b->text, a->size);
	return order ? order : (a->source > b->source) - (a->source < b->source);
}

const char *
json_keys_close(struct json_keys *keys, gsize mark, gsize *size_r)
{
	struct key *first = &g_array_index(keys->open, struct key, mark);
	gsize count = keys->open->len - mark;
	const char *repeated = NULL;

	if (count > 1)
		qsort(first, count, sizeof(*first), compare);
	for (gsize i = 1; i < count && !repeated; i++)
		if (first[i].size == first[i - 1].size &&
		    memcmp(first[i].text, first[i - 1].text, first[i].size) == 0) {
			repeated = first[i].source;
			*size_r = first[i].source_size;
		}
	g_array_set_size(keys->open, (guint)mark);
	return repeated;
}
