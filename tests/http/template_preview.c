/* SPDX-License-Identifier: MIT */
/* Templates that are filled without being stored (POST /v1/templates/render). */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/template.h"
#include "tests/http/email.h"

#define PATH "/v1/templates/render"
#define NONE "problems = []"

FIXTURE_SUITE(template_preview, 900);

static struct exchange
preview(const char *name, const char *body, const char *a, const char *b, const char *c)
{
	return (struct exchange){name, "POST", PATH, body, 200, .want = {a, b, c}};
}

Test(template_preview, fills_what_is_given)
{
	const struct exchange exchanges[] = {
	    preview("all",
		"{'html':'<p>{{x}}</p>','text':'T {{x}}','subject':'S "
		"{{x}}','variables':{'x':'<'}}",
		"html = '<p>&lt;</p>'", "text = 'T <'", "subject = 'S <'"),
	    preview("nothing", "{}", "html = null", "text = null", "subject = null"),
	    preview("null", "{'html':null,'variables':null}", "html = null", NONE, NULL),
	    preview("empty", "{'html':'','text':'','subject':''}", "html = ''", "text = ''",
		"subject = ''"),
	    preview("fallback", "{'html':'{{x|you}}'}", "html = 'you'", NONE, NULL),
	    preview("default in the request",
		"{'html':'{{x}}','variables':{'x':{'value':null,'default':'d'}}}", "html = 'd'",
		NONE, NULL),
	};

	EXPECT_ALL(fixture, exchanges);
}

#define ZEROS_50 "00000000000000000000000000000000000000000000000000"
#define ZEROS_200 ZEROS_50 ZEROS_50 ZEROS_50 ZEROS_50

/* A draft gives the html that the stored template gives. */
Test(template_preview, has_the_preview_text_as_the_stored_template)
{
	static const struct {
		const char *name, *members, *want;
	} cases[] = {
	    {"with a variable", "'html':'<body><p>h</p></body>','preview_text':'A {{x}} & b'",
		"A &lt; &amp; b"},
	    {"200 characters", "'html':'h','preview_text':'" ZEROS_200 "'", ZEROS_200},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'id':'p%zu','name':'N',%s}", i, cases[i].members);
		g_autofree char *draft =
		    g_strdup_printf("{%s,'variables':{'x':'<'}}", cases[i].members);
		g_autofree char *path = g_strdup_printf("/v1/templates/p%zu/render", i);
		const struct exchange made = {cases[i].name, "POST", "/v1/templates", body, 200};
		const struct exchange stored = {
		    cases[i].name, "POST", path, "{'variables':{'x':'<'}}", 200};
		const struct exchange tried = {
		    cases[i].name, "POST", PATH, draft, 200, .want = {NONE}};

		answer_free(exchange_expect(fixture, &made));
		AUTO(answer) want = exchange_expect(fixture, &stored);
		AUTO(answer) got = exchange_expect(fixture, &tried);
		cr_expect_str_eq(
		    answer_text(got, "html"), answer_text(want, "html"), "%s", cases[i].name);
		cr_expect_not_null(strstr(answer_text(got, "html"), cases[i].want), "%s: %s",
		    cases[i].name, got->body);
	}
	const struct exchange others[] = {
	    {"a fault", "POST", PATH, "{'html':'h','preview_text':'{{#x'}", 200,
		.want = {"html = 'h'", "problems[0].part = 'preview_text'",
		    "problems[0].message : string", "problems[1] = null"}},
	    {"empty", "POST", PATH, "{'html':'h','preview_text':''}", 200,
		.want = {"html = 'h'", NONE}},
	    {"null", "POST", PATH, "{'html':'h','preview_text':null}", 200,
		.want = {"html = 'h'", NONE}},
	    {"without html", "POST", PATH, "{'preview_text':'p'}", 200,
		.want = {"html = null", NONE}},
	    {"201 characters", "POST", PATH, "{'html':'h','preview_text':'" ZEROS_200 "0'}", 400,
		.want = {"message = 'preview_text must be at most 200 characters'"}},
	};
	EXPECT_ALL(fixture, others);
}

