/* SPDX-License-Identifier: MIT */
/* Fills the tables of posthouse-api(7) in from the description. These lines of the page are
   replaced:
       @routes                  all operations with their scopes
       @operation METHOD PATH   an operation's head, description, parameters and fields of the body.
				Its replies with their texts follow in front of the next operation
				or the end of the list; those that operations share ($ref) are
				left out. Then come the operations behind it in the description
				that are of the same kind (/v1/emails, say) and have no line.
       @responses               the replies, where words of the page follow them
       @response NAME           the texts of a shared reply
       @members SCHEMA          the members of a schema
   The run fails when an operation has no place in the page, or when anything in a table has no
   description. */
#include <string.h>

#include "api/api_doc.h"
#include "api/prose.h"
#include "api/type_words.h"
#include "json/value.h"

struct manual {
	GString *out;
	const struct json *document;
	GHashTable *named;   /* "METHOD PATH" of the operations that have a line */
	GHashTable *placed;  /* of those that are written */
	char *method, *path; /* the operation whose end is still to be written; NULL: none */
	bool has_responses;  /* its replies are written */
	bool is_behind;	     /* a walk has just passed it, and what follows it */
	guint depth;	     /* lists of the page that are open in it */
	struct api_doc_prose prose;
};

static void manual_write_members(struct manual *manual, const struct json *schema, bool in_answer);

/* Collects the names below a value: the members of each object whose own name ends with properties,
   and the names of parameters. */
static void
names_collect(GHashTable *names, const char *key, const struct json *value, bool is_parameter)
{
	struct json_iterator members = json_members(value);
	bool is_fields = g_str_has_suffix(key, "properties");
	const struct json *member;
	const char *name;

	is_parameter = is_parameter || strstr(key, "parameters");
	for (gsize i = 0; i < json_array_length(value); i++)
		names_collect(names, "", json_array_at(value, i), is_parameter);
	while (json_iterator_next(&members, &name, &member)) {
		if (is_fields)
			g_hash_table_add(names, (char *)name);
		if (is_parameter && strcmp(name, "name") == 0 && json_string(member, NULL))
			g_hash_table_add(names, (char *)json_string(member, NULL));
		names_collect(names, name, member, is_parameter);
	}
}

static bool
schema_requires(const struct json *schema, const char *key)
{
	const struct json *required = json_member_get(schema, "required");

	for (gsize i = 0; i < json_array_length(required); i++)
		if (strcmp(json_string(json_array_at(required, i), NULL), key) == 0)
			return true;
	return false;
}

/* The object whose members a member has, when it is written in its place; else NULL. */
static const struct json *
schema_inner(const struct json *schema)
{
	if (json_member_has(schema, "items"))
		schema = json_member_get(schema, "items");
	return json_member_has(schema, "properties") ? schema : NULL;
}

/* One member of an object, and its parentheses. */
struct item {
	const char *name;
	const struct json *schema;
	char *words;
};

static void
item_free(void *data)
{
	struct item *item = data;

	g_free(item->words);
	g_free(item);
}

/* The caller owns it. */
static GPtrArray *
items_read(const struct manual *manual, const struct json *schema, bool in_answer)
{
	struct json_iterator members = json_members(json_member_get(schema, "properties"));
	GPtrArray *items = g_ptr_array_new_with_free_func(item_free);
	const struct json *one;
	const char *name;

	while (json_iterator_next(&members, &name, &one)) {
		bool is_required = !in_answer && schema_requires(schema, name);
		struct item *item = g_new(struct item, 1);

		if (!*api_doc_description(manual->document, one))
			api_doc_fail("no description: %s", name);
		*item = (struct item){name, one,
		    api_doc_summary(
			manual->document, one, is_required ? "required" : "", in_answer)};
		g_ptr_array_add(items, item);
	}
	return items;
}

/* Whether two neighbours have one text. */
static bool
items_are_one(const struct manual *manual, const struct item *item, const struct item *next)
{
	return strcmp(item->words, next->words) == 0 && !schema_inner(item->schema) &&
	       strcmp(api_doc_description(manual->document, item->schema),
		   api_doc_description(manual->document, next->schema)) == 0;
}

/* Writes the members of an object as items of a list. Neighbours of the same type and description
   share one. */
