/* SPDX-License-Identifier: MIT */
/* Tests versions and statuses of workflows, and the effects of changes on executions. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/workflow.h"
#include "base/error.h"
#include "service/service.h"
#include "store/automation/workflow.h"
#include "tests/automation/fixture.h"

#define NO_WINDOW ", 'dedupe_window': 0"
#define START NODE("t", "trigger", "'eventName': 'order'" NO_WINDOW)
#define WAITER START "," NODE("w", "wait", WAIT_DATA) "," NODE("a", "exit", "")
#define WAITER_EDGES EDGE("t", "w") "," EDGE("w", "a")

/* Returns "status current active". The caller owns it. */
static char *
workflow_state(struct fixture *fixture, const struct base_id *id)
{
	AUTO(store_workflow) workflow =
	    store_workflow_get(fixture->db, &fixture->house->workspace, id, NULL);

	cr_assert(workflow);
	return g_strdup_printf("%s %u %u", store_workflow_status_name(workflow->status),
	    workflow->current_version, workflow->active_version);
}

static void
workflow_expect_change(struct fixture *fixture, const char *name, const struct base_id *id,
    const char *status, const char *nodes, const char *edges, const char *want_error,
    const char *want)
{
	fixture_expect(name, fixture_change(fixture, id, status, nodes, edges), want_error);
	fixture_expect(name, workflow_state(fixture, id), want);
}

Test(versions, are_counted_and_activated)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture, WAITER, WAITER_EDGES);
	const char *incomplete = "the design has no trigger: add a node of type \"trigger\"";

	fixture_expect("made", workflow_state(fixture, &id), "active 1 1");
	workflow_expect_change(
	    fixture, "design of an active one", &id, NULL, START, "", "(none)", "active 2 2");
	g_autofree char *fault = fixture_change(fixture, &id, NULL, "", "");
	cr_expect(fault, "an active one takes %s", incomplete);
	fixture_expect("refused", workflow_state(fixture, &id), "active 2 2");
	workflow_expect_change(
	    fixture, "paused", &id, "paused", NULL, NULL, "(none)", "paused 2 2");
	workflow_expect_change(fixture, "design of a paused one", &id, NULL, WAITER, WAITER_EDGES,
	    "(none)", "paused 3 2");
	workflow_expect_change(
	    fixture, "active", &id, "active", NULL, NULL, "(none)", "active 3 3");
	workflow_expect_change(
	    fixture, "draft, incomplete", &id, "draft", "", "", "(none)", "draft 4 3");
	g_autofree char *again = fixture_change(fixture, &id, "active", NULL, NULL);
	cr_expect(again);
	fixture_expect("not activated", workflow_state(fixture, &id), "draft 4 3");
	workflow_expect_change(
	    fixture, "activated with a design", &id, "active", START, "", "(none)", "active 5 5");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM workflow_version"), 5);
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
	AUTO(fixture) fixture = fixture_open();
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};

	for (guint i = 0; i < G_N_ELEMENTS(made); i++) {
		const struct automation_workflow_change change = {.name = made[i].title,
		    .status = made[i].status,
		    .design = made[i].design,
		    .design_size = strlen(made[i].design)};
		g_autoptr(GError) error = NULL;
		struct base_id id;
		bool done = automation_workflow_create(
		    fixture->service, &fixture->house->workspace, &author, &change, &id, &error);

		cr_expect_eq(done, !made[i].want, "%s", made[i].name);
		if (done)
			fixture_expect(made[i].name, workflow_state(fixture, &id), "draft 1 0");
		else
			cr_expect_str_eq(error->message, made[i].want, "%s: got %s", made[i].name,
			    error->message);
	}
}

Test(versions, last_as_long_as_their_executions)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture, WAITER, WAITER_EDGES);

	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("changed",
	    fixture_change(fixture, &id, NULL, START "," NODE("b", "exit", ""), EDGE("t", "b")),
	    "(none)");
	fixture_event(fixture, "order", NULL);
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_expect("each by its own", fixture_show(fixture), "COMPLETED a 3\nCOMPLETED b 2\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT SUM(version) FROM execution"), 3);
}

Test(versions, that_are_paused_stop_at_the_next_step_and_go_on)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture, WAITER "," NODE("v", "wait", WAIT_DATA),
	    EDGE("t", "w") "," EDGE("w", "v") "," EDGE("v", "a"));

	fixture_event(fixture, "order", NULL);
	fixture_event_of(fixture, "bob@example.org", "order", NULL);
	fixture_run(fixture);
	fixture_event_of(fixture, "cat@example.org", "order", NULL);
	fixture_expect("pause", fixture_change(fixture, &id, "paused", NULL, NULL), "(none)");
	fixture_event_of(fixture, "dan@example.org", "order", NULL);
	fixture_run(fixture);
	fixture_expect("parked", fixture_show(fixture),
	    "WAITING w 2 until 1440\nWAITING w 2 until 1440\nIN_PROGRESS t 1 parked 0\n");
	fixture_at(DAY + 60);
	fixture_run(fixture);
	fixture_expect("waits that ended", fixture_show(fixture),
	    "WAITING w 2 until 1440 parked 1440\nWAITING w 2 until 1440 parked 1440\n"
	    "IN_PROGRESS t 1 parked 0\n");
	cr_expect_eq(test_db_number(
			 fixture->db, "SELECT COUNT(*) FROM execution WHERE ready_at IS NOT NULL"),
	    0);
	fixture_at(DAY + 120);
	fixture_expect("resume", fixture_change(fixture, &id, "active", NULL, NULL), "(none)");
	fixture_run(fixture);
	fixture_expect("due at once", fixture_show(fixture),
	    "WAITING v 3 until 2880\nWAITING v 3 until 2880\nWAITING v 3 until 2880\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM workflow_task"), 0);
}

