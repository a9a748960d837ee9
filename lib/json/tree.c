/* SPDX-License-Identifier: MIT */
/* Reads a document by the grammar of RFC 8259 and by stricter rules of our own, into a tree that
 * costs little beside the text: 16 bytes for each value and each key. */
#include "json/tree.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/escape.h"
#include "json/keys.h"
#include "json/node.h"
#include "json/scan.h"
#include "json/value.h"

struct reader {
	struct json_scan scan;
	gsize depth, count;
	struct json_keys *keys;
	GArray *values; /* struct json: of the arrays and objects that are open, the outermost's
			   first; those of what closes move to memory of their own */
};

static bool read_value(struct reader *r);

static void
push(struct reader *r, struct json value)
{
	g_array_append_val(r->values, value);
}

/* A string or a number, from start to the place. */
static void
push_text(struct reader *r, enum json_kind kind, const char *start, gsize size)
{
	bool is_escaped = kind == JSON_STRING && memchr(start, '\\', size);

	push(r, (struct json){.text = (char *)start,
		    .size = (guint32)size,
		    .kind = (guint8)kind,
		    .is_escaped = is_escaped});
}

/* The values from mark on, with room for more bytes behind them. */
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
read_string(struct reader *r)
{
	const char *start = r->scan.at + 1;

	if (!json_scan_string(&r->scan))
		return false;
	push_text(r, JSON_STRING, start, (gsize)(r->scan.at - start) - 1);
	return true;
}

static bool
read_key(struct reader *r)
{
	const char *key = r->scan.at + 1;

	if (json_scan_next(&r->scan) != '"')
		return json_scan_expected(&r->scan, "a key in double quotes");
	if (!read_string(r))
		return false;
	/* json_iterator_next gives keys as C strings. */
	if (!json_keys_add(r->keys, key, (gsize)(r->scan.at - key) - 1))
		return json_scan_fail(&r->scan, key, "key with the character U+0000");
	return true;
}

static bool
read_member(struct reader *r)
{
	json_scan_space(&r->scan);
	if (!read_key(r))
		return false;
	json_scan_space(&r->scan);
	if (!json_scan_take(&r->scan, ':'))
		return json_scan_expected(&r->scan, "a colon");
	return read_value(r);
}

/* Names the key as it stands in the source, or its beginning where it is long. */
static bool
fail_repeated(struct reader *r, const char *key, gsize size)
{
	gsize shown = MIN(size, 64);

	while (shown < size && shown > 0 && (key[shown] & 0xc0) == 0x80)
		shown--;
	return json_scan_fail(&r->scan, key, "repeated key \"%.*s\"", (int)shown, key);
}

/* Closes the object whose keys and values begin at these marks. */
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
	    json_keys_close(r->keys, keys, is_sorted ? json_node_order(&object) : NULL, &size);
	return !repeated || fail_repeated(r, repeated, size);
}

static bool
read_object(struct reader *r)
{
	gsize keys = json_keys_mark(r->keys);
	guint mark = r->values->len;

	r->scan.at++;
	json_scan_space(&r->scan);
	if (json_scan_take(&r->scan, '}')) {
		push(r, (struct json){.kind = JSON_OBJECT});
		return true;
	}
	do {
		if (!read_member(r))
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

static bool
read_array(struct reader *r)
{
	guint mark = r->values->len;

	r->scan.at++;
	json_scan_space(&r->scan);
	if (json_scan_take(&r->scan, ']')) {
		push(r, (struct json){.kind = JSON_ARRAY});
		return true;
	}
	do {
		if (!read_value(r))
			return false;
		json_scan_space(&r->scan);
	} while (json_scan_take(&r->scan, ','));
	if (!json_scan_take(&r->scan, ']'))
		return json_scan_expected(&r->scan, "a comma or a closing bracket");
	close_array(r, mark);
	return true;
}

static bool
read_nested(struct reader *r)
{
	bool valid;

	if (r->depth == LIMIT_JSON_DEPTH)
		return json_scan_fail(
		    &r->scan, r->scan.at, "more than %d levels of nesting", LIMIT_JSON_DEPTH);
	r->depth++;
	valid = *r->scan.at == '{' ? read_object(r) : read_array(r);
	r->depth--;
	return valid;
}

static bool
read_number(struct reader *r)
{
	const char *start = r->scan.at;
	bool is_integer;

	if (!json_scan_number(&r->scan, &is_integer))
		return false;
	push_text(r, is_integer ? JSON_INTEGER : JSON_NUMBER, start, (gsize)(r->scan.at - start));
	return true;
}

static bool
read_word(struct reader *r, const char *word, struct json value)
{
	if (!json_scan_word(&r->scan, word))
		return false;
	push(r, value);
	return true;
}

static bool
read_value(struct reader *r)
{
	json_scan_space(&r->scan);
	if (++r->count > LIMIT_JSON_VALUES)
		return json_scan_fail(
		    &r->scan, r->scan.at, "more than %d values", LIMIT_JSON_VALUES);
	switch (json_scan_next(&r->scan)) {
	case '{':
	case '[':
		return read_nested(r);
	case '"':
		return read_string(r);
	case 't':
		return read_word(r, "true", (struct json){.kind = JSON_BOOLEAN, .truth = true});
	case 'f':
		return read_word(r, "false", (struct json){.kind = JSON_BOOLEAN});
	case 'n':
		return read_word(r, "null", (struct json){.kind = JSON_NULL});
	default:
		if (json_scan_next(&r->scan) == '-' || g_ascii_isdigit(json_scan_next(&r->scan)))
			return read_number(r);
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
	if (json_scan_next(&r->scan) != '{') {
		g_set_error(r->scan.error, PH_ERROR, PH_ERROR_INVALID, "%s must be a JSON object%s",
		    r->scan.name, r->scan.at == r->scan.end ? ", but is empty" : "");
		return false;
	}
	if (!read_value(r))
		return false;
	json_scan_space(&r->scan);
	return r->scan.at == r->scan.end ||
	       json_scan_fail(&r->scan, r->scan.at, "text after the object");
}

bool
json_tree_read(const char *name, char *bytes, gsize size, struct json *root_r, GError **error)
{
	AUTO(json_keys) keys = json_keys_new();
	g_autoptr(GArray) values = g_array_new(false, false, sizeof(struct json));
	const char *start = bytes ? bytes : "";
	struct reader r = {{name, start, start, start + size, error}, 0, 0, keys, values};

	if (read_document(&r)) {
		*root_r = g_array_index(values, struct json, 0);
		return true;
	}
	for (guint i = 0; i < values->len; i++)
		json_tree_clear(&g_array_index(values, struct json, i));
	return false;
}

static bool
is_container(const struct json *value)
{
	return value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
}

/* How many values stand below an array or an object, keys among them. */
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

void
json_tree_settle(struct json *value)
{
	if (is_container(value))
		for (gsize i = 0; i < count_below(value); i++)
			json_tree_settle(&value->values[i]);
	else if (value->text)
		settle_text(value);
}

void
json_tree_clear(struct json *value)
{
	if (!is_container(value))
		return;
	for (gsize i = 0; i < count_below(value); i++)
		json_tree_clear(&value->values[i]);
	g_clear_pointer(&value->values, g_free);
}
