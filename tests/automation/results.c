/* SPDX-License-Identifier: MIT */
/* Tests the results of steps in rules, values, copies, waits and emails. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/workflow.h"
#include "tests/automation/fixture.h"

#define PAID "'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}"

static void
results_order(struct fixture *fixture)
{
	fixture_event(fixture, "order", "{'id': 7}");
	fixture_run(fixture);
	fixture_event(fixture, "paid", "{'amount': 20, 'by': 'card'}");
	fixture_run(fixture);
}

Test(results, of_a_wait_stand_in_copies_and_conditions)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait_for_event", PAID) "," NODE("u", "update_contact",
		"'copy': {'kept': 'step.w.event.by', 'at': "
		"'step.w.timestamp', 'whole': 'step.w'}") "," NODE("c", "condition",
		"'match': 'all', 'rules': [{'property': 'step.w.event.amount', 'operator': "
		"'greater_than', 'value': {'var': 'event.id'}}]") "," NODE("y", "exit",
		"") "," NODE("n", "exit", ""),
	    EDGE("t", "w") "," EDGE_BY("w", "event", "u") "," EDGE("u", "c") "," EDGE_BY(
		"c", "yes", "y") "," EDGE_BY("c", "no", "n"));
	results_order(fixture);
	fixture_expect("condition", fixture_show(fixture), "COMPLETED y 5\n");
	g_autofree char *properties = fixture_properties(fixture);
	cr_expect(strstr(properties, "\"kept\":\"card\""), "%s", properties);
	cr_expect(strstr(properties, "\"at\":18000000"), "%s", properties);
	cr_expect(strstr(properties, "\"whole\":{\"event\":{\"amount\":20,\"by\":\"card\"},"
				     "\"timestamp\":18000000"),
	    "%s", properties);
}

/* Results of a step that was left in an earlier batch, and in the same one. */
Test(results, of_an_earlier_batch_stand_in_waits_and_emails)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_template(fixture, "paid", "By {{step.w.event.by}}, {{step.none.x|nobody}}",
	    "<p>{{step.w.event.amount}}</p>", NULL);
	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait_for_event", PAID) "," NODE("v", "wait_for_event",
		"'eventName': 'shipped', 'filter': {'match': 'all', 'rules': [{'property': "
		"'event.amount', 'operator': 'equals', 'value': {'var': "
		"'step.w.event.amount'}}]}") "," NODE("s", "send_email", "'templateId': 'paid'"),
	    EDGE("t", "w") "," EDGE_BY("w", "event", "v") "," EDGE_BY("v", "event", "s"));
	results_order(fixture);
	fixture_expect("waits", fixture_show(fixture), "WAITING v 3\n");
	fixture_event(fixture, "shipped", "{'amount': 21}");
	fixture_run(fixture);
	fixture_expect("another amount", fixture_show(fixture), "WAITING v 3\n");
	fixture_event(fixture, "shipped", "{'amount': 20}");
	fixture_run(fixture);
	fixture_expect("its amount", fixture_show(fixture), "COMPLETED s 4\n");
	fixture_expect("email", fixture_mails(fixture), "ann@example.org By card, nobody\n");
}

/* A template alone names the result, and the design has no "step." itself. */
Test(results, are_kept_for_templates)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_template(fixture, "paid", "By {{step.w.event.by}}", "<p>x</p>", NULL);
	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait_for_event", PAID) "," NODE(
		"s", "send_email", "'templateId': 'paid'"),
	    EDGE("t", "w") "," EDGE_BY("w", "event", "s"));
	results_order(fixture);
	fixture_expect("email", fixture_mails(fixture), "ann@example.org By card\n");
}

/* No node has the id: the path is that of a property. */
Test(results, leave_the_property_step_alone)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait_for_event", PAID) "," NODE(
		"u", "update_contact", "'copy': {'a': 'step.one', 'b': 'step.w.event.by'}"),
	    EDGE("t", "w") "," EDGE_BY("w", "event", "u"));
	fixture_event(fixture, "order", "{'step': {'one': 1, 'w': {'event': {'by': 'no'}}}}");
	fixture_run(fixture);
	fixture_event(fixture, "paid", "{'by': 'card'}");
	fixture_run(fixture);
	g_autofree char *properties = fixture_properties(fixture);
	cr_expect(strstr(properties, "\"a\":1"), "%s", properties);
	cr_expect(strstr(properties, "\"b\":\"card\""), "%s", properties);
}

/* The events of five waits, 256 KiB in all, and one byte more. */
static void
results_fill(struct fixture *fixture, gsize more, const char *want)
{
	g_autoptr(GString) nodes = g_string_new(TRIGGER);
	g_autoptr(GString) edges = g_string_new(EDGE("t", "w0"));
	const gsize frame = strlen("{\"event\":{\"x\":\"\"},\"timestamp\":1800000000000}");
	const gsize each = LIMIT_RESULTS_BYTES / 5;

	fixture_clear(fixture);
	for (guint i = 0; i < 5; i++) {
		g_string_append_printf(nodes, "," NODE("w%u", "wait_for_event", PAID), i);
		if (i > 0)
			g_string_append_printf(edges, "," EDGE_BY("w%u", "event", "w%u"), i - 1, i);
	}
	g_string_append(
	    nodes, "," NODE("u", "update_contact", "'copy': {'x': 'step.w0.event.none'}"));
	g_string_append(edges, "," EDGE_BY("w4", "event", "u"));
	fixture_workflow(fixture, nodes->str, edges->str);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	for (guint i = 0; i < 5; i++) {
		gsize length = each - frame + (i < 4 ? 0 : LIMIT_RESULTS_BYTES % 5 + more);
		g_autofree char *x = g_strnfill(length, 'x');
		g_autofree char *properties = g_strdup_printf("{'x': '%s'}", x);

		fixture_event(fixture, "paid", properties);
		fixture_run(fixture);
	}
	fixture_expect("size", fixture_show(fixture), want);
}

Test(results, have_at_most_256_KiB)
{
	AUTO(fixture) fixture = fixture_open();

	results_fill(fixture, 0, "COMPLETED u 7\n");
	results_fill(fixture, 1, "FAILED w4 6 w4: results of steps are larger than 256 KiB\n");
}
