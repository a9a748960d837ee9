/* SPDX-License-Identifier: MIT */
/* Tests the steps of every type of node, on entering and on leaving it. */
#include "automation/step.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "rule/properties.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "base/limits/template.h"
#include "base/limits/workflow.h"
#include "json/value.h"
#include "tests/automation/sample.h"

#define NOW 1795132800000 /* 2026-11-20T00:00:00Z */
#define MINUTE 60000LL
#define DAY (24 * 60 * MINUTE)
#define CONTACT                                                                                    \
	"{'plan': 'pro', 'off': false, 'bill': '2026-11-22T00:00:00Z', 'day': '2026-11-23', "      \
	"'past': "                                                                                 \
	"'2026-11-19T00:00:00+01:00', 'now': '2026-11-20T00:00:00Z', 'word': 'soon', 'number': "   \
	"1795132800001, 'digits': '1795132800001', 'seconds': 1795132800}"
#define EVENT "{'starts': '2026-11-21T00:00:00Z', 'plan': 'free'}"

static const char *const kinds[] = {
    [STEP_MOVE] = "move",
    [STEP_WAIT] = "wait",
    [STEP_WAIT_EVENT] = "wait for event",
    [STEP_SEND] = "send",
    [STEP_UPDATE] = "update",
    [STEP_REQUEST] = "request",
    [STEP_DELETE] = "delete",
    [STEP_END] = "end",
    [STEP_FAIL] = "fail",
};

/* Makes a design with a node n whose edges lead to nodes named like their handles. */
static struct automation_design *
step_design_of(const char *node)
{
	g_autofree char *nodes = g_strconcat(node,
	    "," NODE("next", "exit", "") "," NODE("yes", "exit", "") "," NODE(
		"no", "exit", "") "," NODE("event", "exit", "") "," NODE("timeout", "exit",
		"") "," NODE("a", "exit", ""),
	    NULL);
	static const char *const ways[] = {"yes", "no", "event", "timeout", "a"};
	g_autoptr(GString) edges = g_string_new(NULL);

	if (strstr(node, "condition") || strstr(node, "wait_for") || strstr(node, "split"))
		for (gsize i = 0; i < G_N_ELEMENTS(ways); i++)
			g_string_append_printf(edges,
			    "%s{'source': 'n', 'sourceHandle': '%s', 'target': '%s'}", i ? "," : "",
			    ways[i], ways[i]);
	else
		g_string_append(edges, EDGE("n", "next"));
	return sample_design(nodes, edges->str);
}

