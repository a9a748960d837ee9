/* SPDX-License-Identifier: MIT */
/* The deliveries of events of executions: their rows, and their exact payloads. */
#include <criterion/criterion.h>

#include "automation/contact.h"
#include "automation/execution.h"
#include "automation/workflow.h"
#include "person/erase.h"
#include "service/service.h"
#include "store/webhook/enqueue.h"
#include "tests/automation/fixture.h"
#include "tests/support/hooks.h"

static struct fixture *fixture;
static struct base_id hook;

static void
webhook_begin(void)
{
	guint executions = WEBHOOK_BIT(WEBHOOK_EXECUTION_STARTED) |
			   WEBHOOK_BIT(WEBHOOK_EXECUTION_FINISHED) |
			   WEBHOOK_BIT(WEBHOOK_EXECUTION_FAILED);

	fixture = fixture_open();
	hook = test_hooks_add(fixture->db, &fixture->house->workspace, executions, true);
}

static void
webhook_end(void)
{
	fixture_close(fixture);
}

TestSuite(webhook_execution, .init = webhook_begin, .fini = webhook_end);

static void
webhook_expect(const char *name, const char *want)
{
	test_hooks_expect(fixture->service, &hook, name, want);
}

#define EXECUTION(type, status, fault, completed)                                                  \
	type " {\"execution_id\":\"#1\",\"workflow_id\":\"#2\",\"version_used\":1,"                \
	     "\"email\":\"ann@example.org\",\"status\":\"" status "\",\"error\":" fault            \
	     ",\"created_at\":T,\"completed_at\":" completed "}\n"
#define STARTED EXECUTION("execution.started", "IN_PROGRESS", "null", "null")
#define CANCELLED EXECUTION("execution.finished", "CANCELLED", "null", "T")
#define WAITS                                                                                      \
	TRIGGER "," NODE("w", "wait_for_event",                                                    \
	    "'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}")

Test(webhook_execution, is_told_when_it_completes)
{
	fixture_workflow(fixture, WAITS, EDGE("t", "w"));
	fixture_event(fixture, "order", NULL);
	webhook_expect("started", STARTED);
	fixture_run(fixture);
	webhook_expect("waiting", "");
	fixture_event(fixture, "paid", NULL);
	webhook_expect("released", "");
	fixture_run(fixture);
	webhook_expect("completed", EXECUTION("execution.finished", "COMPLETED", "null", "T"));
	fixture_event(fixture, "nothing", NULL);
	webhook_expect("an event that starts nothing", "");
}

Test(webhook_execution, is_told_when_it_fails)
{
	fixture_template(fixture, "hello", "Hello", "<p>Hello</p>", NULL);
	fixture_workflow(
	    fixture, TRIGGER "," NODE("a", "send_email", "'templateId': 'hello'"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	webhook_expect("started", STARTED);
	test_db_plain(fixture->db, "DELETE FROM template");
	fixture_run(fixture);
	webhook_expect(
	    "failed", EXECUTION("execution.failed", "FAILED",
			  "{\"step_id\":\"a\",\"message\":\"Template not found\"}", "T"));
}

Test(webhook_execution, is_told_when_it_is_cancelled)
{
	g_autoptr(GError) error = NULL;

	struct base_id workflow = fixture_workflow(fixture, WAITS, EDGE("t", "w"));
	fixture_event(fixture, "order", NULL);
	webhook_expect("started", STARTED);
	struct base_id id = fixture_execution(fixture);
	cr_assert(
	    automation_execution_cancel(fixture->service, &fixture->house->workspace, &id, &error));
	webhook_expect("by hand", CANCELLED);
	cr_expect(!automation_execution_cancel(
	    fixture->service, &fixture->house->workspace, &id, &error));
	webhook_expect("again", "");
	fixture_at(2 * DAY);
	fixture_event(fixture, "order", NULL);
	webhook_expect("started", STARTED);
	cr_assert(automation_contact_remove(
	    fixture->service, &fixture->house->workspace, "ann@example.org", NULL));
	webhook_expect("with its contact", CANCELLED);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	webhook_expect("started", STARTED);
	cr_assert(automation_workflow_remove(
	    fixture->service, &fixture->house->workspace, &workflow, NULL));
	fixture_run(fixture);
	webhook_expect("with its workflow", CANCELLED);
}

/* More than the statements take at once. */
Test(webhook_execution, is_told_of_many)
{
	struct store_erasure erasure;

	fixture_workflow(fixture, TRIGGER "," NODE("x", "exit", ""), EDGE("t", "x"));
	for (guint i = 0; i < 45; i++) {
		g_autofree char *email = g_strdup_printf("%u@example.org", i);

		fixture_event_of(fixture, email, "order", NULL);
	}
	fixture_run(fixture);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(DISTINCT d.event_id) FROM webhook_delivery d"
			 " JOIN webhook_event v ON v.id = d.event_id AND v.type = d.type"
			 " AND v.about = JSON_VALUE(v.data, '$.email') WHERE d.type = 20"),
	    45);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(DISTINCT JSON_VALUE(v.data, '$.execution_id'))"
			 " FROM webhook_delivery d JOIN webhook_event v ON v.id = d.event_id"
			 " WHERE d.type = 21"),
	    45);
	cr_assert(person_erase(
	    fixture->service, &fixture->house->workspace, "7@example.org", &erasure, NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM webhook_delivery"), 88);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM webhook_event"), 88);
}
