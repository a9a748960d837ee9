/* SPDX-License-Identifier: MIT */
/* /resend/templates */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/person.h"
#include "base/limits/template.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/unserved.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")
#define NOT_FOUND FAILURE(404, "not_found", "Template not found")

FIXTURE_SUITE(resend_templates, 900);

/* Creates a template, and returns its id, which the caller owns. */
static char *
templates_add(const char *body)
{
	const struct exchange exchange = {body, "POST", "/resend/templates", body, 201,
	    .want = {"object = 'template'", "id : string"}};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

static void
templates_post(const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, "POST", path, body, status};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Expects a list to have these names, separated by commas, and has_more. */
static void
templates_expect_list(const char *query, const char *names, bool has_more)
{
	g_autofree char *path = g_strconcat("/resend/templates", query, NULL);
	const struct exchange exchange = {path, "GET", path, .want_status = 200,
	    .want = {"object = 'list'", has_more ? "has_more = true" : "has_more = false"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? "," : "",
		    json_string(json_member_get(json_array_at(data, i), "name"), NULL));
	cr_expect_str_eq(got->str, names, "%s: got %s, want %s", path, got->str, names);
}

Test(resend_templates, are_drafts_until_they_are_published)
{
	g_autofree char *id = templates_add(
	    "{'name':'Welcome','html':'<p>{{{NAME}}}','alias':'welcome','subject':'Hi {{NAME}}',"
	    "'from':'Me <me@example.com>','reply_to':'a@x.org','text':'','variables':["
	    "{'key':'NAME','type':'string','fallback_value':'you'},{'key':'N','type':'number'}],"
	    "'react':{},'nobody_knows':1}");
	g_autofree char *path = g_strconcat("/resend/templates/", id, NULL);
	g_autofree char *main = g_strconcat("/v1/templates/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'template','id':'%s'}", id);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'template','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 200,
		.want = {"object = 'template'", "id : string", "alias = 'welcome'",
		    "name = 'Welcome'", "status = 'draft'", "published_at : null",
		    "created_at : string", "updated_at : string", "current_version_id : string",
		    "has_unpublished_versions = true", "from = 'Me <me@example.com>'",
		    "subject = 'Hi {{NAME}}'", "reply_to = ['a@x.org']", "html = '<p>{{{NAME}}}'",
		    "text = null", "variables[0].key = 'NAME'", "variables[0].type = 'string'",
		    "variables[0].fallback_value = 'you'", "variables[0].created_at : string",
		    "variables[0].updated_at : string", "variables[1].key = 'N'",
		    "variables[1].type = 'number'", "variables[1].fallback_value : null"}},
	    {"v1 does not see it", "GET", main, .want_status = 404},
	    {"v1 does not list it", "GET", "/v1/templates", .want_status = 200,
		.want = {"templates = []"}},
	    {"v1 does not change it", "PATCH", main, "{'name':'x'}", 404},
	    {"v1 does not delete it", "DELETE", main, .want_status = 404},
	    {"publish", "POST", "/resend/templates/welcome/publish", .want_status = 200,
		.want_body = own},
	    {"published", "GET", "/resend/templates/welcome", .want_status = 200,
		.want = {"status = 'published'", "published_at : string",
		    "has_unpublished_versions = false"}},
	    {"v1 sees it", "GET", main, .want_status = 200,
		.want = {"name = 'Welcome'", "html = '<p>{{{NAME}}}'",
		    "variables = {'NAME':'you'}"}},
	    {"change", "PATCH", path, "{'html':'new','name':'Later','subject':null}", 200, own},
	    {"the draft is shown", "GET", path, .want_status = 200,
		.want = {"html = 'new'", "name = 'Later'", "subject = 'Hi {{NAME}}'",
		    "status = 'published'", "has_unpublished_versions = true"}},
	    {"v1 sees what is published", "GET", main, .want_status = 200,
		.want = {"name = 'Welcome'", "html = '<p>{{{NAME}}}'"}},
	    {"publish again", "POST", "/resend/templates/welcome/publish", .want_status = 200},
	    {"v1 sees the change", "GET", main, .want_status = 200,
		.want = {"name = 'Later'", "html = 'new'"}},
	    {"remove", "DELETE", "/resend/templates/welcome", .want_status = 200,
		.want_body = gone},
	    {"removed", "GET", path, .want_status = 404, .want_body = NOT_FOUND},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_templates, of_v1_are_published)
{
	templates_post(
	    "/v1/templates", "{'id':'own','name':'Own','html':'{{a}}','variables':{'a':1}}", 200);
	const struct exchange exchanges[] = {
	    {"get", "GET", "/resend/templates/own", .want_status = 200,
		.want = {"id = 'own'", "status = 'published'", "published_at : string",
		    "alias : null", "reply_to : null", "text : null", "from : null",
		    "subject : null", "current_version_id : string",
		    "has_unpublished_versions = false", "variables[0].key = 'a'",
		    "variables[0].type = 'number'", "variables[0].fallback_value = 1"}},
	    {"rename", "PATCH", "/resend/templates/own", "{'name':'Mine'}", 200},
	    {"v1 keeps its name", "GET", "/v1/templates/own", .want_status = 200,
		.want = {"name = 'Own'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_templates, are_copied)
{
	g_autofree char *id = templates_add("{'name':'Welcome','html':'x','alias':'a'}");
	const struct exchange copy = {"duplicate", "POST", "/resend/templates/a/duplicate",
	    .want_status = 200, .want = {"object = 'template'", "id : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &copy);
	g_autofree char *path = g_strconcat("/resend/templates/", answer_text(answer, "id"), NULL);
	const struct exchange exchanges[] = {
	    {"the copy", "GET", path, .want_status = 200,
		.want = {"name = 'Welcome (Copy)'", "alias : null", "status = 'draft'",
		    "html = 'x'"}},
	    {"unknown", "POST", "/resend/templates/b/duplicate", .want_status = 404,
		.want_body = NOT_FOUND},
	};

	cr_expect_str_neq(answer_text(answer, "id"), id);
	EXPECT_ALL(fixture, exchanges);
}

Test(resend_templates, are_listed)
{
	g_autofree char *a = templates_add("{'name':'a','html':'x','alias':'first'}");
	exchange_next_moment();
	templates_post("/v1/templates", "{'id':'own','name':'b','html':'x'}", 200);
	g_autofree char *c = templates_add("{'name':'c','html':'x'}");
	g_autofree char *before_a = g_strconcat("?limit=1&before=", a, NULL);
	g_autofree char *before_c = g_strconcat("?before=", c, NULL);
	g_autofree char *after_c = g_strconcat("?limit=1&after=", c, NULL);
	g_autofree char *after_a = g_strconcat("?after=", a, NULL);
	const struct exchange exchanges[] = {
	    {"rows", "GET", "/resend/templates?limit=1&after=own", .want_status = 200,
		.want = {"data[0].id : string", "data[0].name = 'a'", "data[0].status = 'draft'",
		    "data[0].published_at : null", "data[0].created_at : string",
		    "data[0].updated_at : string", "data[0].alias = 'first'",
		    "data[0].html : absent", "data[0].object : absent"}},
	    {"no cursor", "GET", "/resend/templates?after=nobody", .want_status = 422,
		.want_body = FAILURE(
		    422, "validation_error", "Invalid `after` field. after must be a valid UUID.")},
	};

	templates_expect_list("", "c,b,a", false);
	templates_expect_list("?limit=2", "c,b", true);
	templates_expect_list("?after=own", "a", false);
	templates_expect_list("?before=own", "c", false);
	templates_expect_list(before_a, "b", true);
	templates_expect_list(before_c, "", false);
	templates_expect_list(after_c, "b", true);
	templates_expect_list(after_a, "", false);
	EXPECT_ALL(fixture, exchanges);
}

#define INVALID(field, text) FAILURE(422, "validation_error", "Invalid `" field "` field. " text)
Test(resend_templates, are_checked)
{
	g_autofree char *id = templates_add("{'name':'n','html':'x','alias':'taken'}");
	g_autofree char *other = templates_add("{'name':'n','html':'x','alias':'other'}");
	const char *path = "/resend/templates";
	const struct exchange exchanges[] = {
	    {"nothing", "POST", path, "", 422, MISSING("name")},
	    {"no name", "POST", path, "{'html':'x'}", 422, MISSING("name")},
	    {"no html", "POST", path, "{'name':'n'}", 422, MISSING("html")},
	    {"empty html", "POST", path, "{'name':'n','html':''}", 422, MISSING("html")},
	    {"no key", "POST", path, "{'name':'n','html':'x','variables':[{'type':'string'}]}", 422,
		MISSING("variables[0].key")},
	    {"no type", "POST", path, "{'name':'n','html':'x','variables':[{'key':'A'}]}", 422,
		MISSING("variables[0].type")},
	    {"a list", "POST", path,
		"{'name':'n','html':'x','variables':[{'key':'A','type':'list'}]}", 501,
		UNSERVED(
		    "The `variables[0].type` field asks for what this service does not have.")},
	    {"sender", "POST", path, "{'name':'n','html':'x','from':'me'}", 422,
		.want = {"name = 'invalid_from_address'"}},
	    {"the alias of another", "POST", path, "{'name':'n','html':'x','alias':'taken'}", 422,
		INVALID("alias", "Another template has this alias.")},
	    {"take the alias of another", "PATCH", "/resend/templates/other", "{'alias':'taken'}",
		422, INVALID("alias", "Another template has this alias.")},
	    {"no object", "POST", path, "[]", 400},
	    {"unknown", "PATCH", "/resend/templates/" UNKNOWN, "{}", 404, NOT_FOUND},
	    {"fields come first", "PATCH", "/resend/templates/" UNKNOWN, "{'alias':'a b'}", 422},
	    {"unknown alias", "PATCH", "/resend/templates/none", "{}", 404, NOT_FOUND},
	    {"publish unknown", "POST", "/resend/templates/none/publish", NULL, 404, NOT_FOUND},
	    {"remove unknown", "DELETE", "/resend/templates/none", NULL, 404, NOT_FOUND},
	    {"change nothing", "PATCH", "/resend/templates/taken", "{}", 200},
	    {"undeclared", "PATCH", "/resend/templates/taken", "{'text':'{{A}}'}", 422,
		.want = {"name = 'validation_error'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	const struct exchange undeclared = {
	    "undeclared", "POST", path, "{'name':'n','html':'{{{A}}}'}", 422};
	AUTO(answer) answer = exchange_expect(fixture, &undeclared);
	cr_expect_str_eq(answer_text(answer, "message"),
	    "Variable 'A' is used in the template but not defined in the variables list");
}

Test(resend_templates, stay_while_another_needs_them)
{
	static const struct exchange exchanges[] = {
	    {"first", "POST", "/v1/templates", "{'id':'t','name':'T','html':'x'}", 200},
	    {"needs it", "POST", "/v1/templates", "{'id':'p','name':'P','html':'{{> t}}'}", 200},
	    {"in use", "DELETE", "/resend/templates/t", NULL, 409,
		FAILURE(409, "validation_error", "Template is in use")},
	    {"still there", "GET", "/resend/templates/t", NULL, 200},
	    {"the other", "DELETE", "/resend/templates/p", NULL, 200},
	    {"free", "DELETE", "/resend/templates/t", NULL, 200, .want = {"deleted = true"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_templates, are_stored_within_limits)
{
	static const struct {
		const char *field;
		gsize limit;
		const char *want;
	} cases[] = {
	    {"name", LIMIT_NAME_LENGTH, "name must be at most 100 characters"},
	    {"subject", LIMIT_TEMPLATE_SUBJECT_LENGTH, "subject must be at most 998 characters"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize past = 0; past < 2; past++) {
			g_autoptr(GString) text = g_string_new(NULL);

			while (g_utf8_strlen(text->str, -1) < (glong)(cases[i].limit + past))
				g_string_append(text, "\303\274");
			g_autofree char *body =
			    g_strdup_printf("{'%s':'%s',%s'html':'x'}", cases[i].field, text->str,
				strcmp(cases[i].field, "name") == 0 ? "" : "'name':'n',");
			g_autofree char *failure = g_strdup_printf(
			    "{'statusCode':422,'name':'validation_error','message':'Invalid `%s` "
			    "field. %s.'}",
			    cases[i].field, cases[i].want);
			const struct exchange exchange = {cases[i].field, "POST",
			    "/resend/templates", body, past ? 422 : 201, past ? failure : NULL};

			answer_free(exchange_expect(fixture, &exchange));
		}
}

Test(resend_templates, have_senders_of_998_characters)
{
	for (guint past = 0; past < 2; past++) {
		g_autofree char *name = g_strnfill(
		    LIMIT_TEMPLATE_FROM_LENGTH - strlen("\"\" <a@example.com>") + past, 'n');
		g_autofree char *body = g_strdup_printf(
		    "{'name':'n','html':'h','from':'\\\"%s\\\" <a@example.com>'}", name);

		templates_post("/resend/templates", body, past ? 422 : 201);
	}
}
