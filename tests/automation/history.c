/* SPDX-License-Identifier: MIT */
/* The steps of executions, as the engine leaves them. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/execution.h"
#include "automation/history.h"
#include "base/clock.h"
#include "person/erase.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/upkeep/retention.h"
#include "tests/automation/fixture.h"

TestSuite(history, .timeout = 900);

static gint64
minutes(gint64 time)
{
	return time ? (time - FIXTURE_START) / 60000 : -1;
}

static GPtrArray *
history_list(struct fixture *fixture, guint after, guint limit)
{
	struct base_id id = fixture_execution(fixture);
	g_autoptr(GError) error = NULL;
	GPtrArray *steps = automation_history_list(
	    fixture->db, &fixture->house->workspace, &id, after, limit, &error);

	cr_assert(steps, "%s", error ? error->message : "");
	return steps;
}

/* The steps of the last execution, a line for each: sequence, node, type, minutes from
   FIXTURE_START at which it was entered and left, result, branch, why, whether it has an email, end
   of the wait, error. The caller owns it. */
static char *
history_show(struct fixture *fixture)
{
	g_autoptr(GPtrArray) steps = history_list(fixture, 0, 2000);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < steps->len; i++) {
		const struct store_execution_step *step = steps->pdata[i];
		const char *result = automation_history_result(step->result);

		g_string_append_printf(
		    text, "%u %s %s", step->sequence, step->step_id, step->type ? step->type : "-");
		g_string_append_printf(text, " %d %d %s", (int)minutes(step->entered),
		    (int)minutes(step->left), result ? result : "-");
		g_string_append_printf(text, " %s|%s|%s%d|%s\n", step->branch ? step->branch : "",
		    step->why ? step->why : "", step->has_email ? "email " : "",
		    (int)minutes(step->wait_until), step->error ? step->error : "");
	}
	/* The clock goes on: without seconds. */
	g_autofree char *all = g_string_free(text, FALSE);
	g_autoptr(GRegex) seconds = g_regex_new("[0-9]{2}\\.[0-9]{3}Z", 0, 0, NULL);
	return g_regex_replace_literal(seconds, all, -1, 0, "", 0, NULL);
}

#define UNTIL_HOUR "2027-01-15T09:00:"
#define UNTIL_DAY "2027-01-16T08:00:"

Test(history, tells_each_step)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER
	    "," NODE("w", "wait", "'duration': 1, 'unit': 'hours'") "," NODE("c", "condition",
		"'match': 'all', 'rules': [{'property': 'plan', 'operator': 'equals',"
		" 'value': 'pro'}]") "," NODE("u", "update_contact",
		"'set': {'vip': true}") "," NODE("m", "send_email",
		"'subject': 'Hi', 'html': 'x'") "," NODE("x", "exit", ""),
	    EDGE("t", "w") "," EDGE("w", "c") "," EDGE_BY("c", "yes", "u") "," EDGE(
		"u", "m") "," EDGE("m", "x"));
	fixture_event(fixture, "order", "{'plan': 'pro'}");
	fixture_expect("due", history_show(fixture), "1 t trigger 0 -1 - ||-1|\n");
	fixture_run(fixture);
	fixture_expect("waiting", history_show(fixture),
	    "1 t trigger 0 0 done |order came|-1|\n"
	    "2 w wait 0 -1 waiting |until " UNTIL_HOUR "|60|\n");
	/* Long after: times are the step's own. */
	fixture_at(5 * HOUR);
	fixture_run(fixture);
	fixture_expect("done", history_show(fixture),
	    "1 t trigger 0 0 done |order came|-1|\n"
	    "2 w wait 0 60 done |the wait is over|60|\n"
	    "3 c condition 60 60 done yes|plan is \"pro\": it equals \"pro\"|-1|\n"
	    "4 u update_contact 60 60 done |{\"vip\":true}|-1|\n"
	    "5 m send_email 60 60 done |\"Hi\"|email -1|\n"
	    "6 x exit 60 60 done ||-1|\n");
}

Test(history, tells_waits_for_events)
{
	AUTO(fixture) fixture = fixture_open();
	static const struct {
		const char *name;
		gint64 event, run;
		const char *want;
	} cases[] = {
	    {"the event", HOUR, 2 * HOUR,
		"2 w wait_for_event 0 60 done event|paid came|1440|\n"
		"3 x exit 60 60 done ||-1|\n"},
	    {"the timeout", 0, 3 * DAY,
		"2 w wait_for_event 0 1440 done timeout|paid did not come|1440|\n"
		"3 y exit 1440 1440 done ||-1|\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		fixture_clear(fixture);
		base_clock_set(FIXTURE_START);
		fixture_workflow(fixture,
		    TRIGGER "," NODE("w", "wait_for_event",
			"'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("x",
			"exit", "") "," NODE("y", "exit", ""),
		    EDGE("t", "w") "," EDGE_BY("w", "event", "x") "," EDGE_BY("w", "timeout", "y"));
		fixture_event(fixture, "order", NULL);
		fixture_run(fixture);
		fixture_expect("waiting", history_show(fixture),
		    "1 t trigger 0 0 done |order came|-1|\n"
		    "2 w wait_for_event 0 -1 waiting |for paid, until " UNTIL_DAY "|1440|\n");
		if (cases[i].event) {
			fixture_at(cases[i].event);
			fixture_event(fixture, "paid", NULL);
			fixture_expect("released", history_show(fixture),
			    "1 t trigger 0 0 done |order came|-1|\n"
			    "2 w wait_for_event 0 -1 waiting |for paid, until " UNTIL_DAY
			    "|1440|\n");
		}
		fixture_at(cases[i].run);
		fixture_run(fixture);
		g_autofree char *want =
		    g_strconcat("1 t trigger 0 0 done |order came|-1|\n", cases[i].want, NULL);
		fixture_expect(cases[i].name, history_show(fixture), want);
	}
}

#define MAIL NODE("m", "send_email", "'templateId': 'gone'")

Test(history, tells_failures)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_template(fixture, "gone", "S", "<p>x</p>", NULL);
	fixture_workflow(fixture, TRIGGER "," MAIL, EDGE("t", "m"));
	test_db_plain(fixture->db, "DELETE FROM template");
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("failed", history_show(fixture),
	    "1 t trigger 0 0 done |order came|-1|\n"
	    "2 m send_email 0 0 failed ||-1|Template not found\n");
}