Test(step, does_what_its_node_says)
{
	static const struct {
		const char *node;
		enum automation_step_kind kind;
		const char *next; /* its id, NULL: none */
		gint64 until;
		const char *message, *why;
	} cases[] = {
	    {NODE("n", "trigger", "'eventName': 'A'"), STEP_MOVE, "next", 0, NULL, "a came"},
	    {NODE("n", "send_email", MAIL_DATA), STEP_SEND, "next", 0, NULL, "\"Hello\""},
	    {NODE("n", "send_email", "'templateId': 'hello'"), STEP_SEND, "next", 0, NULL,
		"template hello"},
	    /* durations */
	    {NODE("n", "wait", "'duration': 1, 'unit': 'minutes'"), STEP_WAIT, NULL, NOW + MINUTE,
		NULL, "until 2026-11-20T00:01:00.000Z"},
	    {NODE("n", "wait", "'duration': 2, 'unit': 'hours'"), STEP_WAIT, NULL,
		NOW + 120 * MINUTE, NULL, "until 2026-11-20T02:00:00.000Z"},
	    {NODE("n", "wait", "'duration': 3, 'unit': 'days'"), STEP_WAIT, NULL, NOW + 3 * DAY,
		NULL, "until 2026-11-23T00:00:00.000Z"},
	    {NODE("n", "wait", "'duration': 1, 'unit': 'weeks'"), STEP_WAIT, NULL, NOW + 7 * DAY,
		NULL, "until 2026-11-27T00:00:00.000Z"},
	    /* times */
	    {NODE("n", "wait", "'until': '2026-11-20T00:00:00.001Z'"), STEP_WAIT, NULL, NOW + 1,
		NULL, "until 2026-11-20T00:00:00.001Z"},
	    {NODE("n", "wait", "'until': '2026-11-20T00:00:00Z'"), STEP_MOVE, "next", 0, NULL,
		"2026-11-20T00:00:00.000Z has passed"},
	    {NODE("n", "wait", "'until': '2026-11-20T00:00:00+01:00'"), STEP_MOVE, "next", 0, NULL,
		"2026-11-19T23:00:00.000Z has passed"},
	    {NODE("n", "wait", "'until': 'bill'"), STEP_WAIT, NULL, NOW + 2 * DAY, NULL,
		"until 2026-11-22T00:00:00.000Z"},
	    {NODE("n", "wait", "'until': 'day'"), STEP_WAIT, NULL, NOW + 3 * DAY, NULL,
		"until 2026-11-23T00:00:00.000Z"},
	    {NODE("n", "wait", "'until': 'event.starts'"), STEP_WAIT, NULL, NOW + DAY, NULL,
		"until 2026-11-21T00:00:00.000Z"},
	    {NODE("n", "wait", "'until': 'past'"), STEP_MOVE, "next", 0, NULL,
		"2026-11-18T23:00:00.000Z has passed"},
	    {NODE("n", "wait", "'until': 'now'"), STEP_MOVE, "next", 0, NULL,
		"2026-11-20T00:00:00.000Z has passed"},
	    {NODE("n", "wait", "'until': 'word'"), STEP_FAIL, NULL, 0,
		"property word holds no ISO 8601 time to wait for", NULL},
	    {NODE("n", "wait", "'until': 'number'"), STEP_WAIT, NULL, NOW + 1, NULL,
		"until 2026-11-20T00:00:00.001Z"},
	    {NODE("n", "wait", "'until': 1795132800001"), STEP_WAIT, NULL, NOW + 1, NULL,
		"until 2026-11-20T00:00:00.001Z"},
	    {NODE("n", "wait", "'until': 'digits'"), STEP_WAIT, NULL, NOW + 1, NULL,
		"until 2026-11-20T00:00:00.001Z"},
	    {NODE("n", "wait", "'until': 'seconds'"), STEP_FAIL, NULL, 0,
		"property seconds holds no ISO 8601 time to wait for", NULL},
	    {NODE("n", "wait", "'until': 'nothing'"), STEP_FAIL, NULL, 0,
		"property nothing, whose time is to be waited for, is missing", NULL},
	    {NODE("n", "wait", "'until': 'event.bill'"), STEP_FAIL, NULL, 0,
		"property event.bill, whose time is to be waited for, is missing", NULL},
	    /* relative to a time */
	    {NODE("n", "wait", "'until': 'bill', 'before': {'duration': 1, 'unit': 'days'}"),
		STEP_WAIT, NULL, NOW + DAY, NULL, "until 2026-11-21T00:00:00.000Z"},
	    {NODE("n", "wait", "'until': 'bill', 'after': {'duration': 1, 'unit': 'days'}"),
		STEP_WAIT, NULL, NOW + 3 * DAY, NULL, "until 2026-11-23T00:00:00.000Z"},
	    {NODE("n", "wait", "'until': 'bill', 'before': {'duration': 2, 'unit': 'days'}"),
		STEP_MOVE, "next", 0, NULL, "2026-11-20T00:00:00.000Z has passed"},
	    {NODE("n", "wait",
		 "'until': '9999-12-31T00:00:00Z', 'after': {'duration': 2, 'unit': 'days'}"),
		STEP_WAIT, NULL, CLOCK_LAST, NULL, "until 9999-12-31T23:59:59.999Z"},
	    /* times of day; NOW is a Friday, and the person's clock is that of Berlin */
	    {NODE("n", "wait", "'time': '09:00'"), STEP_WAIT, NULL, NOW + 8 * 60 * MINUTE, NULL,
		"until 2026-11-20T08:00:00.000Z"},
	    {NODE("n", "wait", "'time': '01:00'"), STEP_MOVE, "next", 0, NULL,
		"2026-11-20T00:00:00.000Z has passed"},
	    {NODE("n", "wait", "'time': '00:59', 'zone': 'America/New_York'"), STEP_WAIT, NULL,
		NOW + DAY - MINUTE, NULL, "until 2026-11-20T23:59:00.000Z"},
	    {NODE("n", "wait", "'time': '09:00', 'days': ['mon', 'tue']"), STEP_WAIT, NULL,
		NOW + 3 * DAY + 8 * 60 * MINUTE, NULL, "until 2026-11-23T08:00:00.000Z"},
	    /* events */
	    {NODE("n", "wait_for_event", "'eventName': 'paid'"), STEP_WAIT_EVENT, NULL, 0, NULL,
		"for paid"},
	    {NODE("n", "wait_for_event",
		 "'eventName': 'paid', 'timeout': {'duration': 1, 'unit': 'days'}"),
		STEP_WAIT_EVENT, NULL, NOW + DAY, NULL, "for paid, until 2026-11-21T00:00:00.000Z"},
	    /* branches */
	    {NODE("n", "condition", RULES_DATA), STEP_MOVE, "yes", 0, NULL,
		"plan is \"pro\": it equals \"pro\""},
	    {NODE("n", "condition",
		 "'rules': [{'property': 'event.plan', 'operator': 'equals', 'value': 'pro'}]"),
		STEP_MOVE, "no", 0, NULL, "event.plan is \"free\": it does not equal \"pro\""},
	    {NODE("n", "split", "'weights': {'a': 3, 'b': 0}"), STEP_MOVE, "a", 0, NULL,
		"this contact is of the 3 in 3 on this side"},
	    {NODE("n", "split", "'weights': {'b': 1}"), STEP_MOVE, NULL, 0, NULL,
		"this contact is of the 1 in 1 on this side"},
	    {NODE("n", "update_contact", "'names': {'first_name': null}"), STEP_UPDATE, "next", 0,
		NULL, "{\"first_name\":null}"},
	    {NODE("n", "update_contact",
		 "'names': {'first_name': {'var': 'plan'}, 'last_name': 'B'}, 'set': {'a': 1}"),
		STEP_UPDATE, "next", 0, NULL,
		"{\"first_name\":\"pro\",\"last_name\":\"B\"}, {\"a\":1}"},
	    {NODE("n", "update_contact", "'set': {'a.b': 1, 'plan': null, 'a.c': [2]}"),
		STEP_UPDATE, "next", 0, NULL, "{\"a\":{\"b\":1,\"c\":[2]},\"plan\":null}"},
	    {NODE("n", "update_contact", "'subscribed': false"), STEP_UPDATE, "next", 0, NULL,
		"subscribed false"},
	    {NODE("n", "update_contact", "'subscribed': {'not': {'var': 'off'}}, 'set': {'a': 1}"),
		STEP_UPDATE, "next", 0, NULL, "{\"a\":1}, subscribed true"},
	    {NODE("n", "update_contact", "'subscribed': {'var': 'plan'}"), STEP_FAIL, NULL, 0,
		"subscribed must be true or false", NULL},
	    {NODE("n", "delete_contact", ""), STEP_DELETE, NULL, 0, NULL, NULL},
	    {NODE("n", "request", "'url': 'https://example.com/'"), STEP_REQUEST, NULL, 0, NULL,
		NULL},
	    {NODE("n", "exit", ""), STEP_END, NULL, 0, NULL, NULL},
	    /* faults that the check would find */
	    {NODE("n", "wait", ""), STEP_FAIL, NULL, 0,
		"node \"n\": does not say how long: give data.duration and data.unit, or "
		"data.until",
		NULL},
	    {NODE("n", "teleport", ""), STEP_FAIL, NULL, 0, "node \"n\": is of type *", NULL},
	};
	AUTO(json) contact = sample_json(CONTACT);
	AUTO(json) event = sample_json(EVENT);
	AUTO(json) fields = sample_json("{'time_zone': 'Europe/Berlin'}");
	const struct base_id id = {{1}};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = step_design_of(cases[i / 2].node);
		const struct automation_step_input input = {design,
		    automation_design_node(design, "n"), &id, contact, event, NOW, 1, i % 2 == 1,
		    fields};
		const char *name = cases[i / 2].node, *message = cases[i / 2].message;
		const char *why = input.explain ? cases[i / 2].why : NULL;
		struct automation_step_result got;

		automation_step(&input, &got);
		cr_expect_eq(got.kind, cases[i / 2].kind, "%s: got %s, want %s", name,
		    kinds[got.kind], kinds[cases[i / 2].kind]);
		cr_expect_str_eq(got.next ? got.next->id : "none",
		    cases[i / 2].next ? cases[i / 2].next : "none", "%s", name);
		cr_expect_eq(
		    got.until, cases[i / 2].until, "%s: got %" G_GINT64_FORMAT, name, got.until);
		cr_expect(
		    g_pattern_match_simple(message ? message : "", got.message ? got.message : ""),
		    "%s: got %s", name, got.message);
		cr_expect_str_eq(
		    got.why ? got.why : "", why ? why : "", "%s: got %s", name, got.why);
		automation_step_clear(&got);
	}
}

