/* SPDX-License-Identifier: MIT */
/* Reads, stores and looks up template variables. */
#include "core/variables.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/template.h"

struct core_variables {
	GHashTable *values; /* char * → char *, in no order */
};

struct core_variables *
core_variables_new(void)
{
	struct core_variables *variables = g_new(struct core_variables, 1);

	variables->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return variables;
}

void
core_variables_free(struct core_variables *variables)
{
	g_hash_table_unref(variables->values);
	g_free(variables);
}

/* A string or a number, as text; NULL for anything else. */
static const char *
scalar(const struct json *value)
{
	return json_kind(value) == JSON_STRING ? json_string(value, NULL) : json_number_text(value);
}

static void
set(struct core_variables *variables, const char *name, const char *value)
{
	g_hash_table_replace(variables->values, g_strdup(name), g_strdup(value));
}

static bool
refuse(const char *name, GError **error)
{
	const struct json_place variables = {NULL, "variables", 0}, place = {&variables, name, 0};

	return json_place_fail(
	    &place, error, "must be a string, a number or an object with value and default");
}

static bool
scalar_or_null(const struct json *value)
{
	return json_kind(value) == JSON_NULL || scalar(value);
}

static bool
add_one(
    struct core_variables *variables, const char *name, const struct json *given, GError **error)
{
	const struct json *value = given;

	if (json_kind(given) == JSON_OBJECT) {
		const struct json *fallback = json_member_get(given, "default");

		value = json_member_get(given, "value");
		if (!scalar_or_null(value) || !scalar_or_null(fallback) ||
		    !(json_member_has(given, "value") || json_member_has(given, "default")))
			return refuse(name, error);
		if (!value)
			value = fallback;
	} else if (!scalar_or_null(given)) {
		return refuse(name, error);
	}
	if (value)
		set(variables, name, scalar(value));
	return true;
}

static bool
is_older_shape(const struct json *given)
{
	return json_member_count(given) == 2 &&
	       json_kind(json_member_get(given, "values")) == JSON_OBJECT &&
	       json_kind(json_member_get(given, "default_values")) == JSON_OBJECT;
}

static bool
add_plain(
    struct core_variables *variables, const char *part, const struct json *object, GError **error)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	if (json_member_count(object) > LIMIT_VARIABLES) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "variables.%s must have at most %d properties", part, LIMIT_VARIABLES);
		return false;
	}
	while (json_iterator_next(&members, &name, &value)) {
		if (!scalar_or_null(value)) {
			g_autofree char *path = g_strdup_printf("%s.%s", part, name);
			return refuse(path, error);
		}
		if (value)
			set(variables, name, scalar(value));
	}
	return true;
}

bool
core_variables_add(struct core_variables *variables, const struct json *given, GError **error)
{
	struct json_iterator members = json_members(given);
	const struct json *value;
	const char *name;

	if (is_older_shape(given))
		return add_plain(variables, "default_values",
			   json_member_get(given, "default_values"), error) &&
		       add_plain(variables, "values", json_member_get(given, "values"), error);
	while (json_iterator_next(&members, &name, &value))
		if (!add_one(variables, name, value, error))
			return false;
	return true;
}

struct resolving {
	struct core_variables *variables;
	GHashTable *seen; /* names: a value is copied once, however often it is referred to */
	const char *(*resolve)(const char *name, void *context);
	void *context;
};

static void
resolve_one(const char *name, void *context)
{
	const struct resolving *resolving = context;
	bool again = g_hash_table_contains(resolving->seen, name);
	const char *value = again ? NULL : resolving->resolve(name, resolving->context);

	if (!again)
		g_hash_table_add(resolving->seen, g_strdup(name));
	if (value)
		set(resolving->variables, name, value);
}

void
core_variables_resolve(struct core_variables *variables, const char *source, gsize size,
    const char *(*resolve)(const char *name, void *context), void *context)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct resolving resolving = {variables, seen, resolve, context};

	mail_template_references(source, size, resolve_one, &resolving);
}

char *
core_variables_print(const struct core_variables *variables)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autoptr(GList) names =
	    g_list_sort(g_hash_table_get_keys(variables->values), (GCompareFunc)g_strcmp0);

	json_writer_begin_object(writer, NULL);
	for (GList *name = names; name; name = name->next)
		json_writer_string(
		    writer, name->data, g_hash_table_lookup(variables->values, name->data));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

struct core_variables *
core_variables_parse(const char *text, GError **error)
{
	AUTO(core_variables) variables = core_variables_new();

	if (!text)
		return g_steal_pointer(&variables);
	AUTO(json) stored = json_parse_as("stored variables", text, strlen(text), error);
	if (stored && core_variables_add(variables, stored, error))
		return g_steal_pointer(&variables);
	if (error && *error)
		(*error)->code = PH_ERROR_FAILED;
	return NULL;
}

gsize
core_variables_longest(const struct core_variables *variables)
{
	GHashTableIter values;
	gsize longest = 0;
	void *value;

	g_hash_table_iter_init(&values, variables->values);
	while (g_hash_table_iter_next(&values, NULL, &value))
		longest = MAX(longest, strlen(value));
	return longest;
}

const char *
core_variables_lookup(const char *name, void *context)
{
	const struct core_variables *variables = context;

	return g_hash_table_lookup(variables->values, name);
}
