/* SPDX-License-Identifier: MIT */
/* Tests versions and statuses of workflows, and the effects of changes on executions. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/workflow.h"
#include "base/error.h"
#include "service/service.h"
#include "store/automation/workflow.h"
#include "tests/automation/stage.h"

#define NO_WINDOW ", 'dedupe_window': 0"
#define START NODE("t", "trigger", "'eventName': 'order'" NO_WINDOW)
#define WAITER START "," NODE("w", "wait", WAIT_DATA) "," NODE("a", "exit", "")
#define WAITER_EDGES EDGE("t", "w") "," EDGE("w", "a")

/* Returns "status current active". The caller owns it. */
static char *
workflow_state(struct stage *stage, const struct base_id *id)
{
	AUTO(store_workflow) workflow =
	    store_workflow_get(stage->db, &stage->house->workspace, id, NULL);

	cr_assert(workflow);
	return g_strdup_printf("%s %u %u", store_workflow_status_name(workflow->status),
	    workflow->current_version, workflow->active_version);
}

static void
workflow_expect_change(struct stage *stage, const char *name, const struct base_id *id,
    const char *status, const char *nodes, const char *edges, const char *want_error,
    const char *want)
{
	stage_expect(name, stage_change(stage, id, status, nodes, edges), want_error);
	stage_expect(name, workflow_state(stage, id), want);
}

Test(versions, are_counted_and_activated)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage, WAITER, WAITER_EDGES);
	const char *incomplete = "the design has no trigger: add a node of type \"trigger\"";

	stage_expect("made", workflow_state(stage, &id), "active 1 1");
	workflow_expect_change(
	    stage, "design of an active one", &id, NULL, START, "", "(none)", "active 2 2");
	g_autofree char *fault = stage_change(stage, &id, NULL, "", "");
	cr_expect(fault, "an active one takes %s", incomplete);
	stage_expect("refused", workflow_state(stage, &id), "active 2 2");
	workflow_expect_change(stage, "paused", &id, "paused", NULL, NULL, "(none)", "paused 2 2");
	workflow_expect_change(stage, "design of a paused one", &id, NULL, WAITER, WAITER_EDGES,
	    "(none)", "paused 3 2");
	workflow_expect_change(stage, "active", &id, "active", NULL, NULL, "(none)", "active 3 3");
	workflow_expect_change(
	    stage, "draft, incomplete", &id, "draft", "", "", "(none)", "draft 4 3");
	g_autofree char *again = stage_change(stage, &id, "active", NULL, NULL);
	cr_expect(again);
	stage_expect("not activated", workflow_state(stage, &id), "draft 4 3");
	workflow_expect_change(
	    stage, "activated with a design", &id, "active", START, "", "(none)", "active 5 5");
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM workflow_version"), 5);
}

static const struct {
	const char *name, *title, *status, *design, *want;
} made[] = {
    {"draft", "Welcome 2-b_c", NULL, "{\"nodes\":[],\"edges\":[]}", NULL},
    {"letters of any script", "Grüße", "draft", "{\"nodes\":[],\"edges\":[]}", NULL},
    {"no name", "", NULL, "{\"nodes\":[],\"edges\":[]}", "name must be 1 to 100 characters"},
    {"signs in its name", "a.b/c & d: 50 % (e)", NULL, "{\"nodes\":[],\"edges\":[]}", NULL},
    {"status", "a", "ready", "{\"nodes\":[],\"edges\":[]}",
	"status must be draft, active or paused"},
};

Test(versions, of_what_is_made_are_checked)
{
	AUTO(stage) stage = stage_open();
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};

	for (guint i = 0; i < G_N_ELEMENTS(made); i++) {
		const struct automation_workflow_change change = {.name = made[i].title,
		    .status = made[i].status,
		    .design = made[i].design,
		    .design_size = strlen(made[i].design)};
		g_autoptr(GError) error = NULL;
		struct base_id id;
		bool done = automation_workflow_create(
		    stage->service, &stage->house->workspace, &author, &change, &id, &error);

		cr_expect_eq(done, !made[i].want, "%s", made[i].name);
		if (done)
			stage_expect(made[i].name, workflow_state(stage, &id), "draft 1 0");
		else
			cr_expect_str_eq(error->message, made[i].want, "%s: got %s", made[i].name,
			    error->message);
	}
}

Test(versions, last_as_long_as_their_executions)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage, WAITER, WAITER_EDGES);

	stage_event(stage, "order", NULL);
	stage_run(stage);
	stage_expect("changed",
	    stage_change(stage, &id, NULL, START "," NODE("b", "exit", ""), EDGE("t", "b")),
	    "(none)");
	stage_event(stage, "order", NULL);
	stage_at(DAY + 1);
	stage_run(stage);
	stage_expect("each by its own", stage_show(stage), "COMPLETED a 3\nCOMPLETED b 2\n");
	cr_expect_eq(test_db_number(stage->db, "SELECT SUM(version) FROM execution"), 3);
}

