/* SPDX-License-Identifier: MIT */
/* Makes the table of routes (struct fcgi_route) and the prototypes of what its rows name from the
   operations. An operation has, besides the members of OpenAPI:
       "x-scope": that the key must have; instead of it "security": [] for an operation without key
       "x-audit": the action that GET /v1/audit shows; null: the audit has nothing of it. An
	   operation that changes something has to say it
       "x-route": what the service alone needs:
	   "handler": the function, or "storing": the variable of an operation that stores a request
	   "body": the variable with the table of fields, if it takes JSON
	   "failure": "notice" for a page, or an object {error, missing, fault} (fcgi/http/reply.h)
	   "right": "owner" or "session", where the scope does not tell
	   "ahead": the variable of the statement that reads what the path names
	   "yields", "audits", "downloads", "counts": true where the row has it (fcgi/api/routes.h)
	   "target": the number of the argument that names what is changed, if it is not the last
   The rows are in the order of the files and of the paths and methods in them, but a path moves in
   front of the first one that would take its requests: /v1/emails/batch before /v1/emails/{id}. */
#include <string.h>

#include "api/api_doc.h"
#include "json/value.h"

/* One operation. */
struct operation {
	const char *path;
	char *method; /* in capitals */
	const struct json *json, *route;
};

static void
operation_free(void *data)
{
	struct operation *operation = data;

	g_free(operation->method);
	g_free(operation);
}

static void G_GNUC_NORETURN
operation_fail(const struct operation *operation, const char *fault)
{
	api_doc_fail("%s %s: %s", operation->method, operation->path, fault);
}

/* A member of x-route that names something of the service; NULL: there is none. */
static const char *
operation_name(const struct operation *operation, const char *key)
{
	const char *name = api_doc_text(operation->route, key);

	if (name && !g_regex_match_simple("^[a-z][a-z0-9_]*$", name, 0, 0))
		operation_fail(operation, "a name in x-route is none of C");
	return name;
}

static bool
operation_has(const struct operation *operation, const char *key)
{
	return json_boolean(json_member_get(operation->route, key));
}

/* The length of the text that {email} takes: all but the length of the rest of the pattern. */
static gsize
path_email_length(const char *rest, const char *path)
{
	gsize behind = strlen(rest), length = strlen(path);

	return length > behind ? length - behind : 0;
}

/* Whether a pattern would take a request for this path, as fcgi_route_find sees it. */
static bool
path_takes(const char *pattern, const char *path)
{
	while (*pattern == '/' && *path == '/') {
		gsize size = strcspn(++pattern, "/"), length = strcspn(++path, "/");

		if (strncmp(pattern, "{email}", size) == 0)
			length = path_email_length(pattern + size, path);
		if (length == 0)
			return false;
		if (*pattern != '{' && (size != length || memcmp(pattern, path, size) != 0))
			return false;
		pattern += size;
		path += length;
	}
	return !*pattern && !*path;
}

/* The paths in the order of the rows. The caller owns the array. */
static GPtrArray *
paths_sort(const struct json *document)
{
	struct json_iterator members = json_members(json_member_get(document, "paths"));
	GPtrArray *paths = g_ptr_array_new();
	const struct json *methods;
	const char *path;

	while (json_iterator_next(&members, &path, &methods)) {
		guint place = 0;

		while (place < paths->len && !path_takes(paths->pdata[place], path))
			place++;
		if (place < paths->len && path_takes(path, paths->pdata[place]))
			api_doc_fail(
			    "%s and %s are one path", path, (const char *)paths->pdata[place]);
		g_ptr_array_insert(paths, (gint)place, (gpointer)path);
	}
	return paths;
}

/* The caller owns the array. */
static GPtrArray *
operations_read(const struct json *document)
{
	g_autoptr(GPtrArray) paths = paths_sort(document);
	GPtrArray *operations = g_ptr_array_new_with_free_func(operation_free);

	for (guint i = 0; i < paths->len; i++) {
		struct json_iterator methods = json_members(
		    json_member_get(json_member_get(document, "paths"), paths->pdata[i]));
		const struct json *json;
		const char *key;

		while (json_iterator_next(&methods, &key, &json)) {
			struct operation *operation = g_new(struct operation, 1);

			*operation = (struct operation){paths->pdata[i], g_ascii_strup(key, -1),
			    json, json_member_get(json, "x-route")};
			g_ptr_array_add(operations, operation);
		}
	}
	return operations;
}

