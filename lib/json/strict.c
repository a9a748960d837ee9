/* SPDX-License-Identifier: MIT */
/* Parses a JSON text by the grammar of RFC 8259 and by stricter rules of our own. The values of a
 * document refer to its bytes, and take 16 bytes for each value and each key. */
#include "json/strict.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "json/node.h"
#include "json/scan.h"
#include "json/value.h"

/* A key of an object that is still open. */
struct key {
	const char *text;   /* the key, escapes resolved */
	const char *source; /* the key in the text, between its quotes */
	guint32 size, source_size;
	guint32 number; /* of the member in its object, from 0 */
};

/* The keys of all open objects, to find repeated ones; those of the outermost object first. */
struct keys {
	GArray *open;	       /* of struct key */
	GStringChunk *decoded; /* the texts of keys with escapes; NULL: none had one yet */
	GString *scratch;      /* NULL as decoded */
};

#define ROOM 16 /* keys and values that a small document has */

static struct keys *
keys_new(void)
{
	struct keys *keys = g_new0(struct keys, 1);

	keys->open = g_array_sized_new(false, false, sizeof(struct key), ROOM);
	return keys;
}

static void
keys_free(struct keys *keys)
{
	g_array_unref(keys->open);
	if (keys->decoded) {
		g_string_chunk_free(keys->decoded);
		g_string_free(keys->scratch, true);
	}
	g_free(keys);
}

DEFINE_AUTO(keys, keys_free)

/* The number of keys; it marks the beginning of an object that opens now. */
static gsize
keys_mark(const struct keys *keys)
{
	return keys->open->len;
}

static void
strict_decode(struct keys *keys, struct key *key)
{
	if (!keys->decoded) {
		keys->decoded = g_string_chunk_new(256);
		keys->scratch = g_string_new(NULL);
	}
	GString *text = keys->scratch;
	g_string_set_size(text, key->source_size);
	key->size = (guint32)json_escape_resolve(key->source, key->source_size, text->str);
	key->text = g_string_chunk_insert_len(keys->decoded, text->str, key->size);
}

/* Adds a checked key to the innermost object. The bytes between its quotes are borrowed. Returns
   false if the key contains U+0000. */
static bool
keys_add(struct keys *keys, const char *source, gsize size)
{
	struct key key = {source, source, (guint32)size, (guint32)size, 0};

	if (memchr(source, '\\', size))
		strict_decode(keys, &key);
	g_array_append_val(keys->open, key);
	return !memchr(key.text, '\0', key.size);
}

/* Sorts equal keys next to each other, in the order of the source. */
static int
strict_compare(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order = json_node_compare(a->text, a->size, b->text, b->size);

	return order ? order : (a->source > b->source) - (a->source < b->source);
}

static bool
are_equal(const struct key *a, const struct key *b)
{
	return json_node_compare(a->text, a->size, b->text, b->size) == 0;
}

/* The first key that repeats an earlier one, among few; NULL if there is none. */
static const struct key *
find_repeated(const struct key *keys, gsize count)
{
	for (gsize i = 1; i < count; i++)
		for (gsize before = 0; before < i; before++)
			if (are_equal(&keys[i], &keys[before]))
				return &keys[i];
	return NULL;
}

/* Sorts many keys, and writes their numbers in that order. Returns one that repeats an earlier one;
   NULL if there is none. */
static const struct key *
sort_keys(struct key *keys, gsize count, guint32 *order_r)
{
	const struct key *repeated = NULL;

	for (gsize i = 0; i < count; i++)
		keys[i].number = (guint32)i;
	base_array_sort(keys, count, sizeof(*keys), strict_compare);
	for (gsize i = 1; i < count && !repeated; i++)
		if (are_equal(&keys[i], &keys[i - 1]))
			repeated = &keys[i];
	for (gsize i = 0; i < count; i++)
		order_r[i] = keys[i].number;
	return repeated;
}

