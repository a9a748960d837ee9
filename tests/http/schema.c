/* SPDX-License-Identifier: MIT */
/* Checks values against the part of JSON Schema that openapi.json uses. */
#include "tests/http/schema.h"

#include <string.h>

#include "json/writer.h"

/* A value and the schema it is checked against. */
struct test {
	const struct json *document, *schema;
	const char *place;
	const struct json *value;
};

static char *check(const struct test *test);

const struct json *
schema_resolve(const struct json *document, const struct json *object)
{
	const char *reference = json_string(json_member_get(object, "$ref"), NULL);

	if (!reference)
		return object;
	g_auto(GStrv) steps = g_strsplit(reference, "/", -1);
	const struct json *at = document;
	for (char **step = steps + 1; *step; step++)
		at = json_member_get(at, *step);
	return at;
}

static const struct json *
rule(const struct test *test, const char *keyword)
{
	return json_member_get(test->schema, keyword);
}

static char *
http_schema_fault(const struct test *test, const char *what)
{
	g_autofree char *value = json_print(test->value);

	return g_strdup_printf("%s %s: %.200s", *test->place ? test->place : "body", what, value);
}

static bool
is_type(const struct json *value, const char *type)
{
	static const char *const names[] = {
	    [JSON_NULL] = "null",
	    [JSON_BOOLEAN] = "boolean",
	    [JSON_INTEGER] = "integer",
	    [JSON_NUMBER] = "number",
	    [JSON_STRING] = "string",
	    [JSON_ARRAY] = "array",
	    [JSON_OBJECT] = "object",
	};
	enum json_kind kind = json_kind(value);

	return strcmp(names[kind], type) == 0 ||
	       (kind == JSON_INTEGER && strcmp(type, "number") == 0);
}

static char *
schema_check_type(const struct test *test)
{
	const struct json *types = rule(test, "type");
	bool found = !types;

	if (json_string(types, NULL))
		found = is_type(test->value, json_string(types, NULL));
	for (gsize i = 0; i < json_array_length(types); i++)
		found = found || is_type(test->value, json_string(json_array_at(types, i), NULL));
	return found ? NULL : http_schema_fault(test, "is of another type");
}

static char *
check_enum(const struct test *test)
{
	const struct json *allowed = rule(test, "enum");
	g_autofree char *value = json_print(test->value);
	bool found = !allowed;

	for (gsize i = 0; i < json_array_length(allowed); i++) {
		g_autofree char *one = json_print(json_array_at(allowed, i));
		found = found || strcmp(one, value) == 0;
	}
	return found ? NULL : http_schema_fault(test, "is not one of its values");
}

static char *
check_alternatives(const struct test *test)
{
	const struct json *alternatives = rule(test, "anyOf");
	char *last = NULL;

	for (gsize i = 0; i < json_array_length(alternatives); i++) {
		struct test one = *test;

		one.schema = json_array_at(alternatives, i);
		g_free(last);
		if (!(last = check(&one)))
			return NULL;
	}
	return last;
}

static gint64
schema_size_of(const struct json *value)
{
	switch (json_kind(value)) {
	case JSON_STRING:
		return g_utf8_strlen(json_string(value, NULL), -1);
	case JSON_ARRAY:
		return (gint64)json_array_length(value);
	case JSON_OBJECT:
		return (gint64)json_member_count(value);
	default:
		return 0;
	}
}

static char *
schema_check_size(const struct test *test)
{
	static const struct {
		const char *keyword;
		enum json_kind kind;
		bool most;
	} limits[] = {
	    {"minLength", JSON_STRING, false},
	    {"maxLength", JSON_STRING, true},
	    {"maxItems", JSON_ARRAY, true},
	    {"maxProperties", JSON_OBJECT, true},
	};
	gint64 size = schema_size_of(test->value);

	for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
		const struct json *limit = rule(test, limits[i].keyword);
		if (!limit || json_kind(test->value) != limits[i].kind)
			continue;
		if (limits[i].most ? size > json_integer(limit) : size < json_integer(limit))
			return http_schema_fault(test, limits[i].keyword);
	}
	return NULL;
}

