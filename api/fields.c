/* SPDX-License-Identifier: MIT */
/* Makes from the schema of each body that an operation takes the rows of its table of fields
   (lib/json/fields.h), as a macro: FIELDS_NEW_TOPIC(struct input) for the schema NewTopic and the
   struct into which the handler reads it. So do the schemas of the objects in it; the
   row of an array of them is written by hand, since only C knows the struct of its elements.
   A type says how a field is read:
       string, boolean, integer, object   as such. Boolean or null: as JSON, so that null differs
       integer or string                  a time
       string or array of strings         strings
       all else                           JSON of these types
   Limits are those of the schema. The member "x-field" of a property says where a row differs:
       "member": the member of the struct, if its name is another
       "given": true: the member "name_given" notes that the field is there; or that member's name
       "as": "boolean", "json", "string" or "strings", in place of the type's own
       "any": true: JSON of any type, of which the handler says itself what is wrong
       "blank": true: "" is as absent
       "bytes": true: the limits are of bytes
       "checked": true: the handler checks the limits, with a sentence of its own
       "min", "max", "required": in place of the schema's; 0 is no limit
       "skip": true: the row is written by hand
   "x-limit" {KEYWORD: CONSTANT} names the constants of C (lib/base/limits) that are the same
   limits: the compiler refuses another number. */
#include <string.h>

#include "api/api_doc.h"
#include "json/value.h"

/* The types of a schema, as flags. */
enum {
	TYPE_STRING = 1 << 0,
	TYPE_BOOLEAN = 1 << 1,
	TYPE_INTEGER = 1 << 2,
	TYPE_NUMBER = 1 << 3,
	TYPE_OBJECT = 1 << 4,
	TYPE_ARRAY = 1 << 5,
	TYPE_NULL = 1 << 6,
};

static const struct {
	const char *name, *kind; /* of the schema, and of C */
} types[] = {
    {"string", "JSON_STRING"},
    {"boolean", "JSON_BOOLEAN"},
    {"integer", "JSON_INTEGER"},
    {"number", "JSON_NUMBER"},
    {"object", "JSON_OBJECT"},
    {"array", "JSON_ARRAY"},
    {"null", NULL},
};

/* How a field is read, and the keywords of its limits. */
static const struct form {
	const char *name, *type, *least, *most;
} forms[] = {
    {"string", "FIELD_STRING", "minLength", "maxLength"},
    {"strings", "FIELD_STRINGS", "minItems", "maxItems"},
    {"boolean", "FIELD_BOOLEAN", "", ""},
    {"integer", "FIELD_INTEGER", "minimum", "maximum"},
    {"time", "FIELD_TIME", "", ""},
    {"object", "FIELD_OBJECT", "", "maxProperties"},
    {"json", "FIELD_JSON", "", ""},
};

static guint
type_flag(const struct json *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (g_strcmp0(json_string(name, NULL), types[i].name) == 0)
			return 1U << i;
	return 0;
}

static guint
schema_types(const struct json *schema)
{
	const struct json *type = json_member_get(schema, "type");
	const struct json *choices = json_member_get(schema, "anyOf");
	guint flags = type_flag(type);

	for (gsize i = 0; i < json_array_length(type); i++)
		flags |= type_flag(json_array_at(type, i));
	for (gsize i = 0; i < json_array_length(choices); i++)
		flags |= schema_types(json_array_at(choices, i));
	return flags;
}

/* The form by which a field of this schema is read; NULL: the row is written by hand. */
static const char *
field_form(const struct json *document, const struct json *schema)
{
	guint flags = schema_types(schema);
	const struct json *items = api_doc_resolve(document, json_member_get(schema, "items"));

	if (flags & TYPE_ARRAY)
		return (schema_types(items) | flags) & TYPE_STRING ? "strings" : NULL;
	switch (flags & ~(guint)TYPE_NULL) {
	case TYPE_STRING:
		return "string";
	case TYPE_BOOLEAN:
		return flags & TYPE_NULL ? "json" : "boolean";
	case TYPE_INTEGER:
		return "integer";
	case TYPE_INTEGER | TYPE_STRING:
		return "time";
	case TYPE_OBJECT:
		return "object";
	case 0:
		return NULL;
	default:
		return "json";
	}
}

