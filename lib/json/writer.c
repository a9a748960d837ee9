/* SPDX-License-Identifier: MIT */
/* Writes JSON (RFC 8259) directly as text. */
#include "json/writer.h"

#include <string.h>

#include "json/scan.h"
#include "json/value.h"

#define MAXIMAL_DEPTH 64
#define FIRST_BYTES 1024 /* room for an ordinary answer */

struct json_writer {
	GString *text;
	unsigned depth;
	char closing[MAXIMAL_DEPTH]; /* the closing bracket of each open level */
	bool filled;		     /* the innermost open level has a value */
};

struct json_writer *
json_writer_new(void)
{
	struct json_writer *writer = g_new0(struct json_writer, 1);

	writer->text = g_string_sized_new(FIRST_BYTES);
	return writer;
}

void
json_writer_free(struct json_writer *writer)
{
	g_string_free(writer->text, true);
	g_free(writer);
}

static void
append_escape(GString *text, char byte)
{
	static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *known = memchr(bytes, byte, sizeof(bytes) - 1);

	if (known) {
		g_string_append_c(text, '\\');
		g_string_append_c(text, letters[known - bytes]);
	} else {
		g_string_append_printf(text, "\\u%04x", (unsigned)byte);
	}
}

static void
writer_append(GString *text, const char *bytes, gsize size)
{
	gsize end = text->len;

	if (end + size >= text->allocated_len)
		g_string_set_size(text, end + size);
	memcpy(text->str + end, bytes, size);
	text->len = end + size;
	text->str[text->len] = '\0';
}

static void
writer_append_quoted(GString *text, const char *bytes, gsize size)
{
	gsize plain;

	g_string_append_c(text, '"');
	for (gsize at = 0; at < size; at += plain + 1) {
		plain = json_plain_length(bytes + at, size - at);
		writer_append(text, bytes + at, plain);
		if (at + plain < size)
			append_escape(text, bytes[at + plain]);
	}
	g_string_append_c(text, '"');
}

/* Writes the comma and the key before a value. */
static void
begin_value(struct json_writer *writer, const char *key)
{
	bool in_object = writer->depth > 0 && writer->closing[writer->depth - 1] == '}';

	g_assert(in_object == (key != NULL));
	g_assert(writer->depth > 0 || !writer->filled);
	if (writer->filled)
		g_string_append_c(writer->text, ',');
	if (key) {
		writer_append_quoted(writer->text, key, strlen(key));
		g_string_append_c(writer->text, ':');
	}
	writer->filled = true;
}

static void
open_level(struct json_writer *writer, const char *key, char opening, char closing)
{
	begin_value(writer, key);
	g_assert(writer->depth < MAXIMAL_DEPTH);
	g_string_append_c(writer->text, opening);
	writer->closing[writer->depth++] = closing;
	writer->filled = false;
}

static void
close_level(struct json_writer *writer, char closing)
{
	g_assert(writer->depth > 0 && writer->closing[writer->depth - 1] == closing);
	g_string_append_c(writer->text, closing);
	writer->depth--;
	writer->filled = true;
}

void
json_writer_begin_object(struct json_writer *writer, const char *key)
{
	open_level(writer, key, '{', '}');
}

void
json_writer_end_object(struct json_writer *writer)
{
	close_level(writer, '}');
}

void
json_writer_begin_array(struct json_writer *writer, const char *key)
{
	open_level(writer, key, '[', ']');
}

void
json_writer_end_array(struct json_writer *writer)
{
	close_level(writer, ']');
}

void
json_writer_string_sized(struct json_writer *writer, const char *key, const char *text, gsize size)
{
	if (!text) {
		json_writer_null(writer, key);
		return;
	}
	begin_value(writer, key);
	writer_append_quoted(writer->text, text, size);
}

void
json_writer_string(struct json_writer *writer, const char *key, const char *text)
{
	json_writer_string_sized(writer, key, text, text ? strlen(text) : 0);
}