/* An answer decides the way, and what the node gives. */
Test(step, goes_on_by_the_answer_to_a_request)
{
	static const struct {
		struct automation_step_answer answer;
		const char *handle, *given, *why;
	} cases[] = {
	    {{201, "[1]", NULL}, "ok", "{\"status\":201,\"body\":[1]}", "the answer is 201"},
	    {{503, NULL, "a answered 503"}, "failed", "{\"status\":503,\"body\":null}",
		"a answered 503"},
	    {{0, NULL, "a: gone"}, "failed", "{\"status\":0,\"body\":null}", "a: gone"},
	};
	AUTO(automation_design)
	design = sample_design(TRIGGER
	    "," NODE("n", "request", "'url': 'https://example.com/'") "," EXIT,
	    EDGE("t", "n") "," EDGE_BY("n", "ok", "x") "," EDGE_BY("n", "failed", "x"));

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct automation_step_input input = {.design = design,
		    .node = automation_design_node(design, "n"),
		    .count = 1,
		    .explain = true,
		    .answer = &cases[i].answer};
		struct automation_step_result got;

		automation_step(&input, &got);
		cr_expect_eq(got.kind, STEP_MOVE);
		cr_expect_str_eq(got.handle, cases[i].handle);
		cr_expect_str_eq(got.given, cases[i].given);
		cr_expect_str_eq(got.why, cases[i].why);
		automation_step_clear(&got);
	}
}

