/* SPDX-License-Identifier: MIT */
/* Reads, stores and looks up template variables. */
#include "content/variables.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/template.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "template/template.h"
#include "template/value.h"

#define VALUE "value"
#define LENGTH ".length"

struct content_variables {
	GHashTable *values;    /* char * → struct content_variables_found *, in no order */
	struct json *document; /* of the stored form; NULL: none */
	gsize bytes;	       /* of all values, about */
};

struct content_variables *
content_variables_new(void)
{
	struct content_variables *variables = g_new0(struct content_variables, 1);

	variables->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return variables;
}

void
content_variables_free(struct content_variables *variables)
{
	g_hash_table_unref(variables->values);
	json_free(variables->document);
	g_free(variables);
}

/* A string or a number, as text; NULL for anything else. */
static const char *
variables_scalar(const struct json *value)
{
	return json_kind(value) == JSON_STRING ? json_string(value, NULL) : json_number_text(value);
}

static void
variables_set(
    struct content_variables *variables, const char *name, struct content_variables_found value)
{
	g_hash_table_replace(variables->values, g_strdup(name), g_memdup2(&value, sizeof(value)));
}

static void
set_json(struct content_variables *variables, const char *name, const struct json *value)
{
	if (value)
		variables_set(variables, name, (struct content_variables_found){.value = value});
}

static bool
variables_refuse(const char *name, GError **error)
{
	const struct json_place variables = {NULL, "variables", 0}, place = {&variables, name, 0};

	return json_place_fail(
	    &place, error, "must be a string, a number or an object with value and default");
}

/* Adds the bytes of a value to *bytes. INVALID, naming the place, for a number that is too long. A
   document is LIMIT_JSON_DEPTH deep at most. */
static bool
variables_measure(
    const struct json *value, const struct json_place *place, gsize *bytes, GError **error)
{
	struct json_iterator members = json_members(value);
	const struct json *inner;
	const char *name, *number = json_number_text(value);
	gsize size;

	json_string(value, &size);
	*bytes += 1 + (number ? strlen(number) : size);
	if (number && strlen(number) > LIMIT_VARIABLE_NUMBER_LENGTH)
		return json_place_fail(place, error, "must be a number of at most %d characters",
		    LIMIT_VARIABLE_NUMBER_LENGTH);
	if (json_array_bytes(value)) {
		*bytes += 2 * json_array_length(value);
		return true;
	}
	for (gsize i = 0; i < json_array_length(value); i++) {
		const struct json_place element = {place, NULL, i};

		if (!variables_measure(json_array_at(value, i), &element, bytes, error))
			return false;
	}
	while (json_iterator_next(&members, &name, &inner)) {
		const struct json_place member = {place, name, 0};

		*bytes += strlen(name);
		if (!variables_measure(inner, &member, bytes, error))
			return false;
	}
	return true;
}

/* Measures a value of the variable with this name. part: the member of the older shape that it is
   in; NULL: none. */
static bool
measure_variable(struct content_variables *variables, const char *part, const char *name,
    const struct json *value, GError **error)
{
	const struct json_place root = {NULL, "variables", 0}, inner = {&root, part, 0};
	const struct json_place place = {part ? &inner : &root, name, 0};

	return variables_measure(value, &place, &variables->bytes, error);
}

static bool
scalar_or_null(const struct json *value)
{
	return json_kind(value) == JSON_NULL || variables_scalar(value);
}

static bool
is_empty_object(const struct json *value)
{
	return json_kind(value) == JSON_OBJECT && json_member_count(value) == 0;
}

bool
content_variables_has(const struct content_variables *variables, const char *name)
{
	const struct content_variables_found *found = g_hash_table_lookup(variables->values, name);

	return found && !(found->value && is_empty_object(found->value));
}

/* Whether an object has value and default alone. */
static bool
has_default_alone(const struct json *given)
{
	gsize known = json_member_has(given, "value") + json_member_has(given, "default");

	return known > 0 && known == json_member_count(given);
}

