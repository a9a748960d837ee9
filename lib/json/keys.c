/* Finds keys that an object repeats: json-c silently lets the last one win. */
#include "json/keys.h"

#include <stdlib.h>
#include <string.h>

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

static gunichar
hexadecimal(const char *digits)
{
	gunichar code = 0;

	for (int i = 0; i < 4; i++)
		code = code << 4 | (gunichar)g_ascii_xdigit_value(digits[i]);
	return code;
}

/* Appends what the escape at the backslash means; where it ends. */
static const char *
unescape(const char *at, GString *text)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, at[1]);

	if (at[1] != 'u') {
		g_string_append_c(text, letter ? meanings[letter - letters] : at[1]);
		return at + 2;
	}
	gunichar code = hexadecimal(at + 2);
	at += 6;
	if (code >= 0xd800 && code < 0xdc00) {
		code = 0x10000 + ((code - 0xd800) << 10) + (hexadecimal(at + 2) - 0xdc00);
		at += 6;
	}
	if (code == 0)
		g_string_append_c(text, '\0');
	else
		g_string_append_unichar(text, code);
	return at;
}

static void
decode(struct json_keys *keys, struct key *key)
{
	const char *end = key->source + key->source_size;
	const char *escape;

	g_string_truncate(keys->scratch, 0);
	for (const char *at = key->source; at < end;) {
		escape = memchr(at, '\\', (gsize)(end - at));
		g_string_append_len(keys->scratch, at, (escape ? escape : end) - at);
		at = escape ? unescape(escape, keys->scratch) : end;
	}
	key->text =
	    g_string_chunk_insert_len(keys->decoded, keys->scratch->str, keys->scratch->len);
	key->size = keys->scratch->len;
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