/* Closes the object that opened at mark and removes its keys. Writes the numbers of its members,
   sorted by json_node_compare, to order_r unless it is NULL. Returns the source of a key that
   repeats an earlier one, and its size; NULL if there is none. */
static const char *
keys_close(struct keys *keys, gsize mark, guint32 *order_r, gsize *size_r)
{
	struct key *first = &g_array_index(keys->open, struct key, mark);
	gsize count = keys->open->len - mark;
	const struct key *repeated =
	    order_r ? sort_keys(first, count, order_r) : find_repeated(first, count);

	*size_r = repeated ? repeated->source_size : 0;
	g_array_set_size(keys->open, (guint)mark);
	return repeated ? repeated->source : NULL;
}

/* Ways to read a text. */
enum {
	WAY_OPEN = 1,	/* an array may be outermost, too */
	WAY_PACKED = 2, /* arrays of integers from 0 to 255 are packed */
};

struct reader {
	struct json_scan scan;
	gsize depth, count;
	struct keys *keys;
	unsigned ways;
	GArray *values; /* of struct json: the values of all open arrays and objects, the outermost
			   first; an array or object that closes gets memory of its own */
};

static bool strict_read_value(struct reader *r);

static void
push(struct reader *r, struct json value)
{
	g_array_append_val(r->values, value);
}

/* Appends a string or a number. */
static void
push_text(struct reader *r, enum json_kind kind, const char *start, gsize size)
{
	bool is_escaped = kind == JSON_STRING && memchr(start, '\\', size);

	push(r, (struct json){.text = (char *)start,
		    .size = (guint32)size,
		    .kind = (guint8)kind,
		    .is_escaped = is_escaped});
}

/* Moves the values from mark on to memory of their own, with room for more bytes after them. */
static struct json *
take_values(struct reader *r, guint mark, gsize more)
{
	gsize size = (r->values->len - mark) * sizeof(struct json);
	struct json *values = size > 0 ? g_malloc(size + more) : NULL;

	if (size > 0)
		memcpy(values, &g_array_index(r->values, struct json, mark), size);
	g_array_set_size(r->values, mark);
	return values;
}

static bool
strict_read_string(struct reader *r)
{
	const char *start = r->scan.at + 1;

	if (!json_scan_string(&r->scan))
		return false;
	push_text(r, JSON_STRING, start, (gsize)(r->scan.at - start) - 1);
	return true;
}

static bool
strict_read_key(struct reader *r)
{
	const char *key = r->scan.at + 1;

	if (json_scan_next(&r->scan) != '"')
		return json_scan_expected(&r->scan, "a key in double quotes");
	if (!strict_read_string(r))
		return false;
	/* Keys must be C strings for json_iterator_next. */
	if (!keys_add(r->keys, key, (gsize)(r->scan.at - key) - 1))
		return json_scan_fail(&r->scan, key, "key with the character U+0000");
	return true;
}

static bool
strict_read_member(struct reader *r)
{
	json_scan_space(&r->scan);
	if (!strict_read_key(r))
		return false;
	json_scan_space(&r->scan);
	if (!json_scan_take(&r->scan, ':'))
		return json_scan_expected(&r->scan, "a colon");
	return strict_read_value(r);
}

/* Fails with the key as it is in the source; of a long key only the beginning is shown. */
static bool
fail_repeated(struct reader *r, const char *key, gsize size)
{
	gsize shown = MIN(size, 64);

	while (shown < size && shown > 0 && (key[shown] & 0xc0) == 0x80)
		shown--;
	return json_scan_fail(&r->scan, key, "repeated key \"%.*s\"", (int)shown, key);
}

/* Closes the object whose keys and values begin at the marks. */
static bool
close_object(struct reader *r, gsize keys, guint mark)
{
	guint32 count = (r->values->len - mark) / 2;
	bool is_sorted = count > JSON_NODE_FEW;
	struct json object = {.size = count, .kind = JSON_OBJECT};
	gsize size;

	object.values = take_values(r, mark, is_sorted ? count * sizeof(guint32) : 0);
	push(r, object);
	const char *repeated =
	    keys_close(r->keys, keys, is_sorted ? json_node_order(&object) : NULL, &size);
	return !repeated || fail_repeated(r, repeated, size);
}

