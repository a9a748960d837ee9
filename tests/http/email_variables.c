/* SPDX-License-Identifier: MIT */
/* Variables: their values in the message that arrives, and in the email that is read back. */
#include <criterion/criterion.h>

#include "tests/http/arrival.h"
#include "tests/http/email.h"

FIXTURE_SUITE(email_variables, 900);

/* html, text and subject are all the same template. */
static const struct {
	const char *name, *template, *variables;
	const char *want_html, *want_text, *want_subject; /* text and subject NULL: as html */
} cases[] = {
    {"string", "{{a}}", "'a':'x'", "x"},
    {"spaces", "{{ a }}|{{a }}|{{  a}}", "'a':'x'", "x|x|x"},
    {"twice", "{{a}}{{a}}", "'a':'x'", "xx"},
    {"several", "{{a}}-{{b_1}}-{{c.d}}-{{e-f}}", "'a':'1','b_1':'2','c.d':'3','e-f':'4'",
	"1-2-3-4"},
    {"other script", "{{a}}", "'a':'\u5c71 \u00e9'", "\u5c71 \u00e9"},
    {"case matters", "{{A}}{{a}}", "'a':'x'", "x"},
    {"escaped", "{{a}}", "'a':'<b> & \\u0022q\\u0022 \\u0027'",
	"&lt;b&gt; &amp; &quot;q&quot; &#39;", "<b> & \"q\" '", "<b> & \"q\" '"},
    {"raw", "{{{a}}}", "'a':'<b>&'", "<b>&"},
    {"raw, spaces", "{{{ a }}}", "'a':'<b>'", "<b>"},
    {"not expanded again", "{{a}}", "'a':'{{b}}','b':'x'", "{{b}}"},
    {"not expanded again, raw", "{{{a}}}", "'a':'{{{b}}}','b':'x'", "{{{b}}}"},
    {"integer", "{{a}}", "'a':7", "7"},
    {"numbers as written", "{{a}} {{b}} {{c}} {{d}}", "'a':1.50,'b':-0.10,'c':1e3,'d':12345678901",
	"1.50 -0.10 1e3 12345678901"},
    {"numbers beyond 64 bits", "{{a}} {{b}} {{c}} {{d}} {{e}}",
	"'a':-0,'b':123456789012345678901234567890,'c':-9223372036854775809,'d':1e400,"
	"'e':{'default':18446744073709551616}",
	"-0 123456789012345678901234567890 -9223372036854775809 1e400 18446744073709551616"},
    {"unknown", "[{{a}}]", "'b':'x'", "[]"},
    {"no variables", "[{{a}}]", "", "[]"},
    {"inline default", "[{{a|b c}}]", "", "[b c]"},
    {"inline default not used", "[{{a|b}}]", "'a':'x'", "[x]"},
    {"inline default of null", "[{{a|b}}]", "'a':null", "[b]"},
    {"inline default of empty", "[{{a|b}}]", "'a':''", "[]"},
    {"inline default, empty", "[{{a|}}]", "", "[]"},
    {"value", "{{a|c}}", "'a':{'value':'x','default':'b'}", "x"},
    {"empty value", "[{{a|c}}]", "'a':{'value':'','default':'b'}", "[]"},
    {"value 0", "{{a|c}}", "'a':{'value':0,'default':5}", "0"},
    {"default of null", "{{a|c}}", "'a':{'value':null,'default':'b'}", "b"},
    {"default alone", "{{a|c}}", "'a':{'default':1.0}", "1.0"},
    {"null default", "{{a|c}}", "'a':{'value':null,'default':null}", "c"},
    {"value and default absent", "{{a|c}}", "'a':{}", "c"},
    {"older shape", "{{a}} {{b}} {{c}}",
	"'values':{'a':'1','b':null},'default_values':{'a':'x','b':2,'c':3}", "1 2 3"},
    {"no reference", "{a} {{a b}} {{}} {{a} {{ {{-}}", "'a':'x','-':'y'",
	"{a} {{a b}} {{}} {{a} {{ y"},
    {"style sheet", "@media x{a{b:c}}", "'a':'x'", "@media x{a{b:c}}"},
    {"blocks", "{{#if a}}{{#each b}}{{this.c}}{{@index}} {{/each}}{{else}}no{{/if}}",
	"'a':true,'b':[{'c':'x'},{'c':1.0}]", "x0 1.01 "},
    {"a block that is not closed", "{{#if a}}{{> p}}{{else}}x", "'a':true", "{{#if a}}{{> p}}x"},
    {"a path", "{{a.b.0}} {{a.b.length}} {{c.d}}|{{a}}", "'a':{'b':['x']},'c.d':'y'", "x 1 y|"},
    {"a tag that is text", "[\\\\{{a}}] {{a}} \\\\{{{a}}} \\\\{{#if}}", "'a':'x'",
	"[{{a}}] x {{{a}}} {{#if}}"},
    {"a subject that begins with a backslash", "{{a}}\\\\{{a}}", "'a':'x'", "x{{a}}"},
    {"a backslash and a value", "{{a}}\\\\\\\\{{a}}", "'a':'x'", "x\\x"},
    {"a backslash that stands before no tag", "\\\\{{ {{a}} \\\\{ \\\\", "'a':'x'",
	"\\{{ x \\{ \\"},
    {"a value in a URL", "{{url a}}", "'a':'Ä b&c=d/e?~-._+<\\\"'",
	"%C3%84%20b%26c%3Dd%2Fe%3F~-._%2B%3C%22"},
    {"a day in any zone",
	"[{{date a \\\"%e %b %H:%M\\\" zone=\\\"America/New_York\\\"}} "
	"{{date a \\\"%e %b\\\" zone=\\\"Asia/Tokyo\\\"}} "
	"{{date b \\\"%e %b\\\" zone=\\\"America/New_York\\\"}}",
	"'a':'2026-12-01','b':'2026-12-01T00:00Z'", "[1 Dec 00:00 1 Dec 30 Nov"},
    {"comments", "{{! x }}a{{!-- {{a}} --}}", "'a':'x'", "a"},
    {"old names", "{{else}}{{this}}{{date}}{{upper|x}}", "'this':'t','date':'d','else':'e'",
	"etdx"},
    {"four braces", "{{{{a}}}}", "'a':'x'", "{x}"},
};

