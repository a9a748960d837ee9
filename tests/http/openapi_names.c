/* SPDX-License-Identifier: MIT */
/* Holds the names of fields and parameters in openapi.json against the service, which refuses
   misspelled ones and lists unknown ones. */
#include <criterion/criterion.h>
#include <string.h>

#include "fcgi/api/routes.h"
#include "json/fields.h"
#include "tests/http/exchange.h"
#include "tests/http/operation.h"
#include "tests/http/schema.h"

TestSuite(openapi_names, .init = operation_begin, .fini = operation_end, .timeout = 900);

/* The name in capitals, with a letter more, and without underscores. The caller owns it. */
static char *
misspell(const char *name)
{
	g_autoptr(GString) text = g_string_new(name);

	g_string_replace(text, "_", "", 0);
	g_string_append_c(text, 'x');
	return g_ascii_strup(text->str, -1);
}

/* Sends a misspelled name. The row need not exist: names are checked first. */
static void
openapi_names_expect_refused(const struct operation *operation, const char *noun, const char *name,
    bool in_query, bool has_body)
{
	g_autofree char *wrong = misspell(name);
	g_autofree char *path = g_uri_escape_string(operation->path, "/", FALSE);
	g_autofree char *target = g_strconcat(path, "?", in_query ? wrong : "", NULL);
	g_autofree char *member = g_strdup_printf("{\"%s\":1}", wrong);
	const char *body = !has_body ? NULL : in_query ? "{}" : member;
	g_autofree char *want =
	    g_strdup_printf("%s is not a %s of this request; did you mean %s?", wrong, noun, name);
	AUTO(answer) answer = operation_ask(operation, wrong, target, body, NULL);
	const char *message = json_string(answer_at(answer, "message"), NULL);

	if (!message)
		message = answer_text(answer, "details");
	cr_expect(answer->status == 400 && strcmp(message, want) == 0, "%s: got %s, want %s",
	    operation->name, answer->body, want);
}

/* Whether one wrong letter counts as a misspelling; in shorter names only the case does. */
static bool
is_long(const char *name)
{
	return strlen(name) >= 4;
}

/* The name of the parameter at this place, or NULL when it is not one of the query. */
static const char *
parameter(const struct operation *operation, gsize place)
{
	const struct json *parameters = json_member_get(operation->json, "parameters");
	const struct json *one =
	    schema_resolve(operation_document, json_array_at(parameters, place));

	if (g_strcmp0(json_string(json_member_get(one, "in"), NULL), "query") != 0)
		return NULL;
	return json_string(json_member_get(one, "name"), NULL);
}

static gsize
parameter_count(const struct operation *operation)
{
	return json_array_length(json_member_get(operation->json, "parameters"));
}

Test(openapi_names, refuses_each_name_misspelled)
{
	g_autoptr(GPtrArray) all = operation_all();
	guint count = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		struct json_iterator fields = json_members(operation_properties(operation));
		bool has_body = fields.next != NULL;
		const char *name;
		const struct json *field;

		if (operation_is_public(operation) || operation_takes_file(operation))
			continue;
		while (json_iterator_next(&fields, &name, &field))
			if (is_long(name)) {
				openapi_names_expect_refused(operation, "field", name, false, true);
				count++;
			}
		for (gsize j = 0; j < parameter_count(operation); j++)
			if (parameter(operation, j) && is_long(parameter(operation, j))) {
				openapi_names_expect_refused(operation, "parameter",
				    parameter(operation, j), true, has_body);
				count++;
			}
	}
	cr_expect(count > 40, "%u names", count);
}

/* Sends an unknown member and an unknown parameter with an accepted request. */
static void
expect_listed(const struct operation *operation)
{
	g_autofree char *path = operation_path(operation), *good = operation_body(operation);
	g_autofree char *target = g_strconcat(path, "?colour&Zzz=1", NULL);
	g_autofree char *body =
	    good ? g_strdup_printf("%.*s%s\"qqqq\":{\"a\":1}}", (int)strlen(good) - 1, good,
		       strcmp(good, "{}") == 0 ? "" : ",")
		 : NULL;
	AUTO(answer) answer = operation_ask(operation, "unknown names", target, body, NULL);
	g_autofree char *got = answer_header(answer, "Ignored-Members");
	const char *want = good ? "qqqq, colour, Zzz" : "colour, Zzz";

	/* No example can name a workspace of this tenant, and nobody answers to DNS here. */
	if (strcmp(operation->name, "PATCH /v1/session") == 0 ||
	    g_str_has_suffix(operation->path, "/policy"))
		return;
	cr_expect(answer->status < 300, "%s: %s", operation->name, answer->body);
	cr_expect(g_strcmp0(got, want) == 0, "%s: got %s, want %s", operation->name, got, want);
	AUTO(answer) failed = operation_ask(operation, "no key", target, body, "Authorization:");
	g_autofree char *none = answer_header(failed, "Ignored-Members");
	cr_expect_null(none, "%s: a failure lists %s", operation->name, none);
}

Test(openapi_names, lists_what_nobody_knows)
{
	g_autoptr(GPtrArray) all = operation_all();

	for (guint i = 0; i < all->len; i++)
		if (!operation_is_public(all->pdata[i]) && !operation_takes_file(all->pdata[i]))
			expect_listed(all->pdata[i]);
}

/* Whatever needs a key may be one request too many, and may have what nobody knows. */
Test(openapi_names, describes_limits_and_what_nobody_knows)
{
	g_autoptr(GPtrArray) all = operation_all();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		const struct json *done = operation_response(operation, 200);

		if (operation_is_public(operation))
			continue;
		if (!done)
			done = operation_response(operation, 201);
		cr_expect(operation_response(operation, 429), "%s: 429 is not described",
		    operation->name);
		cr_expect(json_member_has(json_member_get(done, "headers"), "Ignored-Members"),
		    "%s: Ignored-Members is not described", operation->name);
	}
}

static bool
has_row(const struct json_table *table, const char *name)
{
	for (gsize i = 0; table && i < table->count; i++)
		if (strcmp(table->fields[i].name, name) == 0)
			return true;
	return false;
}

static const struct fcgi_route *
route_of(const struct operation *operation)
{
	for (guint i = 0; i < fcgi_front_main.count; i++)
		if (strcmp(fcgi_routes[i].pattern, operation->path) == 0 &&
		    strcmp(fcgi_request_method_name(fcgi_routes[i].method), operation->method) == 0)
			return &fcgi_routes[i];
	return NULL;
}

/* The tables of the routes have the described names, and no others. */
Test(openapi_names, knows_the_names_of_the_service)
{
	g_autoptr(GPtrArray) all = operation_all();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		const struct fcgi_route *route = route_of(operation);
		const struct json *properties = operation_properties(operation), *field;
		struct json_iterator fields = json_members(properties);
		const char *name;

		if (operation_is_public(operation) || operation_takes_file(operation))
			continue;
		cr_assert(route, "%s", operation->name);
		while (json_iterator_next(&fields, &name, &field))
			cr_expect(
			    has_row(route->body, name), "%s: no field %s", operation->name, name);
		cr_expect_eq(json_member_count(properties), route->body ? route->body->count : 0,
		    "%s: number of fields", operation->name);
	}
}