Test(history, tells_skipped_emails_and_cancelled_steps)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id;
	g_autoptr(GError) error = NULL;

	fixture_workflow(fixture,
	    TRIGGER "," NODE("m", "send_email", "'subject': 'Hi', 'html': 'x'") "," NODE(
		"w", "wait", "'duration': 1, 'unit': 'hours'"),
	    EDGE("t", "m") "," EDGE("m", "w"));
	test_db_plain(fixture->db,
	    "INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)"
	    " SELECT 'x', id, 'ann@example.org', 'ann@example.org', 1, 1, 1 FROM workspace");
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	id = fixture_execution(fixture);
	fixture_at(10);
	cr_assert(
	    automation_execution_cancel(fixture->service, &fixture->house->workspace, &id, &error));
	fixture_expect("cancelled", history_show(fixture),
	    "1 t trigger 0 0 done |order came|-1|\n"
	    "2 m send_email 0 0 skipped |the contact gets no email: it is suppressed or has "
	    "unsubscribed|-1|\n"
	    "3 w wait 0 10 skipped |cancelled: manual|-1|\n");
}

/* As a batch leaves an execution whose transaction failed. */
Test(history, tells_attempts)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER, "");
	fixture_event(fixture, "order", NULL);
	test_db_plain(fixture->db, "UPDATE execution SET attempts = 2, error_step = 't',"
				   " error_message = 'It broke', ready_at = ready_at + 300000");
	fixture_expect(
	    "retrying", history_show(fixture), "1 t trigger 0 -1 retrying ||-1|It broke\n");
	fixture_at(6);
	fixture_run(fixture);
	fixture_expect("at last", history_show(fixture), "1 t trigger 0 0 done |order came|-1|\n");
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM execution WHERE error_message IS NOT NULL"),
	    0);
}

Test(history, has_as_many_as_the_step_count)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait", "'duration': 1, 'unit': 'minutes'"),
	    EDGE("t", "w") "," EDGE("w", "w"));
	fixture_event(fixture, "order", NULL);
	for (guint i = 1; i <= 1001; i += 50) {
		fixture_at(i);
		fixture_run(fixture);
	}
	fixture_at(2000);
	fixture_run(fixture);
	g_autoptr(GPtrArray) all = history_list(fixture, 0, 2000),
			     page = history_list(fixture, 50, 3),
			     last = history_list(fixture, 1000, 3),
			     none = history_list(fixture, 1001, 3);
	cr_assert_eq(all->len, 1001);
	for (guint i = 0; i < all->len; i++)
		cr_expect_eq(((const struct store_execution_step *)all->pdata[i])->sequence, i + 1);
	cr_expect_eq(page->len, 3);
	cr_expect_eq(((const struct store_execution_step *)page->pdata[0])->sequence, 51);
	cr_expect_eq(last->len, 1);
	cr_expect_eq(((const struct store_execution_step *)last->pdata[0])->result, RESULT_FAILED);
	cr_expect_eq(none->len, 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_step"), 1000);
}

Test(history, keeps_the_types_of_its_version)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id workflow = fixture_workflow(fixture,
	    TRIGGER
	    "," NODE("w", "wait", "'duration': 1, 'unit': 'hours'") "," NODE("x", "exit", ""),
	    EDGE("t", "w") "," EDGE("w", "x"));

	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	g_free(fixture_change(
	    fixture, &workflow, NULL, TRIGGER "," NODE("w", "exit", ""), EDGE("t", "w")));
	fixture_expect("the next version", history_show(fixture),
	    "1 t trigger 0 0 done |order came|-1|\n"
	    "2 w wait 0 -1 waiting |until " UNTIL_HOUR "|60|\n");
}

static gint64
history_rows(struct fixture *fixture)
{
	return test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_step");
}

static void
run_one(struct fixture *fixture)
{
	fixture_clear(fixture);
	fixture_workflow(fixture, TRIGGER "," NODE("x", "exit", ""), EDGE("t", "x"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	cr_expect_eq(history_rows(fixture), 2);
}

Test(history, goes_with_its_execution)
{
	AUTO(fixture) fixture = fixture_open();
	struct store_erasure erased = {0};
	g_autoptr(GError) error = NULL;
	guint count;

	run_one(fixture);
	cr_assert(store_retention_executions(fixture->db,
		      base_clock_now() + DAY * G_GINT64_CONSTANT(60000), &count, &error),
	    "%s", error ? error->message : "");
	cr_expect_eq(count, 1);
	cr_expect_eq(history_rows(fixture), 0, "retention");
	run_one(fixture);
	cr_assert(person_erase(fixture->service, &fixture->house->workspace, "ann@example.org",
		      &erased, &error),
	    "%s", error ? error->message : "");
	cr_expect_eq(history_rows(fixture), 0, "erasure");
}