/* The scope as the table has it. */
static const char *
operation_scope(const struct operation *operation)
{
	static const char *const scopes[][2] = {{"full", "KEY_FULL"}, {"send", "KEY_SEND"},
	    {"read", "KEY_READ"}, {"metrics", "KEY_METRICS"}, {"any", "ROUTE_ANY"}};
	const char *scope = api_doc_text(operation->json, "x-scope");

	if (!scope != json_member_has(operation->json, "security"))
		operation_fail(operation, "it needs either x-scope or security");
	for (guint i = 0; scope && i < G_N_ELEMENTS(scopes); i++)
		if (strcmp(scope, scopes[i][0]) == 0)
			return scopes[i][1];
	if (scope)
		operation_fail(operation, "x-scope is unknown");
	return "ROUTE_PUBLIC";
}

static const char *
operation_right(const struct operation *operation)
{
	const char *right = operation_name(operation, "right");

	if (!right)
		return NULL;
	if (strcmp(right, "owner") == 0)
		return "RIGHT_OWNER";
	if (strcmp(right, "session") != 0)
		operation_fail(operation, "right is unknown");
	return "RIGHT_SESSION";
}

/* Whether it may change what the audit knows: not by GET, nor what sends or only reads. */
static bool
operation_changes(const struct operation *operation)
{
	const char *scope = operation_scope(operation), *right = operation_right(operation);

	return strcmp(operation->method, "GET") != 0 &&
	       (strcmp(scope, "KEY_FULL") == 0 ||
		   (strcmp(scope, "KEY_READ") == 0 && g_strcmp0(right, "RIGHT_SESSION") == 0));
}

static void
operation_check(const struct operation *operation)
{
	static const char *const known[] = {"handler", "storing", "body", "failure", "right",
	    "ahead", "yields", "audits", "downloads", "counts", "target", NULL};
	const struct json *content =
	    json_member_get(json_member_get(operation->json, "requestBody"), "content");
	struct json_iterator members = json_members(operation->route);
	const struct json *member;
	const char *key;

	if (!operation->route)
		operation_fail(operation, "it has no x-route");
	while (json_iterator_next(&members, &key, &member))
		if (!g_strv_contains(known, key))
			operation_fail(operation, "x-route has an unknown member");
	if (!operation_name(operation, "handler") == !operation_name(operation, "storing"))
		operation_fail(operation, "it needs either a handler or storing");
	if (json_member_has(content, "application/json") !=
	    (operation_name(operation, "body") != NULL))
		operation_fail(operation, "body has to be there if it takes JSON, and only then");
	if (operation_changes(operation) && !json_member_has(operation->json, "x-audit"))
		operation_fail(operation, "it has no x-audit: its action, or null");
	if (operation_has(operation, "audits") && !json_member_get(operation->json, "x-audit"))
		operation_fail(operation, "it audits, but has no x-audit");
}

/* The identifier of an operation, for names of its own. */
static const char *
operation_id(const struct operation *operation)
{
	const char *id = api_doc_text(operation->json, "operationId");

	if (!id || !g_regex_match_simple("^[A-Za-z]+$", id, 0, 0))
		operation_fail(operation, "operationId has to be of letters");
	return id;
}

/* A text as a literal of C. */
static void
routes_append_literal(GString *out, const char *text)
{
	g_autofree char *escaped = g_strescape(text, NULL);

	g_string_append_printf(out, "\"%s\"", escaped);
}

/* Writes an array with the names of the query's parameters. False: it has none. */
static bool
operation_write_parameters(
    GString *out, const struct json *document, const struct operation *operation)
{
	const struct json *parameters = json_member_get(operation->json, "parameters");
	g_autoptr(GString) names = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(parameters); i++) {
		const struct json *one = api_doc_resolve(document, json_array_at(parameters, i));

		if (g_strcmp0(api_doc_text(one, "in"), "query") != 0)
			continue;
		routes_append_literal(names, api_doc_text(one, "name"));
		g_string_append(names, ", ");
	}
	if (names->len > 0)
		g_string_append_printf(out,
		    "static const char *const parameters_%s[] = {%sNULL};\n",
		    operation_id(operation), names->str);
	return names->len > 0;
}

/* Writes the form of its failures, if it is its own. */
static void
operation_write_failure(GString *out, const struct operation *operation)
{
	static const char *const keys[] = {"error", "missing", "fault"};
	const struct json *failure = json_member_get(operation->route, "failure");

	if (json_kind(failure) != JSON_OBJECT)
		return;
	g_string_append_printf(
	    out, "static const struct fcgi_failure failure_%s = {", operation_id(operation));
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
		const char *text = api_doc_text(failure, keys[i]);

		if (!text)
			continue;
		g_string_append_printf(out, ".%s = ", keys[i]);
		routes_append_literal(out, text);
		g_string_append(out, ", ");
	}
	g_string_append(out, "};\n");
}

