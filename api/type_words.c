/* SPDX-License-Identifier: MIT */
/* Says a schema of JSON Schema in words: "text of at most 100 characters or null". */
#include "api/type_words.h"

#include <string.h>

#include "api/api_doc.h"
#include "json/value.h"

const char *
api_doc_value(const struct json *object, const char *key)
{
	const struct json *member = json_member_get(object, key);

	switch (json_kind(member)) {
	case JSON_STRING:
		return json_string(member, NULL);
	case JSON_BOOLEAN:
		return json_boolean(member) ? "true" : "false";
	case JSON_INTEGER:
	case JSON_NUMBER:
		return json_number_text(member);
	case JSON_NULL:
		return json_member_has(object, key) ? "null" : "";
	default:
		return "";
	}
}

const char *
api_doc_description(const struct json *document, const struct json *schema)
{
	const char *own = api_doc_text(schema, "description");

	return own ? own : api_doc_value(api_doc_resolve(document, schema), "description");
}

/* "1 to 100 characters"; NULL without limits. The caller owns it. */
static char *
type_range(const struct json *schema, const char *least, const char *most, const char *noun)
{
	if (!json_member_has(schema, most))
		return NULL;
	if (json_member_has(schema, least))
		return g_strdup_printf(
		    "%s to %s %s", api_doc_value(schema, least), api_doc_value(schema, most), noun);
	return g_strdup_printf("at most %s %s", api_doc_value(schema, most), noun);
}

/* "at most 10 MB"; NULL without a limit. The caller owns it. */
static char *
type_bytes(const struct json *schema)
{
	gint64 count = json_integer(json_member_get(schema, "x-maxBytes"));
	bool is_mb = count % 1048576 == 0, is_kb = count % 1024 == 0;

	if (count == 0)
		return NULL;
	return g_strdup_printf("at most %" G_GINT64_FORMAT " %s",
	    is_mb   ? count / 1048576
	    : is_kb ? count / 1024
		    : count,
	    is_mb   ? "MB"
	    : is_kb ? "KB"
		    : "bytes");
}

/* The type by this name with its limits. The caller owns it. */
static char *
type_name(const struct json *schema, const char *type)
{
	static const struct {
		const char *type, *word, *least, *most, *noun;
	} known[] = {
	    {"string", "text", "minLength", "maxLength", "characters"},
	    {"array", "list", "minItems", "maxItems", "items"},
	    {"", "object", "minProperties", "maxProperties", "members"},
	};
	guint i = 0;

	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0 ||
	    strcmp(type, "boolean") == 0)
		return g_strdup(type);
	while (*known[i].type && strcmp(known[i].type, type) != 0)
		i++;
	g_autofree char *range = type_range(schema, known[i].least, known[i].most, known[i].noun);
	g_autofree char *bytes = type_bytes(schema);
	return g_strconcat(known[i].word, range || bytes ? " of " : "", range ? range : "",
	    range && bytes ? " and " : "", bytes ? bytes : "", NULL);
}

static void
type_append_or(GString *list, const char *word)
{
	if (list->len > 0 && *word)
		g_string_append(list, " or ");
	g_string_append(list, word);
}

/* The values of an enum, but for null, with "or" before the last one unless more follows. */
static void
type_append_values(GString *out, const struct json *values, bool is_open)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new();

	for (gsize i = 0; i < json_array_length(values); i++) {
		const struct json *value = json_array_at(values, i);

		if (value)
			g_ptr_array_add(
			    texts, (gpointer)(json_string(value, NULL) ? json_string(value, NULL)
								       : json_number_text(value)));
	}
	for (guint i = 0; i < texts->len; i++) {
		if (i > 0)
			g_string_append(out, i + 1 == texts->len && !is_open ? " or " : ", ");
		g_string_append(out, texts->pdata[i]);
	}
}

static char *type_words(const struct json *document, const struct json *schema, bool in_answer);

/* Writes the kinds that a schema may have beside one another. Whether null is one of them. */
static bool
type_append_choices(
    const struct json *document, GString *out, const struct json *choices, bool in_answer)
{
	bool has_null = false;

	for (gsize i = 0; i < json_array_length(choices); i++) {
		const struct json *one = json_array_at(choices, i);

		if (g_strcmp0(api_doc_text(one, "type"), "null") == 0) {
			has_null = true;
		} else {
			g_autofree char *words = type_words(document, one, in_answer);

			type_append_or(out, words);
		}
	}
	return has_null;
}

/* The same for the names of types. */
static bool
type_append_names(GString *out, const struct json *schema)
{
	const struct json *types = json_member_get(schema, "type");
	bool has_null = false;

	if (json_kind(types) != JSON_ARRAY) {
		g_autofree char *name = type_name(schema, api_doc_value(schema, "type"));

		g_string_append(out, name);
	}
	for (gsize i = 0; i < json_array_length(types); i++) {
		const char *type = json_string(json_array_at(types, i), NULL);
		g_autofree char *name = type_name(schema, type);

		if (strcmp(type, "null") == 0)
			has_null = true;
		else
			type_append_or(out, name);
	}
	return has_null;
}

/* A type and its limits in words, "text of at most 100 characters or null". Null stands in answers
   alone. The caller owns it. */
static char *
type_words(const struct json *document, const struct json *schema, bool in_answer)
{
	g_autoptr(GString) words = g_string_new(NULL);
	bool has_null;

	schema = api_doc_resolve(document, schema);
	if (json_member_has(schema, "anyOf")) {
		has_null = type_append_choices(
		    document, words, json_member_get(schema, "anyOf"), in_answer);
	} else {
		has_null = type_append_names(words, schema);
		if (json_member_has(schema, "enum") &&
		    !strstr(api_doc_value(schema, "description"), "- `")) {
			g_string_truncate(words, 0);
			type_append_values(
			    words, json_member_get(schema, "enum"), in_answer && has_null);
		}
	}
	if (in_answer && has_null)
		type_append_or(words, "null");
	return g_strdup(words->str);
}

char *
api_doc_summary(
    const struct json *document, const struct json *schema, const char *words, bool in_answer)
{
	g_autofree char *type = type_words(document, schema, in_answer);
	bool has_default = json_member_has(schema, "default");

	return g_strconcat(words, *words ? "; " : "", type, has_default ? "; " : "",
	    has_default ? api_doc_value(schema, "default") : "", has_default ? " if not given" : "",
	    NULL);
}
