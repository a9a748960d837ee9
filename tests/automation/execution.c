/* SPDX-License-Identifier: MIT */

#include <criterion/criterion.h>

#include "automation/execution.h"
#include "base/error.h"
#include "service/service.h"
#include "tests/automation/fixture.h"

static void
execution_expect_cancel(struct fixture *fixture, const char *name, const struct base_id *workspace,
    const char *want, int code)
{
	struct base_id id = fixture_execution(fixture);
	g_autoptr(GError) error = NULL;

	automation_execution_cancel(fixture->service, workspace, &id, &error);
	const char *got = error ? error->message : "";
	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
	cr_expect_eq(error ? error->code : -1, code, "%s: got %d", name, error ? error->code : -1);
}

Test(cancel, ends_an_execution_by_hand_once)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id other = base_id_new();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait_for_event",
		"'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}"),
	    EDGE("t", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	execution_expect_cancel(
	    fixture, "of another workspace", &other, "Execution not found", PH_ERROR_NOT_FOUND);
	execution_expect_cancel(fixture, "waiting", &fixture->house->workspace, "", -1);
	fixture_expect("cancelled", fixture_show(fixture), "CANCELLED w 2 manual\n");
	execution_expect_cancel(fixture, "again", &fixture->house->workspace,
	    "Execution has already finished", PH_ERROR_CONFLICT);
	fixture_event(fixture, "paid", NULL);
	fixture_at(2 * DAY);
	fixture_run(fixture);
	fixture_expect("for good", fixture_show(fixture), "CANCELLED w 2 manual\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_wait"), 0);
}