void
json_writer_bytes(struct json_writer *writer, const char *key, GBytes *text)
{
	gsize size = 0;
	const char *bytes = text ? g_bytes_get_data(text, &size) : NULL;

	/* The pointer of empty bytes may be NULL. */
	json_writer_string_sized(writer, key, text && !bytes ? "" : bytes, size);
}

static void
writer_append_number(GString *text, gint64 number)
{
	char digits[24], *first = digits + sizeof(digits);
	guint64 rest = number < 0 ? -(guint64)number : (guint64)number;

	do
		*--first = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (number < 0)
		*--first = '-';
	writer_append(text, first, (gsize)(digits + sizeof(digits) - first));
}

void
json_writer_integer(struct json_writer *writer, const char *key, gint64 number)
{
	begin_value(writer, key);
	writer_append_number(writer->text, number);
}

void
json_writer_boolean(struct json_writer *writer, const char *key, bool truth)
{
	begin_value(writer, key);
	writer_append(writer->text, truth ? "true" : "false", truth ? 4 : 5);
}

void
json_writer_null(struct json_writer *writer, const char *key)
{
	begin_value(writer, key);
	writer_append(writer->text, "null", 4);
}

void
json_writer_raw(struct json_writer *writer, const char *key, const char *json, gsize size)
{
	if (!json) {
		json_writer_null(writer, key);
		return;
	}
	begin_value(writer, key);
	g_string_append_len(writer->text, json, (gssize)size);
}

static void
writer_write_object(struct json_writer *writer, const char *key, const struct json *object)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, key);
	while (json_iterator_next(&members, &name, &value))
		json_writer_value(writer, name, value);
	json_writer_end_object(writer);
}

static void
write_array(struct json_writer *writer, const char *key, const struct json *array)
{
	gsize length = json_array_length(array);

	json_writer_begin_array(writer, key);
	for (gsize i = 0; i < length; i++)
		json_writer_value(writer, NULL, json_array_at(array, i));
	json_writer_end_array(writer);
}

static void
writer_write_text(struct json_writer *writer, const char *key, const struct json *string)
{
	gsize size;
	const char *text = json_string(string, &size);

	json_writer_string_sized(writer, key, text, size);
}

static void
writer_write_number(struct json_writer *writer, const char *key, const struct json *number)
{
	const char *text = json_number_text(number);

	json_writer_raw(writer, key, text, strlen(text));
}

void
json_writer_value(struct json_writer *writer, const char *key, const struct json *value)
{
	switch (json_kind(value)) {
	case JSON_NULL:
		json_writer_null(writer, key);
		break;
	case JSON_BOOLEAN:
		json_writer_boolean(writer, key, json_boolean(value));
		break;
	case JSON_INTEGER:
	case JSON_NUMBER:
		writer_write_number(writer, key, value);
		break;
	case JSON_STRING:
		writer_write_text(writer, key, value);
		break;
	case JSON_ARRAY:
		write_array(writer, key, value);
		break;
	case JSON_OBJECT:
		writer_write_object(writer, key, value);
		break;
	}
}

/* The complete text; the writer gets a new one. */
static GString *
writer_take(struct json_writer *writer)
{
	GString *text = writer->text;

	g_assert(writer->depth == 0 && writer->filled);
	writer->text = g_string_new(NULL);
	writer->filled = false;
	return text;
}

char *
json_writer_take(struct json_writer *writer, gsize *size_r)
{
	GString *text = writer_take(writer);

	if (size_r)
		*size_r = text->len;
	return g_string_free(text, false);
}

GBytes *
json_writer_take_bytes(struct json_writer *writer)
{
	return g_string_free_to_bytes(writer_take(writer));
}

char *
json_print(const struct json *value)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_value(writer, NULL, value);
	return json_writer_take(writer, NULL);
}