Test(versions, that_are_paused_stop_at_the_next_step_and_go_on)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage, WAITER "," NODE("v", "wait", WAIT_DATA),
	    EDGE("t", "w") "," EDGE("w", "v") "," EDGE("v", "a"));

	stage_event(stage, "order", NULL);
	stage_event_of(stage, "bob@example.org", "order", NULL);
	stage_run(stage);
	stage_event_of(stage, "cat@example.org", "order", NULL);
	stage_expect("pause", stage_change(stage, &id, "paused", NULL, NULL), "(none)");
	stage_event_of(stage, "dan@example.org", "order", NULL);
	stage_run(stage);
	stage_expect("parked", stage_show(stage),
	    "WAITING w 2 until 1440\nWAITING w 2 until 1440\nIN_PROGRESS t 1 parked 0\n");
	stage_at(DAY + 60);
	stage_run(stage);
	stage_expect("waits that ended", stage_show(stage),
	    "WAITING w 2 until 1440 parked 1440\nWAITING w 2 until 1440 parked 1440\n"
	    "IN_PROGRESS t 1 parked 0\n");
	cr_expect_eq(
	    test_db_number(stage->db, "SELECT COUNT(*) FROM execution WHERE ready_at IS NOT NULL"),
	    0);
	stage_at(DAY + 120);
	stage_expect("resume", stage_change(stage, &id, "active", NULL, NULL), "(none)");
	stage_run(stage);
	stage_expect("due at once", stage_show(stage),
	    "WAITING v 3 until 2880\nWAITING v 3 until 2880\nWAITING v 3 until 2880\n");
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM workflow_task"), 0);
}

Test(versions, that_are_paused_again_keep_what_is_parked)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage, WAITER, WAITER_EDGES);

	stage_event(stage, "order", NULL);
	stage_expect("pause", stage_change(stage, &id, "paused", NULL, NULL), "(none)");
	stage_run(stage);
	stage_expect("resume", stage_change(stage, &id, "active", NULL, NULL), "(none)");
	stage_expect("pause", stage_change(stage, &id, "paused", NULL, NULL), "(none)");
	stage_run(stage);
	stage_expect("parked", stage_show(stage), "IN_PROGRESS t 1 parked 0\n");
	stage_expect("resume", stage_change(stage, &id, "active", NULL, NULL), "(none)");
	stage_run(stage);
	stage_expect("goes on", stage_show(stage), "WAITING w 2 until 1440\n");
}

/* An execution that an event releases while its workflow is paused continues after that event. */
Test(versions, that_are_paused_do_not_lose_events)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage,
	    START "," NODE("e", "wait_for_event",
		"'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("w",
		"wait", WAIT_DATA),
	    EDGE("t", "e") "," EDGE_BY("e", "event", "w"));

	stage_event(stage, "order", NULL);
	stage_run(stage);
	stage_expect("pause", stage_change(stage, &id, "paused", NULL, NULL), "(none)");
	stage_at(60);
	stage_event(stage, "paid", NULL);
	stage_run(stage);
	stage_expect("parked", stage_show(stage), "IN_PROGRESS e 2 parked 60\n");
	stage_at(DAY + 1);
	stage_expect("resume", stage_change(stage, &id, "active", NULL, NULL), "(none)");
	stage_run(stage);
	stage_expect("from the event", stage_show(stage), "WAITING w 3 until 1500\n");
}

Test(versions, that_are_drafts_again_let_executions_end)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage, WAITER, WAITER_EDGES);

	stage_event(stage, "order", NULL);
	stage_expect("pause", stage_change(stage, &id, "paused", NULL, NULL), "(none)");
	stage_run(stage);
	stage_expect("draft", stage_change(stage, &id, "draft", NULL, NULL), "(none)");
	stage_event(stage, "order", NULL);
	stage_at(DAY + 1);
	stage_run(stage);
	stage_expect("the one that ran", stage_show(stage), "COMPLETED a 3\n");
}

Test(versions, of_deleted_workflows_end_theirs)
{
	AUTO(stage) stage = stage_open();
	struct base_id id = stage_workflow(stage,
	    WAITER "," NODE("e", "wait_for_event", "'eventName': 'paid'") "," NODE(
		"s", "split", "'weights': {'l': 1, 'r': 0}"),
	    EDGE("t", "s") "," EDGE_BY("s", "l", "e") "," EDGE_BY("s", "r", "w") "," EDGE(
		"w", "a"));
	struct base_id other =
	    stage_workflow(stage, NODE("x", "trigger", "'eventName': 'other'"), "");
	g_autoptr(GError) error = NULL;

	stage_event(stage, "other", NULL);
	stage_event(stage, "order", NULL);
	stage_run(stage);
	stage_event_of(stage, "bob@example.org", "order", NULL);
	cr_assert(
	    automation_workflow_remove(stage->service, &stage->house->workspace, &id, &error));
	stage_event(stage, "order", NULL);
	stage_at(DAY);
	stage_run(stage);
	stage_expect("cancelled", stage_show(stage),
	    "COMPLETED x 1\nCANCELLED e 3 workflow_deleted\nCANCELLED t 1 workflow_deleted\n");
	cr_expect_eq(
	    test_db_number(stage->db, "SELECT COUNT(*) FROM execution e JOIN workflow w ON w.id ="
				      " e.workflow_id WHERE e.completed = w.deleted"),
	    2);
	static const char *const empty[] = {"workflow_task", "execution_wait", "workflow_trigger"};
	for (guint i = 0; i < G_N_ELEMENTS(empty); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "SELECT COUNT(*) FROM %s WHERE workspace_id IS NOT NULL", empty[i]);
		cr_expect_eq(
		    test_db_number(stage->db, g_intern_string(sql)), i == 2, "%s", empty[i]);
	}
	cr_expect_not(
	    automation_workflow_remove(stage->service, &stage->house->workspace, &id, &error));
	cr_expect_str_eq(error->message, "Workflow not found");
	stage_expect("the other", workflow_state(stage, &other), "active 1 1");
}
