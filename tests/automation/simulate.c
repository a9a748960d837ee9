/* SPDX-License-Identifier: MIT */
/* Tests the simulator. */
#include "automation/simulate.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "base/clock.h"
#include "json/value.h"
#include "tests/automation/sample.h"

#define HOUR (60 * 60 * 1000LL)

/* NAME@HOURS or NAME@HOURS:JSON, separated by blanks; the clock begins at 2026-11-20T00:00:00Z. */
#define EPOCH 1795132800000LL

struct script {
	GArray *events;
	GPtrArray *names, *documents;
};

static void
simulate_free_document(gpointer json)
{
	json_free(json);
}

static void
read_script(struct script *script, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	script->events = g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));
	script->names = g_ptr_array_new_with_free_func(g_free);
	script->documents = g_ptr_array_new_with_free_func(simulate_free_document);
	for (char **word = words; *word && **word; word++) {
		g_auto(GStrv) parts = g_strsplit(*word, "@", 2);
		const char *json = strchr(parts[1], ':');
		struct automation_simulation_event event = {.time = EPOCH};

		event.time += (gint64)(g_ascii_strtod(parts[1], NULL) * (double)HOUR);
		event.name = g_strdup(parts[0]);
		g_ptr_array_add(script->names, (char *)event.name);
		if (json) {
			event.properties = sample_json(json + 1);
			g_ptr_array_add(script->documents, (struct json *)event.properties);
		}
		g_array_append_val(script->events, event);
	}
}

static void
clear_script(struct script *script)
{
	g_array_unref(script->events);
	g_ptr_array_unref(script->names);
	g_ptr_array_unref(script->documents);
}

/* Writes lines of HOURS [EXECUTION STEP] ACTION [BRANCH]: WHY. Descriptions are cut to their first
   word, and handles are in brackets. */
