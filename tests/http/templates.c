/* SPDX-License-Identifier: MIT */
/* Templates: each operation, and emails that use them. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/list.h"
#include "base/limits/person.h"
#include "base/limits/template.h"
#include "db/statement.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define TEMPLATE "{'name':'N','html':'<p>{{x}}</p>'}"
#define NOT_FOUND "{'message':'Template not found'}"

FIXTURE_SUITE(templates, 900);

static struct exchange
templates_request(const char *name, const char *method, const char *path, const char *body)
{
	return (struct exchange){name, method, path, body, 200};
}

Test(templates, are_made_and_read)
{
	static const char whole[] =
	    "{'id':'t-1_A','name':'N \u00e9','html':'<p>{{x}}</p>','text':'T',"
	    "'subject':'S "
	    "{{x}}','variables':{'x':'d','n':1.50,'m':-0,'l':123456789012345678901234567890}}";
	struct exchange exchanges[] = {
	    templates_request("made", "POST", "/v1/templates", whole),
	    templates_request("read", "GET", "/v1/templates/t-1_A", NULL),
	    templates_request("final slash", "GET", "/v1/templates/t-1_A/", NULL),
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++) {
		static const char *const want[] = {"id = 't-1_A'", "name = 'N \u00e9'",
		    "html = '<p>{{x}}</p>'", "text = 'T'", "subject = 'S {{x}}'",
		    "variables = {'x':'d','n':1.50,'m':-0,'l':123456789012345678901234567890}",
		    "created : integer", "updated : integer"};
		for (gsize j = 0; j < G_N_ELEMENTS(want); j++)
			exchanges[i].want[j] = want[j];
		AUTO(answer) answer = exchange_expect(fixture, &exchanges[i]);
		cr_expect_eq(json_member_count(answer->json), 8, "got %s", answer->body);
	}
}

Test(templates, need_a_name_and_html_alone)
{
	struct exchange least = templates_request("least", "POST", "/v1/templates", TEMPLATE);
	const char *const want[] = {
	    "text = null", "subject = null", "variables = {}", "id : string"};

	for (gsize i = 0; i < G_N_ELEMENTS(want); i++)
		least.want[i] = want[i];
	AUTO(answer) answer = exchange_expect(fixture, &least);
	cr_expect_eq(strlen(answer_text(answer, "id")), 36, "got %s", answer->body);
}

/* Members that a PATCH changes, and the template afterwards. */
Test(templates, are_changed_member_by_member)
{
	const struct {
		const char *body;
		const char *want[4];
	} changes[] = {
	    {"{}", {"name = 'N'", "text = 'T'"}},
	    {"{'name':'M'}", {"name = 'M'", "text = 'T'", "subject = 'S'"}},
	    {"{'name':null,'html':null}", {"name = 'M'", "html = '<p>'"}},
	    {"{'html':'<b>'}", {"html = '<b>'", "text = 'T'"}},
	    {"{'text':'U'}", {"html = '<b>'", "text = 'U'"}},
	    {"{'subject':''}", {"subject = ''"}},
	    {"{'subject':'R'}", {"subject = 'R'", "variables = {'x':1}"}},
	    {"{'variables':{'y':'z'}}", {"variables = {'y':'z'}"}},
	    {"{'variables':null}", {"variables = {}", "text = 'U'"}},
	    {"{'text':null}", {"text = null", "subject = 'R'"}},
	    {"{'subject':null}", {"subject = null", "html = '<b>'"}},
	    {"{'id':'other','unknown':[]}", {"id = 't'", "name = 'M'"}},
	};
	struct exchange making = templates_request("made", "POST", "/v1/templates",
	    "{'id':'t','name':'N','html':'<p>','text':'T','subject':'S','variables':{'x':1}}");

	answer_free(exchange_expect(fixture, &making));
	for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
		const char *body = changes[i].body;
		struct exchange change = templates_request(body, "PATCH", "/v1/templates/t", body);
		struct exchange reading = templates_request(body, "GET", "/v1/templates/t", NULL);
		for (gsize j = 0; j < G_N_ELEMENTS(changes[i].want); j++)
			change.want[j] = reading.want[j] = changes[i].want[j];
		AUTO(answer) changed = exchange_expect(fixture, &change);
		AUTO(answer) read = exchange_expect(fixture, &reading);
		cr_expect_str_eq(read->body, changed->body, "%s: read %s", body, read->body);
	}
}