Test(step, says_what_to_send)
{
	AUTO(automation_design) design = step_design_of(NODE("n", "send_email",
	    "'subject': 'S', 'html': 'H', 'text': 'T', 'from': 'a@example.com', 'replyTo': "
	    "['', 'b@example.com', 'c@example.com']"));
	const struct automation_step_input input = {
	    .design = design, .node = automation_design_node(design, "n"), .count = 1};
	struct automation_step_result got;

	automation_step(&input, &got);
	cr_assert_eq(got.kind, STEP_SEND);
	cr_expect_null(got.email->template_id);
	cr_expect_str_eq(got.email->subject, "S");
	cr_expect_str_eq(got.email->html, "H");
	cr_expect_str_eq(got.email->text, "T");
	cr_expect_str_eq(got.email->from, "a@example.com");
	cr_expect_str_eq(got.email->reply_to[0], "b@example.com");
	cr_expect_str_eq(got.email->reply_to[1], "c@example.com");
	cr_expect_null(got.email->reply_to[2]);
	automation_step_clear(&got);
}

Test(step, leaves_waits_as_they_ended)
{
	static const struct {
		const char *node;
		enum automation_step_leave how;
		const char *next, *why;
	} cases[] = {
	    {NODE("n", "wait", WAIT_DATA), LEAVE_TIME, "next", "the wait is over"},
	    {NODE("n", "wait_for_event", "'eventName': 'paid'"), LEAVE_EVENT, "event", "paid came"},
	    {NODE("n", "wait_for_event", "'eventName': 'paid'"), LEAVE_TIMEOUT, "timeout",
		"paid did not come"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = step_design_of(cases[i].node);
		const struct automation_step_input input = {
		    .design = design, .node = automation_design_node(design, "n"), .explain = true};
		struct automation_step_result got;

		automation_step_leave(&input, cases[i].how, &got);
		cr_expect_eq(got.kind, STEP_MOVE);
		cr_expect_str_eq(got.next->id, cases[i].next);
		cr_expect_str_eq(got.why, cases[i].why);
		automation_step_clear(&got);
	}
}

/* Many rules, each of which goes through a long list. */
Test(step, fails_where_its_rules_take_too_long)
{
	g_autoptr(GString) node =
	    g_string_new("{'id': 'n', 'type': 'condition', 'data': {'match': 'any', 'rules': [");
	g_autoptr(GString) contact = g_string_new("{'plan': [0");

	for (guint i = 0; i < 10000; i++) {
		g_string_append_printf(node,
		    "%s{'property': 'plan', 'operator': 'contains', 'value': 'x'}", i ? "," : "");
		g_string_append(contact, ",1.5,1.5,1.5,1.5,1.5");
	}
	g_string_append(node, "]}}");
	g_string_append(contact, "]}");
	AUTO(automation_design) design = step_design_of(node->str);
	AUTO(json) properties = sample_json(contact->str);
	for (guint explain = 0; explain <= 1; explain++) {
		const struct automation_step_input input = {.design = design,
		    .node = automation_design_node(design, "n"),
		    .properties = properties,
		    .count = 1,
		    .explain = explain};
		struct automation_step_result got;
		gint64 begin = base_clock_thread_ns();

		automation_step(&input, &got);
		cr_expect_eq(got.kind, STEP_FAIL, "got %s", kinds[got.kind]);
		cr_expect_str_eq(got.message, "the rules take too long");
		cr_expect_lt(base_clock_thread_ns() - begin, LIMIT_BUDGET_MOST_NS);
		automation_step_clear(&got);
	}
}

Test(step, is_the_thousandth_at_most)
{
	AUTO(automation_design) design = step_design_of(NODE("n", "trigger", "'eventName': 'a'"));
	struct automation_step_input input = {
	    .design = design, .node = automation_design_node(design, "n")};
	struct automation_step_result got;

	input.count = LIMIT_STEPS;
	automation_step(&input, &got);
	cr_expect_eq(got.kind, STEP_MOVE);
	automation_step_clear(&got);
	input.count++;
	automation_step(&input, &got);
	cr_expect_eq(got.kind, STEP_FAIL);
	cr_expect_str_eq(got.message, "more than 1000 steps");
	automation_step_clear(&got);
}

Test(step, is_released_by_the_event_that_it_waits_for)
{
	static const struct {
		const char *node, *name;
		bool want;
	} cases[] = {
	    {NODE("n", "wait_for_event", "'eventName': ' Paid'"), "paid", true},
	    {NODE("n", "wait_for_event", "'eventName': 'paid'"), "order", false},
	    {NODE("n", "wait_for_event", "'eventName': 'paid', 'filter': {" RULES_DATA "}"), "paid",
		true},
	    /* event. is the releasing event, not the starting one */
	    {NODE("n", "wait_for_event",
		 "'eventName': 'paid', 'filter': {'rules': [{'property': 'event.plan', 'operator': "
		 "'equals', 'value': 'free'}]}"),
		"paid", true},
	    {NODE("n", "wait_for_event",
		 "'eventName': 'paid', 'filter': {'rules': [{'property': 'event.plan', 'operator': "
		 "'equals', 'value': 'pro'}]}"),
		"paid", false},
	    {NODE("n", "wait_for_event", ""), "paid", false},
	    {NODE("n", "wait", WAIT_DATA), "paid", false},
	};
	AUTO(json) contact = sample_json(CONTACT);
	AUTO(json) event = sample_json(EVENT);
	const struct automation_rules_scope scope = {contact, event, NULL};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = sample_design(cases[i].node, "");
		bool got = automation_step_releases(
		    automation_design_node(design, "n"), cases[i].name, &scope);

		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].node, got);
	}
}