static void
manual_write_items(struct manual *manual, const struct json *schema, bool in_answer)
{
	g_autoptr(GPtrArray) items = items_read(manual, schema, in_answer);
	g_autoptr(GString) tag = g_string_new(NULL);

	for (guint i = 0; i < items->len; i++) {
		const struct item *item = items->pdata[i];
		g_autofree char *name = api_doc_argument(item->name);

		g_string_append_printf(tag, "%s%s", tag->len > 0 ? " , " : "", name);
		if (i + 1 < items->len && items_are_one(manual, item, items->pdata[i + 1]))
			continue;
		g_string_append_printf(manual->out, ".It Ic %s Pq %s\n", tag->str, item->words);
		g_string_truncate(tag, 0);
		api_doc_write_prose(
		    &manual->prose, api_doc_description(manual->document, item->schema));
		if (schema_inner(item->schema))
			manual_write_members(manual, schema_inner(item->schema), in_answer);
	}
}

static void
manual_write_members(struct manual *manual, const struct json *schema, bool in_answer)
{
	g_string_append(manual->out, ".Bl -tag -width Ds\n");
	manual_write_items(manual, schema, in_answer);
	g_string_append(manual->out, ".El\n");
}

static const struct json *
manual_operation(const struct manual *manual, const char *method, const char *path)
{
	g_autofree char *key = g_ascii_strdown(method, -1);
	const struct json *operation =
	    json_member_get(json_member_get(json_member_get(manual->document, "paths"), path), key);

	if (!operation)
		api_doc_fail("no operation %s %s", method, path);
	return operation;
}

/* Notes that an operation has its place in the page; a second one is a fault. */
static void
manual_place(struct manual *manual, const char *method, const char *path)
{
	if (!g_hash_table_add(manual->placed, g_strdup_printf("%s %s", method, path)))
		api_doc_fail("twice in man/posthouse-api.7.in: @operation %s %s", method, path);
}

/* Whether a parameter is that of this operation alone, and not of the path. The prose tells once of
   parameters that operations share, and the description tells of those of the path. */
static bool
parameter_is_own(const struct json *parameter)
{
	return !json_member_has(parameter, "$ref") &&
	       strcmp(api_doc_value(parameter, "in"), "path") != 0;
}

static void
manual_write_parameter(struct manual *manual, const struct json *parameter)
{
	bool in_query = strcmp(api_doc_value(parameter, "in"), "query") == 0;
	bool is_required = json_boolean(json_member_get(parameter, "required"));
	g_autofree char *words = g_strconcat(
	    "in the ", in_query ? "query" : "header", is_required ? "; required" : "", NULL);
	g_autofree char *name = api_doc_argument(api_doc_value(parameter, "name"));
	g_autofree char *summary =
	    api_doc_summary(manual->document, json_member_get(parameter, "schema"), words, false);

	g_string_append_printf(manual->out, ".It Ic %s Pq %s\n", name, summary);
	api_doc_write_prose(&manual->prose, api_doc_value(parameter, "description"));
}

static void
manual_write_operation(struct manual *manual, const char *method, const char *path)
{
	const struct json *operation = manual_operation(manual, method, path);
	const struct json *parameters = json_member_get(operation, "parameters");
	const struct json *content =
	    json_member_get(json_member_get(operation, "requestBody"), "content");
	const struct json *body = api_doc_resolve(manual->document,
	    json_member_get(json_member_get(content, "application/json"), "schema"));
	const char *scope = api_doc_text(operation, "x-scope");
	bool has_items = body != NULL;

	manual_place(manual, method, path);
	if (!json_member_has(operation, "description"))
		api_doc_fail("no description: %s %s", method, path);
	g_string_append_printf(manual->out, ".It Ic %s %s Pq %s%s\n", method, path,
	    scope ? "scope Cm " : "no key", scope ? scope : "");
	api_doc_write_prose(&manual->prose, api_doc_value(operation, "description"));
	for (gsize i = 0; i < json_array_length(parameters); i++)
		has_items = has_items || parameter_is_own(json_array_at(parameters, i));
	if (!has_items)
		return;
	g_string_append(manual->out, ".Bl -tag -width Ds\n");
	for (gsize i = 0; i < json_array_length(parameters); i++)
		if (parameter_is_own(json_array_at(parameters, i)))
			manual_write_parameter(manual, json_array_at(parameters, i));
	if (body)
		manual_write_items(manual, body, false);
	g_string_append(manual->out, ".El\n");
}

