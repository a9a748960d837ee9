/* SPDX-License-Identifier: MIT */
/* Makes from the description of the HTTP API, a file of OpenAPI for each resource, all that the
   build needs of it:
       api_doc openapi VERSION service.json PART... >openapi.json   the parts joined, as published
       api_doc document openapi.json >document.h                   the same as a C string
       api_doc operations service.json PART... >operations.h       prototypes of the handlers
       api_doc routes service.json PART... >routes.h               the table of routes, and of
   limits api_doc fields service.json PART... >fields.h               rows of tables of fields
       api_doc manual openapi.json man/posthouse-api.7.in >posthouse-api.7
   service.json is the whole document but for the resources. Each other part has the members "paths"
   and "schemas", which go into the document's own. The build runs it. It fails when the description
   lacks something that one of the files needs. */
#include "api/api_doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

#define LINE_WIDTH 120

/* Members that are for the service alone. */
static const char *const private_members[] = {"x-route", "x-field", "x-limit", NULL};

void
api_doc_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	g_autofree char *text = g_strdup_vprintf(format, list);
	va_end(list);
	fprintf(stderr, "api_doc: %s\n", text);
	exit(1);
}

const struct json *
api_doc_resolve(const struct json *document, const struct json *value)
{
	for (const char *to; (to = api_doc_text(value, "$ref"));) {
		g_auto(GStrv) keys = g_strsplit(to, "/", -1);

		value = document;
		for (guint i = 1; keys[i]; i++)
			value = json_member_get(value, keys[i]);
		if (!value)
			api_doc_fail("nothing is at %s", to);
	}
	return value;
}

const char *
api_doc_text(const struct json *object, const char *key)
{
	return json_string(json_member_get(object, key), NULL);
}

/* The caller owns it. */
static char *
api_doc_read(const char *path)
{
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, &error))
		api_doc_fail("%s", error->message);
	return text;
}

static struct json *
api_doc_parse(const char *name, const char *text)
{
	g_autoptr(GError) error = NULL;
	struct json *json = json_parse_as(name, text, strlen(text), &error);

	if (!json)
		api_doc_fail("%s", error->message);
	return json;
}

static void
join_members(struct json_writer *writer, const struct json *object)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value))
		json_writer_value(writer, key, value);
}

/* Writes an object of the service with the members that the parts have for it. */
static void
join_object(
    struct json_writer *writer, const char *key, const struct json *own, const GPtrArray *parts)
{
	json_writer_begin_object(writer, key);
	join_members(writer, own);
	for (guint i = 1; i < parts->len; i++)
		join_members(writer, json_member_get(parts->pdata[i], key));
	json_writer_end_object(writer);
}

/* Writes an object of the service, in which the members paths and schemas are joined. */
static void
join_service(struct json_writer *writer, const struct json *object, const GPtrArray *parts)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value)) {
		if (strcmp(key, "paths") == 0 || strcmp(key, "schemas") == 0) {
			join_object(writer, key, value, parts);
		} else if (strcmp(key, "components") == 0) {
			json_writer_begin_object(writer, key);
			join_service(writer, value, parts);
			json_writer_end_object(writer);
		} else {
			json_writer_value(writer, key, value);
		}
	}
}

/* The document of these parts, of which the service is the first. A name that stands in two of them
   is a fault. The caller frees it. */
static struct json *
join_parts(const char *version, char **paths)
{
	g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func((GDestroyNotify)json_free);
	AUTO(json_writer) writer = json_writer_new();

	for (guint i = 0; paths[i]; i++) {
		g_autofree char *text = api_doc_read(paths[i]);
		g_autoptr(GString) part = g_string_new(text);

		g_string_replace(part, "@VERSION@", version, 0);
		g_ptr_array_add(parts, api_doc_parse(paths[i], part->str));
	}
	json_writer_begin_object(writer, NULL);
	join_service(writer, parts->pdata[0], parts);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return api_doc_parse("the description", text);
}

static bool
print_is_shown(const char *key, const struct json *value)
{
	return !g_strv_contains(private_members, key) && (value || strcmp(key, "x-audit") != 0);
}

static guint
print_count(const struct json *value)
{
	struct json_iterator members = json_members(value);
	const struct json *member;
	const char *key;
	guint count = 0;

	while (json_iterator_next(&members, &key, &member))
		count += print_is_shown(key, member);
	return count;
}

static void print_value(GString *out, const struct json *value, gint indent, gsize used);

/* Ends an item, of which rest follow, and begins a line where the value has lines. */
static void
print_separate(GString *out, guint rest, gint indent)
{
	if (rest > 0)
		g_string_append(out, indent < 0 ? ", " : ",");
	if (indent >= 0)
		g_string_append_printf(out, "\n%*s", rest > 0 ? indent + 2 : indent, "");
}