static bool
strict_read_object(struct reader *r)
{
	gsize keys = keys_mark(r->keys);
	guint mark = r->values->len;

	r->scan.at++;
	json_scan_space(&r->scan);
	if (json_scan_take(&r->scan, '}')) {
		push(r, (struct json){.kind = JSON_OBJECT});
		return true;
	}
	do {
		if (!strict_read_member(r))
			return false;
		json_scan_space(&r->scan);
	} while (json_scan_take(&r->scan, ','));
	if (!json_scan_take(&r->scan, '}'))
		return json_scan_expected(&r->scan, "a comma or a closing brace");
	return close_object(r, keys, mark);
}

static void
close_array(struct reader *r, guint mark)
{
	struct json array = {.size = r->values->len - mark, .kind = JSON_ARRAY};

	array.values = take_values(r, mark, 0);
	push(r, array);
}

/* Moves over an integer from 0 to 255. False when another value begins there. */
static bool
scan_byte(struct json_scan *scan, guint8 *byte_r)
{
	const char *start = scan->at;
	guint number = 0;

	while (scan->at - start < 3 && g_ascii_isdigit(json_scan_next(scan)))
		number = 10 * number + (guint)g_ascii_digit_value(*scan->at++);
	*byte_r = (guint8)number;
	return scan->at > start && number <= G_MAXUINT8 && (*start != '0' || scan->at == start + 1);
}

/* Reads the elements of an array of bytes, and its bracket. bytes_r: NULL to count them alone. 0
   when it has other elements, or none, or goes on with something wrong. */
static guint32
scan_bytes(struct json_scan *scan, guint8 *bytes_r)
{
	guint32 count = 0;
	guint8 byte;

	do {
		json_scan_space(scan);
		if (!scan_byte(scan, &byte))
			return 0;
		if (bytes_r)
			bytes_r[count] = byte;
		count++;
		json_scan_space(scan);
	} while (json_scan_take(scan, ','));
	return json_scan_take(scan, ']') ? count : 0;
}

/* Reads the rest of an array of bytes. False, and nothing is read, when it is another array. */
static bool
read_packed(struct reader *r)
{
	struct json_scan ahead = r->scan;
	guint32 count = scan_bytes(&ahead, NULL);

	if (count == 0)
		return false;
	guint8 *bytes = g_malloc(count);
	scan_bytes(&r->scan, bytes);
	push(
	    r, (struct json){.bytes = bytes, .size = count, .kind = JSON_ARRAY, .is_packed = true});
	return true;
}

static bool
read_array(struct reader *r)
{
	guint mark = r->values->len;

	r->scan.at++;
	if ((r->ways & WAY_PACKED) && read_packed(r))
		return true;
	json_scan_space(&r->scan);
	if (json_scan_take(&r->scan, ']')) {
		push(r, (struct json){.kind = JSON_ARRAY});
		return true;
	}
	do {
		if (!strict_read_value(r))
			return false;
		json_scan_space(&r->scan);
	} while (json_scan_take(&r->scan, ','));
	if (!json_scan_take(&r->scan, ']'))
		return json_scan_expected(&r->scan, "a comma or a closing bracket");
	close_array(r, mark);
	return true;
}

static bool
strict_read_nested(struct reader *r)
{
	bool valid;

	if (r->depth == LIMIT_JSON_DEPTH)
		return json_scan_fail(
		    &r->scan, r->scan.at, "more than %d levels of nesting", LIMIT_JSON_DEPTH);
	r->depth++;
	valid = *r->scan.at == '{' ? strict_read_object(r) : read_array(r);
	r->depth--;
	return valid;
}

