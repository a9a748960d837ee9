/* SPDX-License-Identifier: MIT */
/* Holds openapi.json against the service: its fields and replies. Its routes and limits
   are made from it. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/writer.h"
#include "tests/http/exchange.h"
#include "tests/http/operation.h"
#include "tests/http/schema.h"

TestSuite(openapi, .init = operation_begin, .fini = operation_end, .timeout = 900);

static void
expect_examples(const struct operation *operation, const char *of, const struct json *holder)
{
	struct json_iterator examples =
	    json_members(json_member_get(operation_media(holder), "examples"));
	const struct json *example;
	const char *key;

	while (json_iterator_next(&examples, &key, &example)) {
		g_autofree char *name = g_strdup_printf("%s, %s, %s", operation->name, of, key);
		const struct json *status = json_member_get(example, "x-status");
		if (!status || json_integer(status) < 300)
			operation_expect_valid(name,
			    json_member_get(operation_media(holder), "schema"),
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
	const char *version = json_string(
	    json_member_get(json_member_get(operation_document, "info"), "version"), NULL);

	cr_expect_str_eq(version, PACKAGE_VERSION);
	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		AUTO(answer) answer = exchange_expect(operation_tenant, &exchanges[i]);
		g_autofree char *type = answer_header(answer, "Content-Type");
		g_autofree char *cache = answer_header(answer, "Cache-Control");
		cr_expect_str_eq(answer->body, operation_text, "%s", exchanges[i].name);
		cr_expect_str_eq(type, "application/json", "%s", exchanges[i].name);
		cr_expect_str_eq(cache, "public, max-age=3600", "%s", exchanges[i].name);
	}
	answer_free(exchange_expect(operation_tenant, &head));
}

Test(openapi, has_examples_of_its_schemas)
{
	g_autoptr(GPtrArray) all = operation_all();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		struct json_iterator responses =
		    json_members(json_member_get(operation->json, "responses"));
		const struct json *one;
		const char *status;

		expect_examples(operation, "body", json_member_get(operation->json, "requestBody"));
		while (json_iterator_next(&responses, &status, &one)) {
			cr_expect(
			    operation_media(one), "%s: %s has no schema", operation->name, status);
			expect_examples(operation, status, one);
		}
	}
}

/* Sends each example of a request, and expects its x-status. */
static void
expect_requests(const struct operation *operation)
{
	struct json_iterator examples = json_members(json_member_get(
	    operation_media(json_member_get(operation->json, "requestBody")), "examples"));
	const struct json *example;
	const char *key;

	while (json_iterator_next(&examples, &key, &example)) {
		g_autofree char *path = operation_path(operation);
		g_autofree char *body =
		    operation_with_audience(json_print(json_member_get(example, "value")));
		gint64 want = json_integer(json_member_get(example, "x-status"));
		AUTO(answer) answer = operation_ask(operation, key, path, body, NULL);

		cr_expect_eq(answer->status, want, "%s, %s: got %u, want %d: %s", operation->name,
		    key, answer->status, (int)want, answer->body);
	}
}