Test(templates, are_deleted)
{
	const struct exchange exchanges[] = {
	    {"made", "POST", "/v1/templates", "{'id':'t','name':'N','html':'x'}", 200},
	    {"deleted", "DELETE", "/v1/templates/t", NULL, 200, "{'message':'Template deleted'}"},
	    {"gone", "GET", "/v1/templates/t", NULL, 404, NOT_FOUND},
	    {"deleted twice", "DELETE", "/v1/templates/t", NULL, 404, NOT_FOUND},
	    {"changed", "PATCH", "/v1/templates/t", "{'name':'M'}", 404, NOT_FOUND},
	    {"used", "POST", "/v1/emails",
		"{'from':'a@example.com','to':'b@example.net','subject':'S','template_id':'t'}",
		400, NOT_FOUND},
	    {"made again", "POST", "/v1/templates", "{'id':'t','name':'N','html':'x'}", 200},
	    {"with another's case", "GET", "/v1/templates/T", NULL, 404, NOT_FOUND},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(templates, have_ids_of_their_own_workspace)
{
	AUTO(fixture) other = fixture_open();
	const struct exchange making[] = {
	    {"made", "POST", "/v1/templates", "{'id':'t','name':'N','html':'x'}", 200},
	    {"taken", "POST", "/v1/templates", "{'id':'t','name':'M','html':'y'}", 409,
		"{'message':'Template already exists'}"},
	    {"as it was", "GET", "/v1/templates/t", NULL, 200, NULL, {"name = 'N'", "html = 'x'"}},
	};
	const struct exchange elsewhere[] = {
	    {"another's", "GET", "/v1/templates/t", NULL, 404, NOT_FOUND},
	    {"another's, changed", "PATCH", "/v1/templates/t", "{'name':'M'}", 404, NOT_FOUND},
	    {"another's, deleted", "DELETE", "/v1/templates/t", NULL, 404, NOT_FOUND},
	    {"another's, used", "POST", "/v1/emails",
		"{'from':'a@example.com','to':'b@example.net','subject':'S','template_id':'t'}",
		400, NOT_FOUND},
	    {"none of another's", "GET", "/v1/templates", NULL, 200,
		"{'templates':[],'count':0,'cursor':null}"},
	    {"the same id", "POST", "/v1/templates", "{'id':'t','name':'M','html':'y'}", 200},
	};

	EXPECT_ALL(fixture, making);
	EXPECT_ALL(other, elsewhere);
	answer_free(exchange_expect(fixture, &making[2]));
}

/* Changes that make TEMPLATE invalid. */
static const struct {
	const char *name, *change, *want, *without;
} refused_changes[] = {
    {"no name", NULL, "name is required", "name"},
    {"name null", "'name':null", "name is required"},
    {"name empty", "'name':''", "name must be 1 to 100 characters"},
    {"name, number", "'name':7", "name must be a string"},
    {"no html", NULL, "html is required", "html"},
    {"html null", "'html':null", "html is required"},
    {"html empty", "'html':''", "html is required"},
    {"html, array", "'html':['x']", "html must be a string"},
    {"text, number", "'text':1", "text must be a string"},
    {"subject, boolean", "'subject':true", "subject must be a string"},
    {"subject with a line break", "'subject':'a\\nb'",
	"subject must not contain control characters"},
    {"subject with a control character of two bytes", "'subject':'a\\u0085b'",
	"subject must not contain control characters"},
    {"variables, array", "'variables':[]", "variables must be an object"},
    {"variables, null in it", "'variables':{'a':null}", "variables.a must be a string or a number"},
    {"variables, object in it", "'variables':{'a':{'default':'x'}}",
	"variables.a must be a string or a number"},
    {"id empty", "'id':''", "id must be 1 to 64 characters"},
    {"id with a dot", "'id':'a.b'", "id must be 1 to 64 letters, digits, - and _"},
    {"id with a slash", "'id':'a/b'", "id must be 1 to 64 letters, digits, - and _"},
    {"id, other script", "'id':'\u00e9'", "id must be 1 to 64 letters, digits, - and _"},
    {"id, number", "'id':7", "id must be a string"},
    {"open", "'html':'a\\n<p>{{x</p>'",
	"html: line 2: names of variables are letters, digits, \"_\", \".\" and \"-\""},
    {"open at the end", "'html':'{{x'", "html: line 1: \"{{\" is not closed by \"}}\" on its line"},
    {"closed by one", "'html':'{{x}'", "html: line 1: \"{{\" is not closed by \"}}\" on its line"},
    {"raw, closed by two", "'html':'{{{x}}'",
	"html: line 1: \"{{{\" is not closed by \"}}}\" on its line"},
    {"no name in it", "'html':'{{}}'",
	"html: line 1: \"{{\" is not followed by the name of a variable"},
    {"other syntax", "'html':'a\\n{{#with x}}y{{/with}}'",
	"html: line 2: \"{{#\" is not followed by if, unless or each"},
    {"a block that is open", "'text':'{{#if x}}y'",
	"text: line 1: \"{{#if\" is not closed by \"{{/if}}\""},
    {"partial", "'html':'{{> none}}'", "html: no template \"none\""},
    {"partial in the text", "'text':'{{> none}}'", "text: no template \"none\""},
    {"layout", "'layout':'none'", "layout: no template \"none\""},
    {"layout, number", "'layout':7", "layout must be a string"},
    {"text", "'text':'{{ }}'", "text: line 1: \"{{\" is not followed by the name of a variable"},
    {"subject", "'subject':'{{'",
	"subject: line 1: \"{{\" is not followed by the name of a variable"},
    {"partial in the subject", "'subject':'A {{> none}}'",
	"subject: line 1: a subject cannot include a template"},
};

static void
templates_expect_refusal(gsize i, const char *method, const char *path)
{
	g_autofree char *body =
	    exchange_merged(TEMPLATE, refused_changes[i].change, refused_changes[i].without);
	g_autofree char *printed = g_strescape(refused_changes[i].want, NULL);
	g_autofree char *want = g_strdup_printf("{\"message\":\"%s\"}", printed);
	g_autoptr(GBytes) bytes = g_bytes_new_static(body, strlen(body));
	const struct exchange exchange = {
	    refused_changes[i].name, method, path, NULL, 400, want, .bytes = bytes};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(templates, are_checked)
{
	struct exchange making =
	    templates_request("made", "POST", "/v1/templates", "{'id':'t','name':'N','html':'x'}");
	struct exchange reading = templates_request("as it was", "GET", "/v1/templates/t", NULL);
	AUTO(answer) made = exchange_expect(fixture, &making);
	g_autofree char *before = fixture_rows(fixture);

	for (gsize i = 0; i < G_N_ELEMENTS(refused_changes); i++) {
		bool absent = strstr(refused_changes[i].want, "is required") &&
			      !strstr(refused_changes[i].name, "empty");
		templates_expect_refusal(i, "POST", "/v1/templates");
		/* A change may omit members, and cannot change the id. */
		if (absent || strstr(refused_changes[i].want, "id must be 1 to 64 l"))
			continue;
		templates_expect_refusal(i, "PATCH", "/v1/templates/t");
		/* Only other templates that it names are looked for after it. */
		if (!strstr(refused_changes[i].want, ": no template"))
			templates_expect_refusal(i, "PATCH", "/v1/templates/none");
	}
	g_autofree char *after = fixture_rows(fixture);
	AUTO(answer) read = exchange_expect(fixture, &reading);
	cr_expect_str_eq(after, before, "what is stored: got\n%swant\n%s", after, before);
	cr_expect_str_eq(read->body, made->body, "got %s", read->body);
}

/* Members whose % is letters, as many as most. */
static void
templates_expect_limit(
    const char *name, const char *format, const char *letter, gsize most, const char *want)
{
	g_auto(GStrv) parts = g_strsplit(format, "%", 2);
	g_autoptr(GString) text = g_string_new(NULL);
	const gsize counts[] = {most, most + 1};

	for (guint i = 0; i < 2; i++) {
		while (text->len < counts[i] * strlen(letter))
			g_string_append(text, letter);
		g_autofree char *change = g_strconcat(parts[0], text->str, parts[1], NULL);
		g_autofree char *body = exchange_merged(TEMPLATE, change, NULL);
		g_autoptr(GBytes) bytes = g_bytes_new_static(body, strlen(body));
		g_autofree char *message = g_strdup_printf("{'message':'%s'}", want);
		const struct exchange exchange = {name, "POST", "/v1/templates", NULL,
		    i == 0 ? 200 : 400, i == 0 ? NULL : message, .bytes = bytes};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(templates, have_limits)
{
	templates_expect_limit(
	    "id", "'id':'%'", "i", LIMIT_TEMPLATE_ID_LENGTH, "id must be 1 to 64 characters");
	templates_expect_limit(
	    "name", "'name':'%'", "\u00e9", LIMIT_NAME_LENGTH, "name must be 1 to 100 characters");
	templates_expect_limit("subject", "'subject':'%'", "\u5c71", LIMIT_SUBJECT_LENGTH,
	    "subject must be at most 100 characters");
	templates_expect_limit(
	    "html", "'html':'%'", "x", LIMIT_HTML_BYTES, "html must be at most 40MB");
	templates_expect_limit(
	    "text", "'text':'%'", "x", LIMIT_TEXT_BYTES, "text must be at most 10MB");
}

Test(templates, have_a_limit_of_variables)
{
	g_autoptr(GString) members = g_string_new("'v0':0");

	for (guint i = 1; i <= LIMIT_VARIABLES; i++) {
		if (i == LIMIT_VARIABLES) {
			g_autofree char *most = g_strdup_printf(
			    "{'name':'N','html':'x','variables':{%s}}", members->str);
			const struct exchange fits = {"100", "POST", "/v1/templates", most, 200};
			answer_free(exchange_expect(fixture, &fits));
		}
		g_string_append_printf(members, ",'v%u':%u", i, i);
	}
	g_autofree char *more =
	    g_strdup_printf("{'name':'N','html':'x','variables':{%s}}", members->str);
	const struct exchange over = {"101", "POST", "/v1/templates", more, 400,
	    "{'message':'variables must have at most 100 properties'}"};
	answer_free(exchange_expect(fixture, &over));
}

static void
templates_ask(const char *method, const char *path, const char *body)
{
	const struct exchange exchange = {path, method, path, body, 200};

	answer_free(exchange_expect(fixture, &exchange));
}

#define USING(more) "'html':null,'template_id':'t'" more
#define NO_SUBJECT "'html':null,'subject':null,'template_id':'t'"

Test(templates, fill_an_email)
{
	static const struct acceptance acceptances[] = {
	    {"all of the template", NO_SUBJECT,
		{"subject = 'S d'", "html = '<p>d &lt;</p>'", "text = 'T d'", "template_id = 't'"}},
	    {"a subject of its own", USING(",'subject':'Own {{x}}'"),
		{"subject = 'Own d'", "html = '<p>d &lt;</p>'"}},
	    {"an empty subject", USING(",'subject':''"), {"subject = ''"}},
	    {"a text of its own", USING(",'text':'Own {{x}}'"), {"text = 'Own d'"}},
	    {"a value", NO_SUBJECT ",'variables':{'x':'v'}", {"subject = 'S v'", "text = 'T v'"}},
	    {"an empty value", NO_SUBJECT ",'variables':{'x':''}", {"subject = 'S '"}},
	    {"null", NO_SUBJECT ",'variables':{'x':null}", {"subject = 'S d'"}},
	    {"a default", NO_SUBJECT ",'variables':{'x':{'default':'g'}}", {"subject = 'S g'"}},
	    {"null and a default", NO_SUBJECT ",'variables':{'x':{'value':null,'default':5}}",
		{"subject = 'S 5'"}},
	    {"null and no default", NO_SUBJECT ",'variables':{'x':{'value':null}}",
		{"subject = 'S d'"}},
	    {"the other variable", NO_SUBJECT ",'variables':{'y':'&'}",
		{"html = '<p>d &amp;</p>'"}},
	};

	templates_ask("POST", "/v1/templates",
	    "{'id':'t','name':'N','html':'<p>{{x|inline}} {{y}}</p>','text':'T {{x|inline}}',"
	    "'subject':'S {{x}}','variables':{'x':'d','y':'<'}}");
	ACCEPT_ALL(fixture, acceptances);
}

Test(templates, may_lack_subject_text_and_defaults)
{
	static const struct refusal refusals[] = {
	    {"no subject", NO_SUBJECT, "subject is required"}};
	static const struct acceptance acceptances[] = {
	    {"inline default", USING(""), {"subject = 'S'", "html = '<p>i</p>'", "text = 'i\\n'"}},
	    {"value", USING(",'variables':{'x':'v'}"), {"html = '<p>v</p>'", "text = 'v\\n'"}},
	};

	templates_ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'<p>{{x|i}}</p>'}");
	REFUSE_ALL(fixture, refusals);
	ACCEPT_ALL(fixture, acceptances);
}

/* Sent emails do not change. */
Test(templates, may_change_afterwards)
{
	static const char change[] = USING(",'variables':{'x':'v'}");
	const struct exchange gone = {"gone", "POST", "/v1/emails",
	    "{'from':'a@example.com','to':'b@example.net','subject':'S','template_id':'t'}", 400,
	    "{'message':'Template not found'}"};

	templates_ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'<p>one {{x}}</p>'}");
	g_autofree char *first = email_send(fixture, change);
	templates_ask("PATCH", "/v1/templates/t", "{'html':'<p>two {{x}}</p>'}");
	g_autofree char *second = email_send(fixture, change);
	templates_ask("DELETE", "/v1/templates/t", NULL);
	answer_free(exchange_expect(fixture, &gone));
	AUTO(answer) one = email_get(fixture, first);
	AUTO(answer) two = email_get(fixture, second);
	cr_expect_str_eq(answer_text(one, "html"), "<p>one v</p>");
	cr_expect_str_eq(answer_text(two, "html"), "<p>two v</p>");
	cr_expect_str_eq(answer_text(one, "template_id"), "t");
}

/* A template that was stored under older rules. */
Test(templates, are_checked_again)
{
	static const struct refusal refusals[] = {
	    {"broken", USING(""), "Template has no valid HTML"}};
	static const char damage[] =
	    "UPDATE body SET data = '<p>{{#x}}</p>' WHERE workspace_id = ? AND size = 13";

	templates_ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'<p>{{xy}}</p>'}");
	cr_assert(db_run(fixture->db, damage, DB_VALUES(db_id(&fixture->id)), NULL, NULL));
	REFUSE_ALL(fixture, refusals);
}

static void
templates_expect_page(const char *cursor, guint newest, guint count, bool more, char **cursor_r)
{
	g_autofree char *path = g_strconcat("/v1/templates?cursor=", cursor, NULL);
	g_autofree char *want_count = g_strdup_printf("count = %u", count);
	g_autofree char *first = g_strdup_printf("templates[0].name = 'N%u'", newest);
	g_autofree char *last =
	    g_strdup_printf("templates[%u].name = 'N%u'", count - 1, newest + 1 - count);
	g_autofree char *end = g_strdup_printf("templates[%u] = null", count);
	const struct exchange exchange = {"page", "GET", path, NULL, 200, NULL,
	    {want_count, first, last, end, more ? "cursor : string" : "cursor : null",
		"templates[0].id : string", "templates[0].subject : null",
		"templates[0].variables = {}", "templates[0].created : integer",
		"templates[0].updated : integer", "templates[0].html : absent",
		"templates[0].text : absent"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	*cursor_r = more ? g_uri_escape_string(answer_text(answer, "cursor"), NULL, FALSE) : NULL;
}

static void
templates_make(guint from, guint to)
{
	for (guint i = from; i <= to; i++) {
		g_autofree char *body = g_strdup_printf("{'name':'N%u','html':'x'}", i);
		templates_ask("POST", "/v1/templates", body);
		exchange_next_moment();
	}
}

Test(templates, are_listed_in_pages)
{
	char *cursor;

	templates_make(1, LIMIT_PAGE);
	templates_expect_page("", LIMIT_PAGE, LIMIT_PAGE, false, &cursor);
	templates_make(LIMIT_PAGE + 1, LIMIT_PAGE + 1);
	templates_expect_page("", LIMIT_PAGE + 1, LIMIT_PAGE, true, &cursor);
	g_autofree char *second = cursor;
	templates_expect_page(second, 1, 1, false, &cursor);
	templates_make(LIMIT_PAGE + 2, 2 * LIMIT_PAGE);
	templates_expect_page("", 2 * LIMIT_PAGE, LIMIT_PAGE, true, &cursor);
	g_autofree char *full = cursor;
	templates_expect_page(full, LIMIT_PAGE, LIMIT_PAGE, false, &cursor);
}

Test(templates, are_listed_with_cursors_of_ours_alone)
{
	static const char *const cursors[] = {"x", "50", "01890a5d-ac96-774b-bcce-b302099a8057",
	    "AYkKXayWd0u8zrMCCZqAVw%3D%3D", "AYkKXayWd0u8zrMCCZqA", "%2F%2F%2F", "%C3%A9"};

	for (gsize i = 0; i < G_N_ELEMENTS(cursors); i++) {
		g_autofree char *path = g_strconcat("/v1/templates?cursor=", cursors[i], NULL);
		const struct exchange exchange = {
		    cursors[i], "GET", path, NULL, 400, "{'message':'cursor is malformed'}"};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

#define RENDER(id) "/v1/templates/" id "/render"

Test(templates, are_rendered)
{
	const struct exchange exchanges[] = {
	    {"language", "POST", RENDER("t"),
		"{'variables':{'on':true,'l':[{'n':'<a>'},{'n':'b'}],'o':{'k':1.50},'d':0}}", 200,
		"{'subject':'S 1.50','html':'&lt;a&gt;0,b1. on 1 January 1970 [p 1.50]\\n',"
		"'text':'1.234,50'}"},
	    {"defaults", "POST", RENDER("t"), "{}", 200,
		"{'subject':'S ','html':'none off  [p ]\\n','text':'1.234,50'}"},
	    {"text and subject null", "POST", RENDER("p"), "{'variables':{'o':{'k':false}}}", 200,
		"{'subject':null,'html':'[p false]','text':null}"},
	    {"shape", "POST", RENDER("p"), "{'variables':{'o':{'value':[]}}}", 400,
		"{'message':'variables.o must be a string, a number or an object with value and "
		"default'}"},
	    {"unknown", "POST", RENDER("none"), "{}", 404, NOT_FOUND},
	    {"other method", "GET", RENDER("p"), NULL, 405},
	};

	templates_ask("POST", "/v1/templates", "{'id':'p','name':'P','html':'[p {{o.k}}]'}");
	templates_ask("POST", "/v1/templates",
	    "{'id':'t','name':'T','subject':'S {{o.k}}','variables':{'n':1234.495},"
	    "'text':'{{number n 2 language=\\u0022de\\u0022}}',"
	    "'html':'{{#each l}}{{n}}{{@index}}{{#unless @last}},{{/unless}}{{else}}none{{/each}}"
	    "{{#if on}}. on{{else}} off{{/if}} {{date d \\u0022%e %B %Y\\u0022}} {{> p}}\\n'}");
	EXPECT_ALL(fixture, exchanges);
}

Test(templates, include_others)
{
	const struct exchange exchanges[] = {
	    {"itself", "POST", "/v1/templates", "{'id':'s','name':'N','html':'{{> s}}'}", 400,
		"{'message':'html: template \\\"s\\\" includes itself'}"},
	    {"a", "POST", "/v1/templates", "{'id':'a','name':'N','html':'A'}", 200},
	    {"b", "POST", "/v1/templates", "{'id':'b','name':'N','html':'{{> a}}B'}", 200},
	    {"circle", "PATCH", "/v1/templates/a", "{'html':'{{> b}}'}", 400,
		"{'message':'html: template \\\"a\\\" includes itself'}"},
	    {"no body", "PATCH", "/v1/templates/b", "{'layout':'a'}", 400,
		"{'message':'layout: template \\\"a\\\" has no {{{body}}}'}"},
	    {"l", "POST", "/v1/templates",
		"{'id':'l','name':'N','html':'<{{x}}{{{body}}}{{> a}}>'}", 200},
	    {"no layout", "GET", "/v1/templates/b/layout", NULL, 200, "{'id':'b','layout':null}"},
	    {"layout", "PATCH", "/v1/templates/b", "{'layout':'l'}", 200},
	    {"its layout", "GET", "/v1/templates/b/layout", NULL, 200, "{'id':'b','layout':'l'}"},
	    {"layout of none", "GET", "/v1/templates/z/layout", NULL, 404,
		"{'message':'Template not found'}"},
	    {"in its layout", "POST", RENDER("b"), "{'variables':{'x':1}}", 200,
		"{'subject':null,'html':'<1ABA>','text':null}"},
	    {"its own layout", "PATCH", "/v1/templates/l", "{'layout':'l'}", 400,
		"{'message':'layout: template \\\"l\\\" includes itself'}"},
	    {"without", "PATCH", "/v1/templates/b", "{'layout':null}", 200},
	    {"without layout", "POST", RENDER("b"), "{}", 200,
		"{'subject':null,'html':'AB','text':null}"},
	    {"still included", "DELETE", "/v1/templates/a", NULL, 409},
	};
	static const struct exchange broken[] = {
	    {"broken", "POST", RENDER("b"), "{}", 400, "{'message':'Template has no valid HTML'}"},
	    {"broken, sent", "POST", "/v1/emails",
		"{'from':'a@example.com','to':'b@example.net','subject':'S','template_id':'b'}",
		400, "{'message':'Template has no valid HTML'}"},
	};

	EXPECT_ALL(fixture, exchanges);
	test_db_plain(
	    fixture->db, "DELETE FROM template WHERE id = 'a' AND workspace_id = @workspace");
	EXPECT_ALL(fixture, broken);
}

/* Templates t0 to t8, each of which includes the one before. */
Test(templates, include_eight_deep)
{
	templates_ask("POST", "/v1/templates", "{'id':'t0','name':'N','html':'x'}");
	for (guint i = 1; i <= LIMIT_TEMPLATE_PARTIALS + 1; i++) {
		g_autofree char *body =
		    g_strdup_printf("{'id':'t%u','name':'N','html':'{{> t%u}}%u'}", i, i - 1, i);
		const struct exchange exchange = {"deeper", "POST", "/v1/templates", body,
		    i <= LIMIT_TEMPLATE_PARTIALS ? 200 : 400,
		    i <= LIMIT_TEMPLATE_PARTIALS
			? NULL
			: "{'message':'html: includes templates more than 8 deep'}"};
		answer_free(exchange_expect(fixture, &exchange));
	}
	templates_ask("POST", RENDER("t8"), "{}");
}

/* The email keeps what the templates were. */
Test(templates, are_joined_when_an_email_is_accepted)
{
	templates_ask("POST", "/v1/templates", "{'id':'p','name':'N','html':'one {{x}}'}");
	templates_ask(
	    "POST", "/v1/templates", "{'id':'l','name':'N','html':'<body>{{{body}}}</body>'}");
	templates_ask("POST", "/v1/templates",
	    "{'id':'t','name':'N','layout':'l','html':'<p>{{#each l}}{{this}}{{/each}} {{> "
	    "p}}</p>'}");
	g_autofree char *id = email_send(fixture, USING(",'variables':{'x':'<','l':[1,2]}"));
	templates_ask("PATCH", "/v1/templates/p", "{'html':'two'}");
	AUTO(answer) got = email_get(fixture, id);
	cr_expect_str_eq(answer_text(got, "html"), "<body><p>12 one &lt;</p></body>", "got %s",
	    answer_text(got, "html"));
	cr_expect_str_eq(
	    answer_text(got, "text"), "12 one <\n", "got %s", answer_text(got, "text"));
}

/* Its source is small, and it would take minutes. */
Test(templates, have_a_limit_of_time)
{
	g_autofree char *list = g_strnfill(2 * 1000 - 1, '0');
	g_autoptr(GString) html = g_string_new("{'id':'t','name':'N','html':'{{#each a}}");

	for (guint i = 1; i < 2 * 1000 - 1; i += 2)
		list[i] = ',';
	for (guint i = 0; i < 10000; i++)
		g_string_append(html, "{{x}}");
	g_string_append(html, "{{/each}}','text':'{{a.0}}'}");
	templates_ask("POST", "/v1/templates", html->str);
	g_autofree char *values = g_strdup_printf("'variables':{'a':[%s]}", list);
	g_autofree char *body = g_strdup_printf("{%s}", values);
	g_autofree char *using =
	    g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN
			    "','to':'b@example.net','subject':'S','template_id':'t',%s}",
		values);
	const struct exchange exchanges[] = {
	    {"render", "POST", RENDER("t"), body, 400,
		"{'message':'html takes too long to render'}"},
	    {"email", "POST", "/v1/emails", using, 400,
		"{'message':'html takes too long to render'}"},
	};
	EXPECT_ALL(fixture, exchanges);
}

/* Asks with variables, which may be right or wrong. place: of the number that is too long. */
static void
templates_expect_number(const char *path, const char *start, const char *variables,
    const char *place, bool is_right, guint status)
{
	g_autofree char *body = g_strdup_printf("{%s'variables':%s}", start, variables);
	g_autofree char *fault = g_strdup_printf(
	    "{'message':'variables.%s must be a number of at most 1000 characters'}", place);
	const struct exchange exchange = {
	    place, "POST", path, body, is_right ? status : 400, is_right ? NULL : fault};

	answer_free(exchange_expect(fixture, &exchange));
}

/* The numbers of all values, wherever they stand. */
Test(templates, have_numbers_of_1000_characters)
{
	static const struct {
		const char *place, *before, *behind; /* of the number in the variables */
	} cases[] = {
	    {"a", "{'a':", "}"},
	    {"a", "{'a':{'value':", ",'default':1}}"},
	    {"a", "{'a':{'value':null,'default':", "}}"},
	    {"a", "{'a':{'value':1,'default':", "}}"},
	    {"a[1]", "{'a':['x',", "]}"},
	    {"a.b[0].c", "{'a':{'b':[{'c':", "}]}}"},
	    {"values.a", "{'values':{'a':", "},'default_values':{}}"},
	    {"default_values.a", "{'values':{},'default_values':{'a':", "}}"},
	};
	g_autofree char *digits = g_strnfill(1001, '1');

	templates_ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'{{x}}'}");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (int length = 1000; length <= 1001; length++) {
			g_autofree char *variables = g_strdup_printf(
			    "%s%.*s%s", cases[i].before, length, digits, cases[i].behind);

			templates_expect_number(
			    RENDER("t"), "", variables, cases[i].place, length == 1000, 200);
			templates_expect_number("/v1/emails",
			    "'from':'a@" FIXTURE_DOMAIN
			    "','to':'b@example.net','subject':'S','html':'{{a}}',",
			    variables, cases[i].place, length == 1000, 201);
		}
	for (int length = 1000; length <= 1001; length++) {
		g_autofree char *variables = g_strdup_printf("{'a':%.*s}", length, digits);

		templates_expect_number("/v1/templates", "'id':'n','name':'N','html':'x',",
		    variables, "a", length == 1000, 200);
	}
}

/* 1,000 elements in 1,000 elements. */
Test(templates, have_a_limit_of_turns)
{
	g_autoptr(GString) list = g_string_new("0");

	for (guint i = 1; i < 999; i++)
		g_string_append(list, ",0");
	templates_ask("POST", "/v1/templates",
	    "{'id':'t','name':'N','html':'{{#each a}}{{#each ../a}}{{/each}}{{/each}}'}");
	g_autofree char *fits = g_strdup_printf("{'variables':{'a':[%s]}}", list->str);
	g_autofree char *past = g_strdup_printf("{'variables':{'a':[%s,0]}}", list->str);
	const struct exchange exchanges[] = {
	    {"999 times 1000", "POST", RENDER("t"), fits, 200},
	    {"1000 times 1001", "POST", RENDER("t"), past, 400,
		"{'message':'html takes too long to render'}"},
	};
	EXPECT_ALL(fixture, exchanges);
}

#define USED(use) "{'message':'Template is in use','used_by':[" use "]}"

/* Puts an id in place of each %s. */
static void
expect_of(const char *id, const char *method, const char *path, const char *body, guint status,
    const char *want)
{
	g_auto(GStrv) paths = g_strsplit(path, "%s", -1);
	g_auto(GStrv) wants = g_strsplit(want ? want : "", "%s", -1);
	g_autofree char *own_path = g_strjoinv(id, paths);
	g_autofree char *own_want = want ? g_strjoinv(id, wants) : NULL;
	const struct exchange exchange = {path, method, own_path, body, status, own_want};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
}

static char *
stored_new(const char *path, const char *body, const char *member)
{
	const struct exchange exchange = {path, "POST", path, body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, member));
}

#define FIRST "{'name':'N','id':'t','html':'{{confirm_url}} {{unsubscribe_url}}','subject':'S'}"
#define DELETE_T "DELETE", "/v1/templates/t", NULL
#define DONE "{'message':'Template deleted'}"
#define STAYS(name, use)                                                                           \
	{                                                                                          \
		name, DELETE_T, 409, USED(use)                                                     \
	}

Test(templates, stay_while_other_templates_need_them)
{
	static const struct exchange exchanges[] = {
	    {"first", "POST", "/v1/templates", FIRST, 200},
	    {"no use", "POST", "/v1/templates",
		"{'id':'other','name':'O','html':'t {{> x}} {{t}}'}", 400},
	    {"its name alone", "POST", "/v1/templates",
		"{'id':'other','name':'O','html':'t {{t}} &gt; t'}", 200},
	    {"partial", "POST", "/v1/templates", "{'id':'p','name':'P','html':'a{{> t }}'}", 200},
	    STAYS("a partial", "{'type':'template','id':'p','name':'P'}"),
	    {"in the text", "PATCH", "/v1/templates/p", "{'html':'a','text':'{{>t}}'}", 200},
	    STAYS("in the text", "{'type':'template','id':'p','name':'P'}"),
	    {"not any more", "PATCH", "/v1/templates/p", "{'text':null}", 200},
	    {"a body", "PATCH", "/v1/templates/t", "{'html':'{{{body}}}'}", 200},
	    {"layout", "PATCH", "/v1/templates/p", "{'layout':'t'}", 200},
	    STAYS("a layout", "{'type':'template','id':'p','name':'P'}"),
	    {"needed twice", "PATCH", "/v1/templates/p", "{'html':'{{> other}}'}", 200},
	    STAYS("a layout alone", "{'type':'template','id':'p','name':'P'}"),
	    {"the one that needs it", "DELETE", "/v1/templates/p", NULL, 200, DONE},
	    {"free", DELETE_T, 200, DONE},
	    {"gone", DELETE_T, 404, NOT_FOUND},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(templates, stay_while_they_are_sent)
{
	static const char design[] =
	    "{'name':'Flow','status':'active','design':{'nodes':[{'id':'start','type':'trigger',"
	    "'data':{'eventName':'x'}},{'id':'mail','type':'send_email','data':{'from':'a@example."
	    "com','templateId':'t'}}]"
	    ","
	    "'edges':[{'id':'e','source':'start','target':'mail'}]}}";

	g_free(stored_new("/v1/templates", FIRST, "id"));
	g_autofree char *audience = stored_new("/v1/audiences", "{'name':'News'}", "id");
	expect_of(audience, "PUT", "/v1/audiences/%s/opt-in", "{'template_id':'t'}", 200, NULL);
	expect_of(audience, DELETE_T, 409, USED("{'type':'audience','id':'%s','name':'News'}"));
	expect_of(audience, "PUT", "/v1/audiences/%s/opt-in", "{'required':false}", 200, NULL);

	g_autofree char *workflow = stored_new("/v1/workflows", design, "workflow_id");
	expect_of(workflow, DELETE_T, 409, USED("{'type':'workflow','id':'%s','name':'Flow'}"));
	expect_of(workflow, "PATCH", "/v1/workflows/%s", "{'status':'paused'}", 200, NULL);

	g_autofree char *body = g_strdup_printf(
	    "{'from':'a@example.com','template_id':'t','audiences':['%s']}", audience);
	g_autofree char *broadcast = stored_new("/v1/broadcasts", body, "id");
	g_autofree char *later = g_strdup_printf(
	    "{'scheduled_at':%" G_GINT64_FORMAT "}", g_get_real_time() / 1000 + 3600000);
	expect_of(broadcast, "POST", "/v1/broadcasts/%s/send", later, 200, NULL);
	expect_of(
	    broadcast, DELETE_T, 409, USED("{'type':'broadcast','id':'%s','name':'Broadcast'}"));
	expect_of(broadcast, "POST", "/v1/broadcasts/%s/unschedule", NULL, 200, NULL);
	expect_of("", DELETE_T, 200, DONE);
}

#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define SHOWN(text)                                                                                \
	"<!--preview--><div style=\\\"display:none;max-height:0;max-width:0;overflow:hidden;"      \
	"opacity:0\\\">" text "</div><!--/preview-->"

Test(templates, have_a_text_for_previews)
{
	static const struct exchange exchanges[] = {
	    {"at the limit", "POST", "/v1/templates",
		"{'id':'t','name':'N','html':'<p>','preview_text':'" HUNDRED HUNDRED "'}", 200,
		.want = {"preview_text = '" HUNDRED HUNDRED "'"}},
	    {"past it", "PATCH", "/v1/templates/t", "{'preview_text':'" HUNDRED HUNDRED "a'}", 400,
		.want = {"message : string"}},
	    {"not closed", "PATCH", "/v1/templates/t", "{'preview_text':'{{#if x}}'}", 400,
		.want = {"message : string"}},
	    {"with a variable", "PATCH", "/v1/templates/t", "{'preview_text':'1 < {{x}}'}", 200},
	    {"stays", "PATCH", "/v1/templates/t", "{'subject':'S'}", 200,
		.want = {"preview_text = '1 < {{x}}'"}},
	    {"rendered", "POST", "/v1/templates/t/render", "{'variables':{'x':'>'}}", 200,
		.want = {"html = '" SHOWN("1 &lt; &gt;") "<p>'"}},
	    {"none", "PATCH", "/v1/templates/t", "{'preview_text':null}", 200,
		.want = {"preview_text : absent"}},
	    {"rendered without", "POST", "/v1/templates/t/render", "{}", 200,
		.want = {"html = '<p>'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}