static char *
check_pattern(const struct test *test)
{
	const char *pattern = json_string(rule(test, "pattern"), NULL);
	const char *text = json_string(test->value, NULL);

	return !pattern || !text || g_regex_match_simple(pattern, text, 0, 0)
		   ? NULL
		   : http_schema_fault(test, "is not of its pattern");
}

static char *
check_items(const struct test *test)
{
	const struct json *items = rule(test, "items");

	for (gsize i = 0; items && i < json_array_length(test->value); i++) {
		g_autofree char *place = g_strdup_printf("%s[%zu]", test->place, i);
		const struct test one = {
		    test->document, items, place, json_array_at(test->value, i)};
		char *found = check(&one);

		if (found)
			return found;
	}
	return NULL;
}

static char *
check_required(const struct test *test)
{
	const struct json *names = rule(test, "required");

	for (gsize i = 0; json_kind(test->value) == JSON_OBJECT && i < json_array_length(names);
	     i++) {
		const char *name = json_string(json_array_at(names, i), NULL);
		if (!json_member_has(test->value, name)) {
			g_autofree char *what = g_strdup_printf("lacks %s", name);
			return http_schema_fault(test, what);
		}
	}
	return NULL;
}

static char *
schema_check_members(const struct test *test)
{
	struct json_iterator members = json_members(test->value);
	const struct json *others = rule(test, "additionalProperties");
	struct test member = {.document = test->document};
	const char *name;

	while (json_iterator_next(&members, &name, &member.value)) {
		g_autofree char *place =
		    g_strdup_printf("%s%s%s", test->place, *test->place ? "." : "", name);
		member.place = place;
		member.schema = json_member_get(rule(test, "properties"), name);
		if (!member.schema)
			member.schema = others;
		char *found =
		    member.schema ? check(&member) : http_schema_fault(&member, "is not known");
		if (found)
			return found;
	}
	return NULL;
}

static char *
schema_check_range(const struct test *test)
{
	const struct json *least = rule(test, "minimum"), *most = rule(test, "maximum");

	if (json_kind(test->value) != JSON_INTEGER)
		return NULL;
	if (least && json_integer(test->value) < json_integer(least))
		return http_schema_fault(test, "minimum");
	return most && json_integer(test->value) > json_integer(most)
		   ? http_schema_fault(test, "maximum")
		   : NULL;
}

/* Each keyword and its check; NULL for one that only describes. */
static const struct {
	const char *name;
	char *(*check)(const struct test *test);
} keywords[] = {
    {"type", schema_check_type},
    {"enum", check_enum},
    {"anyOf", check_alternatives},
    {"minLength", schema_check_size},
    {"maxLength", schema_check_size},
    {"maxItems", schema_check_size},
    {"maxProperties", schema_check_size},
    {"minimum", schema_check_range},
    {"maximum", schema_check_range},
    {"pattern", check_pattern},
    {"items", check_items},
    {"required", check_required},
    {"properties", schema_check_members},
    {"additionalProperties", schema_check_members},
    {"description", NULL},
    {"default", NULL},
    {"x-maxBytes", NULL},
    {"examples", NULL},
};

static char *
check_keyword(const struct test *test, const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(keywords); i++)
		if (strcmp(keywords[i].name, name) == 0)
			return keywords[i].check ? keywords[i].check(test) : NULL;
	return http_schema_fault(test, name);
}

static char *
check(const struct test *test)
{
	struct test resolved = *test;
	const struct json *value;
	const char *name;
	char *found = NULL;

	resolved.schema = schema_resolve(test->document, test->schema);
	if (!resolved.schema)
		return http_schema_fault(test, "has a $ref that leads nowhere");
	struct json_iterator rules = json_members(resolved.schema);
	while (!found && json_iterator_next(&rules, &name, &value))
		found = check_keyword(&resolved, name);
	return found;
}

char *
schema_fault(const struct json *document, const struct json *schema, const char *place,
    const struct json *value)
{
	const struct test test = {document, schema, place, value};

	return check(&test);
}