/* indent: where it begins; -1: in one line. */
static void
print_items(GString *out, const struct json *value, gint indent)
{
	bool is_array = json_kind(value) == JSON_ARRAY;
	guint rest = is_array ? (guint)json_array_length(value) : print_count(value);
	struct json_iterator members = json_members(value);
	const struct json *item = NULL;
	const char *key = NULL;

	g_string_append_c(out, is_array ? '[' : '{');
	if (indent >= 0)
		g_string_append_printf(out, "\n%*s", indent + 2, "");
	for (gsize i = 0; rest > 0; i++) {
		gsize start = out->len;

		if (is_array)
			item = json_array_at(value, i);
		else if (!json_iterator_next(&members, &key, &item))
			break;
		if (!is_array && !print_is_shown(key, item))
			continue;
		rest--;
		if (!is_array)
			g_string_append_printf(out, "\"%s\": ", key);
		print_value(out, item, indent < 0 ? -1 : indent + 2,
		    (gsize)(indent + 2) + (out->len - start) + (rest > 0));
		print_separate(out, rest, indent);
	}
	g_string_append_c(out, is_array ? ']' : '}');
}

/* Writes a value in one line if it fits behind what is used of it, else a line for each item. */
static void
print_value(GString *out, const struct json *value, gint indent, gsize used)
{
	bool is_array = json_kind(value) == JSON_ARRAY;
	gsize count = is_array ? json_array_length(value) : print_count(value);
	gsize start = out->len;

	if (!is_array && json_kind(value) != JSON_OBJECT) {
		g_autofree char *text = json_print(value);

		g_string_append(out, text);
		return;
	}
	if (count == 0) {
		g_string_append(out, is_array ? "[]" : "{}");
		return;
	}
	print_items(out, value, -1);
	if (indent < 0 || used + (gsize)g_utf8_strlen(out->str + start, -1) <= LINE_WIDTH)
		return;
	g_string_truncate(out, start);
	print_items(out, value, indent);
}

/* A text as a C string, a literal for each line. */
static void
document_write(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_string_append(out, "/* Made by api_doc. */\nstatic const char api_document[] =\n");
	for (guint i = 0; lines[i] && lines[i + 1]; i++) {
		g_string_append(out, "\t\t\"");
		for (const char *p = lines[i]; *p; p++) {
			if (*p == '"' || *p == '\\')
				g_string_append_c(out, '\\');
			g_string_append_c(out, *p);
		}
		g_string_append(out, "\\n\"\n");
	}
	g_string_append(out, "\t;\n");
}

static void
openapi_run(GString *out, char **arguments)
{
	AUTO(json) document = join_parts(arguments[0], arguments + 1);

	print_value(out, document, 0, 0);
	g_string_append_c(out, '\n');
}

static void
document_run(GString *out, char **arguments)
{
	g_autofree char *text = api_doc_read(arguments[0]);

	document_write(out, text);
}

static void
manual_run(GString *out, char **arguments)
{
	g_autofree char *text = api_doc_read(arguments[0]), *page = api_doc_read(arguments[1]);
	AUTO(json) document = api_doc_parse(arguments[0], text);

	api_doc_manual(out, document, page);
}

static void
operations_run(GString *out, char **arguments)
{
	AUTO(json) document = join_parts("", arguments);

	api_doc_operations(out, document);
}

static void
routes_run(GString *out, char **arguments)
{
	AUTO(json) document = join_parts("", arguments);

	api_doc_routes(out, document);
	api_doc_limits(out, document);
}

static void
fields_run(GString *out, char **arguments)
{
	AUTO(json) document = join_parts("", arguments);

	api_doc_fields(out, document);
}

static const struct form {
	const char *name;
	int least; /* arguments */
	void (*run)(GString *out, char **arguments);
} forms[] = {
    {"openapi", 2, openapi_run},
    {"document", 1, document_run},
    {"manual", 2, manual_run},
    {"operations", 1, operations_run},
    {"routes", 1, routes_run},
    {"fields", 1, fields_run},
};

int
main(int argc, char **argv)
{
	g_autoptr(GString) out = g_string_new(NULL);
	bool is_run = false;

	for (gsize i = 0; argc > 1 && i < G_N_ELEMENTS(forms); i++)
		if (strcmp(argv[1], forms[i].name) == 0 && argc >= forms[i].least + 2) {
			forms[i].run(out, argv + 2);
			is_run = true;
		}
	if (!is_run)
		api_doc_fail(
		    "usage: api_doc openapi|document|manual|operations|routes|fields FILE...");
	return fputs(out->str, stdout) == EOF || fflush(stdout) == EOF;
}