static void
email_variables_judge(gsize i, const char *what, const char *got, const char *want)
{
	cr_expect_str_eq(
	    got, want, "%s: %s is \"%s\", want \"%s\"", cases[i].name, what, got, want);
}

static void
email_variables_expect(gsize i)
{
	g_autofree char *change =
	    g_strdup_printf("'html':'%s','text':'%s','subject':'%s','variables':{%s}",
		cases[i].template, cases[i].template,
		*cases[i].template == '{' ? cases[i].template : "S", cases[i].variables);
	g_autofree char *id = email_send(fixture, change);
	AUTO(answer) got = email_get(fixture, id);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *text = arrival_content(arrival, 0, NULL);
	g_autofree char *html = arrival_content(arrival, 1, NULL);
	const char *want = cases[i].want_html;
	const char *want_text = cases[i].want_text ? cases[i].want_text : want;

	email_variables_judge(i, "html read back", answer_text(got, "html"), want);
	email_variables_judge(i, "text read back", answer_text(got, "text"), want_text);
	email_variables_judge(i, "html arrived", html, want);
	email_variables_judge(i, "text arrived", text, want_text);
	if (*cases[i].template != '{')
		return;
	want = cases[i].want_subject ? cases[i].want_subject : want;
	email_variables_judge(i, "subject read back", answer_text(got, "subject"), want);
	email_variables_judge(
	    i, "subject arrived", g_mime_message_get_subject(arrival->message), want);
}