Test(step, decides_between_event_and_timeout_by_their_times)
{
	static const struct {
		gint64 step, until, event;
		bool want;
	} cases[] = {
	    {100, 200, 99, false},
	    {100, 200, 100, false}, /* the event that started or released it */
	    {100, 200, 101, true},
	    {100, 200, 199, true},
	    {100, 200, 200, false},
	    {100, 200, 201, false},
	    {100, 0, 101, true},
	    {100, 0, G_MAXINT64, true},
	    {100, 0, 100, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(automation_step_in_time(cases[i].step, cases[i].until, cases[i].event),
		    cases[i].want, "case %zu", i);
}

Test(step, starts_by_the_event_that_its_trigger_names)
{
	static const struct {
		const char *node, *name;
		bool want;
		const char *why;
	} cases[] = {
	    {NODE("n", "trigger", "'eventName': 'A'"), "a", true, "there are no rules"},
	    {NODE("n", "trigger", "'eventName': 'a'"), "b", false, "the trigger waits for a"},
	    {NODE("n", "trigger", "'eventName': 'a', 'filter': {" RULES_DATA "}"), "a", true,
		"plan is \"pro\": it equals \"pro\""},
	    {NODE("n", "trigger",
		 "'eventName': 'a', 'filter': {'rules': [{'property': 'event.plan', 'operator': "
		 "'not_exists'}]}"),
		"a", false, "event.plan is \"free\""},
	};
	AUTO(json) contact = sample_json(CONTACT);
	AUTO(json) event = sample_json(EVENT);
	const struct automation_rules_scope scope = {contact, event, NULL};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = sample_design(cases[i].node, "");
		g_autoptr(GString) why = g_string_new(NULL);
		const struct automation_node_trigger *trigger = automation_design_trigger(design);
		bool got = automation_step_matches(trigger, cases[i].name, &scope, why);

		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].node, got);
		cr_expect_str_eq(why->str, cases[i].why, "%s: got %s", cases[i].node, why->str);
		cr_expect_eq(automation_step_matches(trigger, cases[i].name, &scope, NULL), got);
	}
}

