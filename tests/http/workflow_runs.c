/* SPDX-License-Identifier: MIT */
/* Active workflows start with events; executions are cancelled by request, or with their workflow.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/automation.h"

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"
#define MISSING "{'message':'Workflow not found'}"

#define DESIGN_OF(event)                                                                           \
	"'design':{'nodes':[{'id':'start','type':'trigger','data':{'eventName':'" event            \
	"'}}],'edges':[]}"

FIXTURE_SUITE(workflow_runs, 900);

static struct answer *
workflow_runs_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, method, path, body, status};

	return exchange_expect(fixture, &exchange);
}

static void
workflow_runs_send(const char *name)
{
	g_autofree char *body =
	    g_strdup_printf("{'event_name':'%s','email':'ada@example.net'}", name);

	answer_free(workflow_runs_ask("POST", "/v1/events", body, 200));
}

#define CONTACT "/v1/automation/contacts/ada@example.net"
#define EXECUTIONS CONTACT "/executions"

/* The path of the newest execution. */
static char *
workflow_runs_newest(void)
{
	AUTO(answer) list = workflow_runs_ask("GET", EXECUTIONS, NULL, 200);

	return g_strconcat(
	    "/v1/executions/", answer_text(list, "executions[0].execution_id"), NULL);
}

/* Only an active version starts, and an execution stays on its version. */
Test(workflow_runs, begin_while_it_is_active)
{
	g_autofree char *id = automation_start(fixture, "a");
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	const struct {
		const char *change, *event;
		guint executions;
	} cases[] = {
	    {"{}", "a", 1},
	    {"{'status':'paused'}", "a", 1},
	    {"{'status':'active'," DESIGN_OF("b") "}", "a", 1},
	    {"{'status':'draft'}", "b", 1},
	    {"{'status':'active'}", "b", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		answer_free(workflow_runs_ask("PATCH", path, cases[i].change, 200));
		workflow_runs_send(cases[i].event);
		AUTO(answer) list = workflow_runs_ask("GET", EXECUTIONS, NULL, 200);
		cr_expect_eq((guint)json_integer(answer_at(list, "count")), cases[i].executions,
		    "%s: got %s", cases[i].change, list->body);
	}
	AUTO(answer) list = workflow_runs_ask("GET", EXECUTIONS, NULL, 200);
	cr_expect_eq(json_integer(answer_at(list, "executions[0].version_used")), 2);
	cr_expect_eq(json_integer(answer_at(list, "executions[1].version_used")), 1);
}

Test(workflow_runs, are_cancelled)
{
	g_free(automation_start(fixture, "a"));
	workflow_runs_send("a");
	g_autofree char *execution = workflow_runs_newest();
	g_autofree char *cancel = g_strconcat(execution, "/cancel", NULL);
	g_autofree char *id = g_path_get_basename(execution);
	g_autofree char *same = g_strdup_printf("execution_id = '%s'", id);
	g_autofree char *schedule = g_strdup_printf("schedule_name = 'schedule-%s'", id);
	AUTO(fixture) other = fixture_open();
	const struct exchange elsewhere = {
	    "elsewhere", "POST", cancel, "", 404, "{'error':'Execution not found'}"};
#define CANCELLED                                                                                  \
	"status = 'CANCELLED'", "cancellation_reason = 'manual'", "completed_at : integer",        \
	    "error = null", "wait_until = null", "context.email = 'ada@example.net'"
	const struct exchange exchanges[] = {
	    {"unknown", "POST", "/v1/executions/" UNKNOWN "/cancel", "", 404,
		"{'error':'Execution not found'}"},
	    {"no id", "POST", "/v1/executions/x/cancel", "", 404,
		"{'error':'Execution not found'}"},
	    {"cancel", "POST", cancel, "", 200, .want = {CANCELLED, same, schedule}},
	    {"cancelled", "GET", execution, NULL, 200, .want = {CANCELLED}},
	    {"again", "POST", cancel, "", 409,
		"{'error':'Failed to cancel execution','details':'Execution has already "
		"finished'}"},
	    {"method", "GET", cancel, NULL, 405, "{'message':'Method not allowed'}",
		.want_header = {"Allow: POST"}},
	};
#undef CANCELLED

	answer_free(exchange_expect(other, &elsewhere));
	EXPECT_ALL(fixture, exchanges);
}

Test(workflow_runs, are_not_cancelled_when_they_are_finished)
{
	struct base_id workflow = automation_workflow(fixture, "W");
	struct base_id contact = automation_contact(fixture, "ada@example.net");
	static const enum store_execution_status finished[] = {
	    EXECUTION_COMPLETED, EXECUTION_FAILED, EXECUTION_CANCELLED};

	for (gsize i = 0; i < G_N_ELEMENTS(finished); i++) {
		struct base_id id = automation_execution(fixture, &workflow, &contact, finished[i]);
		g_autofree char *text = automation_text(&id);
		g_autofree char *path = g_strdup_printf("/v1/executions/%s/cancel", text);
		const struct exchange exchange = {path, "POST", path, "", 409,
		    "{'error':'Failed to cancel execution','details':'Execution has already "
		    "finished'}"};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(workflow_runs, are_cancelled_with_their_workflow)
{
	g_autofree char *id = automation_start(fixture, "a");
	g_autofree char *path = g_strconcat("/v1/workflows/", id, NULL);
	g_autofree char *executions = g_strconcat(path, "/executions", NULL);
	g_autofree char *emails = g_strconcat(path, "/emails", NULL);
	AUTO(fixture) other = fixture_open();
	const struct exchange elsewhere[] = {
	    {"read", "GET", path, NULL, 404, MISSING},
	    {"change", "PATCH", path, "{'name':'X'}", 404, MISSING},
	    {"delete", "DELETE", path, NULL, 404, MISSING},
	};

	workflow_runs_send("a");
	g_autofree char *execution = workflow_runs_newest();
	EXPECT_ALL(other, elsewhere);
	const struct exchange exchanges[] = {
	    {"delete", "DELETE", path, NULL, 200, "{'message':'Workflow deleted'}"},
	    {"again", "DELETE", path, NULL, 404, MISSING},
	    {"read", "GET", path, NULL, 404, MISSING},
	    {"change", "PATCH", path, "{'name':'X'}", 404, MISSING},
	    {"executions", "GET", executions, NULL, 404,
		"{'error':'Failed to list executions','details':'Workflow not found'}"},
	    {"emails", "GET", emails, NULL, 404,
		"{'error':'Failed to get workflow emails','details':'Workflow not found'}"},
	    {"execution", "GET", execution, NULL, 200,
		.want = {"status = 'CANCELLED'", "cancellation_reason = 'workflow_deleted'",
		    "completed_at : integer"}},
	    {"executions of the contact", "GET", EXECUTIONS, NULL, 200,
		.want = {"count = 1", "executions[0].status = 'CANCELLED'"}},
	    {"those cancelled", "GET", EXECUTIONS "?status=CANCELLED", NULL, 200,
		.want = {"count = 1"}},
	    {"list", "GET", "/v1/workflows", NULL, 200, .want = {"count = 0"}},
	};
	EXPECT_ALL(fixture, exchanges);
	workflow_runs_send("a");
	AUTO(answer) list = workflow_runs_ask("GET", EXECUTIONS, NULL, 200);
	cr_expect_eq(json_integer(answer_at(list, "count")), 1, "got %s", list->body);
}
