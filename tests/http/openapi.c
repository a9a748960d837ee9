/* SPDX-License-Identifier: MIT */
/* Holds openapi.json against the service: its routes, fields, limits and replies. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "fcgi/routes.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "tests/http/audience.h"
#include "tests/http/exchange.h"
#include "tests/http/openapi_path.h"
#include "tests/http/person.h"
#include "tests/http/schema.h"
#include "tests/http/tenant.h"

static struct tenant *tenant;
static char *joined; /* the text of openapi.json */
static struct json *document;

static void
begin(void)
{
	const char *folder = g_getenv("builddir");
	g_autofree char *path =
	    g_build_filename(folder ? folder : ".", "api", "openapi.json", NULL);
	g_autoptr(GError) error = NULL;
	gsize size;

	cr_assert(
	    g_file_get_contents(path, &joined, &size, &error), "%s", error ? error->message : "");
	document = json_parse_as("openapi.json", joined, size, &error);
	cr_assert(document, "%s", error ? error->message : "");
	tenant = tenant_open();
}

static void
end(void)
{
	tenant_close(tenant);
	json_free(document);
	g_free(joined);
}

TestSuite(openapi, .init = begin, .fini = end, .timeout = 900);

/* One operation of the document. */
struct operation {
	char *name;   /* "POST /v1/emails" */
	char *method; /* in capitals */
	const char *path;
	const struct json *json;
};

static void
free_operation(void *pointer)
{
	struct operation *operation = pointer;

	g_free(operation->name);
	g_free(operation->method);
	g_free(operation);
}

/* All of them, in their order, as an array of struct operation. The caller owns it. */
static GPtrArray *
operations(void)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(free_operation);
	struct json_iterator paths = json_members(json_member_get(document, "paths"));
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

/* The media type of a request body or a response: JSON nearly always, and only one. */
static const struct json *
media(const struct json *holder)
{
	struct json_iterator types =
	    json_members(json_member_get(schema_resolve(document, holder), "content"));
	const struct json *type = NULL;
	const char *name;

	return json_iterator_next(&types, &name, &type) ? type : NULL;
}

static const struct json *
response(const struct operation *operation, guint status)
{
	g_autofree char *key = g_strdup_printf("%u", status);

	return schema_resolve(
	    document, json_member_get(json_member_get(operation->json, "responses"), key));
}

static bool
takes_json(const struct json *operation)
{
	return json_member_has(
	    json_member_get(json_member_get(operation, "requestBody"), "content"),
	    "application/json");
}

Test(openapi, has_the_routes_of_the_service)
{
	static const char *const scopes[] = {[KEY_FULL] = "full",
	    [KEY_SEND] = "send",
	    [KEY_READ] = "read",
	    [KEY_METRICS] = "metrics"};
	g_autoptr(GPtrArray) all = operations();

	cr_expect_eq(all->len, fcgi_route_count, "%u operations for %u fcgi_routes", all->len,
	    fcgi_route_count);
	for (guint i = 0; i < fcgi_route_count; i++) {
		const struct json *path =
		    json_member_get(json_member_get(document, "paths"), fcgi_routes[i].pattern);
		g_autofree char *method =
		    g_ascii_strdown(fcgi_request_method_name(fcgi_routes[i].method), -1);
		const struct json *operation = json_member_get(path, method);
		const char *scope = json_string(json_member_get(operation, "x-scope"), NULL);
		const char *want = fcgi_routes[i].scope == ROUTE_PUBLIC ? NULL
				   : fcgi_routes[i].scope == ROUTE_ANY
				       ? "any"
				       : scopes[fcgi_routes[i].scope];

		cr_expect(operation, "%s %s is missing", method, fcgi_routes[i].pattern);
		cr_expect(g_strcmp0(scope, want) == 0, "%s %s: scope is %s, want %s", method,
		    fcgi_routes[i].pattern, scope, want);
		cr_expect(json_member_has(operation, "security") == (want == NULL),
		    "%s %s: security", method, fcgi_routes[i].pattern);
		cr_expect(takes_json(operation) == (fcgi_routes[i].body != NULL), "%s %s: body",
		    method, fcgi_routes[i].pattern);
	}
}

static void
expect_valid(const char *name, const struct json *schema, const struct json *value)
{
	g_autofree char *fault = schema_fault(document, schema, "", value);

	cr_expect_null(fault, "%s: %s", name, fault);
}