Test(versions, that_are_paused_again_keep_what_is_parked)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture, WAITER, WAITER_EDGES);

	fixture_event(fixture, "order", NULL);
	fixture_expect("pause", fixture_change(fixture, &id, "paused", NULL, NULL), "(none)");
	fixture_run(fixture);
	fixture_expect("resume", fixture_change(fixture, &id, "active", NULL, NULL), "(none)");
	fixture_expect("pause", fixture_change(fixture, &id, "paused", NULL, NULL), "(none)");
	fixture_run(fixture);
	fixture_expect("parked", fixture_show(fixture), "IN_PROGRESS t 1 parked 0\n");
	fixture_expect("resume", fixture_change(fixture, &id, "active", NULL, NULL), "(none)");
	fixture_run(fixture);
	fixture_expect("goes on", fixture_show(fixture), "WAITING w 2 until 1440\n");
}

/* An execution that an event releases while its workflow is paused continues after that event. */
Test(versions, that_are_paused_do_not_lose_events)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture,
	    START "," NODE("e", "wait_for_event",
		"'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("w",
		"wait", WAIT_DATA),
	    EDGE("t", "e") "," EDGE_BY("e", "event", "w"));

	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("pause", fixture_change(fixture, &id, "paused", NULL, NULL), "(none)");
	fixture_at(60);
	fixture_event(fixture, "paid", NULL);
	fixture_run(fixture);
	fixture_expect("parked", fixture_show(fixture), "IN_PROGRESS e 2 parked 60\n");
	fixture_at(DAY + 1);
	fixture_expect("resume", fixture_change(fixture, &id, "active", NULL, NULL), "(none)");
	fixture_run(fixture);
	fixture_expect("from the event", fixture_show(fixture), "WAITING w 3 until 1500\n");
}

Test(versions, that_are_drafts_again_let_executions_end)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture, WAITER, WAITER_EDGES);

	fixture_event(fixture, "order", NULL);
	fixture_expect("pause", fixture_change(fixture, &id, "paused", NULL, NULL), "(none)");
	fixture_run(fixture);
	fixture_expect("draft", fixture_change(fixture, &id, "draft", NULL, NULL), "(none)");
	fixture_event(fixture, "order", NULL);
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_expect("the one that ran", fixture_show(fixture), "COMPLETED a 3\n");
}

Test(versions, of_deleted_workflows_end_theirs)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture,
	    WAITER "," NODE("e", "wait_for_event", "'eventName': 'paid'") "," NODE(
		"s", "split", "'weights': {'l': 1, 'r': 0}"),
	    EDGE("t", "s") "," EDGE_BY("s", "l", "e") "," EDGE_BY("s", "r", "w") "," EDGE(
		"w", "a"));
	struct base_id other =
	    fixture_workflow(fixture, NODE("x", "trigger", "'eventName': 'other'"), "");
	g_autoptr(GError) error = NULL;

	fixture_event(fixture, "other", NULL);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_event_of(fixture, "bob@example.org", "order", NULL);
	cr_assert(
	    automation_workflow_remove(fixture->service, &fixture->house->workspace, &id, &error));
	fixture_event(fixture, "order", NULL);
	fixture_at(DAY);
	fixture_run(fixture);
	fixture_expect("cancelled", fixture_show(fixture),
	    "COMPLETED x 1\nCANCELLED e 3 workflow_deleted\nCANCELLED t 1 workflow_deleted\n");
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution e JOIN workflow w ON w.id ="
					" e.workflow_id WHERE e.completed = w.deleted"),
	    2);
	static const char *const empty[] = {"workflow_task", "execution_wait", "workflow_trigger"};
	for (guint i = 0; i < G_N_ELEMENTS(empty); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "SELECT COUNT(*) FROM %s WHERE workspace_id IS NOT NULL", empty[i]);
		cr_expect_eq(
		    test_db_number(fixture->db, g_intern_string(sql)), i == 2, "%s", empty[i]);
	}
	cr_expect_not(
	    automation_workflow_remove(fixture->service, &fixture->house->workspace, &id, &error));
	cr_expect_str_eq(error->message, "Workflow not found");
	fixture_expect("the other", workflow_state(fixture, &other), "active 1 1");
}