static bool
add_one(
    struct content_variables *variables, const char *name, const struct json *given, GError **error)
{
	if (!has_default_alone(given)) {
		/* JSON leaves a value and a default that are undefined out. */
		if (!is_empty_object(given) || !content_variables_has(variables, name))
			set_json(variables, name, given);
		return measure_variable(variables, NULL, name, given, error);
	}
	const struct json *value = json_member_get(given, "value");
	const struct json *fallback = json_member_get(given, "default");

	if (!scalar_or_null(value) || !scalar_or_null(fallback))
		return variables_refuse(name, error);
	set_json(variables, name, value ? value : fallback);
	return measure_variable(variables, NULL, name, value, error) &&
	       measure_variable(variables, NULL, name, fallback, error);
}

static bool
is_older_shape(const struct json *given)
{
	return json_member_count(given) == 2 &&
	       json_kind(json_member_get(given, "values")) == JSON_OBJECT &&
	       json_kind(json_member_get(given, "default_values")) == JSON_OBJECT;
}

static bool
add_plain(struct content_variables *variables, const char *part, const struct json *object,
    GError **error)
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
			return variables_refuse(path, error);
		}
		if (!measure_variable(variables, part, name, value, error))
			return false;
		set_json(variables, name, value);
	}
	return true;
}

bool
content_variables_add(struct content_variables *variables, const struct json *given, GError **error)
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

bool
content_variables_check(const struct json *given, GError **error)
{
	const struct json_place place = {NULL, "variables", 0};
	gsize bytes = 0;

	return variables_measure(given, &place, &bytes, error);
}

struct resolving {
	struct content_variables *variables;
	GHashTable *seen; /* names: a value is looked for once, however often it is referred to */
	struct content_variables_found (*resolve)(const char *name, void *context);
	void *context;
	GError *failure; /* NULL: none */
};

static void
resolve_one(const char *name, void *context)
{
	struct resolving *resolving = context;

	if (resolving->failure || !g_hash_table_add(resolving->seen, g_strdup(name)))
		return;
	struct content_variables_found found = resolving->resolve(name, resolving->context);
	if ((found.value || found.text) &&
	    !(found.is_default && content_variables_has(resolving->variables, name))) {
		if (!measure_variable(
			resolving->variables, NULL, name, found.value, &resolving->failure))
			return;
		variables_set(resolving->variables, name, found);
	}
	if (!g_str_has_suffix(name, LENGTH))
		return;
	/* The length of a value is not a value of its own. */
	g_autofree char *whole = g_strndup(name, strlen(name) - strlen(LENGTH));
	resolve_one(whole, context);
}

bool
content_variables_resolve(struct content_variables *variables, const char *source, gsize size,
    struct content_variables_found (*resolve)(const char *name, void *context), void *context,
    GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct resolving resolving = {variables, seen, resolve, context, NULL};

	template_references(source, size, resolve_one, &resolving);
	if (resolving.failure)
		g_propagate_error(error, resolving.failure);
	return !resolving.failure;
}

static void
print_one(struct json_writer *writer, const char *name, const struct content_variables_found *found)
{
	if (found->text) {
		json_writer_string(writer, name, found->text);
	} else if (json_kind(found->value) == JSON_OBJECT) {
		json_writer_begin_object(writer, name);
		json_writer_value(writer, VALUE, found->value);
		json_writer_end_object(writer);
	} else {
		json_writer_value(writer, name, found->value);
	}
}

char *
content_variables_print(const struct content_variables *variables)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autoptr(GList) names =
	    g_list_sort(g_hash_table_get_keys(variables->values), (GCompareFunc)g_strcmp0);

	json_writer_begin_object(writer, NULL);
	for (GList *name = names; name; name = name->next)
		print_one(writer, name->data, g_hash_table_lookup(variables->values, name->data));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