static bool
strict_read_number(struct reader *r)
{
	const char *start = r->scan.at;
	bool is_integer;

	if (!json_scan_number(&r->scan, &is_integer))
		return false;
	push_text(r, is_integer ? JSON_INTEGER : JSON_NUMBER, start, (gsize)(r->scan.at - start));
	return true;
}

static bool
strict_read_word(struct reader *r, const char *word, struct json value)
{
	if (!json_scan_word(&r->scan, word))
		return false;
	push(r, value);
	return true;
}

static bool
strict_read_value(struct reader *r)
{
	json_scan_space(&r->scan);
	if (++r->count > LIMIT_JSON_VALUES)
		return json_scan_fail(
		    &r->scan, r->scan.at, "more than %d values", LIMIT_JSON_VALUES);
	switch (json_scan_next(&r->scan)) {
	case '{':
	case '[':
		return strict_read_nested(r);
	case '"':
		return strict_read_string(r);
	case 't':
		return strict_read_word(
		    r, "true", (struct json){.kind = JSON_BOOLEAN, .truth = true});
	case 'f':
		return strict_read_word(r, "false", (struct json){.kind = JSON_BOOLEAN});
	case 'n':
		return strict_read_word(r, "null", (struct json){.kind = JSON_NULL});
	default:
		if (json_scan_next(&r->scan) == '-' || g_ascii_isdigit(json_scan_next(&r->scan)))
			return strict_read_number(r);
		return json_scan_expected(&r->scan, "a value");
	}
}

static bool
check_encoding(struct reader *r)
{
	const char *end;

	if (r->scan.end - r->scan.start >= 3 && memcmp(r->scan.start, "\xef\xbb\xbf", 3) == 0)
		return json_scan_fail(&r->scan, r->scan.start, "byte order mark");
	if (g_utf8_validate_len(r->scan.start, (gsize)(r->scan.end - r->scan.start), &end))
		return true;
	return json_scan_fail(&r->scan, end, *end ? "invalid UTF-8" : "NUL");
}

static bool
read_document(struct reader *r)
{
	if (!check_encoding(r))
		return false;
	json_scan_space(&r->scan);
	bool is_open = r->ways & WAY_OPEN;
	bool is_array = is_open && json_scan_next(&r->scan) == '[';
	if (json_scan_next(&r->scan) != '{' && !is_array) {
		g_set_error(r->scan.error, PH_ERROR, PH_ERROR_INVALID,
		    "%s must be a JSON object%s%s", r->scan.name, is_open ? " or array" : "",
		    r->scan.at == r->scan.end ? ", but is empty" : "");
		return false;
	}
	if (!strict_read_value(r))
		return false;
	json_scan_space(&r->scan);
	return r->scan.at == r->scan.end ||
	       json_scan_fail(&r->scan, r->scan.at,
		   is_array ? "text after the array" : "text after the object");
}

static bool
is_container(const struct json *value)
{
	return value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
}

/* The number of values in an array or an object, including keys. */
static gsize
count_below(const struct json *container)
{
	return container->kind == JSON_OBJECT ? 2 * (gsize)container->size : container->size;
}

static void
settle_text(struct json *value)
{
	if (value->is_escaped)
		value->size = (guint32)json_escape_resolve(value->text, value->size, value->text);
	value->is_escaped = false;
	value->text[value->size] = '\0';
}

/* Resolves the escapes of all strings in place, and puts a NUL after each string and number. */
static void
settle_value(struct json *value)
{
	if (value->is_packed)
		return;
	if (is_container(value))
		for (gsize i = 0; i < count_below(value); i++)
			settle_value(&value->values[i]);
	else if (value->text)
		settle_text(value);
}

/* Frees the memory below the value, not the value itself. */
static void
clear_value(struct json *value)
{
	if (!is_container(value))
		return;
	for (gsize i = 0; !value->is_packed && i < count_below(value); i++)
		clear_value(&value->values[i]);
	g_clear_pointer(&value->values, g_free);
}