Test(template_preview, tells_the_problem_of_each_part)
{
	static const char twice[] =
	    "{'html':'{{#if x}}','text':'{{y','subject':'{{z}}','variables':{'z':1}}";
	const struct exchange exchanges[] = {
	    {"two parts", "POST", PATH, twice, 200,
		.want = {"html = null", "text = null", "subject = '1'", "problems[0].part = 'html'",
		    "problems[0].message : string", "problems[1].part = 'text'",
		    "problems[2] = null"}},
	    {"subject", "POST", PATH, "{'html':'h','subject':'{{#x'}", 200,
		.want = {"html = 'h'", "subject = null", "problems[0].part = 'subject'"}},
	    {"control in the subject", "POST", PATH, "{'subject':'a\\u0007'}", 200,
		.want = {"problems = [{'part':'subject','message':'subject must not contain "
			 "control characters'}]"}},
	    {"variables", "POST", PATH, "{'html':'{{x|f}}','variables':{'x':{'value':[]}}}", 200,
		.want = {"html = 'f'", "problems[0].part = 'variables'"}},
	    {"partial", "POST", PATH, "{'html':'{{> none}}','text':'t'}", 200,
		.want = {"text = 't'", "problems = [{'part':'html','message':'html: no template "
				       "\\'none\\''}]"}},
	    {"layout", "POST", PATH, "{'html':'h','layout':'none'}", 200,
		.want = {"html = null", "problems[0].part = 'layout'",
		    "problems[0].message : string"}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
		if (i != 4)
			answer_free(exchange_expect(fixture, &exchanges[i]));
	AUTO(answer) partial = exchange_ask(fixture, &exchanges[4]);
	cr_expect_str_eq(answer_text(partial, "problems[0].message"), "html: no template \"none\"");
	cr_expect_str_eq(answer_text(partial, "text"), "t");
}

Test(template_preview, includes_stored_templates)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange made[] = {
	    {"partial", "POST", "/v1/templates",
		"{'id':'part','name':'N','html':'<b>{{x}}</b>','text':'b'}", 200},
	    {"layout", "POST", "/v1/templates", "{'id':'frame','name':'N','html':'[{{{body}}}]'}",
		200},
	    {"named like the operation", "POST", "/v1/templates",
		"{'id':'render','name':'N','html':'own'}", 200},
	    {"which is read", "GET", PATH, NULL, 200, .want = {"html = 'own'"}},
	    {"changed", "PATCH", PATH, "{'html':'new'}", 200, .want = {"html = 'new'"}},
	    {"and deleted", "DELETE", PATH, NULL, 200},
	};
	static const char body[] = "{'html':'{{> part}}','text':'{{> part}}','layout':'frame',"
				   "'variables':{'x':'y'}}";
	const struct exchange inside[] = {{"inside", "POST", PATH, body, 200,
	    .want = {"html = '[<b>y</b>]'", "text = 'b'", NONE}}};
	const struct exchange strange[] = {{"of another workspace", "POST", PATH, body, 200,
	    .want = {"html = null", "text = null", "problems[0].part = 'layout'",
		"problems[1].part = 'text'"}}};

	EXPECT_ALL(fixture, made);
	g_autofree char *before = fixture_rows(fixture);
	EXPECT_ALL(fixture, inside);
	EXPECT_ALL(other, strange);
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before, "something is stored");
}

Test(template_preview, checks_its_fields)
{
	g_autofree char *fits = g_strnfill(LIMIT_SUBJECT_LENGTH, 's');
	g_autofree char *most = g_strdup_printf("{'subject':'%s'}", fits);
	g_autofree char *past = g_strdup_printf("{'subject':'%ss'}", fits);
	g_autoptr(GString) many = g_string_new("{'variables':{");
	for (guint i = 0; i < LIMIT_VARIABLES; i++)
		g_string_append_printf(many, "%s'v%u':1", i ? "," : "", i);
	g_autofree char *full = g_strconcat(many->str, "}}", NULL);
	g_autofree char *over = g_strconcat(many->str, ",'more':1}}", NULL);
	g_autofree char *reader = fixture_new_key(fixture, "read", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", reader, NULL);
	const struct exchange exchanges[] = {
	    {"longest subject", "POST", PATH, most, 200, .want = {NONE}},
	    {"longer subject", "POST", PATH, past, 400,
		"{'message':'subject must be at most 100 characters'}"},
	    {"most variables", "POST", PATH, full, 200},
	    {"more variables", "POST", PATH, over, 400,
		"{'message':'variables must have at most 100 properties'}"},
	    {"a number", "POST", PATH, "{'html':1}", 400, "{'message':'html must be a string'}"},
	    {"misspelled", "POST", PATH, "{'Html':''}", 400},
	    {"reader", "POST", PATH, "{}", 403, .headers = {header}},
	};

	EXPECT_ALL(fixture, exchanges);
}