static void
expect_examples(const struct operation *operation, const char *of, const struct json *holder)
{
	struct json_iterator examples = json_members(json_member_get(media(holder), "examples"));
	const struct json *example;
	const char *key;

	while (json_iterator_next(&examples, &key, &example)) {
		g_autofree char *name = g_strdup_printf("%s, %s, %s", operation->name, of, key);
		const struct json *status = json_member_get(example, "x-status");
		if (!status || json_integer(status) < 300)
			expect_valid(name, json_member_get(media(holder), "schema"),
			    json_member_get(example, "value"));
	}
}

/* The service replies with the joined file, byte for byte. */
Test(openapi, is_served)
{
	static const struct exchange exchanges[] = {
	    {"with a key", "GET", "/openapi.json", NULL, 200},
	    {"without a key", "GET", "/openapi.json", NULL, 200, .headers = {"Authorization:"}},
	};
	const struct exchange head = {"HEAD", "HEAD", "/openapi.json", NULL, 200, ""};
	const char *version =
	    json_string(json_member_get(json_member_get(document, "info"), "version"), NULL);

	cr_expect_str_eq(version, PACKAGE_VERSION);
	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		AUTO(answer) answer = exchange_expect(tenant, &exchanges[i]);
		g_autofree char *type = answer_header(answer, "Content-Type");
		g_autofree char *cache = answer_header(answer, "Cache-Control");
		cr_expect_str_eq(answer->body, joined, "%s", exchanges[i].name);
		cr_expect_str_eq(type, "application/json", "%s", exchanges[i].name);
		cr_expect_str_eq(cache, "public, max-age=3600", "%s", exchanges[i].name);
	}
	answer_free(exchange_expect(tenant, &head));
}

Test(openapi, has_examples_of_its_schemas)
{
	g_autoptr(GPtrArray) all = operations();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		struct json_iterator responses =
		    json_members(json_member_get(operation->json, "responses"));
		const struct json *one;
		const char *status;

		expect_examples(operation, "body", json_member_get(operation->json, "requestBody"));
		while (json_iterator_next(&responses, &status, &one)) {
			cr_expect(media(one), "%s: %s has no schema", operation->name, status);
			expect_examples(operation, status, one);
		}
	}
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
		cr_expect(value || !json_boolean(json_member_get(header, "required")),
		    "%s: no header %s", name, key);
	}
}

/* The header with the key that the operation needs; NULL: the tenant's. The caller owns it. */
static char *
own_credential(const struct operation *operation)
{
	if (strcmp(operation->path, "/metrics") != 0)
		return NULL;
	g_autofree char *key = tenant_new_key(tenant, "metrics", NULL);
	return g_strconcat("Authorization: Bearer ", key, NULL);
}

/* The session that the operation needs; NULL: none. */
static struct person *
own_session(const struct operation *operation)
{
	bool is_public = json_member_has(operation->json, "security");

	return g_str_has_prefix(operation->path, "/v1/session") && !is_public
		   ? person_open(tenant, "ann@example.com", NULL)
		   : NULL;
}

/* Sends a request, and holds the reply against the description of its status. The caller owns the
   answer. */
static struct answer *
ask(const struct operation *operation, const char *name, const char *path, const char *body,
    const char *credential)
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
	struct answer *answer = exchange_ask(tenant, &exchange);
	const struct json *described = response(operation, answer->status);
	cr_expect(
	    described, "%s: status %u is not described: %s", label, answer->status, answer->body);
	if (described) {
		expect_valid(label, json_member_get(media(described), "schema"), answer->json);
		expect_headers(label, described, answer);
	}
	return answer;
}

/* The path with existing ids in place of each {name}. The caller owns it. */
static char *
path_of(const struct operation *operation)
{
	return openapi_path_make(tenant, operation->method, operation->path);
}

/* A body with the id of an audience in place of the description's. The caller owns it. */
static char *
with_audience(char *body)
{
	static const char example[] = "0199c1a2-7f00-7000-8000-00000000a0d1";
	GString *text = g_string_new(body);

	g_free(body);
	if (strstr(text->str, example)) {
		g_autofree char *id = audience_new(tenant, "N");
		g_string_replace(text, example, id, 0);
	}
	return g_string_free(text, FALSE);
}

/* Sends each example of a request, and expects its x-status. */
static void
expect_requests(const struct operation *operation)
{
	struct json_iterator examples = json_members(
	    json_member_get(media(json_member_get(operation->json, "requestBody")), "examples"));
	const struct json *example;
	const char *key;

	while (json_iterator_next(&examples, &key, &example)) {
		g_autofree char *path = path_of(operation);
		g_autofree char *body =
		    with_audience(json_print(json_member_get(example, "value")));
		gint64 want = json_integer(json_member_get(example, "x-status"));
		AUTO(answer) answer = ask(operation, key, path, body, NULL);

		cr_expect_eq(answer->status, want, "%s, %s: got %u, want %d: %s", operation->name,
		    key, answer->status, (int)want, answer->body);
	}
}

