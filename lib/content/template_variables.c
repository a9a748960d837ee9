/* SPDX-License-Identifier: MIT */
/* Declares the variables of a template, and reads what was declared. */
#include "content/template_variables.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/template.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "store/template/template.h"
#include "template/template.h"

#define NUMBER "number"
#define STRING "string"
#define LIST "variables" /* the member of the stored object */

static bool
template_variables_is_number(const struct json *value)
{
	return json_number_text(value) != NULL;
}

static void
add_declared(GArray *list, const struct json *declared)
{
	for (gsize i = 0; i < json_array_length(declared); i++) {
		const struct json *one = json_array_at(declared, i);
		const struct content_template_variable variable = {
		    .key = json_string(json_member_get(one, "key"), NULL),
		    .is_number =
			g_strcmp0(json_string(json_member_get(one, "type"), NULL), NUMBER) == 0,
		    .fallback = json_member_get(one, "fallback_value"),
		    .created = json_integer(json_member_get(one, "created")),
		    .updated = json_integer(json_member_get(one, "updated")),
		};

		if (variable.key)
			g_array_append_val(list, variable);
	}
}

static void
template_variables_add_defaults(
    GArray *list, const struct json *document, const struct store_template *template)
{
	struct json_iterator members = json_members(document);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value)) {
		const struct content_template_variable variable = {
		    .key = key,
		    .is_number = template_variables_is_number(value),
		    .fallback = value,
		    .created = template->created,
		    .updated = template->updated,
		};

		g_array_append_val(list, variable);
	}
}

struct content_template_variables *
content_template_variables_read(const struct store_template *template, GError **error)
{
	const char *text = template->declared ? template->declared : template->variables;
	g_autoptr(GError) local = NULL;
	struct json *document = json_parse_as("stored variables", text, strlen(text), &local);

	if (!document) {
		base_fail(error, PH_ERROR_FAILED, "%s", local->message);
		return NULL;
	}
	struct content_template_variables *variables = g_new(struct content_template_variables, 1);
	variables->document = document;
	variables->list = g_array_new(FALSE, FALSE, sizeof(struct content_template_variable));
	if (template->declared)
		add_declared(variables->list, json_member_get(document, LIST));
	else
		template_variables_add_defaults(variables->list, document, template);
	return variables;
}

void
content_template_variables_free(struct content_template_variables *variables)
{
	g_array_unref(variables->list);
	json_free(variables->document);
	g_free(variables);
}

const struct content_template_variable *
content_template_variables_find(const struct content_template_variables *variables, const char *key)
{
	for (guint i = 0; i < variables->list->len; i++) {
		const struct content_template_variable *one =
		    &g_array_index(variables->list, struct content_template_variable, i);

		if (strcmp(one->key, key) == 0)
			return one;
	}
	return NULL;
}

static bool
is_reserved(const char *key)
{
	static const char *const reserved[] = {
	    "FIRST_NAME", "LAST_NAME", "EMAIL", "UNSUBSCRIBE_URL", "contact", "this", NULL};

	return g_strv_contains(reserved, key);
}

bool
content_template_variables_is_field(const char *name)
{
	static const char *const fields[] = {"FIRST_NAME", "LAST_NAME", "EMAIL", NULL};

	return g_strv_contains(fields, name);
}

/* Whether a reference to the variable can be written. */
static bool
template_variables_is_name(const char *key)
{
	gsize length = strlen(key);

	return length >= 1 && length <= LIMIT_VARIABLE_NAME_LENGTH &&
	       strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") ==
		   length;
}

static bool
template_variables_check_key(const char *key, GHashTable *seen, GError **error)
{
	if (!template_variables_is_name(key))
		return base_invalid(error,
		    "Invalid `variables` field. A `key` must be 1 to %d letters, digits, \"_\", "
		    "\".\" and \"-\".",
		    LIMIT_VARIABLE_NAME_LENGTH);
	if (is_reserved(key))
		return base_invalid(
		    error, "Invalid `variables` field. The variable name '%s' is reserved.", key);
	if (!g_hash_table_add(seen, (char *)key))
		return base_invalid(
		    error, "Invalid `variables` field. The variable '%s' is declared twice.", key);
	return true;
}

/* Reads one declaration. */
static bool
template_variables_read_one(
    const struct json *given, struct content_template_variable *variable_r, GError **error)
{
	const char *type = json_string(json_member_get(given, "type"), NULL);
	const struct json *fallback = json_member_get(given, "fallback_value");

	*variable_r = (struct content_template_variable){
	    .key = json_string(json_member_get(given, "key"), NULL), .fallback = fallback};
	if (json_kind(given) != JSON_OBJECT || !variable_r->key || !type)
		return base_invalid(error,
		    "Invalid `variables` field. Each variable must have a `key` and a `type`.");
	variable_r->is_number = strcmp(type, NUMBER) == 0;
	if (!variable_r->is_number && strcmp(type, STRING) != 0)
		return base_invalid(error,
		    "Invalid `variables` field. The `type` of a variable must be `string` or "
		    "`number`.");
	if (fallback && !(variable_r->is_number ? template_variables_is_number(fallback)
						: json_kind(fallback) == JSON_STRING))
		return base_invalid(error,
		    "Invalid `variables` field. The `fallback_value` of the variable '%s' must be "
		    "a %s.",
		    variable_r->key, type);
	const char *number = json_number_text(fallback);
	return !number || strlen(number) <= LIMIT_VARIABLE_NUMBER_LENGTH ||
	       base_invalid(error,
		   "Invalid `variables` field. The `fallback_value` of the variable '%s' must be a "
		   "number of at most %d characters.",
		   variable_r->key, LIMIT_VARIABLE_NUMBER_LENGTH);
}