Test(email_variables, stand_in_html_text_and_subject)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		email_variables_expect(i);
}

/* No value can end the subject or begin another header field. */
Test(email_variables, bring_no_line_into_the_subject)
{
	g_autofree char *id = email_send(fixture,
	    "'subject':'[{{a}}]','variables':{'a':'x\\r\\nBcc: e@example.org\\u0085\\u2028\\ty'}");
	AUTO(answer) got = email_get(fixture, id);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	static const char want[] = "[x  Bcc: e@example.org   y]";

	cr_expect_str_eq(
	    answer_text(got, "subject"), want, "got \"%s\"", answer_text(got, "subject"));
	cr_expect_str_eq(g_mime_message_get_subject(arrival->message), want, "got \"%s\"",
	    g_mime_message_get_subject(arrival->message));
	cr_expect(!arrival_has_line(arrival, "Bcc"));
	cr_expect_str_eq(arrival->recipients, "b@example.net", "got %s", arrival->recipients);
}

/* The text that is derived has the values too. */
Test(email_variables, stand_in_the_derived_text)
{
	g_autofree char *id = email_send(
	    fixture, "'html':'<p>Dear {{a}},</p><p>bye</p>','variables':{'a':'<A & B>'}");
	AUTO(answer) got = email_get(fixture, id);

	cr_expect_str_eq(answer_text(got, "text"), "Dear <A & B>,\n\nbye\n", "got \"%s\"",
	    answer_text(got, "text"));
}

/* Sends an email with these members, and reads back its subject and html. */
static void
expect_made(const char *members, const char *subject, const char *html)
{
	g_autofree char *body =
	    g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net',%s}", members);
	const struct exchange exchange = {members, "POST", "/v1/emails", body, 201};
	AUTO(answer) sent = exchange_expect(fixture, &exchange);
	AUTO(answer) got = email_get(fixture, answer_text(sent, "id"));

	cr_expect_str_eq(answer_text(got, "subject"), subject, "%s: got %s", members,
	    answer_text(got, "subject"));
	cr_expect_str_eq(
	    answer_text(got, "html"), html, "%s: got %s", members, answer_text(got, "html"));
}

#define OFFER "'html':'{{plan|h}} {{seats}} {{other|o}} {{#if beta}}b{{/if}} {{name}} {{no|-}}'"

Test(email_variables, of_stored_templates_have_the_defaults_of_properties)
{
	static const struct exchange exchanges[] = {
	    {"text", "POST", "/v1/properties", "{'key':'plan','type':'string','default':'free'}",
		200},
	    {"number", "POST", "/v1/properties", "{'key':'seats','type':'number','default':3}",
		200},
	    {"boolean", "POST", "/v1/properties", "{'key':'beta','type':'boolean','default':true}",
		200},
	    {"name", "POST", "/v1/properties", "{'key':'name','type':'string','default':'p'}", 200},
	    {"no default", "POST", "/v1/properties", "{'key':'no','type':'string'}", 200},
	    {"template", "POST", "/v1/templates",
		"{'id':'offer','name':'T','subject':'To {{plan|s}}','variables':{'name':'t'}," OFFER
		"}",
		200},
	    {"rendered", "POST", "/v1/templates/offer/render", "{'variables':{'seats':4}}", 200,
		.want = {"subject = 'To free'", "html = 'free 4 o b t -'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	expect_made("'template_id':'offer'", "To free", "free 3 o b t -");
	expect_made("'template_id':'offer','variables':{'plan':'pro','seats':null,'beta':false}",
	    "To pro", "pro 3 o  t -");
	expect_made("'template_id':'offer','variables':{'plan':{'value':null,'default':''}}", "To ",
	    " 3 o b t -");
	expect_made(
	    "'template_id':'offer','subject':'{{seats|s}} {{no|s}}'", "3 s", "free 3 o b t -");
	expect_made("'subject':'{{plan|s}}'," OFFER, "s", "h  o   -");
}
