/* SPDX-License-Identifier: MIT */
/* Emails from templates, and lists of templates. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "db/statement.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"

TENANT_SUITE(templates_used, 120);

static void
ask(const char *method, const char *path, const char *body)
{
	const struct exchange exchange = {path, method, path, body, 200};

	answer_free(exchange_expect(tenant, &exchange));
}

#define USING(more) "'html':null,'template_id':'t'" more
#define NO_SUBJECT "'html':null,'subject':null,'template_id':'t'"

Test(templates_used, fill_an_email)
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

	ask("POST", "/v1/templates",
	    "{'id':'t','name':'N','html':'<p>{{x|inline}} {{y}}</p>','text':'T {{x|inline}}',"
	    "'subject':'S {{x}}','variables':{'x':'d','y':'<'}}");
	ACCEPT_ALL(tenant, acceptances);
}

Test(templates_used, may_lack_subject_text_and_defaults)
{
	static const struct refusal refusals[] = {
	    {"no subject", NO_SUBJECT, "subject is required"}};
	static const struct acceptance acceptances[] = {
	    {"inline default", USING(""), {"subject = 'S'", "html = '<p>i</p>'", "text = 'i\\n'"}},
	    {"value", USING(",'variables':{'x':'v'}"), {"html = '<p>v</p>'", "text = 'v\\n'"}},
	};

	ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'<p>{{x|i}}</p>'}");
	REFUSE_ALL(tenant, refusals);
	ACCEPT_ALL(tenant, acceptances);
}

/* What was sent stays what it was. */
Test(templates_used, may_change_afterwards)
{
	static const char change[] = USING(",'variables':{'x':'v'}");
	const struct exchange gone = {"gone", "POST", "/v1/emails",
	    "{'from':'a@example.com','to':'b@example.net','subject':'S','template_id':'t'}", 400,
	    "{'message':'Template not found'}"};

	ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'<p>one {{x}}</p>'}");
	g_autofree char *first = email_send(tenant, change);
	ask("PATCH", "/v1/templates/t", "{'html':'<p>two {{x}}</p>'}");
	g_autofree char *second = email_send(tenant, change);
	ask("DELETE", "/v1/templates/t", NULL);
	answer_free(exchange_expect(tenant, &gone));
	AUTO(answer) one = email_get(tenant, first);
	AUTO(answer) two = email_get(tenant, second);
	cr_expect_str_eq(answer_text(one, "html"), "<p>one v</p>");
	cr_expect_str_eq(answer_text(two, "html"), "<p>two v</p>");
	cr_expect_str_eq(answer_text(one, "template_id"), "t");
}

/* One that was stored under older rules. */
Test(templates_used, are_checked_again)
{
	static const struct refusal refusals[] = {
	    {"broken", USING(""), "Template has no valid HTML"}};
	static const char damage[] =
	    "UPDATE body SET data = '<p>{{#x}}</p>' WHERE workspace_id = ? AND size = 13";

	ask("POST", "/v1/templates", "{'id':'t','name':'N','html':'<p>{{xy}}</p>'}");
	cr_assert(db_run(tenant->db, damage, DB_VALUES(db_id(&tenant->id)), NULL, NULL));
	REFUSE_ALL(tenant, refusals);
}

static void
expect_page(const char *cursor, guint newest, guint count, bool more, char **cursor_r)
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
	AUTO(answer) answer = exchange_expect(tenant, &exchange);

	*cursor_r = more ? g_uri_escape_string(answer_text(answer, "cursor"), NULL, FALSE) : NULL;
}

static void
make(guint from, guint to)
{
	for (guint i = from; i <= to; i++) {
		g_autofree char *body = g_strdup_printf("{'name':'N%u','html':'x'}", i);
		ask("POST", "/v1/templates", body);
		exchange_next_moment();
	}
}

Test(templates_used, are_listed_in_pages)
{
	char *cursor;

	make(1, LIMIT_PAGE);
	expect_page("", LIMIT_PAGE, LIMIT_PAGE, false, &cursor);
	make(LIMIT_PAGE + 1, LIMIT_PAGE + 1);
	expect_page("", LIMIT_PAGE + 1, LIMIT_PAGE, true, &cursor);
	g_autofree char *second = cursor;
	expect_page(second, 1, 1, false, &cursor);
	make(LIMIT_PAGE + 2, 2 * LIMIT_PAGE);
	expect_page("", 2 * LIMIT_PAGE, LIMIT_PAGE, true, &cursor);
	g_autofree char *full = cursor;
	expect_page(full, LIMIT_PAGE, LIMIT_PAGE, false, &cursor);
}

Test(templates_used, are_listed_with_cursors_of_ours_alone)
{
	static const char *const cursors[] = {"x", "50", "01890a5d-ac96-774b-bcce-b302099a8057",
	    "AYkKXayWd0u8zrMCCZqAVw%3D%3D", "AYkKXayWd0u8zrMCCZqA", "%2F%2F%2F", "%C3%A9"};

	for (gsize i = 0; i < G_N_ELEMENTS(cursors); i++) {
		g_autofree char *path = g_strconcat("/v1/templates?cursor=", cursors[i], NULL);
		const struct exchange exchange = {
		    cursors[i], "GET", path, NULL, 400, "{'message':'cursor is malformed'}"};
		answer_free(exchange_expect(tenant, &exchange));
	}
}