static char *
write_trace(const struct automation_simulation *simulation)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < simulation->lines->len; i++) {
		const struct automation_simulation_line *line = simulation->lines->pdata[i];

		g_string_append_printf(text, "%g ", (double)(line->time - EPOCH) / HOUR);
		if (line->execution)
			g_string_append_printf(text, "%u ", line->execution);
		if (line->node)
			g_string_append_printf(text, "%s", line->node);
		else
			g_string_append(text, line->action);
		if (line->branch)
			g_string_append_printf(text, " [%s]", line->branch);
		if (line->why)
			g_string_append_printf(text, ": %s", line->why);
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

static struct automation_simulation *
simulate_simulate(
    const struct automation_design *design, const char *contact, const char *events, double until)
{
	AUTO(json) properties = sample_json(contact);
	g_autofree char *faults = sample_faults(design, true);
	struct script script;

	cr_assert_str_empty(faults, "%s", faults);
	read_script(&script, events);
	const gint64 end = EPOCH + (gint64)(until * (double)HOUR);
	const struct automation_simulation_input input = {.design = design,
	    .properties = properties,
	    .events = (const struct automation_simulation_event *)(void *)script.events->data,
	    .event_count = script.events->len,
	    .until = until > 0 ? &end : NULL};
	struct automation_simulation *simulation = automation_simulate(&input);
	clear_script(&script);
	return simulation;
}

#define HOURS(number) "'duration': " number ", 'unit': 'hours'"
#define TRIGGER_BY(more) NODE("t", "trigger", "'eventName': 'order'" more)
#define WAIT_EVENT(more) NODE("w", "wait_for_event", "'eventName': 'paid'" more)
#define IN_TIME ", 'timeout': {" HOURS("2") "}"
#define BOTH EDGE("t", "w") "," EDGE_BY("w", "event", "x") "," EDGE_BY("w", "timeout", "m")
#define LONG_WAIT NODE("w", "wait", HOURS("10"))
#define MAIL NODE("m", "send_email", "'templateId': 'hello'")
#define STARTS(number) "starts execution " number "\n"

Test(simulate, runs_through_time)
{
	static const struct {
		const char *nodes, *edges, *contact, *events, *want;
		double until;
	} cases[] = {
	    /* nothing to start, nothing to release */
	    {TRIGGER_BY(""), "", "{}", "other@1", "1 event other: nothing waits for it\n", 0},
	    {TRIGGER_BY(""), "", "{}", "order@1",
		"1 event order: starts execution 1\n1 1 t: order came\n1 1 COMPLETED\n", 0},
	    {TRIGGER_BY("") "," NODE(
		 "u", "update_contact", "'names': {'first_name': 'Ada'}") "," NODE("c", "condition",
		 "'rules': [{'property': 'contact.first_name', 'operator': "
		 "'equals', 'value': 'Ada'}]"),
		EDGE("t", "u") "," EDGE("u", "c"), "{}", "order@1",
		"1 event order: starts execution 1\n1 1 t: order came\n"
		"1 1 u: {\"first_name\":\"Ada\"}\n"
		"1 1 c [yes]: contact.first_name is \"Ada\": it equals \"Ada\"\n"
		"1 1 COMPLETED\n",
		0},
	    {TRIGGER_BY(", 'filter': {" RULES_DATA "}"), "", "{}", "order@1 order@2:{'plan':'pro'}",
		"1 event order: starts nothing: its filter says plan is missing\n"
		"2 event order: starts execution 1\n2 1 t: order came\n2 1 COMPLETED\n",
		0},
	    /* events by time; at the same time in the order of the list */
	    {TRIGGER_BY(", 'dedupe_window': 0"), "", "{}", "order@3 other@1 order@1",
		"1 event other: nothing waits for it\n"
		"1 event order: starts execution 1\n1 1 t: order came\n1 1 COMPLETED\n"
		"3 event order: starts execution 2\n3 2 t: order came\n3 2 COMPLETED\n",
		0},
	    /* a wait during which the contact changes */
	    {TRIGGER "," NODE("w", "wait", HOURS("5")) "," NODE(
		 "c", "condition", RULES_DATA) "," MAIL "," EXIT,
		EDGE("t", "w") "," EDGE("w", "c") "," EDGE_BY("c", "yes", "m") "," EDGE_BY(
		    "c", "no", "x"),
		"{'plan':'free'}", "order@0 upgrade@4:{'plan':'pro'}",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: until 2026-11-20T05:00:00.000Z\n"
		"4 event upgrade: nothing waits for it\n"
		"5 1 w: the wait is over\n5 1 c [yes]: plan is \"pro\": it equals \"pro\"\n"
		"5 1 m: template hello\n5 1 COMPLETED\n",
		0},
	    /* a mailing waits for an opening, or leaves at once; other mail does not wait */
	    {TRIGGER_BY(", 'hours': {'windows': [{'from': '09:00', 'to': '10:00'}]}") "," MAIL
										      "," LONG_WAIT,
		EDGE("t", "m") "," EDGE("m", "w"), "{}", "order@0 order@9",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 m: template hello\n0 1 w: until 2026-11-20T10:00:00.000Z\n"
		"9 1 m: hours: may leave from 2026-11-20T09:00:00.000Z\n"
		"9 event order: starts execution 2\n9 2 t: order came\n"
		"9 2 m: template hello\n9 2 m\n9 2 w: until 2026-11-20T19:00:00.000Z\n"
		"10 1 w: the wait is over\n10 1 COMPLETED\n"
		"19 2 w: the wait is over\n19 2 COMPLETED\n",
		0},
	    {TRIGGER_BY(", 'hours': {'windows': [{'from': '09:00', 'to': '10:00'}]}") "," NODE(
		 "m", "send_email", "'templateId': 'hello', 'kind': 'transactional'"),
		EDGE("t", "m"), "{}", "order@0",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 m: template hello\n"
		"0 1 COMPLETED\n",
		0},
	    {TRIGGER_BY(", 'hours': {'windows': [{'from': '09:00', 'to': '10:00'}]}") "," MAIL,
		EDGE("t", "m"), "{}", "order@0",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 m: template hello\n"
		"0 1 COMPLETED\n",
		8.9},
	    /* until: the simulation stops there */
	    {TRIGGER "," LONG_WAIT, EDGE("t", "w"), "{}", "order@0 other@9 order@12",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: until 2026-11-20T10:00:00.000Z\n9 event other: nothing waits for it\n",
		9.5},
	    {TRIGGER "," LONG_WAIT, EDGE("t", "w"), "{}", "order@0",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: until 2026-11-20T10:00:00.000Z\n10 1 w: the wait is over\n10 1 COMPLETED\n",
		10},
	    /* an event against the timeout */
	    {TRIGGER "," WAIT_EVENT(IN_TIME) "," MAIL "," EXIT, BOTH, "{}", "order@0 paid@1.5",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: for paid, until 2026-11-20T02:00:00.000Z\n"
		"1.5 event paid: releases execution 1 at w\n1.5 1 w [event]: paid came\n"
		"1.5 1 x\n1.5 1 COMPLETED\n",
		0},
	    {TRIGGER "," WAIT_EVENT(IN_TIME) "," MAIL "," EXIT, BOTH, "{}", "order@0 paid@2",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: for paid, until 2026-11-20T02:00:00.000Z\n"
		"2 1 w [timeout]: paid did not come\n2 1 m: template hello\n2 1 COMPLETED\n"
		"2 event paid: nothing waits for it\n",
		0},
	    {TRIGGER "," WAIT_EVENT("") "," EXIT, EDGE("t", "w") "," EDGE_BY("w", "event", "x"),
		"{}", "order@0 paid@1000",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 w: for paid\n"
		"1000 event paid: releases execution 1 at w\n1000 1 w [event]: paid came\n"
		"1000 1 x\n1000 1 COMPLETED\n",
		0},
	    /* the starting event does not release the wait; a later one of the same name does */
	    {TRIGGER_BY(", 'reentry': 'once'") "," NODE(
		 "w", "wait_for_event", "'eventName': 'order'"),
		EDGE("t", "w"), "{}", "order@0 order@1",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 w: for order\n"
		"1 event order: starts nothing: reentry is once; releases execution 1 at w\n"
		"1 1 w [event]: order came\n1 1 COMPLETED\n",
		0},
	    /* in the filter of a wait, event. is the releasing event; elsewhere the starting one */
	    {TRIGGER "," WAIT_EVENT(", 'filter': {'rules': [{'property': 'event.n', 'operator': "
				    "'greater_than', 'value': 5}]}") "," NODE("c", "condition",
		 "'rules': [{'property': 'event.n', 'operator': 'equals', 'value': 1}]"),
		EDGE("t", "w") "," EDGE_BY("w", "event", "c"), "{}",
		"order@0:{'n':1} paid@1:{'n':5} paid@2:{'n':6}",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 w: for paid\n"
		"1 event paid: execution 1 waits for it at w, but event.n is 5: it is not greater "
		"than 5\n"
		"2 event paid: releases execution 1 at w\n2 1 w [event]: paid came\n"
		"2 1 c [yes]: event.n is 1: it equals 1\n2 1 COMPLETED\n",
		0},
	    /* re-entry */
	    {TRIGGER_BY("") "," LONG_WAIT, EDGE("t", "w"), "{}", "order@0 order@1",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: until 2026-11-20T10:00:00.000Z\n"
		"1 event order: starts execution 2\n1 2 t: order came\n"
		"1 2 w: until 2026-11-20T11:00:00.000Z\n"
		"10 1 w: the wait is over\n10 1 COMPLETED\n"
		"11 2 w: the wait is over\n11 2 COMPLETED\n",
		0},
	    {TRIGGER_BY(", 'reentry': 'after_finish'") "," LONG_WAIT, EDGE("t", "w"), "{}",
		"order@0 order@1 order@11",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: until 2026-11-20T10:00:00.000Z\n"
		"1 event order: starts nothing: reentry is after_finish, and execution 1 is not "
		"finished\n"
		"10 1 w: the wait is over\n10 1 COMPLETED\n"
		"11 event order: starts execution 2\n11 2 t: order came\n"
		"11 2 w: until 2026-11-20T21:00:00.000Z\n21 2 w: the wait is over\n"
		"21 2 COMPLETED\n",
		0},
	    /* deduplication, counted from the last start */
	    {TRIGGER_BY(", 'dedupe_window': 3600000"), "", "{}", "order@0 order@0.75 order@1",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 COMPLETED\n"
		"0.75 event order: starts nothing: deduplicated, as the last start was 45 minutes "
		"ago and dedupe_window is 1 hour\n"
		"1 event order: starts execution 2\n1 2 t: order came\n1 2 COMPLETED\n",
		0},
	    /* a circle, which ends for good */
	    {TRIGGER "," NODE("w", "wait", HOURS("1")) "," NODE("c", "condition",
		 "'rules': [{'property': 'stop', 'operator': 'exists'}]") "," EXIT,
		EDGE("t", "w") "," EDGE("w", "c") "," EDGE_BY("c", "no", "w") "," EDGE_BY(
		    "c", "yes", "x"),
		"{}", "order@0 stop@1.5:{'stop':true}",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 w: until 2026-11-20T01:00:00.000Z\n1 1 w: the wait is over\n"
		"1 1 c [no]: stop is missing\n1 1 w: until 2026-11-20T02:00:00.000Z\n"
		"1.5 event stop: nothing waits for it\n2 1 w: the wait is over\n"
		"2 1 c [yes]: stop is true\n2 1 x\n2 1 COMPLETED\n",
		0},
	    /* a wait for the event that names the same order */
	    {TRIGGER "," NODE("w", "wait_for_event",
		 "'eventName': 'paid', 'filter': {'rules': [{'property': 'event.id', 'operator': "
		 "'equals', 'value': {'var': 'event.id'}}]}") "," EXIT,
		EDGE("t", "w") "," EDGE_BY("w", "event", "x"), "{}",
		"order@0:{'id':1} paid@1:{'id':2} paid@2:{'id':1}",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 w: for paid\n"
		"1 event paid: execution 1 waits for it at w, but event.id is 2: it does not equal "
		"event.id, which is 1\n"
		"2 event paid: releases execution 1 at w\n2 1 w [event]: paid came\n2 1 x\n"
		"2 1 COMPLETED\n",
		0},
	    /* the end of the contact, with all its executions */
	    {TRIGGER "," NODE("c", "condition",
		 "'rules': [{'property': 'event.gone', 'operator': 'exists'}]") "," NODE("w",
		 "wait_for_event", "'eventName': 'paid'") "," NODE("d", "delete_contact", ""),
		EDGE("t", "c") "," EDGE_BY("c", "yes", "d") "," EDGE_BY("c", "no", "w"),
		"{'plan':'pro'}", "order@0 order@1:{'gone':1}",
		"0 event order: starts execution 1\n0 1 t: order came\n"
		"0 1 c [no]: event.gone is missing\n0 1 w: for paid\n"
		"1 event order: starts execution 2\n1 2 t: order came\n"
		"1 2 c [yes]: event.gone is 1\n1 2 d\n1 1 CANCELLED: the contact was deleted\n"
		"1 2 COMPLETED\n",
		0},
	    /* consent */
	    {TRIGGER_BY("") "," NODE("u", "update_contact", "'subscribed': false") "," NODE("c",
		 "condition",
		 "'rules': [{'property': 'contact.subscribed', 'operator': "
		 "'equals', 'value': false}]"),
		EDGE("t", "u") "," EDGE("u", "c"), "{}", "order@1",
		"1 event order: starts execution 1\n1 1 t: order came\n"
		"1 1 u: subscribed false\n1 1 c [yes]: contact.subscribed is false: it equals "
		"false\n1 1 COMPLETED\n",
		0},
	    {TRIGGER_BY("") "," NODE("u", "update_contact", "'subscribed': false") "," NODE(
		 "m", "send_email", "'subject': 'A', 'html': '<p>'") "," NODE("n", "send_email",
		 "'subject': 'B', 'html': '<p>', 'kind': 'transactional'"),
		EDGE("t", "u") "," EDGE("u", "m") "," EDGE("m", "n"), "{}", "order@1",
		"1 event order: starts execution 1\n1 1 t: order came\n1 1 u: subscribed false\n"
		"1 1 m: the contact gets no email: it is suppressed or has unsubscribed\n"
		"1 1 n: \"B\"\n1 1 COMPLETED\n",
		0},
	    /* a step that fails */
	    {TRIGGER "," NODE("w", "wait", "'until': 'bill'") "," EXIT,
		EDGE("t", "w") "," EDGE("w", "x"), "{'bill':'soon'}", "order@0",
		"0 event order: starts execution 1\n0 1 t: order came\n0 1 w\n"
		"0 1 FAILED: property bill holds no ISO 8601 time to wait for\n",
		0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = sample_design(cases[i].nodes, cases[i].edges);
		AUTO(automation_simulation) simulation =
		    simulate_simulate(design, cases[i].contact, cases[i].events, cases[i].until);
		g_autofree char *got = write_trace(simulation);

		cr_expect_str_eq(got, cases[i].want, "%s %s:\n got %s\nwant %s", cases[i].nodes,
		    cases[i].events, got, cases[i].want);
		guint cancelled = 0;
		for (guint at = 0; at < simulation->executions->len; at++)
			cancelled += g_array_index(simulation->executions,
					 struct automation_simulation_execution, at)
					 .state == SIMULATION_CANCELLED;
		cr_expect_eq(simulation->started,
		    simulation->completed + simulation->failed + simulation->waiting + cancelled);
	}
}

Test(simulate, keeps_the_contact)
{
	AUTO(automation_design) design = sample_design(TRIGGER
	    "," NODE("u", "update_contact", "'set': {'orders.last': 'today', 'plan': null}"),
	    EDGE("t", "u"));
	AUTO(automation_simulation) simulation =
	    simulate_simulate(design, "{'plan':'pro','orders':{'count':1}}",
		"order@0:{'a':{'b':1}} email.opened@1:{'a':5}", 0);
	g_autofree char *want = sample_text("{'orders':{'count':1,'last':'today'},'a':{'b':1}}");

	cr_expect_str_eq(simulation->properties, want, "got %s", simulation->properties);
}

/* Events of emails start and release, are never deduplicated, and do not change the contact. */
Test(simulate, takes_events_of_emails)
{
	AUTO(automation_design) design = sample_design(
	    NODE("t", "trigger", "'eventName': 'email.opened', 'dedupe_window': 3600000"), "");
	AUTO(automation_simulation) simulation =
	    simulate_simulate(design, "{}", "email.opened@0:{'a':1} email.opened@0.5", 0);

	cr_expect_eq(simulation->started, 2);
	cr_expect_str_eq(simulation->properties, "{}");
}

Test(simulate, ends_what_never_ends)
{
	AUTO(automation_design) design = sample_design(
	    TRIGGER "," NODE("w", "wait", HOURS("1")), EDGE("t", "w") "," EDGE("w", "w"));
	AUTO(automation_simulation) simulation = simulate_simulate(design, "{}", "order@0", 0);
	const struct automation_simulation_line *last =
	    simulation->lines->pdata[simulation->lines->len - 1];

	cr_expect_eq(simulation->failed, 1);
	cr_expect_str_eq(last->why, "more than 1000 steps");
	/* The trigger, and 999 waits of an hour. */
	cr_expect_eq(last->time, EPOCH + 999 * HOUR);
}