static const char *
example_text(const struct json *value, const char *key)
{
	const char *text = api_doc_text(value, key);

	return text ? text : "";
}

/* Writes the texts of the examples of a reply: the message, with the code or the details in
   parentheses. */
static void
manual_write_texts(struct manual *manual, const struct json *response)
{
	const struct json *type =
	    json_member_at(json_member_get(response, "content"), 0, &(const char *){NULL});
	struct json_iterator examples = json_members(json_member_get(type, "examples"));
	const struct json *example;
	const char *name;
	bool has_texts = false;

	while (json_iterator_next(&examples, &name, &example)) {
		const struct json *value = json_member_get(example, "value");
		g_autofree char *more =
		    g_strconcat(example_text(value, "code"), example_text(value, "details"), NULL);
		g_autofree char *line = g_strconcat(example_text(value, "message"),
		    example_text(value, "error"), *more ? " (" : "", more, *more ? ")" : "", NULL);

		if (!*line)
			continue;
		g_autoptr(GString) text = g_string_new(line);
		g_string_replace(text, "\r\n", "\n", 0); /* in the example of a message */
		if (!has_texts)
			g_string_append(manual->out, ".Bd -literal -compact\n");
		has_texts = true;
		api_doc_write_line(manual->out, text->str);
	}
	if (has_texts)
		g_string_append(manual->out, ".Ed\n");
}

/* 500 and 503 are the same everywhere. */
static void
manual_write_responses(struct manual *manual, const char *method, const char *path)
{
	struct json_iterator responses =
	    json_members(json_member_get(manual_operation(manual, method, path), "responses"));
	const struct json *response;
	const char *status;

	g_string_append(manual->out, ".Pp\n.Bl -tag -width 400 -compact\n");
	while (json_iterator_next(&responses, &status, &response)) {
		if (json_member_has(response, "$ref") || strcmp(status, "500") >= 0)
			continue;
		g_string_append_printf(manual->out, ".It %s\n", status);
		api_doc_write_prose(&manual->prose, api_doc_value(response, "description"));
		manual_write_texts(manual, response);
	}
	g_string_append(manual->out, ".El\n");
}

/* Calls a function for each operation. */
static void
manual_walk(struct manual *manual, void (*each)(struct manual *manual, const char *method,
				       const char *path, const struct json *operation))
{
	struct json_iterator paths = json_members(json_member_get(manual->document, "paths"));
	const struct json *methods, *operation;
	const char *path, *key;

	while (json_iterator_next(&paths, &path, &methods)) {
		struct json_iterator members = json_members(methods);

		while (json_iterator_next(&members, &key, &operation)) {
			g_autofree char *method = g_ascii_strup(key, -1);

			each(manual, method, path, operation);
		}
	}
}

static void
manual_write_route(
    struct manual *manual, const char *method, const char *path, const struct json *operation)
{
	const char *scope = api_doc_text(operation, "x-scope");

	g_string_append_printf(manual->out, ".It Ic %s %s Ta %s%s\n", method, path,
	    scope ? "Cm " : "no key", scope ? scope : "");
}

static void
manual_expect_placed(
    struct manual *manual, const char *method, const char *path, const struct json *operation)
{
	g_autofree char *place = g_strdup_printf("%s %s", method, path);

	if (!g_hash_table_contains(manual->placed, place))
		api_doc_fail("not in man/posthouse-api.7.in: @operation %s", place);
}

/* Whether two paths begin with the same two names. */
static bool
manual_is_kind(const char *path, const char *other)
{
	g_auto(GStrv) names = g_strsplit(path, "/", 4), others = g_strsplit(other, "/", 4);

	return g_strcmp0(names[1], others[1]) == 0 && g_strcmp0(names[2], others[2]) == 0;
}

