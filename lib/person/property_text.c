/* SPDX-License-Identifier: MIT */
/* Writes properties of people as texts, and reads them. */
#include "person/property_text.h"

#include <string.h>

#include "base/scope.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

#define HEAD "{\"v\":"

/* The value that a text is in JSON, as member v of the document; NULL: it is none, or null. */
static struct json *
property_text_parse(const char *text)
{
	/* Most texts are no JSON, which their first character shows. */
	if (!*text || !strchr("\"[{-0123456789tf", *text))
		return NULL;
	g_autofree char *object = g_strconcat(HEAD, text, "}", NULL);
	AUTO(json) document = json_parse(object, strlen(object), NULL);

	return json_member_count(document) == 1 && json_member_get(document, "v")
		   ? g_steal_pointer(&document)
		   : NULL;
}

/* The caller owns it. */
static char *
property_text_quote(const struct json *value)
{
	gsize size;
	const char *text = json_string(value, &size);
	g_autofree char *copy = g_strndup(text, size);
	AUTO(json_writer) writer = json_writer_new();

	if (strlen(copy) < size)
		return json_print(value);
	json_writer_string(writer, NULL, copy);
	return json_writer_take(writer, NULL);
}

static const char *
string_text(const struct json *value, char **buffer_r)
{
	gsize size;
	const char *text = json_string(value, &size);
	AUTO(json) other = property_text_parse(text);

	if (size > 0 && strlen(text) == size && !other)
		return text;
	*buffer_r = property_text_quote(value);
	return *buffer_r;
}

const char *
person_property_text(const struct json *value, char **buffer_r)
{
	*buffer_r = NULL;
	switch (json_kind(value)) {
	case JSON_NULL:
		return NULL;
	case JSON_BOOLEAN:
		return json_boolean(value) ? "true" : "false";
	case JSON_STRING:
		return string_text(value, buffer_r);
	case JSON_INTEGER:
	case JSON_NUMBER:
		return json_number_text(value);
	default:
		*buffer_r = json_print(value);
		return *buffer_r;
	}
}

char *
person_property_value(const char *text)
{
	AUTO(json) document = property_text_parse(text);

	if (document)
		return g_strdup(text);
	AUTO(json_writer) writer = json_writer_new();
	json_writer_string(writer, NULL, text);
	return json_writer_take(writer, NULL);
}
