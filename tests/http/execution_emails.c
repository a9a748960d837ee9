/* SPDX-License-Identifier: MIT */
/* The emails of workflows and executions, as they are read. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"

static struct fixture *fixture;
static struct base_id workflow, contact, execution;
static char *of_workflow, *of_execution; /* paths */

static void
execution_emails_begin(void)
{
	fixture = fixture_open();
	workflow = automation_workflow(fixture, "Welcome");
	contact = automation_contact(fixture, "ada@example.net");
	execution = automation_execution(fixture, &workflow, &contact, EXECUTION_WAITING);
	g_autofree char *first = automation_text(&workflow), *second = automation_text(&execution);
	of_workflow = g_strdup_printf("/v1/workflows/%s/emails", first);
	of_execution = g_strdup_printf("/v1/executions/%s/emails", second);
}

static void
execution_emails_end(void)
{
	g_free(of_workflow);
	g_free(of_execution);
	fixture_close(fixture);
}

TestSuite(
    execution_emails, .init = execution_emails_begin, .fini = execution_emails_end, .timeout = 900);

static char *
execution_emails_row_of(const struct base_id *email, const char *recipient)
{
	g_autofree char *id = automation_text(email), *first = automation_text(&workflow),
			*second = automation_text(&execution);

	return g_strdup_printf("{'email_id':'%s','subject':'Welcome'%s,'created_at':1000,"
			       "'updated_at':1200,'events':[{'status':'sent','timestamp':1100},"
			       "{'status':'delivered','timestamp':1200}],'workflow_id':'%s',"
			       "'execution_id':'%s'}",
	    id, recipient, first, second);
}

Test(execution_emails, are_read)
{
	struct base_id first = automation_email(fixture, &workflow, &execution);
	struct base_id second = automation_email(fixture, &workflow, &execution);
#define RECIPIENT ",'recipient':'ada@example.net'"
	g_autofree char *a = execution_emails_row_of(&first, RECIPIENT),
			*b = execution_emails_row_of(&second, RECIPIENT);
#undef RECIPIENT
	g_autofree char *c = execution_emails_row_of(&first, ""),
			*d = execution_emails_row_of(&second, "");
	g_autofree char *newest_first =
	    g_strdup_printf("{'emails':[%s,%s],'count':2,'cursor':null}", b, a);
	g_autofree char *oldest_first = g_strdup_printf("{'emails':[%s,%s],'count':2}", c, d);
	const struct exchange exchanges[] = {
	    {"workflow", "GET", of_workflow, NULL, 200, newest_first},
	    {"execution", "GET", of_execution, NULL, 200, oldest_first},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(execution_emails, may_have_no_events)
{
	const struct exchange none[] = {
	    {"workflow", "GET", of_workflow, NULL, 200, "{'emails':[],'count':0,'cursor':null}"},
	    {"execution", "GET", of_execution, NULL, 200, "{'emails':[],'count':0}"},
	};
	const struct exchange fresh[] = {
	    {"workflow", "GET", of_workflow, NULL, 200,
		.want = {"count = 1", "emails[0].events = []", "emails[0].updated_at = 1000"}},
	    {"execution", "GET", of_execution, NULL, 200,
		.want = {"count = 1", "emails[0].events = []", "cursor : absent"}},
	};

	EXPECT_ALL(fixture, none);
	automation_email(fixture, &workflow, &execution);
	test_db_plain(fixture->db, "DELETE FROM event WHERE email_id IN (SELECT email_id FROM"
				   " execution_email WHERE workspace_id = @workspace)");
	EXPECT_ALL(fixture, fresh);
}

/* The emails of a workflow come in pages, those of an execution at once. */
Test(execution_emails, are_listed_by_pages)
{
	struct base_id other = automation_workflow(fixture, "Other");
	struct base_id another = automation_execution(fixture, &other, &contact, EXECUTION_WAITING);
	g_autoptr(GString) newest = g_string_new(NULL), oldest = g_string_new(NULL);

	for (guint i = 0; i < 2 * LIMIT_PAGE + 1; i++) {
		struct base_id id = automation_email(fixture, &workflow, &execution);
		g_autofree char *text = automation_text(&id);

		automation_email(fixture, &other, &another);
		g_string_prepend(newest, i > 0 ? " " : "");
		g_string_prepend(newest, text);
		g_string_append_printf(oldest, "%s%s", i > 0 ? " " : "", text);
		/* Pages that are just full, and one email more. */
		if (i + 2 < 2 * LIMIT_PAGE)
			continue;
		g_autofree char *got =
		    automation_walk(fixture, of_workflow, "", "emails", "email_id");
		cr_expect_str_eq(got, newest->str, "got %s, want %s", got, newest->str);
	}
	const struct exchange all = {
	    "all", "GET", of_execution, NULL, 200, .want = {"count = 101", "cursor : absent"}};
	AUTO(answer) answer = exchange_expect(fixture, &all);
	g_autoptr(GString) found = g_string_new(NULL);
	for (gsize i = 0; i < json_array_length(answer_at(answer, "emails")); i++) {
		g_autofree char *place = g_strdup_printf("emails[%zu].email_id", i);
		g_string_append_printf(found, "%s%s", i > 0 ? " " : "", answer_text(answer, place));
	}
	cr_expect_str_eq(found->str, oldest->str, "got %s, want %s", found->str, oldest->str);
}

#define LIST "'error':'Failed to get workflow emails'"

Test(execution_emails, say_what_is_wrong)
{
	g_autofree char *cursor = g_strconcat(of_workflow, "?cursor=x", NULL);
	const struct exchange exchanges[] = {
	    {"cursor", "GET", cursor, NULL, 400, "{" LIST ",'details':'cursor is malformed'}"},
	    {"unknown workflow", "GET", "/v1/workflows/" UNKNOWN "/emails", NULL, 404,
		"{" LIST ",'details':'Workflow not found'}"},
	    {"no id of a workflow", "GET", "/v1/workflows/x/emails", NULL, 404,
		"{" LIST ",'details':'Workflow not found'}"},
	    {"unknown execution", "GET", "/v1/executions/" UNKNOWN "/emails", NULL, 404,
		"{'error':'Execution not found'}"},
	    {"no id of an execution", "GET", "/v1/executions/x/emails", NULL, 404,
		"{'error':'Execution not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The emails of a deleted workflow are still those of its executions. */
Test(execution_emails, outlive_their_workflow)
{
	struct base_id email = automation_email(fixture, &workflow, &execution);
	g_autofree char *id = automation_text(&email);
	g_autofree char *want = g_strdup_printf("emails[0].email_id = '%s'", id);
	const struct exchange exchanges[] = {
	    {"workflow", "GET", of_workflow, NULL, 404,
		"{" LIST ",'details':'Workflow not found'}"},
	    {"execution", "GET", of_execution, NULL, 200, .want = {"count = 1", want}},
	};

	automation_delete(fixture, &workflow);
	EXPECT_ALL(fixture, exchanges);
}