struct content_variables *
content_variables_parse(const char *text, GError **error)
{
	AUTO(content_variables) variables = content_variables_new();
	const struct json *value;
	const char *name;

	if (!text)
		return g_steal_pointer(&variables);
	variables->bytes = strlen(text);
	variables->document = json_parse_as("stored variables", text, variables->bytes, error);
	struct json_iterator members = json_members(variables->document);
	while (json_iterator_next(&members, &name, &value))
		set_json(variables, name,
		    json_kind(value) == JSON_OBJECT ? json_member_get(value, VALUE) : value);
	if (variables->document)
		return g_steal_pointer(&variables);
	if (error && *error)
		(*error)->code = PH_ERROR_FAILED;
	return NULL;
}

/* The length of the longest text in a value. A document is LIMIT_JSON_DEPTH deep at most. */
static gsize
longest_in(const struct json *value)
{
	struct json_iterator members = json_members(value);
	const struct json *member;
	const char *name, *text = variables_scalar(value);
	gsize longest = text ? strlen(text) : 5; /* false */

	/* MAX would measure each part twice, and its parts again. */
	for (gsize i = 0; i < json_array_length(value); i++) {
		gsize length = longest_in(json_array_at(value, i));
		longest = MAX(longest, length);
	}
	while (json_iterator_next(&members, &name, &member)) {
		gsize length = longest_in(member);
		longest = MAX(longest, length);
	}
	return longest;
}

gsize
content_variables_longest(const struct content_variables *variables)
{
	GHashTableIter values;
	gsize longest = 0;
	void *value;

	g_hash_table_iter_init(&values, variables->values);
	while (g_hash_table_iter_next(&values, NULL, &value)) {
		const struct content_variables_found *found = value;
		longest =
		    MAX(longest, found->text ? strlen(found->text) : longest_in(found->value));
	}
	return longest;
}

static struct template_value
variables_value_of(const struct json *value)
{
	const char *text = variables_scalar(value);

	switch (json_kind(value)) {
	case JSON_STRING:
		return (struct template_value){VALUE_TEXT, text, NULL, 0};
	case JSON_INTEGER:
	case JSON_NUMBER:
		return (struct template_value){VALUE_NUMBER, text, NULL, 0};
	case JSON_BOOLEAN:
		return json_boolean(value) ? (struct template_value){VALUE_TRUE, "true", NULL, 0}
					   : (struct template_value){VALUE_FALSE, "false", NULL, 0};
	case JSON_ARRAY:
		return (struct template_value){VALUE_ARRAY, NULL, value, json_array_length(value)};
	case JSON_OBJECT:
		return (struct template_value){VALUE_OBJECT, NULL, value, json_member_count(value)};
	case JSON_NULL:
		break;
	}
	return (struct template_value){VALUE_NONE, NULL, NULL, 0};
}

static struct template_value
find_variable(const char *name, void *context)
{
	const struct content_variables_values *values = context;
	const struct content_variables_found *found =
	    g_hash_table_lookup(values->variables->values, name);
	const char *text = found ? found->text : NULL;

	if (!found && strcmp(name, "unsubscribe_url") == 0)
		text = values->unsubscribe_url;
	return text ? (struct template_value){VALUE_TEXT, text, NULL, 0}
		    : variables_value_of(found ? found->value : NULL);
}

static struct template_value
find_member(const void *object, const char *name)
{
	return variables_value_of(json_member_get(object, name));
}

static struct template_value
find_at(const void *node, gsize index, const char **name_r)
{
	return variables_value_of(json_kind(node) == JSON_ARRAY
				      ? json_array_at(node, index)
				      : json_member_at(node, index, name_r));
}

struct template_values
content_variables_values(struct content_variables_values *values)
{
	return (struct template_values){find_variable, find_member, find_at, values,
	    values->variables ? values->variables->bytes : 0};
}

const char *
content_variables_text(const struct content_variables *variables, const char *name)
{
	const struct content_variables_found *found = g_hash_table_lookup(variables->values, name);

	return !found ? NULL : found->text ? found->text : variables_scalar(found->value);
}