static void
operation_append_failure(GString *out, const struct operation *operation)
{
	const struct json *failure = json_member_get(operation->route, "failure");
	const char *word = json_string(failure, NULL);

	if (json_kind(failure) == JSON_OBJECT)
		g_string_append_printf(out, ".failure = &failure_%s", operation_id(operation));
	else if (!failure || g_strcmp0(word, "notice") == 0)
		g_string_append_printf(out, ".failure = &fcgi_failure_%s", word ? word : "message");
	else
		operation_fail(operation, "failure is unknown");
}

/* Writes a member of the row that is a name, with what stands before it; nothing for NULL. */
static void
row_append(GString *out, const char *member, const char *before, const char *name)
{
	if (name)
		g_string_append_printf(out, ", .%s = %s%s", member, before, name);
}

static void
operation_write_row(GString *out, const struct operation *operation, bool has_parameters)
{
	const char *audit = api_doc_text(operation->json, "x-audit");
	gint64 target = json_integer(json_member_get(operation->route, "target"));

	g_string_append_printf(out, "\t{.method = METHOD_%s, .pattern = ", operation->method);
	routes_append_literal(out, operation->path);
	row_append(out, "scope", "", operation_scope(operation));
	row_append(out, "body", "&", operation_name(operation, "body"));
	row_append(out, "handler", "", operation_name(operation, "handler"));
	row_append(out, "storing", "&", operation_name(operation, "storing"));
	g_string_append(out, ",\n\t    ");
	operation_append_failure(out, operation);
	if (has_parameters)
		row_append(out, "parameters", "parameters_", operation_id(operation));
	row_append(out, "right", "", operation_right(operation));
	row_append(out, "yields", "", operation_has(operation, "yields") ? "true" : NULL);
	row_append(out, "audits", "", operation_has(operation, "audits") ? "true" : NULL);
	row_append(out, "has_downloads", "", operation_has(operation, "downloads") ? "true" : NULL);
	row_append(out, "counts_people", "", operation_has(operation, "counts") ? "true" : NULL);
	row_append(out, "ahead", "&", operation_name(operation, "ahead"));
	if (audit) {
		g_string_append(out, ", .audit = ");
		routes_append_literal(out, audit);
	}
	if (target > 0)
		g_string_append_printf(out, ", .target = %d", (int)target);
	g_string_append(out, "},\n");
}

void
api_doc_routes(GString *out, const struct json *document)
{
	g_autoptr(GPtrArray) operations = operations_read(document);
	g_autoptr(GString) rows = g_string_new(NULL);

	g_string_append(out, "/* Made by api_doc. */\n");
	for (guint i = 0; i < operations->len; i++) {
		const struct operation *operation = operations->pdata[i];

		operation_check(operation);
		operation_write_failure(out, operation);
		operation_write_row(
		    rows, operation, operation_write_parameters(out, document, operation));
	}
	g_string_append_printf(
	    out, "\nconst struct fcgi_route fcgi_routes[] = {\n%s};\n", rows->str);
}

/* Writes a declaration, with the name in place of %s in its form, once for each name. */
static void
operations_declare(GString *out, GHashTable *declared, const char *form, const char *name)
{
	g_auto(GStrv) parts = g_strsplit(form, "%s", 2);

	if (name && g_hash_table_add(declared, (char *)name))
		g_string_append_printf(out, "%s%s%s;\n", parts[0], name, parts[1]);
}

void
api_doc_operations(GString *out, const struct json *document)
{
	static const struct {
		const char *key, *form;
	} kinds[] = {
	    {"handler", "bool %s(struct fcgi_call *call, GError **error)"},
	    {"storing", "extern const struct fcgi_storing %s"},
	    {"body", "extern const struct json_table %s"},
	    {"ahead", "extern const struct db_prefetch_form %s"},
	};
	g_autoptr(GPtrArray) operations = operations_read(document);
	g_autoptr(GHashTable) declared = g_hash_table_new(g_str_hash, g_str_equal);

	g_string_append(out, "/* Made by api_doc: what the rows of the table of routes name. */\n"
			     "#ifndef API_OPERATIONS_H\n#define API_OPERATIONS_H\n\n"
			     "#include <glib.h>\n#include <stdbool.h>\n\n"
			     "struct db_prefetch_form;\nstruct fcgi_call;\n"
			     "struct fcgi_storing;\nstruct json_table;\n");
	for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_string_append_c(out, '\n');
		for (guint i = 0; i < operations->len; i++)
			operations_declare(out, declared, kinds[k].form,
			    operation_name(operations->pdata[i], kinds[k].key));
	}
	g_string_append(out, "\n#endif\n");
}