/* The first example of a request that is accepted; where there is none, the first one. NULL for a
   request without a body. The caller owns it. */
static char *
good_body(const struct operation *operation)
{
	struct json_iterator examples = json_members(
	    json_member_get(media(json_member_get(operation->json, "requestBody")), "examples"));
	const struct json *example, *first = NULL;
	const char *key;

	while (json_iterator_next(&examples, &key, &example)) {
		if (json_integer(json_member_get(example, "x-status")) < 300)
			return with_audience(json_print(json_member_get(example, "value")));
		first = first ? first : example;
	}
	return first ? json_print(json_member_get(first, "value")) : NULL;
}

/* Requests that every operation can be sent. */
static void
expect_answers(const struct operation *operation)
{
	bool public = json_member_has(operation->json, "security");
	const struct json *responses = json_member_get(operation->json, "responses");
	bool item = strchr(operation->path, '{');
	g_autofree char *path = path_of(operation), *body = good_body(operation);
	g_autofree char *wrong = g_strconcat(path, "?cursor=x&status=x&to=x", NULL);
	/* A public operation that refuses is one whose requests are signed, or have a token. */
	guint good = json_member_has(responses, "302")	 ? 302
		     : json_member_has(responses, "202") ? 202
		     : json_member_has(responses, "303") ? 400 /* a form needs an address */
		     : public && json_member_has(responses, "403") ? 403
								   : 200;
	g_autofree char *unknown = g_uri_escape_string(operation->path, "/", FALSE);
	const struct {
		const char *name, *path, *body, *credential;
		guint want; /* 0: any that is described */
	} cases[] = {
	    {"no key", path, body, "Authorization:", public ? good : 401},
	    {"wrong key", path, body, "Authorization: Bearer x", public ? good : 403},
	    {"X-API-Key, wrong", path, body, "X-API-Key: x", public ? good : 403},
	    {"no JSON", path, body ? "[" : NULL, NULL, body ? 400 : good},
	    {"no fields", path, body ? "{}" : NULL, NULL, 0},
	    {"wrong parameters", wrong, body, NULL, 0},
	    {"unknown", unknown, body, NULL, item ? 404 : 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) answer = ask(
		    operation, cases[i].name, cases[i].path, cases[i].body, cases[i].credential);
		/* The first DELETE has removed the row. */
		bool gone = answer->status == 404 && *operation->method == 'D';
		cr_expect(cases[i].want == 0 || answer->status == cases[i].want || gone,
		    "%s, %s: got %u, want %u: %s", operation->name, cases[i].name, answer->status,
		    cases[i].want, answer->body);
	}
}

Test(openapi, tells_what_is_answered)
{
	g_autoptr(GPtrArray) all = operations();

	for (guint i = 0; i < all->len; i++) {
		expect_requests(all->pdata[i]);
		expect_answers(all->pdata[i]);
	}
}