/* Writes a limit: that of x-field, or that of the schema by one of its keywords. */
static void
field_append_limit(GString *out, const char *name, const struct json *own,
    const struct json *schema, const char *keyword)
{
	const struct json *given = json_member_has(own, name) ? json_member_get(own, name)
							      : json_member_get(schema, keyword);
	gint64 limit = json_integer(given);

	if (limit != 0 && !json_boolean(json_member_get(own, "checked")))
		g_string_append_printf(out, ", .%s = %" G_GINT64_FORMAT, name, limit);
}

static void
field_append_kinds(GString *out, const struct json *own, guint flags)
{
	const char *before = ", .kinds = ";

	if (json_boolean(json_member_get(own, "any"))) {
		g_string_append(out, ", .kinds = ~0U");
		return;
	}
	for (guint i = 0; i < G_N_ELEMENTS(types); i++)
		if (flags & (1U << i) && types[i].kind) {
			g_string_append_printf(out, "%sJSON_KIND(%s)", before, types[i].kind);
			before = " | ";
		}
}

static void
field_append_given(GString *out, const struct json *own, const char *member)
{
	const struct json *given = json_member_get(own, "given");
	const char *name = json_string(given, NULL);

	if (given)
		g_string_append_printf(out, ", .given = offsetof(record, %s%s)",
		    name ? name : member, name ? "" : "_given");
}

/* Writes the row of a field. False: it is written by hand. */
static bool
field_write(GString *out, const struct json *document, const char *name,
    const struct json *property, bool is_required)
{
	const struct json *own = json_member_get(property, "x-field");
	const struct json *schema = api_doc_resolve(document, property);
	const char *form = api_doc_text(own, "as"), *member = api_doc_text(own, "member");
	bool is_bytes = json_member_has(schema, "x-maxBytes");
	guint i = 0;

	if (!form)
		form = json_boolean(json_member_get(own, "any")) ? "json"
								 : field_form(document, schema);
	if (!form || json_boolean(json_member_get(own, "skip")))
		return false;
	while (i < G_N_ELEMENTS(forms) && strcmp(forms[i].name, form) != 0)
		i++;
	if (i == G_N_ELEMENTS(forms))
		api_doc_fail("%s: x-field has an unknown form %s", name, form);
	if (!member)
		member = name;
	if (json_member_has(own, "required"))
		is_required = json_boolean(json_member_get(own, "required"));
	g_string_append_printf(
	    out, "JSON_FIELD(\"%s\", %s, record, %s", name, forms[i].type, member);
	g_string_append_printf(out, "%s%s", is_required ? ", .required = true" : "",
	    json_boolean(json_member_get(own, "blank")) ? ", .blank = true" : "");
	is_bytes = is_bytes && strcmp(form, "string") == 0;
	if (is_bytes || json_boolean(json_member_get(own, "bytes")))
		g_string_append(out, ", .bytes = true");
	field_append_limit(out, "min", own, schema, forms[i].least);
	field_append_limit(out, "max", own, schema, is_bytes ? "x-maxBytes" : forms[i].most);
	if (strcmp(form, "json") == 0)
		field_append_kinds(out, own, schema_types(schema));
	field_append_given(out, own, member);
	g_string_append_c(out, ')');
	return true;
}

static bool
schema_has_required(const struct json *schema, const char *name)
{
	const struct json *required = json_member_get(schema, "required");

	for (gsize i = 0; i < json_array_length(required); i++)
		if (strcmp(json_string(json_array_at(required, i), NULL), name) == 0)
			return true;
	return false;
}

/* The name of a schema in a macro: NewTopic is NEW_TOPIC. The caller owns it. */
static char *
schema_macro(const char *name)
{
	GString *macro = g_string_new(NULL);

	for (const char *p = name; *p; p++) {
		if (g_ascii_isupper(*p) && p > name)
			g_string_append_c(macro, '_');
		g_string_append_c(macro, g_ascii_toupper(*p));
	}
	return g_string_free(macro, FALSE);
}

