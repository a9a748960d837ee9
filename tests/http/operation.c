/* SPDX-License-Identifier: MIT */
#include "tests/http/operation.h"

#include <criterion/criterion.h>
#include <string.h>

#include "json/strict.h"
#include "json/writer.h"
#include "tests/http/audience.h"
#include "tests/http/openapi_path.h"
#include "tests/http/person.h"
#include "tests/http/schema.h"

struct fixture *operation_tenant;
char *operation_text;
struct json *operation_document;

void
operation_begin(void)
{
	const char *folder = g_getenv("builddir");
	g_autofree char *path =
	    g_build_filename(folder ? folder : ".", "api", "openapi.json", NULL);
	g_autoptr(GError) error = NULL;
	gsize size;

	cr_assert(g_file_get_contents(path, &operation_text, &size, &error), "%s",
	    error ? error->message : "");
	operation_document = json_parse_as("openapi.json", operation_text, size, &error);
	cr_assert(operation_document, "%s", error ? error->message : "");
	operation_tenant = fixture_open();
}

void
operation_end(void)
{
	fixture_close(operation_tenant);
	json_free(operation_document);
	g_free(operation_text);
}

static void
free_operation(void *pointer)
{
	struct operation *operation = pointer;

	g_free(operation->name);
	g_free(operation->method);
	g_free(operation);
}

GPtrArray *
operation_all(void)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(free_operation);
	struct json_iterator paths = json_members(json_member_get(operation_document, "paths"));
	const struct json *methods, *json;
	const char *path, *method;

	while (json_iterator_next(&paths, &path, &methods)) {
		struct json_iterator each = json_members(methods);
		while (json_iterator_next(&each, &method, &json)) {
			struct operation *operation = g_new(struct operation, 1);
			operation->method = g_ascii_strup(method, -1);
			operation->name = g_strdup_printf("%s %s", operation->method, path);
			operation->path = path;
			operation->json = json;
			g_ptr_array_add(all, operation);
		}
	}
	return all;
}

const struct json *
operation_media(const struct json *holder)
{
	struct json_iterator types =
	    json_members(json_member_get(schema_resolve(operation_document, holder), "content"));
	const struct json *type = NULL;
	const char *name;

	return json_iterator_next(&types, &name, &type) ? type : NULL;
}

const struct json *
operation_response(const struct operation *operation, guint status)
{
	g_autofree char *key = g_strdup_printf("%u", status);

	return schema_resolve(operation_document,
	    json_member_get(json_member_get(operation->json, "responses"), key));
}

void
operation_expect_valid(const char *name, const struct json *schema, const struct json *value)
{
	g_autofree char *fault = schema_fault(operation_document, schema, "", value);

	cr_expect_null(fault, "%s: %s", name, fault);
}

/* Expects the headers that the description requires. */
static void
expect_headers(const char *name, const struct json *described, const struct answer *answer)
{
	struct json_iterator headers = json_members(json_member_get(described, "headers"));
	const struct json *header;
	const char *key;

	while (json_iterator_next(&headers, &key, &header)) {
		g_autofree char *value = answer_header(answer, key);
		header = schema_resolve(operation_document, header);
		cr_expect(value || !json_boolean(json_member_get(header, "required")),
		    "%s: no header %s", name, key);
	}
}

/* The header with the key that the operation needs; NULL: the fixture's. The caller owns it. */
static char *
own_credential(const struct operation *operation)
{
	if (strcmp(operation->path, "/metrics") != 0)
		return NULL;
	g_autofree char *key = fixture_new_key(operation_tenant, "metrics", NULL);
	return g_strconcat("Authorization: Bearer ", key, NULL);
}

/* The session that the operation needs; NULL: none. */
static struct person *
own_session(const struct operation *operation)
{
	bool is_public = json_member_has(operation->json, "security");

	return g_str_has_prefix(operation->path, "/v1/session") && !is_public
		   ? person_open(operation_tenant, "ann@example.com", NULL)
		   : NULL;
}

struct answer *
operation_ask(const struct operation *operation, const char *name, const char *path,
    const char *body, const char *credential)
{
	g_autofree char *label = g_strdup_printf("%s, %s", operation->name, name);
	g_autofree char *own = credential ? g_strdup(credential) : own_credential(operation);
	AUTO(person) person = credential ? NULL : own_session(operation);
	struct exchange exchange = {label, operation->method, path, .headers = {own}};
	g_autoptr(GBytes) bytes = body ? g_bytes_new_static(body, strlen(body)) : NULL;

	if (person) {
		exchange.headers[0] = "Authorization:";
		exchange.headers[1] = person->cookie;
		exchange.headers[2] = person->csrf;
		exchange.headers[3] = person->origin;
	}
	exchange.bytes = bytes;
	struct answer *answer = exchange_ask(operation_tenant, &exchange);
	const struct json *described = operation_response(operation, answer->status);
	cr_expect(
	    described, "%s: status %u is not described: %s", label, answer->status, answer->body);
	if (described) {
		operation_expect_valid(
		    label, json_member_get(operation_media(described), "schema"), answer->json);
		expect_headers(label, described, answer);
	}
	return answer;
}

char *
operation_path(const struct operation *operation)
{
	return openapi_path_make(operation_tenant, operation->method, operation->path);
}

char *
operation_with_audience(char *body)
{
	static const char example[] = "0199c1a2-7f00-7000-8000-00000000a0d1";
	GString *text = g_string_new(body);

	g_free(body);
	if (strstr(text->str, example)) {
		g_autofree char *id = audience_new(operation_tenant, "N");
		g_string_replace(text, example, id, 0);
	}
	return g_string_free(text, FALSE);
}

char *
operation_body(const struct operation *operation)
{
	struct json_iterator examples = json_members(json_member_get(
	    operation_media(json_member_get(operation->json, "requestBody")), "examples"));
	const struct json *example, *first = NULL;
	const char *key;

	while (json_iterator_next(&examples, &key, &example)) {
		if (json_integer(json_member_get(example, "x-status")) < 300)
			return operation_with_audience(
			    json_print(json_member_get(example, "value")));
		first = first ? first : example;
	}
	return first ? json_print(json_member_get(first, "value")) : NULL;
}

const struct json *
operation_properties(const struct operation *operation)
{
	const struct json *schema = json_member_get(
	    operation_media(json_member_get(operation->json, "requestBody")), "schema");

	return json_member_get(schema_resolve(operation_document, schema), "properties");
}

bool
operation_takes_file(const struct operation *operation)
{
	return !operation_is_public(operation) &&
	       json_member_has(
		   json_member_get(json_member_get(operation->json, "requestBody"), "content"),
		   "multipart/form-data");
}

bool
operation_is_public(const struct operation *operation)
{
	return json_member_has(operation->json, "security");
}