Test(step, is_a_duplicate_within_the_window_alone)
{
	static const struct {
		const char *data, *last, *name;
		gint64 ago;
		bool want;
	} cases[] = {
	    {"'eventName': 'a'", "a", "a", 0, true},
	    {"'eventName': 'a'", "a", "a", 299999, true},
	    {"'eventName': 'a'", "a", "a", 300000, false},
	    {"'eventName': 'a'", "a", "a", -299999, true},
	    {"'eventName': 'a'", "a", "a", -300000, false},
	    {"'eventName': 'a', 'dedupe_window': 0", "a", "a", -1, false},
	    {"'eventName': 'a'", NULL, "a", 0, false},
	    {"'eventName': 'a'", "b", "a", 0, false},
	    {"'eventName': 'a', 'dedupe_window': 0", "a", "a", 0, false},
	    {"'eventName': 'a', 'dedupe_window': 1", "a", "a", 0, true},
	    {"'eventName': 'a', 'dedupe_window': 1", "a", "a", 1, false},
	    {"'eventName': 'email.opened'", "email.opened", "email.opened", 0, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *node =
		    g_strdup_printf("{'id': 'n', 'type': 'trigger', 'data': {%s}}", cases[i].data);
		AUTO(automation_design) design = sample_design(node, "");
		bool got = automation_step_is_duplicate(automation_design_trigger(design),
		    cases[i].last, NOW, cases[i].name, NOW + cases[i].ago);

		cr_expect_eq(got, cases[i].want, "%s %s %" G_GINT64_FORMAT ": got %d",
		    cases[i].data, cases[i].last, cases[i].ago, got);
	}
}

/* Returns the handle of the side on which a contact falls at a split. */
static const char *
automation_step_side_of(
    const struct automation_design *design, const char *node, const struct base_id *contact)
{
	const struct automation_step_input input = {
	    .design = design,
	    .node = automation_design_node(design, node),
	    .contact = contact,
	    .count = 1,
	};
	struct automation_step_result result;

	automation_step(&input, &result);
	automation_step_clear(&result);
	return result.handle;
}

/* Counts contacts on three sides of weights 0, 1 and 3. */
Test(step, splits_contacts_by_weight_and_for_good)
{
	enum { CONTACTS = 40000 };
	AUTO(automation_design) design =
	    sample_design(NODE("n", "split", "'weights': {'z': 1, 'b': 3, 'a': 0}") "," NODE(
			      "m", "split", "'weights': {'z': 1, 'b': 3, 'a': 0}"),
		"");
	guint counts[256] = {0}, both = 0;

	for (guint i = 0; i < CONTACTS; i++) {
		struct base_id id = {{0}};

		memcpy(id.bytes, &i, sizeof(i));
		const char *side = automation_step_side_of(design, "n", &id);
		const char *again = automation_step_side_of(design, "n", &id);
		const char *elsewhere = automation_step_side_of(design, "m", &id);
		cr_assert_eq(side, again);
		counts[(guchar)*side]++;
		both += *side == 'z' && *elsewhere == 'z';
	}
	cr_expect_eq(counts['a'], 0);
	cr_expect_eq(counts['b'] + counts['z'], CONTACTS);
	/* Five standard deviations: sqrt(40000 * 1/4 * 3/4) = 87, sqrt(40000 * 1/16 * 15/16) = 48
	 */
	cr_expect(counts['z'] > 10000 - 433 && counts['z'] < 10000 + 433, "%u", counts['z']);
	cr_expect(both > 2500 - 242 && both < 2500 + 242, "%u on that side of two splits", both);
}

/* The expected sides were computed independently: a new release must not move contacts. */
Test(step, keeps_sides_from_release_to_release)
{
	static const struct {
		const char *contact, *node, *side;
	} cases[] = {
	    {"01a1f8d1-2ace-718f-96bc-82c241916947", "n", "b"},
	    {"01a1f8d1-2ace-718f-96bc-82c241916948", "n", "a"},
	    {"01a1f8d1-2ace-718f-96bc-82c241916949", "n", "a"},
	    {"01a1f8d1-2ace-718f-96bc-82c241916947", "m", "b"},
	};
	AUTO(automation_design) design =
	    sample_design(NODE("n", "split", "'weights': {'b': 1, 'a': 1}") "," NODE(
			      "m", "split", "'weights': {'b': 1, 'a': 1}"),
		"");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id id;

		cr_assert(base_id_parse(cases[i].contact, &id));
		const char *got = automation_step_side_of(design, cases[i].node, &id);
		cr_expect_str_eq(
		    got, cases[i].side, "%s %s: got %s", cases[i].contact, cases[i].node, got);
	}
}

