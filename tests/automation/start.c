/* SPDX-License-Identifier: MIT */
/* Tests starts by hand against triggers, and those that find nobody. */
#include <criterion/criterion.h>

#include "automation/history.h"
#include "base/clock.h"
#include "segment/segment.h"
#include "service/service.h"
#include "start/order.h"
#include "start/run.h"
#include "store/automation/execution_step.h"
#include "store/broadcast/segment.h"
#include "store/webhook/webhook.h"
#include "tests/automation/fixture.h"
#include "tests/support/db.h"
#include "tests/support/hooks.h"

#define PRO                                                                                        \
	"{\"match\":\"all\",\"rules\":[{\"property\":\"plan\",\"operator\":\"equals\","            \
	"\"value\":\"pro\"}]}"

static void
start_segment(struct fixture *fixture, char text_r[ID_TEXT_SIZE])
{
	AUTO(store_segment)
	segment = segment_create(fixture->service, &fixture->house->workspace, "Pro", PRO, NULL);

	cr_assert(segment);
	base_id_format(&segment->id, text_r);
}

static void
start_order(
    struct fixture *fixture, const struct base_id *workflow, const struct start_order_input *input)
{
	g_autoptr(GError) error = NULL;
	struct start_order *order = start_order_check(
	    fixture->service, &fixture->house->workspace, workflow, START_API, input, NULL, &error);
	AUTO(service_once) request = order ? &order->request : NULL;

	cr_assert(request && service_once_store_one(fixture->service, request, &error), "%s",
	    error ? error->message : "");
}

static char *
start_counts(struct fixture *fixture)
{
	return test_db_text(fixture->db,
	    "SELECT CONCAT(status, ' ', people, ' ', started, ' ', filter) FROM workflow_start"
	    " ORDER BY id DESC LIMIT 1");
}

/* The filter of a trigger asks for segments whatever begins the workflow. */
Test(start, asks_the_filter_for_segments)
{
	static const struct {
		const char *operator, * plan, *want;
	} cases[] = {{"in", "pro", "3 1 1 0"}, {"in", "free", "3 1 0 1"},
	    {"not_in", "pro", "3 1 0 1"}, {"not_in", "free", "3 1 1 0"}};
	AUTO(fixture) fixture = fixture_open();
	char segment[ID_TEXT_SIZE];

	start_segment(fixture, segment);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *nodes =
		    g_strdup_printf(NODE("t", "trigger",
					"'eventName': 'workflow.started', 'filter': {'rules':"
					" [{'segment': '%s', 'operator': '%s'}]}"),
			segment, cases[i].operator);
		g_autofree char *properties = g_strdup_printf("{'plan': '%s'}", cases[i].plan);
		const struct start_order_input input = {.email = "ann@example.org"};
		struct base_id workflow = fixture_workflow(fixture, nodes, "");

		fixture_event(fixture, "seen", properties);
		start_order(fixture, &workflow, &input);
		fixture_expect(cases[i].operator, start_counts(fixture), cases[i].want);
	}
}

static void
start_run_once(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	struct base_id last = {{0}};
	bool worked;

	cr_assert(start_run(fixture->service, &last, true, &worked, &error), "%s",
	    error ? error->message : "");
	cr_expect(worked);
}

#define STARTED NODE("t", "trigger", "'eventName': 'workflow.started'")
#define LEAVES                                                                                     \
	NODE("t", "trigger", "'eventName': 'workflow.started', 'exit': [{'eventName': 'paid'}]")
#define WAIT NODE("w", "wait", "'duration': 1, 'unit': 'hours'")
#define COMES                                                                                      \
	"'eventName': 'paid', 'filter': {'rules': [{'property': 'event.id', 'operator': 'equals'," \
	" 'value': {'var': 'event.id'}}]}"
#define T_W "{'id': 'e', 'source': 't', 'target': 'w'}"

/* The spool takes the first steps with a start, as far as they only move and wait; the engine takes
   the others, and ends the same way. */
Test(start, takes_steps_that_wait)
{
	static const struct {
		const char *name, *nodes, *edges, *begun, *run;
	} cases[] = {
	    {"wait", STARTED ", " WAIT, T_W, "WAITING w 2 until 60\n", "WAITING w 2 until 60\n"},
	    {"event", STARTED ", " NODE("w", "wait_for_event", COMES), T_W, "WAITING w 2\n",
		"WAITING w 2\n"},
	    {"exit", LEAVES ", " WAIT, T_W, "IN_PROGRESS t 1 due 0\n", "WAITING w 2 until 60\n"},
	    {"end", STARTED, "", "IN_PROGRESS t 1 due 0\n", "COMPLETED t 1\n"},
	    {"condition",
		STARTED ", " NODE(
		    "w", "condition", "'rules': [{'property': 'plan', 'operator': 'exists'}]"),
		T_W, "IN_PROGRESS w 2 due 0\n", "COMPLETED w 2\n"},
	    {"missing", STARTED ", " NODE("w", "wait", "'until': 'day'"), T_W,
		"IN_PROGRESS w 2 due 0\n",
		"FAILED w 2 w: property day, whose time is to be waited for, is missing\n"},
	};
	AUTO(fixture) fixture = fixture_open();
	char segment[ID_TEXT_SIZE];
	const struct start_order_input input = {.segment_id = segment};

	start_segment(fixture, segment);
	test_hooks_add(
	    fixture->db, &fixture->house->workspace, WEBHOOK_BIT(WEBHOOK_EXECUTION_STARTED), true);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(fixture->db, "DELETE FROM webhook_event");
		fixture_clear(fixture);
		fixture_event(fixture, "seen", "{'plan': 'pro'}");
		struct base_id workflow = fixture_workflow(fixture, cases[i].nodes, cases[i].edges);
		start_order(fixture, &workflow, &input);
		start_run_once(fixture);
		fixture_expect(cases[i].name, fixture_show(fixture), cases[i].begun);
		fixture_expect(cases[i].name,
		    test_db_text(fixture->db,
			"SELECT GROUP_CONCAT(JSON_VALUE(data, '$.status')) FROM webhook_event"),
		    "IN_PROGRESS");
		fixture_expect_steps(fixture);
		fixture_run(fixture);
		fixture_expect(cases[i].name, fixture_show(fixture), cases[i].run);
		fixture_expect_steps(fixture);
		fixture_expect(cases[i].name,
		    test_db_text(fixture->db,
			"SELECT GROUP_CONCAT(name, accepted ORDER BY name) FROM figure"
			" WHERE name IN ('t', 'w')"),
		    cases[i].edges[0] ? "t1,w1" : "t1");
	}
}