/* Requests that every operation can be sent. */
static void
expect_answers(const struct operation *operation)
{
	bool public = json_member_has(operation->json, "security");
	const struct json *responses = json_member_get(operation->json, "responses");
	/* A PUT makes what is not there. */
	bool item = strchr(operation->path, '{') && json_member_has(responses, "404");
	g_autofree char *path = operation_path(operation), *body = operation_body(operation);
	g_autofree char *wrong = g_strconcat(path, "?cursor=x&status=x&to=x", NULL);
	/* A public operation that refuses is one whose requests are signed, or have a token. */
	guint good = json_member_has(responses, "302")	 ? 302
		     : json_member_has(responses, "202") ? 202
		     : json_member_has(responses, "303") ? 400 /* a form needs an address */
		     : public && json_member_has(responses, "403") ? 403
		     /* No domain here has a tracking host. */
		     : strcmp(operation->path, "/tls-ask") == 0 ? 404
		     /* Nobody answers to DNS here. */
		     : g_str_has_suffix(operation->path, "/policy") ? 503
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
		AUTO(answer) answer = operation_ask(
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
	g_autoptr(GPtrArray) all = operation_all();

	for (guint i = 0; i < all->len; i++) {
		expect_requests(all->pdata[i]);
		if (!operation_takes_file(all->pdata[i]))
			expect_answers(all->pdata[i]);
	}
}

/* Sends a body with what most operations need, and a change of it; without: the name of a member
   that is left out, or NULL. The caller owns the answer. */
static struct answer *
openapi_ask(const struct operation *operation, const char *name, const char *path,
    const char *change, const char *without)
{
	g_autofree char *body = exchange_merged(
	    "{'from':'2000-01-01T00:00:00Z','to':'2000-01-01T00:00:00Z','name':'x','html':'x',"
	    "'email':'a@b.example','url':'http://a.example/','event_name':'x',"
	    "'key':'x','type':'string',"
	    "'rules':{'rules':[]},'rows':[{'email':'c@d.example'}],'design':{'nodes':[],'edges':[]}"
	    "}",
	    change, without);

	return operation_ask(operation, name, path, body, NULL);
}

/* The sentence of a failure; "" for none. */
static const char *
openapi_message(const struct answer *answer)
{
	const char *message = json_string(answer_at(answer, "message"), NULL);

	if (!message)
		message = json_string(answer_at(answer, "details"), NULL);
	return message ? message : "";
}

/* The service knows each described field: it names the field when the type is wrong. */
Test(openapi, has_the_fields_of_the_service)
{
	g_autoptr(GPtrArray) all = operation_all();

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		const struct json *schema = json_member_get(
		    operation_media(json_member_get(operation->json, "requestBody")), "schema");
		struct json_iterator fields = json_members(
		    json_member_get(schema_resolve(operation_document, schema), "properties"));
		const struct json *field;
		const char *name;
		/* Beside emails it is a misspelling. */
		const char *without = g_str_has_suffix(operation->path, "/batch") ? "email" : NULL;

		if (operation_takes_file(operation))
			continue;
		while (json_iterator_next(&fields, &name, &field)) {
			g_autofree char *path = operation_path(operation);
			g_autofree char *type = json_print(json_member_get(field, "type"));
			g_autofree char *change = g_strdup_printf(
			    "'%s':%s", name, strstr(type, "boolean") ? "7" : "true");
			AUTO(answer) answer = openapi_ask(operation, name, path, change, without);
			g_autofree char *want = g_strdup_printf("%s must be ", name);
			const char *message = openapi_message(answer);
			cr_expect(answer->status == 400 && g_str_has_prefix(message, want),
			    "%s, %s: got %s", operation->name, name, answer->body);
		}
	}
}

/* The answer to a text of this length in a field. The caller owns it. */
static struct answer *
openapi_ask_length(const struct operation *operation, const char *name, gint64 length)
{
	g_autofree char *path = operation_path(operation);
	g_autofree char *text = g_strnfill((gsize)length, 'a');
	g_autofree char *change = g_strdup_printf("'%s':'%s'", name, text);

	return openapi_ask(operation, name, path, change, NULL);
}

/* Each text with a described length is refused one past it and, where the sentence names the
   length, not at it. */
Test(openapi, holds_texts_to_their_lengths)
{
	g_autoptr(GPtrArray) all = operation_all();
	guint named = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct operation *operation = all->pdata[i];
		struct json_iterator fields = json_members(operation_properties(operation));
		const struct json *field;
		const char *name;

		if (operation_takes_file(operation))
			continue;
		while (json_iterator_next(&fields, &name, &field)) {
			gint64 most = json_integer(json_member_get(field, "maxLength"));
			if (most == 0)
				continue;
			AUTO(answer) past = openapi_ask_length(operation, name, most + 1);
			g_autofree char *number = g_strdup_printf(" %d ", (int)most);
			const char *message = openapi_message(past);
			cr_expect(past->status == 400 && g_str_has_prefix(message, name),
			    "%s, %s: got %s", operation->name, name, past->body);
			if (!strstr(message, number))
				continue;
			AUTO(answer) at = openapi_ask_length(operation, name, most);
			cr_expect_str_neq(
			    openapi_message(at), message, "%s, %s", operation->name, name);
			named++;
		}
	}
	cr_expect_geq(named, 30u, "%u lengths", named);
}