/* Reads bytes, which must be one JSON object, or an array with WAY_OPEN; errors as of
   json_parse_as. Does not change the bytes, to which the values refer. */
static bool
read_tree(
    const char *name, unsigned ways, char *bytes, gsize size, struct json *root_r, GError **error)
{
	AUTO(keys) keys = keys_new();
	g_autoptr(GArray) values = g_array_sized_new(false, false, sizeof(struct json), 2 * ROOM);
	const char *start = bytes ? bytes : "";
	struct reader r = {{name, start, start, start + size, error}, 0, 0, keys, ways, values};

	if (read_document(&r)) {
		*root_r = g_array_index(values, struct json, 0);
		return true;
	}
	for (guint i = 0; i < values->len; i++)
		clear_value(&g_array_index(values, struct json, i));
	return false;
}

struct document {
	struct json root; /* first, so that it has the address of the document */
	char *bytes;
};

static struct json *
strict_take(const char *name, unsigned ways, char *bytes, gsize size, GError **error)
{
	g_autofree struct document *document = g_new0(struct document, 1);
	g_autofree char *own = bytes;

	if (!read_tree(name, ways, bytes, size, &document->root, error))
		return NULL;
	settle_value(&document->root);
	document->bytes = g_steal_pointer(&own);
	return &g_steal_pointer(&document)->root;
}

static bool
is_too_large(const char *name, gsize size, GError **error)
{
	if (size <= G_MAXINT)
		return false;
	base_fail(error, PH_ERROR_TOO_LARGE, "%s is larger than 2 GiB", name);
	return true;
}

struct json *
json_parse_as(const char *name, const char *bytes, gsize size, GError **error)
{
	if (is_too_large(name, size, error))
		return NULL;
	return strict_take(name, 0, g_memdup2(bytes, size), size, error);
}

struct json *
json_parse_any(const char *bytes, gsize size, GError **error)
{
	if (is_too_large("body", size, error))
		return NULL;
	return strict_take("body", WAY_OPEN, g_memdup2(bytes, size), size, error);
}

struct json *
json_parse(const char *bytes, gsize size, GError **error)
{
	return json_parse_as("body", bytes, size, error);
}

static struct json *
strict_take_body(unsigned ways, char *bytes, gsize size, GError **error)
{
	if (!is_too_large("body", size, error))
		return strict_take("body", ways, bytes, size, error);
	g_free(bytes);
	return NULL;
}

struct json *
json_parse_take(char *bytes, gsize size, GError **error)
{
	return strict_take_body(0, bytes, size, error);
}

struct json *
json_parse_container_take(char *bytes, gsize size, GError **error)
{
	return strict_take_body(WAY_OPEN | WAY_PACKED, bytes, size, error);
}

/* A document of a single value. It owns text. */
static struct json *
make_single(struct json value, char *text)
{
	struct document *document = g_new(struct document, 1);

	*document = (struct document){.root = value, .bytes = text};
	document->root.text = text;
	document->root.size = text ? (guint32)strlen(text) : 0;
	return &document->root;
}

struct json *
json_make_string(char *text)
{
	return text ? make_single((struct json){.kind = JSON_STRING}, text) : NULL;
}

struct json *
json_make_integer(gint64 number)
{
	return make_single(
	    (struct json){.kind = JSON_INTEGER}, g_strdup_printf("%" G_GINT64_FORMAT, number));
}

struct json *
json_make_boolean(bool truth)
{
	return make_single((struct json){.kind = JSON_BOOLEAN, .truth = truth}, NULL);
}

void
json_free(struct json *root)
{
	struct document *document = (struct document *)root;

	if (!document)
		return;
	clear_value(root);
	g_free(document->bytes);
	g_free(document);
}

void
json_forget(const struct json *value)
{
	struct json *container = (struct json *)value;

	if (json_kind(value) != JSON_ARRAY && json_kind(value) != JSON_OBJECT)
		return;
	clear_value(container);
	container->size = 0;
}