static bool
template_variables_is_same(
    const struct content_template_variable *a, const struct content_template_variable *b)
{
	g_autofree char *x = json_print(a->fallback), *y = json_print(b->fallback);

	return a->is_number == b->is_number && strcmp(x, y) == 0;
}

static void
set_times(
    struct content_template_variable *variable, const struct content_template_variables *before)
{
	const struct content_template_variable *old =
	    before ? content_template_variables_find(before, variable->key) : NULL;

	variable->created = variable->updated = base_clock_now();
	if (old)
		variable->created = old->created;
	if (old && template_variables_is_same(variable, old))
		variable->updated = old->updated;
}

static void
template_variables_write_one(struct json_writer *declared, struct json_writer *defaults,
    const struct content_template_variable *variable)
{
	json_writer_begin_object(declared, NULL);
	json_writer_string(declared, "key", variable->key);
	json_writer_string(declared, "type", variable->is_number ? NUMBER : STRING);
	json_writer_value(declared, "fallback_value", variable->fallback);
	json_writer_integer(declared, "created", variable->created);
	json_writer_integer(declared, "updated", variable->updated);
	json_writer_end_object(declared);
	if (variable->fallback)
		json_writer_value(defaults, variable->key, variable->fallback);
}

static bool
template_variables_write_all(const struct json *given,
    const struct content_template_variables *before, struct json_writer *declared,
    struct json_writer *defaults, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (gsize i = 0; i < json_array_length(given); i++) {
		struct content_template_variable variable;

		if (!template_variables_read_one(json_array_at(given, i), &variable, error) ||
		    !template_variables_check_key(variable.key, seen, error))
			return false;
		set_times(&variable, before);
		template_variables_write_one(declared, defaults, &variable);
	}
	return true;
}

bool
content_template_variables_declare(
    struct store_template *template, const struct json *given, GError **error)
{
	AUTO(json_writer) declared = json_writer_new();
	AUTO(json_writer) defaults = json_writer_new();
	AUTO(content_template_variables)
	before = template->declared ? content_template_variables_read(template, NULL) : NULL;

	if (given && json_kind(given) != JSON_ARRAY)
		return base_invalid(error, "Invalid `variables` field. It must be an array.");
	if (json_array_length(given) > LIMIT_TEMPLATE_VARIABLES)
		return base_invalid(error,
		    "Invalid `variables` field. It must have at most %d variables.",
		    LIMIT_TEMPLATE_VARIABLES);
	json_writer_begin_object(declared, NULL);
	json_writer_begin_array(declared, LIST);
	json_writer_begin_object(defaults, NULL);
	if (!template_variables_write_all(given, before, declared, defaults, error))
		return false;
	json_writer_end_array(declared);
	json_writer_end_object(declared);
	json_writer_end_object(defaults);
	g_free(template->declared);
	g_free(template->variables);
	template->declared = json_writer_take(declared, NULL);
	template->variables = json_writer_take(defaults, NULL);
	return true;
}

/* The first name that a template uses and does not declare. */
struct search {
	const struct content_template_variables *variables;
	char *undeclared; /* NULL: none; owned */
};

static void
template_variables_look_at(const char *name, void *context)
{
	struct search *search = context;

	if (!search->undeclared && !content_template_variables_is_field(name) &&
	    !content_template_variables_find(search->variables, name))
		search->undeclared = g_strdup(name);
}

static void
look_through(struct search *search, const char *source, gsize size)
{
	if (source && size > 0)
		template_plain_references(source, size, template_variables_look_at, search);
}

static void
look_through_bytes(struct search *search, GBytes *bytes)
{
	gsize size = 0;
	const char *source = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	look_through(search, source, size);
}

bool
content_template_variables_check(const struct store_template *template, GError **error)
{
	AUTO(content_template_variables) variables =
	    content_template_variables_read(template, error);
	struct search search = {variables, NULL};

	if (!variables)
		return false;
	look_through_bytes(&search, template->html);
	look_through_bytes(&search, template->text);
	if (template->subject)
		look_through(&search, template->subject, strlen(template->subject));
	if (!search.undeclared)
		return true;
	base_invalid(error,
	    "Variable '%s' is used in the template but not defined in the variables list",
	    search.undeclared);
	g_free(search.undeclared);
	return false;
}