/* The service knows each described field: it names the field when the type is wrong. */
Test(openapi, has_the_fields_of_the_service)
{
	g_autoptr(GPtrArray) all = operations();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		const struct json *schema = json_member_get(
		    media(json_member_get(operation->json, "requestBody")), "schema");
		struct json_iterator fields =
		    json_members(json_member_get(schema_resolve(document, schema), "properties"));
		const struct json *field;
		const char *name;
		/* Beside emails it is a misspelling. */
		const char *without = g_str_has_suffix(operation->path, "/batch") ? "email" : NULL;

		while (json_iterator_next(&fields, &name, &field)) {
			g_autofree char *path = path_of(operation);
			g_autofree char *type = json_print(json_member_get(field, "type"));
			g_autofree char *change = g_strdup_printf(
			    "'%s':%s", name, strstr(type, "boolean") ? "7" : "true");
			g_autofree char *body = exchange_merged(
			    "{'from':'2000-01-01T00:00:00Z','to':'2000-01-01T00:00:"
			    "00Z','name':'x','html':'x',"
			    "'email':'a@b.example','event_name':'x','key':'x','type':'string',"
			    "'rules':{'rules':[]},'design':{'nodes':[],'edges':[]}}",
			    change, without);
			AUTO(answer) answer = ask(operation, name, path, body, NULL);
			g_autofree char *want = g_strdup_printf("%s must be ", name);
			const char *message = json_string(answer_at(answer, "message"), NULL);
			if (!message)
				message = answer_text(answer, "details");
			cr_expect(answer->status == 400 && g_str_has_prefix(message, want),
			    "%s, %s: got %s", operation->name, name, answer->body);
		}
	}
}

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
expect_refused(const struct operation *operation, const char *noun, const char *name, bool in_query,
    bool has_body)
{
	g_autofree char *wrong = misspell(name);
	g_autofree char *path = g_uri_escape_string(operation->path, "/", FALSE);
	g_autofree char *target = g_strconcat(path, "?", in_query ? wrong : "", NULL);
	g_autofree char *member = g_strdup_printf("{\"%s\":1}", wrong);
	const char *body = !has_body ? NULL : in_query ? "{}" : member;
	g_autofree char *want =
	    g_strdup_printf("%s is not a %s of this request; did you mean %s?", wrong, noun, name);
	AUTO(answer) answer = ask(operation, wrong, target, body, NULL);
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

static const struct json *
body_properties(const struct operation *operation)
{
	const struct json *schema =
	    json_member_get(media(json_member_get(operation->json, "requestBody")), "schema");

	return json_member_get(schema_resolve(document, schema), "properties");
}

/* The name of the parameter at this place, or NULL when it is not one of the query. */
static const char *
parameter(const struct operation *operation, gsize place)
{
	const struct json *parameters = json_member_get(operation->json, "parameters");
	const struct json *one = schema_resolve(document, json_array_at(parameters, place));

	if (g_strcmp0(json_string(json_member_get(one, "in"), NULL), "query") != 0)
		return NULL;
	return json_string(json_member_get(one, "name"), NULL);
}

static gsize
parameter_count(const struct operation *operation)
{
	return json_array_length(json_member_get(operation->json, "parameters"));
}

static bool
is_public(const struct operation *operation)
{
	return json_member_has(operation->json, "security");
}

Test(openapi, refuses_each_name_misspelled)
{
	g_autoptr(GPtrArray) all = operations();
	guint count = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		struct json_iterator fields = json_members(body_properties(operation));
		bool has_body = fields.next != NULL;
		const char *name;
		const struct json *field;

		if (is_public(operation))
			continue;
		while (json_iterator_next(&fields, &name, &field))
			if (is_long(name)) {
				expect_refused(operation, "field", name, false, true);
				count++;
			}
		for (gsize j = 0; j < parameter_count(operation); j++)
			if (parameter(operation, j) && is_long(parameter(operation, j))) {
				expect_refused(operation, "parameter", parameter(operation, j),
				    true, has_body);
				count++;
			}
	}
	cr_expect(count > 40, "%u names", count);
}

/* Sends an unknown member and an unknown parameter with an accepted request. */
static void
expect_listed(const struct operation *operation)
{
	g_autofree char *path = path_of(operation), *good = good_body(operation);
	g_autofree char *target = g_strconcat(path, "?colour&Zzz=1", NULL);
	g_autofree char *body =
	    good ? g_strdup_printf("%.*s%s\"qqqq\":{\"a\":1}}", (int)strlen(good) - 1, good,
		       strcmp(good, "{}") == 0 ? "" : ",")
		 : NULL;
	AUTO(answer) answer = ask(operation, "unknown names", target, body, NULL);
	g_autofree char *got = answer_header(answer, "Ignored-Members");
	const char *want = good ? "qqqq, colour, Zzz" : "colour, Zzz";

	/* No example can name a workspace of this tenant. */
	if (strcmp(operation->name, "PATCH /v1/session") == 0)
		return;
	cr_expect(answer->status < 300, "%s: %s", operation->name, answer->body);
	cr_expect(g_strcmp0(got, want) == 0, "%s: got %s, want %s", operation->name, got, want);
	AUTO(answer) failed = ask(operation, "no key", target, body, "Authorization:");
	g_autofree char *none = answer_header(failed, "Ignored-Members");
	cr_expect_null(none, "%s: a failure lists %s", operation->name, none);
}

Test(openapi, lists_what_nobody_knows)
{
	g_autoptr(GPtrArray) all = operations();

	for (guint i = 0; i < all->len; i++)
		if (!is_public(all->pdata[i]))
			expect_listed(all->pdata[i]);
}

/* Whatever needs a key may be one request too many, and may have what nobody knows. */
Test(openapi, describes_limits_and_what_nobody_knows)
{
	g_autoptr(GPtrArray) all = operations();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		const struct json *done = response(operation, 200);

		if (is_public(operation))
			continue;
		if (!done)
			done = response(operation, 201);
		cr_expect(response(operation, 429), "%s: 429 is not described", operation->name);
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
	for (guint i = 0; i < fcgi_route_count; i++)
		if (strcmp(fcgi_routes[i].pattern, operation->path) == 0 &&
		    strcmp(fcgi_request_method_name(fcgi_routes[i].method), operation->method) == 0)
			return &fcgi_routes[i];
	return NULL;
}

