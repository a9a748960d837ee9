/* SPDX-License-Identifier: MIT */
/* Workflows, as they are read. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "tests/http/automation.h"

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"
#define MISSING "{'message':'Workflow not found'}"
#define NONE "{'workflows':[],'count':0,'cursor':null}"

TENANT_SUITE(workflows, 120);

Test(workflows, are_read)
{
	struct base_id workflow = automation_workflow(tenant, "Welcome");
	g_autofree char *id = automation_text(&workflow), *workspace = automation_text(&tenant->id);
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	g_autofree char *want =
	    g_strdup_printf("{'workflow_id':'%s','workspace_id':'%s','name':'Welcome',"
			    "'status':'active','current_version':2,'active_version':1,"
			    "'design':'{\\'nodes\\':[],\\'edges\\':[]}','created':1000,"
			    "'updated':2000,'created_by':'ann@example.com',"
			    "'created_by_type':'user'}",
		id, workspace);
	g_autofree char *listed =
	    g_strdup_printf("{'workflows':[{'workflow_id':'%s','workspace_id':'%s',"
			    "'name':'Welcome','status':'active','data':'workflows/%s/draft.json',"
			    "'created':1000,'updated':2000,'created_by':'ann@example.com',"
			    "'created_by_type':'user'}],'count':1,'cursor':null}",
		id, workspace, id);
	const struct exchange exchanges[] = {
	    {"one", "GET", path, NULL, 200, want},
	    {"list", "GET", "/v1/workflows", NULL, 200, listed},
	};

	EXPECT_ALL(tenant, exchanges);
}

Test(workflows, that_are_not_there_are_said_so)
{
	struct base_id workflow = automation_workflow(tenant, "Welcome");
	g_autofree char *id = automation_text(&workflow);
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	const struct exchange exchanges[] = {
	    {"unknown", "GET", "/v1/workflows/" UNKNOWN, NULL, 404, MISSING},
	    {"no id", "GET", "/v1/workflows/x", NULL, 404, MISSING},
	    {"deleted", "GET", path, NULL, 404, MISSING},
	    {"deleted, in the list", "GET", "/v1/workflows", NULL, 200, NONE},
	    {"cursor", "GET", "/v1/workflows?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"cursor of another kind", "GET", "/v1/workflows?cursor=MDE4", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"unknown cursor", "GET", "/v1/workflows?cursor=" UNKNOWN, NULL, 200, NONE},
	    {"below", "GET", "/v1/workflows/x/y", NULL, 404, "{'message':'Not found'}"},
	    {"method", "DELETE", "/v1/workflows/x/emails", NULL, 405,
		"{'message':'Method not allowed'}", .want_header = {"Allow: GET, HEAD"}},
	};

	automation_delete(tenant, &workflow);
	EXPECT_ALL(tenant, exchanges);
}

/* Newest first, each once, fifty on a page; the cursor is an id. */
Test(workflows, are_listed_by_pages)
{
	static const guint counts[] = {0, 1, 50, 51, 100, 101};
	g_autoptr(GString) want = g_string_new(NULL);
	guint made = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		for (; made < counts[i]; made++) {
			struct base_id id = automation_workflow(tenant, "Welcome");
			g_autofree char *text = automation_text(&id);
			g_string_prepend(want, made > 0 ? " " : "");
			g_string_prepend(want, text);
		}
		g_autofree char *got =
		    automation_walk(tenant, "/v1/workflows", "", "workflows", "workflow_id");
		cr_expect_str_eq(got, want->str, "%u: got %s, want %s", counts[i], got, want->str);
	}
	const struct exchange first = {"first", "GET", "/v1/workflows", NULL, 200};
	AUTO(answer) page = exchange_expect(tenant, &first);
	cr_expect_str_eq(
	    answer_text(page, "cursor"), answer_text(page, "workflows[49].workflow_id"));
}

Test(workflows, are_of_their_workspace)
{
	AUTO(tenant) other = tenant_open();
	struct base_id workflow = automation_workflow(tenant, "Welcome");
	g_autofree char *id = automation_text(&workflow);
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	g_autofree char *executions = g_strconcat(path, "/executions", NULL);
	g_autofree char *emails = g_strconcat(path, "/emails", NULL);
	const struct exchange exchanges[] = {
	    {"one", "GET", path, NULL, 404, MISSING},
	    {"list", "GET", "/v1/workflows", NULL, 200, NONE},
	    {"executions", "GET", executions, NULL, 404,
		"{'error':'Failed to list executions','details':'Workflow not found'}"},
	    {"emails", "GET", emails, NULL, 404,
		"{'error':'Failed to get workflow emails','details':'Workflow not found'}"},
	};

	EXPECT_ALL(other, exchanges);
}