Test(properties, merge_deeply)
{
	static const struct {
		const char *properties, *patch, *want;
	} cases[] = {
	    {"{}", "{}", "{}"},
	    {"{'a': 1}", "{}", "{'a':1}"},
	    {"{'a': 1, 'b': 2}", "{'a': 3, 'c': 4}", "{'a':3,'b':2,'c':4}"},
	    {"{'a': 1, 'b': 2}", "{'a': null, 'c': null}", "{'b':2}"},
	    {"{'a': {'b': 1, 'c': 2}}", "{'a': {'b': 3, 'd': 4}}", "{'a':{'b':3,'c':2,'d':4}}"},
	    {"{'a': {'b': {'c': 1, 'd': 2}}}", "{'a': {'b': {'c': null}}}", "{'a':{'b':{'d':2}}}"},
	    {"{'a': {'b': 1}}", "{'a': null}", "{}"},
	    {"{'a': {'b': 1}}", "{'a': 5}", "{'a':5}"},
	    {"{'a': 5}", "{'a': {'b': 1, 'c': null}}", "{'a':{'b':1}}"},
	    {"{}", "{'a': {'b': {'c': null}}}", "{'a':{'b':{}}}"},
	    {"{'a': [1, 2]}", "{'a': [3]}", "{'a':[3]}"},
	    {"{'a': [{'b': 1}]}", "{'a': [{'c': null}]}", "{'a':[{'c':null}]}"},
	    {"{'a': null}", "{'b': 1.50}", "{'a':null,'b':1.50}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) properties = sample_json(cases[i].properties);
		AUTO(json) patch = sample_json(cases[i].patch);
		g_autofree char *want = sample_text(cases[i].want);
		g_autofree char *got = rule_properties_merge(properties, patch);

		cr_expect_str_eq(got, want, "%s and %s: got %s, want %s", cases[i].properties,
		    cases[i].patch, got, want);
	}
	g_autofree char *nothing = rule_properties_merge(NULL, NULL);
	cr_expect_str_eq(nothing, "{}");
}

Test(properties, are_set_by_their_paths)
{
	static const struct {
		const char *set, *want; /* NULL: bad */
	} cases[] = {
	    {"{}", "{}"},
	    {"{'a': 1, 'b': null}", "{'a':1,'b':null}"},
	    {"{'a.b': 1, 'a.c': null, 'a.d.e': {'f': 2}}",
		"{'a':{'b':1,'c':null,'d':{'e':{'f':2}}}}"},
	    {"{'a': 1, 'a.b': 2}", "{'a':{'b':2}}"},
	    {"{'a.b': 1, 'a': 2}", "{'a':2}"},
	    {"{'a.b': 1, 'a': {'c': null}}", "{'a':{'b':1,'c':null}}"},
	    {"{'a.b': 1, 'a': null}", "{'a':null}"},
	    {"{'.a': 1}", NULL},
	    {"{'a.': 1}", NULL},
	    {"{'.': 1}", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) set = sample_json(cases[i].set);
		g_autofree char *want = cases[i].want ? sample_text(cases[i].want) : NULL;
		const char *bad = NULL;
		g_autofree char *got = rule_properties_patch(set, &bad);

		cr_expect_str_eq(got ? got : "bad", want ? want : "bad", "%s: got %s, want %s",
		    cases[i].set, got, want);
		cr_expect_eq(bad != NULL, want == NULL, "%s", cases[i].set);
	}
}