/* The tables of the routes have the described names, and no others. */
Test(openapi, knows_the_names_of_the_service)
{
	g_autoptr(GPtrArray) all = operations();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		const struct fcgi_route *route = route_of(operation);
		const struct json *properties = body_properties(operation), *field;
		struct json_iterator fields = json_members(properties);
		gsize described = 0;
		const char *name;

		if (is_public(operation))
			continue;
		cr_assert(route, "%s", operation->name);
		while (json_iterator_next(&fields, &name, &field))
			cr_expect(
			    has_row(route->body, name), "%s: no field %s", operation->name, name);
		cr_expect_eq(json_member_count(properties), route->body ? route->body->count : 0,
		    "%s: number of fields", operation->name);
		for (gsize j = 0; j < parameter_count(operation); j++) {
			name = parameter(operation, j);
			described += name != NULL;
			cr_expect(!name || (route->parameters &&
					       g_strv_contains(route->parameters, name)),
			    "%s: no parameter %s", operation->name, name);
		}
		cr_expect_eq(described,
		    route->parameters ? g_strv_length((char **)route->parameters) : 0,
		    "%s: number of parameters", operation->name);
	}
}

Test(openapi, has_the_limits_of_the_service)
{
	static const struct {
		const char *schema, *field, *keyword;
		gint64 want;
	} limits[] = {
	    {"NewEmail", "from", "maxLength", LIMIT_FROM_LENGTH},
	    {"NewEmail", "subject", "maxLength", LIMIT_SUBJECT_LENGTH},
	    {"NewEmail", "html", "x-maxBytes", LIMIT_HTML_BYTES},
	    {"NewEmail", "text", "x-maxBytes", LIMIT_TEXT_BYTES},
	    {"NewEmail", "headers", "maxProperties", LIMIT_HEADERS},
	    {"NewEmail", "tags", "maxProperties", LIMIT_TAGS},
	    {"NewEmail", "attachments", "maxItems", LIMIT_ATTACHMENTS},
	    {"Attachment", "filename", "maxLength", LIMIT_FILENAME_LENGTH},
	    {"Attachment", "path", "maxLength", LIMIT_URL_LENGTH},
	    {"Attachment", "content_type", "maxLength", LIMIT_CONTENT_TYPE_LENGTH},
	    {"Attachment", "content_id", "maxLength", LIMIT_CONTENT_ID_LENGTH},
	    {"NewTemplate", "name", "maxLength", LIMIT_NAME_LENGTH},
	    {"NewTemplate", "html", "x-maxBytes", LIMIT_HTML_BYTES},
	    {"NewEvent", "properties", "x-maxBytes", LIMIT_EVENT_PROPERTIES_BYTES},
	    {"NewTemplate", "subject", "maxLength", LIMIT_SUBJECT_LENGTH},
	    {"NewTemplate", "variables", "maxProperties", LIMIT_VARIABLES},
	    {"TemplateChange", "name", "maxLength", LIMIT_NAME_LENGTH},
	    {"NewWorkflow", "name", "maxLength", LIMIT_NAME_LENGTH},
	    {"WorkflowChange", "name", "maxLength", LIMIT_NAME_LENGTH},
	    {"NewContact", "override", "maxLength", LIMIT_OVERRIDE_LENGTH},
	    {"ContactChange", "override", "maxLength", LIMIT_OVERRIDE_LENGTH},
	    {"NewDomain", "name", "minLength", LIMIT_DOMAIN_MIN_LENGTH},
	    {"NewDomain", "name", "maxLength", LIMIT_SENDER_DOMAIN_LENGTH},
	};
	const struct json *schemas =
	    json_member_get(json_member_get(document, "components"), "schemas");

	for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
		const struct json *field = json_member_get(
		    json_member_get(json_member_get(schemas, limits[i].schema), "properties"),
		    limits[i].field);
		gint64 got = json_integer(json_member_get(field, limits[i].keyword));
		cr_expect_eq(got, limits[i].want, "%s.%s: %s is %d, want %d", limits[i].schema,
		    limits[i].field, limits[i].keyword, (int)got, (int)limits[i].want);
	}
	cr_expect_eq(
	    json_integer(json_member_get(json_member_get(schemas, "Variables"), "maxProperties")),
	    LIMIT_VARIABLES);
}