/* The steps of the last execution, a line for each, without the time of day. */
static char *
start_steps(struct fixture *fixture)
{
	struct base_id id = fixture_execution(fixture);
	g_autoptr(GPtrArray) steps =
	    automation_history_list(fixture->db, &fixture->house->workspace, &id, 0, 10, NULL);
	GString *text = g_string_new(NULL);

	cr_assert(steps);
	for (guint i = 0; i < steps->len; i++) {
		const struct store_execution_step *step = steps->pdata[i];

		g_string_append_printf(text, "%u %s %s %d %d %s %.20s\n", step->sequence,
		    step->step_id ? step->step_id : "-", step->type ? step->type : "-",
		    (int)(step->entered - base_clock_now()) / 60000,
		    step->left ? (int)(step->left - base_clock_now()) / 60000 : -1,
		    automation_history_result(step->result), step->why ? step->why : "-");
	}
	return g_string_free(text, FALSE);
}

/* A trigger that nothing follows says why it is done, whoever was begun with it. */
Test(start, lists_the_only_step)
{
	AUTO(fixture) fixture = fixture_open();
	char segment[ID_TEXT_SIZE];
	const struct start_order_input one = {.email = "ann@example.org"},
				       many = {.segment_id = segment};

	start_segment(fixture, segment);
	fixture_event(fixture, "seen", "{'plan': 'pro'}");
	struct base_id workflow = fixture_workflow(fixture, STARTED, "");
	start_order(fixture, &workflow, &one);
	fixture_run(fixture);
	fixture_expect("one", start_steps(fixture), "1 t trigger 0 0 done workflow.started cam\n");
	start_order(fixture, &workflow, &many);
	start_run_once(fixture);
	fixture_run(fixture);
	fixture_expect("many", start_steps(fixture), "1 t trigger 0 0 done workflow.started cam\n");
}

/* The trigger of a start for many has no row, and is listed like that of a start for one. */
Test(start, lists_the_same_steps)
{
	AUTO(fixture) fixture = fixture_open();
	char segment[ID_TEXT_SIZE];
	const struct start_order_input one = {.email = "ann@example.org"},
				       many = {.segment_id = segment};

	start_segment(fixture, segment);
	fixture_event(fixture, "seen", "{'plan': 'pro'}");
	struct base_id workflow = fixture_workflow(fixture, STARTED ", " WAIT, T_W);
	start_order(fixture, &workflow, &one);
	fixture_run(fixture);
	g_autofree char *want = start_steps(fixture);
	start_order(fixture, &workflow, &many);
	start_run_once(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_step"), 1);
	fixture_expect("many", start_steps(fixture), want);
	struct base_id id = fixture_execution(fixture);
	for (guint limit = 1; limit <= 2; limit++)
		for (guint after = 0; after <= 2; after++) {
			g_autoptr(GPtrArray) page = automation_history_list(
			    fixture->db, &fixture->house->workspace, &id, after, limit, NULL);

			cr_assert(page);
			cr_expect_eq(page->len, MIN(limit, 2 - after), "%u %u", after, limit);
			if (page->len > 0)
				cr_expect_eq(
				    ((struct store_execution_step *)page->pdata[0])->sequence,
				    after + 1);
		}
	test_db_plain(fixture->db, "UPDATE workflow_version SET design ="
				   " REPLACE(design, '\"workflow.started\"', '7')");
	g_autofree char *faulty = start_steps(fixture);
	cr_expect(g_str_has_prefix(faulty, "1 t trigger 0 0 done -\n2 w"), "got %s", faulty);
	test_db_plain(fixture->db, "DELETE FROM workflow_version");
	fixture_expect(
	    "without its design", start_steps(fixture), "1 - - 0 0 done -\n2 w - 0 -1 waiting -\n");
}

Test(start, of_nobody_is_done)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id workflow =
	    fixture_workflow(fixture, NODE("t", "trigger", "'eventName': 'workflow.started'"), "");
	char segment[ID_TEXT_SIZE];
	const struct start_order_input input = {.segment_id = segment};

	start_segment(fixture, segment);
	start_order(fixture, &workflow, &input);
	start_run_once(fixture);
	fixture_expect("nobody", start_counts(fixture), "3 0 0 0");
}