static void schema_write(
    GString *out, const struct json *document, GHashTable *written, const struct json *place);

/* Writes the macros of the objects in the members of a schema, and in its arrays. */
static void
schema_write_elements(
    GString *out, const struct json *document, GHashTable *written, const struct json *schema)
{
	struct json_iterator members = json_members(json_member_get(schema, "properties"));
	const struct json *property;
	const char *name;

	while (json_iterator_next(&members, &name, &property)) {
		schema_write(out, document, written, property);
		schema_write(out, document, written, json_member_get(property, "items"));
	}
}

/* Writes the macro of the schema to which place refers, once. */
static void
schema_write(
    GString *out, const struct json *document, GHashTable *written, const struct json *place)
{
	const char *to = api_doc_text(place, "$ref");
	const struct json *schema = api_doc_resolve(document, place), *property;
	struct json_iterator members = json_members(json_member_get(schema, "properties"));
	const char *name, *separator = "";

	if (!to || !json_member_has(schema, "properties") || !g_hash_table_add(written, (char *)to))
		return;
	g_autofree char *macro = schema_macro(strrchr(to, '/') + 1);
	g_string_append_printf(out, "\n#define FIELDS_%s(record) ", macro);
	while (json_iterator_next(&members, &name, &property)) {
		g_autoptr(GString) row = g_string_new(NULL);
		bool is_required = schema_has_required(schema, name);

		if (!field_write(row, document, name, property, is_required))
			continue;
		g_string_append_printf(out, "%s\\\n\t%s", separator, row->str);
		separator = ", ";
	}
	g_string_append_c(out, '\n');
	schema_write_elements(out, document, written, schema);
}

void
api_doc_fields(GString *out, const struct json *document)
{
	struct json_iterator paths = json_members(json_member_get(document, "paths"));
	g_autoptr(GHashTable) written = g_hash_table_new(g_str_hash, g_str_equal);
	const struct json *methods, *operation;
	const char *path, *method;

	g_string_append(out, "/* Made by api_doc. */\n#ifndef API_FIELDS_H\n"
			     "#define API_FIELDS_H\n\n#include \"json/fields.h\"\n");
	while (json_iterator_next(&paths, &path, &methods)) {
		struct json_iterator members = json_members(methods);

		while (json_iterator_next(&members, &method, &operation)) {
			const struct json *content =
			    json_member_get(json_member_get(operation, "requestBody"), "content");

			schema_write(out, document, written,
			    json_member_get(
				json_member_at(content, 0, &(const char *){NULL}), "schema"));
		}
	}
	g_string_append(out, "\n#endif\n");
}

/* Writes that the constants which x-limit names are the limits of a schema, and of all below it. */
static void
limits_write(GString *out, const char *path, const struct json *schema)
{
	struct json_iterator limits = json_members(json_member_get(schema, "x-limit"));
	struct json_iterator members = json_members(schema);
	const struct json *own = json_member_get(schema, "x-field"), *value;
	const char *key;

	while (json_iterator_next(&limits, &key, &value)) {
		const struct json *limit =
		    json_member_get(json_member_has(own, key) ? own : schema, key);

		if (!limit || !json_string(value, NULL))
			api_doc_fail("%s: x-limit names no limit by %s", path, key);
		g_string_append_printf(out,
		    "_Static_assert(%s == %" G_GINT64_FORMAT ", \"%s of %s in api/\");\n",
		    json_string(value, NULL), json_integer(limit), key, path);
	}
	while (json_iterator_next(&members, &key, &value)) {
		g_autofree char *below = g_strconcat(path, *path ? "." : "", key, NULL);

		if (strcmp(key, "x-limit") != 0)
			limits_write(out, below, value);
	}
}

void
api_doc_limits(GString *out, const struct json *document)
{
	g_string_append_c(out, '\n');
	limits_write(
	    out, "schemas", json_member_get(json_member_get(document, "components"), "schemas"));
}
