/* SPDX-License-Identifier: MIT */

#include <criterion/criterion.h>

#include "automation/execution.h"
#include "base/error.h"
#include "service/service.h"
#include "tests/automation/stage.h"

static void
execution_expect_cancel(struct stage *stage, const char *name, const struct base_id *workspace,
    const char *want, int code)
{
	struct base_id id = stage_execution(stage);
	g_autoptr(GError) error = NULL;

	automation_execution_cancel(stage->service, workspace, &id, &error);
	const char *got = error ? error->message : "";
	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
	cr_expect_eq(error ? error->code : -1, code, "%s: got %d", name, error ? error->code : -1);
}

Test(cancel, ends_an_execution_by_hand_once)
{
	AUTO(stage) stage = stage_open();
	struct base_id other = base_id_new();

	stage_workflow(stage,
	    TRIGGER "," NODE("w", "wait_for_event",
		"'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}"),
	    EDGE("t", "w"));
	stage_event(stage, "order", NULL);
	stage_run(stage);
	execution_expect_cancel(
	    stage, "of another workspace", &other, "Execution not found", PH_ERROR_NOT_FOUND);
	execution_expect_cancel(stage, "waiting", &stage->house->workspace, "", -1);
	stage_expect("cancelled", stage_show(stage), "CANCELLED w 2 manual\n");
	execution_expect_cancel(stage, "again", &stage->house->workspace,
	    "Execution has already finished", PH_ERROR_CONFLICT);
	stage_event(stage, "paid", NULL);
	stage_at(2 * DAY);
	stage_run(stage);
	stage_expect("for good", stage_show(stage), "CANCELLED w 2 manual\n");
	cr_expect_eq(test_db_number(stage->db, "SELECT COUNT(*) FROM execution_wait"), 0);
}