/* Writes an operation that has no line, where the walk stands right behind the one that ends. */
static void
manual_write_next(
    struct manual *manual, const char *method, const char *path, const struct json *operation)
{
	g_autofree char *place = g_strdup_printf("%s %s", method, path);
	bool follows = manual->is_behind && !g_hash_table_contains(manual->named, place) &&
		       manual_is_kind(manual->path, path);

	if (follows) {
		manual_write_operation(manual, method, path);
		manual_write_responses(manual, method, path);
	}
	manual->is_behind =
	    follows || (strcmp(method, manual->method) == 0 && strcmp(path, manual->path) == 0);
}

static void
manual_end_operation(struct manual *manual)
{
	if (!manual->path)
		return;
	if (!manual->has_responses)
		manual_write_responses(manual, manual->method, manual->path);
	manual->is_behind = false;
	manual_walk(manual, manual_write_next);
	g_clear_pointer(&manual->method, g_free);
	g_clear_pointer(&manual->path, g_free);
}

static void
manual_begin_operation(struct manual *manual, const char *method, const char *path)
{
	manual_end_operation(manual);
	manual_write_operation(manual, method, path);
	manual->method = g_strdup(method);
	manual->path = g_strdup(path);
	manual->has_responses = false;
	manual->depth = 0;
}

static void
manual_write_schema(struct manual *manual, const char *name)
{
	const struct json *schema = json_member_get(
	    json_member_get(json_member_get(manual->document, "components"), "schemas"), name);

	if (!json_member_has(schema, "properties"))
		api_doc_fail("no schema %s", name);
	manual_write_members(manual, schema,
	    !g_str_has_prefix(name, "New") && !g_str_has_prefix(name, "Attachment"));
}

static void
manual_write_shared(struct manual *manual, const char *name)
{
	manual_write_texts(manual,
	    json_member_get(
		json_member_get(json_member_get(manual->document, "components"), "responses"),
		name));
}

/* Writes what a line with @ stands for. */
static void
manual_replace(struct manual *manual, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	guint count = g_strv_length(words);

	if (count == 1 && strcmp(words[0], "@routes") == 0) {
		g_string_append(manual->out,
		    ".Bl -column \"DELETE /v1/audiences/{id}/contacts/{contact}\"\n"
		    ".It Sy Operation Ta Sy Scope\n");
		manual_walk(manual, manual_write_route);
		g_string_append(manual->out, ".El\n");
	} else if (count == 3 && strcmp(words[0], "@operation") == 0) {
		manual_begin_operation(manual, words[1], words[2]);
	} else if (manual->path && strcmp(line, "@responses") == 0) {
		manual_write_responses(manual, manual->method, manual->path);
		manual->has_responses = true;
	} else if (count == 2 && strcmp(words[0], "@response") == 0) {
		manual_write_shared(manual, words[1]);
	} else if (count == 2 && strcmp(words[0], "@members") == 0) {
		manual_write_schema(manual, words[1]);
	} else {
		api_doc_fail("unknown: %s", line);
	}
}

/* Takes a line of the page. */
static void
manual_take(struct manual *manual, const char *line)
{
	if (*line == '@') {
		manual_replace(manual, line);
		return;
	}
	if (g_str_has_prefix(line, ".Bl "))
		manual->depth++;
	else if (strcmp(line, ".El") == 0 && manual->depth > 0)
		manual->depth--;
	else if (strcmp(line, ".El") == 0)
		manual_end_operation(manual);
	g_string_append_printf(manual->out, "%s\n", line);
}

void
api_doc_manual(GString *out, const struct json *document, const char *page)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) placed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GString) pending = g_string_new(NULL);
	g_autoptr(GHashTable) named = g_hash_table_new(g_str_hash, g_str_equal);
	struct manual manual = {.out = out,
	    .document = document,
	    .named = named,
	    .placed = placed,
	    .prose = {out, names, pending}};
	g_auto(GStrv) lines = g_strsplit(page, "\n", -1);

	names_collect(names, "", document, false);
	g_string_append(out, ".\\\" Made by api_doc from api/*.json and man/posthouse-api.7.in.\n");
	for (guint i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "@operation "))
			g_hash_table_add(named, lines[i] + strlen("@operation "));
	for (guint i = 0; lines[i] && lines[i + 1]; i++)
		manual_take(&manual, lines[i]);
	manual_walk(&manual, manual_expect_placed);
}
