/* SPDX-License-Identifier: MIT */
/* Tests the parser and the check of designs. */
#include "automation/design.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/design_check.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/template.h"
#include "base/limits/workflow.h"
#include "tests/automation/sample.h"

Test(design, is_an_object_with_two_arrays)
{
	static const struct {
		const char *text, *want; /* NULL: it can be read */
	} cases[] = {
	    {"{'nodes': [], 'edges': []}", NULL},
	    {"{'nodes': [], 'edges': [], 'viewport': {'x': 0, 'y': 0, 'zoom': 1}}", NULL},
	    {"{'nodes': [1, null, {}], 'edges': ['a', {}]}", NULL},
	    {"", "design must be a JSON object, but is empty"},
	    {"[]", "design must be a JSON object"},
	    {"{'nodes': []}", "design.edges must be an array"},
	    {"{'edges': []}", "design.nodes must be an array"},
	    {"{'nodes': {}, 'edges': []}", "design.nodes must be an array"},
	    {"{'nodes': [], 'edges': null}", "design.edges must be an array"},
	    {"{'nodes': [], 'edges': 'a'}", "design.edges must be an array"},
	    {"{'nodes': [], 'nodes': [], 'edges': []}", "design is not valid JSON: *"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = sample_text(cases[i].text);
		g_autoptr(GError) error = NULL;
		AUTO(automation_design) design =
		    automation_design_parse(text, strlen(text), &error);
		const char *got = error ? error->message : "";

		cr_expect_eq(design == NULL, cases[i].want != NULL, "%s: got %s", text, got);
		cr_expect(g_pattern_match_simple(cases[i].want ? cases[i].want : "", got),
		    "%s: got %s, want %s", text, got, cases[i].want);
		cr_expect(!error || g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s", text);
	}
}

Test(design, is_of_at_most_a_mebibyte)
{
	g_autofree char *text = sample_design_text("", "");

	for (gsize size = LIMIT_DESIGN_BYTES; size <= LIMIT_DESIGN_BYTES + 1; size++) {
		g_autofree char *padded = g_strnfill(size, ' ');
		g_autoptr(GError) error = NULL;

		memcpy(padded, text, strlen(text));
		AUTO(automation_design) design = automation_design_parse(padded, size, &error);
		cr_expect_eq(design != NULL, size == LIMIT_DESIGN_BYTES, "%zu", size);
		cr_expect(!error || strcmp(error->message,
					"design must be at most 1 MiB, and is 1048577 bytes") == 0);
	}
}

Test(design, may_be_active_when_nothing_is_wrong)
{
	static const struct {
		const char *nodes, *edges;
	} cases[] = {
	    {TRIGGER, ""},
	    {TRIGGER "," EXIT, EDGE("t", "x")},
	    /* all members of a trigger */
	    {NODE("t", "trigger",
		 "'eventName': ' Order.PLACED ', 'filter': {" RULES_DATA "}, 'reentry': 'once', "
		 "'dedupe_window': 0, 'label': 'Start'"),
		""},
	    {NODE("t", "trigger", "'eventName': 'a', 'hours': 'any'"), ""},
	    {NODE("t", "trigger",
		 "'eventName': 'a', 'hours': {'windows': [{'days': ['mon'], 'from': '22:00', 'to': "
		 "'06:00'}], 'zone': 'Europe/Berlin'}"),
		""},
	    {NODE("t", "trigger",
		 "'eventName': 'email.opened', 'filter': null, 'reentry': 'after_finish', "
		 "'dedupe_window': 2592000000"),
		""},
	    {NODE("t", "trigger", "'eventName': 'a', 'filter': {'match': 'any', 'rules': []}"), ""},
	    /* emails */
	    {TRIGGER "," NODE("m", "send_email", "'templateId': 'hello'"), EDGE("t", "m")},
	    {TRIGGER "," NODE("m", "send_email", "'templateId': 'bare', 'subject': 'Hello'"),
		EDGE("t", "m")},
	    {TRIGGER "," NODE("m", "send_email",
		 MAIL_DATA ", 'from': 'Me <a@example.com>', 'text': 'Hello', 'replyTo': "
			   "'b@example.com', 'templateId': ''"),
		EDGE("t", "m")},
	    {TRIGGER "," NODE("m", "send_email",
		 "'templateId': 'hello', 'html': '', 'from': '', 'text': null, 'subject': '', "
		 "'replyTo': ['b@example.com', 'c@example.com, d@example.com']"),
		EDGE("t", "m")},
	    {TRIGGER "," NODE("m", "send_email", MAIL_DATA ", 'replyTo': ''"), EDGE("t", "m")},
	    /* waits */
	    {TRIGGER "," NODE("w", "wait", "'duration': 1, 'unit': 'minutes'"), EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'duration': 260, 'unit': 'weeks', 'until': ''"),
		EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'until': '2026-12-24T18:00:00+01:00'"), EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'until': '2026-12-24', 'duration': null"),
		EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'until': 1766577600000"), EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'until': 100000000000"), EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'until': 253402300799999"), EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait", "'until': 'event.starts_at', 'unit': 'days'"),
		EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait_for_event", "'eventName': 'paid'"), EDGE("t", "w")},
	    {TRIGGER "," NODE("w", "wait_for_event",
		 "'eventName': 'paid', 'filter': {" RULES_DATA "}, 'timeout': {'duration': 2, "
		 "'unit': 'hours'}") "," EXIT,
		EDGE("t", "w") "," EDGE_BY("w", "event", "x") "," EDGE_BY("w", "timeout", "x")},
	    /* branches that end, and branches that go on */
	    {TRIGGER "," NODE("c", "condition", RULES_DATA) "," EXIT,
		EDGE("t", "c") "," EDGE_BY("c", "no", "x")},
	    {TRIGGER "," NODE("c", "condition", "'match': 'any', " RULES_DATA), EDGE("t", "c")},
	    {TRIGGER "," NODE("s", "split", "'weights': {'a': 0, 'b': 1000000}") "," EXIT,
		EDGE("t", "s") "," EDGE_BY("s", "a", "x") "," EDGE_BY("s", "b", "x")},
	    {TRIGGER "," NODE("s", "split", "'weights': {'a': 1}"), EDGE("t", "s")},
	    {TRIGGER "," NODE("u", "update_contact", "'set': {'a': null, 'b.c': {'d': [1]}}"),
		EDGE("t", "u")},
	    /* other members that React Flow and its editors write */
	    {"{'id': 't', 'type': 'trigger', 'position': {'x': 1.5, 'y': -3}, 'width': 150, "
	     "'selected': true, 'measured': {'width': 1}, 'data': {'eventName': 'a', 'label': "
	     "'Start'}}," EXIT,
		"{'id': 'e', 'source': 't', 'target': 'x', 'sourceHandle': null, "
		"'targetHandle': null, 'animated': true, 'type': 'smoothstep'}"},
	    {TRIGGER "," EXIT, EDGE_BY("t", "", "x")},
	    {TRIGGER "," EXIT, EDGE_BY("t", "bottom", "x")},
	    /* circles that wait */
	    {TRIGGER "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w") "," EDGE("w", "w")},
	    {TRIGGER "," NODE("w", "wait", WAIT_DATA) "," NODE("m", "send_email", MAIL_DATA),
		EDGE("t", "m") "," EDGE("m", "w") "," EDGE("w", "m")},
	    {TRIGGER "," NODE("w", "wait_for_event", "'eventName': 'paid'"),
		EDGE("t", "w") "," EDGE_BY("w", "event", "w")},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = sample_design(cases[i].nodes, cases[i].edges);
		g_autofree char *got = sample_faults(design, true);

		cr_expect_str_empty(got, "%s %s: got %s", cases[i].nodes, cases[i].edges, got);
	}
}

#define AFTER(id, type, data) TRIGGER "," NODE(id, type, data), EDGE("t", id)

#define EXIT_EDGES EDGE("t", "x") "," EDGE("x", "t")
#define LONG_ID "0123456789012345678901234567890123456789012345678901234567890123"

#define HEADERS_5(x)                                                                               \
	"'X-" x "1': 'a', 'X-" x "2': 'a', 'X-" x "3': 'a', 'X-" x "4': 'a', 'X-" x "5': 'a'"
#define HEADERS_25                                                                                 \
	HEADERS_5("A") "," HEADERS_5("B") "," HEADERS_5("C") "," HEADERS_5("D") "," HEADERS_5("E")
#define ASK "'url': 'https://example.com/x'"
#define AN_ID "01980000-0000-7000-8000-000000000001"

Test(design, names_each_fault)
{
	static const struct {
		const char *nodes, *edges, *want; /* the beginnings of the faults, in their order */
	} cases[] = {
	    /* triggers */
	    {"", "", "the design has no trigger: add"},
	    {EXIT, "", "the design has no trigger: add"},
	    {TRIGGER "," NODE("t2", "trigger", "'eventName': 'b'"), "",
		"node 't2' is a second trigger beside 't': leave one"},
	    {TRIGGER "," EXIT, EXIT_EDGES,
		"node 't' is a trigger, but the edge from 'x' to 't' leads to it|"
		"node 'x' is an exit, but the edge from 'x' to 't' leads on from it: remove|"
		"node 't' is in a circle without a wait ('t' -> 'x' -> 't'): put a wait"},
	    /* ids */
	    {TRIGGER "," TRIGGER, "", "node 't' is there more than once: give each"},
	    {TRIGGER ", 5", "", "nodes[1] must be an object"},
	    {TRIGGER ", {'type': 'exit'}", "", "nodes[1].id must be a string of 1 to 64 char"},
	    {TRIGGER ", {'id': 5, 'type': 'exit'}", "", "nodes[1].id must be a string of 1 to"},
	    {TRIGGER "," NODE("", "exit", ""), "", "nodes[1].id must be a string of 1 to 64"},
	    {TRIGGER "," NODE(LONG_ID, "exit", ""), EDGE("t", LONG_ID), ""},
	    {TRIGGER "," NODE(LONG_ID "5", "exit", ""), "", "nodes[1].id must be a string of 1"},
	    {TRIGGER "," NODE("a\\u0000b", "exit", ""), "", "nodes[1].id must be a string"},
	    /* types and data */
	    {AFTER("a", "teleport", ""),
		"node 'a': is of type 'teleport', which is unknown: use trigger, send_email, wait, "
		"wait_for_event, condition, update_contact, delete_contact, "
		"request, split, digest or exit"},
	    {TRIGGER ", {'id': 'a'}", EDGE("t", "a"), "node 'a': has no type: give it trigger"},
	    {TRIGGER ", {'id': 'a', 'type': 'wait', 'data': []}", EDGE("t", "a"),
		"node 'a': data must be an object"},
	    {"{'id': 't', 'type': 'trigger'}", "", "node 't': data.eventName is required"},
	    {NODE("t", "trigger", "'eventName': ' '"), "", "node 't': data.eventName must be 1 to"},
	    {NODE("t", "trigger", "'eventName': 5"), "", "node 't': data.eventName must be a str"},
	    {NODE("t", "trigger", "'eventName': 'a\\nb'"), "",
		"node 't': data.eventName must not contain control characters"},
	    {NODE("t", "trigger", "'eventName': 'a', 'filter': []"), "",
		"node 't': data.filter must be an object"},
	    {NODE("t", "trigger", "'eventName': 'a', 'filter': {}"), "",
		"node 't': data.filter.rules must be an array of rules"},
	    {NODE("t", "trigger", "'eventName': 'a', 'reentry': 'sometimes'"), "",
		"node 't': data.reentry must be every, after_finish or once"},
	    {NODE("t", "trigger", "'eventName': 'a', 'dedupe_window': -1"), "",
		"node 't': data.dedupe_window must be between 0 and 2592000000"},
	    {NODE("t", "trigger", "'eventName': 'a', 'dedupe_window': 2592000001"), "",
		"node 't': data.dedupe_window must be between 0 and 2592000000"},
	    {NODE("t", "trigger", "'eventName': 'a', 'hours': 'never'"), "",
		"node 't': data.hours must be an object or \"any\""},
	    {NODE("t", "trigger", "'eventName': 'a', 'hours': {'windows': []}"), "",
		"node 't': data.hours.windows must not be empty"},
	    {NODE("t", "trigger",
		 "'eventName': 'a', 'hours': {'windows': [{'from': '9', 'to': '10:00'}]}"),
		"", "node 't': data.hours.windows[0].from must be a time such as 09:00"},
	    {NODE("t", "trigger",
		 "'eventName': 'a', 'hours': {'windows': [{'from': '09:00', 'to': '10:00'}],"
		 " 'zone': 'x'}"),
		"", "node 't': data.hours.zone must be an IANA time zone"},
	    {AFTER("m", "send_email", MAIL_DATA ", 'priority': 'urgent'"),
		"node 'm': data.priority must be one of high, normal, low"},
	    {AFTER("m", "send_email", MAIL_DATA ", 'ignoreCap': 1"),
		"node 'm': data.ignoreCap must be a boolean"},
	    {AFTER("m", "send_email", ""), "node 'm': has nothing to send: give data.templateId"},
	    {AFTER("m", "send_email", "'html': 'a'"), "node 'm': has no data.subject: give one"},
	    {AFTER("m", "send_email", "'subject': 'a'"), "node 'm': has nothing to send"},
	    {AFTER("m", "send_email", MAIL_DATA ", 'templateId': 'hello'"),
		"node 'm': has both data.templateId and data.html: leave one"},
	    {AFTER("m", "send_email", MAIL_DATA ", 'from': 'nobody'"),
		"node 'm': data.from must be a valid email address"},
	    {AFTER("m", "send_email", MAIL_DATA ", 'from': 5"), "node 'm': data.from must be a s"},
	    {AFTER("m", "send_email", MAIL_DATA ", 'replyTo': ['a@example.com', 'b']"),
		"node 'm': data.replyTo must be a valid email address"},
	    {AFTER("m", "send_email", "'html': 'a', 'subject': 'a\\nb'"),
		"node 'm': data.subject "},
	    {AFTER("m", "send_email", "'templateId': 'gone'"),
		"node 'm': template 'gone' does not exist: create it"},
	    {AFTER("m", "send_email", "'templateId': 'bare'"),
		"node 'm': template 'bare' has no subject: give one in data.subject"},
	    {AFTER("w", "wait", ""), "node 'w': does not say how long: give data.duration"},
	    {AFTER("w", "wait", "'unit': 'days'"), "node 'w': does not say how long"},
	    {AFTER("w", "wait", "'time': '09:00'"), ""},
	    {AFTER("w", "wait", "'time': '09:00', 'days': ['sun'], 'zone': 'Europe/Berlin'"), ""},
	    {AFTER("w", "wait", "'time': '9:00'"),
		"node 'w': data.time must be a time such as 09:00"},
	    {AFTER("w", "wait", "'time': '24:00'"), "node 'w': data.time must be a time such as"},
	    {AFTER("w", "wait", "'time': '09:00', 'days': []"),
		"node 'w': data.days must not be empty"},
	    {AFTER("w", "wait", "'time': '09:00', 'days': ['mon', 'Tue']"),
		"node 'w': data.days[1] must be one of mon, tue, wed, thu, fri, sat, sun"},
	    {AFTER("w", "wait", "'time': '09:00', 'zone': 'Berlin'"),
		"node 'w': data.zone must be an IANA time zone"},
	    {AFTER("w", "wait", "'time': '09:00', 'duration': 1, 'unit': 'days'"),
		"node 'w': has both data.duration and data.time: leave one of them out"},
	    {AFTER("w", "wait", "'time': '09:00', 'until': 'day'"),
		"node 'w': has both data.time and data.until: leave one of them out"},
	    {AFTER("w", "wait", "'until': 'day', 'zone': 'UTC'"),
		"node 'w': data.zone goes with data.time alone"},
	    {AFTER("w", "wait", "'duration': 1, 'unit': 'days', 'days': ['mon']"),
		"node 'w': data.days goes with data.time alone"},
	    {AFTER("w", "wait", "'until': 'day', 'before': {'duration': 1, 'unit': 'days'}"), ""},
	    {AFTER("w", "wait", "'until': 'day', 'after': {'duration': 1}"),
		"node 'w': data.after.unit must be minutes, hours, days or weeks"},
	    {AFTER("w", "wait",
		 "'until': 'day', 'after': {'duration': 1, 'unit': 'days'}, 'before': {}"),
		"node 'w': has both data.before and data.after: leave one of them out"},
	    {AFTER("w", "wait", "'duration': 1, 'unit': 'days', 'before': {}"),
		"node 'w': data.before goes with data.until alone"},
	    {AFTER("w", "wait", "'duration': 1"),
		"node 'w': data.unit must be minutes, hours, days or weeks"},
	    {AFTER("w", "wait", "'duration': 1, 'unit': 'years'"), "node 'w': data.unit must be"},
	    {AFTER("w", "wait", "'duration': 0, 'unit': 'days'"),
		"node 'w': data.duration must be a whole number from 1 to 1825"},
	    {AFTER("w", "wait", "'duration': -1, 'unit': 'days'"), "node 'w': data.duration must"},
	    {AFTER("w", "wait", "'duration': 1.5, 'unit': 'days'"), "node 'w': data.duration must"},
	    {AFTER("w", "wait", "'duration': '1', 'unit': 'days'"), "node 'w': data.duration must"},
	    {AFTER("w", "wait", "'duration': 1825, 'unit': 'days'"), ""},
	    {AFTER("w", "wait", "'duration': 1826, 'unit': 'days'"), "node 'w': data.duration "},
	    {AFTER("w", "wait", "'duration': 2628000, 'unit': 'minutes'"), ""},
	    {AFTER("w", "wait", "'duration': 2628001, 'unit': 'minutes'"), "node 'w': data.dur"},
	    {AFTER("w", "wait", "'duration': 43801, 'unit': 'hours'"), "node 'w': data.duration"},
	    {AFTER("w", "wait", "'duration': 261, 'unit': 'weeks'"), "node 'w': data.duration "},
	    {AFTER("w", "wait", "'duration': 9223372036854775807, 'unit': 'weeks'"),
		"node 'w': data.duration must be a whole number from 1 to 260"},
	    {AFTER("w", "wait", WAIT_DATA ", 'until': 'birthday'"),
		"node 'w': has both data.duration and data.until: leave one"},
	    {AFTER("w", "wait", "'until': 99999999999"),
		"node 'w': data.until must be an ISO 8601 time, epoch milliseconds or the name"},
	    {AFTER("w", "wait", "'until': 253402300800000"),
		"node 'w': data.until must be an ISO 8601 time, epoch milliseconds or the name"},
	    {AFTER("w", "wait", "'until': true"), "node 'w': data.until must be"},
	    {AFTER("w", "wait_for_event", ""), "node 'w': data.eventName is required"},
	    {AFTER("w", "wait_for_event", "'eventName': 'a', 'timeout': 5"),
		"node 'w': data.timeout must be an object"},
	    {AFTER("w", "wait_for_event",
		 "'eventName': 'a', 'timeout': {'duration': 0, "
		 "'unit': 'days'}"),
		"node 'w': data.timeout.duration must be a whole number"},
	    {AFTER("w", "wait_for_event", "'eventName': 'a', 'timeout': {'duration': 1}"),
		"node 'w': data.timeout.unit must be minutes"},
	    {AFTER("w", "wait_for_event", "'eventName': 'a', 'filter': {'rules': [5]}"),
		"node 'w': data.filter.rules[0] must be an object"},
	    {AFTER("c", "condition", ""), "node 'c': data.rules must be an array of rules"},
	    {AFTER("c", "condition", "'rules': []"), "node 'c': has nothing to decide by"},
	    {AFTER("c", "condition", "'rules': [{'rules': []}]"), "node 'c': has nothing to dec"},
	    {AFTER("c", "condition", "'match': 'some', " RULES_DATA),
		"node 'c': data.match must be all or any"},
	    {AFTER("c", "condition", "'rules': [{'operator': 'exists'}]"),
		"node 'c': data.rules[0].property must be the name of a property"},
	    {AFTER("c", "condition", "'rules': [{'property': 'event.', 'operator': 'exists'}]"),
		"node 'c': data.rules[0].property must be the name of a property"},
	    {AFTER("c", "condition", "'rules': [{'property': 'a', 'operator': 'like'}]"),
		"node 'c': data.rules[0].operator must be equals, not_equals, greater_than, "
		"less_than, contains, not_contains, begins_with, ends_with, exists or not_exists"},
	    {AFTER("c", "condition", "'rules': [{'property': 'a', 'operator': 'equals'}]"),
		"node 'c': data.rules[0].value is missing"},
	    {AFTER("c", "condition",
		 "'rules': [{'property': 'a', 'operator': 'contains', 'value': null}]"),
		"node 'c': data.rules[0].value is missing"},
	    {AFTER("c", "condition",
		 "'rules': [{'property': 'a', 'operator': 'equals', 'value': ['b']}]"),
		"node 'c': data.rules[0].value must be a string, a number, true or false"},
	    {AFTER("c", "condition",
		 "'rules': [{'property': 'a', 'operator': 'equals', 'value': {'var': ''}}]"),
		"node 'c': data.rules[0].value must be a string, a number, true or false"},
	    {AFTER("c", "condition",
		 "'rules': [{'property': 'a', 'operator': 'equals', 'value': {'var': 'b', 'c': "
		 "1}}]"),
		"node 'c': data.rules[0].value must be a string, a number, true or false"},
	    {AFTER("c", "condition",
		 "'rules': [{'rules': [{'property': 'a', 'operator': 'exists'}, "
		 "{'rules': {}}]}]"),
		"node 'c': data.rules[0].rules[1].rules must be an array"},
	    {AFTER("c", "condition", "'rules': [{'segment': 'x', 'operator': 'in'}]"),
		"node 'c': data.rules[0].segment is not a segment"},
	    {AFTER("c", "condition", "'rules': [{'segment': 1, 'operator': 'in'}]"),
		"node 'c': data.rules[0].segment is not a segment"},
	    {AFTER("c", "condition", "'rules': [{'segment': '" AN_ID "', 'operator': 'equals'}]"),
		"node 'c': data.rules[0].operator must be in or not_in"},
	    {AFTER("c", "condition", "'rules': [{'segment': '" AN_ID "'}]"),
		"node 'c': data.rules[0].operator must be in or not_in"},
	    {AFTER("u", "update_contact", ""), "node 'u': data.set is required"},
	    {AFTER("u", "update_contact", "'set': {}"), "node 'u': data.set is empty"},
	    {AFTER("u", "update_contact", "'set': {'a..b': 1}"),
		"node 'u': data.set names 'a..b', which is no property"},
	    {AFTER("u", "update_contact", "'names': {}"), "node 'u': data.set is empty"},
	    {AFTER("u", "update_contact", "'names': {'name': 'A'}"),
		"node 'u': data.names has first_name and last_name alone"},
	    {AFTER("u", "update_contact", "'names': {'last_name': {'path': 'a'}}"),
		"node 'u': data.names.last_name must be a string, null or {\"var\": path}"},
	    {AFTER("u", "update_contact", "'names': {'last_name': ''}"),
		"node 'u': data.names.last_name must be 1 to 100 characters"},
	    {AFTER("u", "update_contact", "'set': {'': 1}"), "node 'u': data.set names ''"},
	    {AFTER("u", "update_contact", "'topics': {}"), "node 'u': data.set is empty"},
	    {AFTER("u", "update_contact", "'subscribed': true"), ""},
	    {AFTER("u", "update_contact", "'subscribed': {'not': {'var': 'a'}}"), ""},
	    {AFTER("u", "update_contact", "'subscribed': {'not': true}"),
		"node 'u': data.subscribed must be true, false, {\"var\": path} or "},
	    {AFTER("u", "update_contact", "'subscribed': {'var': ''}"),
		"node 'u': data.subscribed must be true, false, {\"var\": path} or "},
	    {AFTER("u", "update_contact", "'subscribed': {'var': 'a', 'b': 1}"),
		"node 'u': data.subscribed must be true, false, {\"var\": path} or "},
	    {AFTER("u", "update_contact", "'subscribed': 'true'"),
		"node 'u': data.subscribed must"},
	    {AFTER("u", "update_contact", "'topics': {'a': true}"),
		"node 'u': data.topics.a is not a topic"},
	    {AFTER("u", "update_contact", "'topics': {'" AN_ID "': null}"),
		"node 'u': data.topics." AN_ID " must be true or false"},
	    {AFTER("q", "request", ASK), ""},
	    {AFTER("q", "request", ASK ", 'method': 'PATCH', 'timeout': 30, 'attempts': 5"), ""},
	    {AFTER("q", "request", ""), "node 'q': data.url is required"},
	    {AFTER("q", "request", "'url': '/x'"),
		"node 'q': data.url must be an absolute http or https URL"},
	    {AFTER("q", "request", "'url': 'ftp://example.com/'"),
		"node 'q': data.url must be an absolute http or https URL"},
	    {AFTER("q", "request", "'url': 'https://{{host}}/x'"),
		"node 'q': data.url must not have variables before its path"},
	    {AFTER("q", "request", "'url': 'https://example.com/{{a}}?b={{c|d}}'"), ""},
	    {AFTER("q", "request", "'url': 'https://example.com/{{secret.a}}'"),
		"node 'q': data.url must not name a secret"},
	    {AFTER("q", "request", "'url': 'https://example.com/{{#if a}}b{{/if}}'"),
		"node 'q': data.url must have no tags but variables, such as {{id}}"},
	    {AFTER("q", "request", "'url': 'http://127.0.0.1/'"),
		"node 'q': data.url must not lead to a private address"},
	    {AFTER("q", "request", "'url': 'http://localhost/x'"),
		"node 'q': data.url must not lead to a private address"},
	    {AFTER("q", "request", "'url': 'http://example.com:8025/'"),
		"node 'q': data.url must not use port 8025"},
	    {AFTER("q", "request", ASK ", 'method': 'get'"),
		"node 'q': data.method must be one of GET, POST, PUT, PATCH, DELETE"},
	    {AFTER("q", "request", ASK ", 'timeout': 0"), "node 'q': data.timeout must be"},
	    {AFTER("q", "request", ASK ", 'timeout': 31"), "node 'q': data.timeout must be"},
	    {AFTER("q", "request", ASK ", 'attempts': 0"), "node 'q': data.attempts must be"},
	    {AFTER("q", "request", ASK ", 'attempts': 6"), "node 'q': data.attempts must be"},
	    {AFTER("q", "request", ASK ", 'headers': {'X-A': '{{secret.token}} {{b}}'}"), ""},
	    {AFTER("q", "request", ASK ", 'headers': {" HEADERS_25 "}"), ""},
	    {AFTER("q", "request", ASK ", 'headers': {" HEADERS_25 ", 'X-Z': 'z'}"),
		"node 'q': data.headers must have at most 25 properties"},
	    {AFTER("q", "request", ASK ", 'headers': {'X-A': '{{secret.none}}'}"),
		"node 'q': data.headers.X-A: no secret 'none'"},
	    {AFTER("q", "request", ASK ", 'headers': {'Host': 'a'}"),
		"node 'q': data.headers.Host cannot be set"},
	    {AFTER("q", "request", ASK ", 'headers': {'content-length': 'a'}"),
		"node 'q': data.headers.content-length cannot be set"},
	    {AFTER("q", "request", ASK ", 'headers': {'Connection': 'a'}"),
		"node 'q': data.headers.Connection cannot be set"},
	    {AFTER("q", "request", ASK ", 'headers': {'Transfer-Encoding': 'a'}"),
		"node 'q': data.headers.Transfer-Encoding cannot be set"},
	    {AFTER("q", "request", ASK ", 'headers': {'Webhook-Id': 'a'}"),
		"node 'q': data.headers.Webhook-Id cannot be set"},
	    {AFTER("q", "request", ASK ", 'headers': {'svix-x': 'a'}"),
		"node 'q': data.headers.svix-x cannot be set"},
	    {AFTER("q", "request", ASK ", 'headers': {'a b': 'a'}"),
		"node 'q': data.headers.a b is no name of a header"},
	    {AFTER("q", "request", ASK ", 'headers': {'A': 1}"),
		"node 'q': data.headers.A must be a string"},
	    {AFTER("q", "request", ASK ", 'headers': {'A': 'a\\r\\nB: c'}"),
		"node 'q': data.headers.A must not have control characters"},
	    {AFTER("q", "request", ASK ", 'body': {'a': ['{{secret.token}}']}"),
		"node 'q': data.body must not name a secret"},
	    {AFTER("q", "request", ASK ", 'body': [1, {'var': 'event.a'}, '{{b}}', null]"), ""},
	    {AFTER("u", "update_contact", "'audiences': {'a': true}"),
		"node 'u': data.audiences.a is not an audience"},
	    {AFTER("u", "update_contact", "'audiences': {'" AN_ID "': null}"), ""},
	    {AFTER("u", "update_contact", "'audiences': {'" AN_ID "': 1}"),
		"node 'u': data.audiences." AN_ID " must be true, false or null"},
	    {AFTER("u", "update_contact", "'set': {'1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6': 1}"), ""},
	    {AFTER("u", "update_contact", "'set': {'1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6.7': 1}"),
		"node 'u': data.set names"},
	    {AFTER("s", "split", ""), "node 's': data.weights is required"},
	    {AFTER("s", "split", "'weights': {}"), "node 's': data.weights are all 0"},
	    {AFTER("s", "split", "'weights': {'a': 0, 'b': 0}"), "node 's': data.weights are all"},
	    {AFTER("s", "split", "'weights': {'a': -1}"), "node 's': data.weights.a must be a w"},
	    {AFTER("s", "split", "'weights': {'a': 0.5}"), "node 's': data.weights.a must be a"},
	    {AFTER("s", "split", "'weights': {'a': '1'}"), "node 's': data.weights.a must be a"},
	    {AFTER("s", "split", "'weights': {'a': null}"), "node 's': data.weights.a must be a"},
	    {AFTER("s", "split", "'weights': {'a': 1000000}"), ""},
	    {AFTER("s", "split", "'weights': {'a': 1000001}"),
		"node 's': data.weights.a must be a whole number from 0 to 1000000"},
	    {AFTER("s", "split", "'weights': {'': 1}"), "node 's': data.weights names a side"},
	    {AFTER("s", "split", "'weights': {'" LONG_ID "': 1}"), ""},
	    {AFTER("s", "split", "'weights': {'" LONG_ID "5': 1}"), "node 's': data.weights names"},
	    /* edges */
	    {TRIGGER, "5", "edges[0] must be an object whose source and target are ids"},
	    {TRIGGER, "{'source': 't'}", "edges[0] must be an object whose source"},
	    {TRIGGER, EDGE("t", "gone"),
		"node 't': the edge from 't' to 'gone' leads to node 'gone', which does not exist"},
	    {TRIGGER, "{'id': 'e7', 'source': 't', 'target': 'gone'}",
		"node 't': edge 'e7' leads to node 'gone', which does not exist"},
	    {TRIGGER "," EXIT, EDGE("t", "x") "," EDGE("gone", "x"),
		"the edge from 'gone' to 'x' comes from node 'gone', which does not exist"},
	    {TRIGGER "," EXIT, EDGE("t", "x") "," EDGE("t", "x"),
		"node 't' has more than one edge out of it: leave one"},
	    {TRIGGER "," NODE("c", "condition", RULES_DATA) "," EXIT,
		EDGE("t", "c") "," EDGE("c", "x"),
		"node 'c': the edge from 'c' to 'x' does not say by which way out it leaves: let "
		"its sourceHandle be yes or no"},
	    {TRIGGER "," NODE("c", "condition", RULES_DATA) "," EXIT,
		EDGE("t", "c") "," EDGE_BY("c", "maybe", "x"),
		"node 'c' has no way out 'maybe', by which the edge from 'c' to 'x' leaves: let "
		"its "
		"sourceHandle be yes or no"},
	    {TRIGGER "," NODE("c", "condition", RULES_DATA) "," EXIT,
		EDGE("t", "c") "," EDGE_BY("c", "yes", "x") "," EDGE_BY("c", "yes", "x"),
		"node 'c' has more than one edge out of 'yes': leave one"},
	    {TRIGGER "," NODE("w", "wait_for_event", "'eventName': 'a'") "," EXIT,
		EDGE("t", "w") "," EDGE_BY("w", "yes", "x"),
		"node 'w' has no way out 'yes', by which *: let its sourceHandle be event or time"},
	    {TRIGGER
		"," NODE("r", "request", "'url': 'https://example.org/', 'method': 'GET'") "," EXIT,
		EDGE("t", "r") "," EDGE_BY("r", "yes", "x"),
		"node 'r' has no way out 'yes', by which *: let its sourceHandle be ok or failed"},
	    {TRIGGER "," NODE("s", "split", "'weights': {'b': 1, 'a': 1}") "," EXIT,
		EDGE("t", "s") "," EDGE_BY("s", "c", "x"),
		"node 's' has no way out 'c', by which *: let its sourceHandle be a or b"},
	    /* paths */
	    {TRIGGER "," EXIT, "", "node 'x' cannot be reached from the trigger: lead an edge"},
	    {TRIGGER "," NODE("a", "wait", WAIT_DATA) "," NODE("b", "wait", WAIT_DATA),
		EDGE("a", "b") "," EDGE("b", "a"),
		"node 'a' cannot be reached|node 'b' cannot be reached"},
	    {TRIGGER "," NODE("a", "send_email", MAIL_DATA), EDGE("t", "a") "," EDGE("a", "a"),
		"node 'a' is in a circle without a wait ('a' -> 'a'): put a wait"},
	    {TRIGGER "," NODE("a", "condition", RULES_DATA) "," NODE(
		 "b", "send_email", MAIL_DATA) "," NODE("c", "wait", WAIT_DATA),
		EDGE("t", "a") "," EDGE_BY("a", "yes", "b") "," EDGE_BY("a", "no", "c") "," EDGE(
		    "b", "a") "," EDGE("c", "a"),
		"node 'a' is in a circle without a wait ('a' -> 'b' -> 'a'): put"},
	    {TRIGGER "," NODE("a", "wait", "'until': '2026-12-24T00:00:00Z'"),
		EDGE("t", "a") "," EDGE("a", "a"), "node 'a' is in a circle without a wait"},
	    {TRIGGER "," NODE("a", "wait", "'until': 'next_bill'"),
		EDGE("t", "a") "," EDGE("a", "a"), "node 'a' is in a circle without a wait"},
	    /* unknown members */
	    {"{'id': 't', 'type': 'trigger', 'data': {'eventName': 'a', 'label': 'L', 're_entry': "
	     "1, "
	     "'dedupeWindow': 1, 'colour': 1}}," EXIT,
		EDGE("t", "x"),
		"node 't': data.re_entry is not known here; did you mean reentry?|"
		"node 't': data.dedupeWindow is not known here; did you mean dedupe_window?|"
		"node 't': data.colour is not known here: remove it"},
	    {AFTER("m", "send_email", "'template_id': 'hello'"),
		"node 'm': data.template_id is not known here; did you mean templateId?|"
		"node 'm': has nothing to send"},
	    {AFTER("w", "wait", "'duration': 1, 'units': 'days', 'unit': 'days'"),
		"node 'w': data.units is not known here; did you mean unit?"},
	    {AFTER("w", "wait_for_event",
		 "'eventName': 'a', 'timeout': {'duration': 1, 'unit': 'days', 'x': 1}"),
		"node 'w': data.timeout.x is not known here: remove it"},
	    {AFTER("c", "condition",
		 "'matches': 1, 'rules': [{'property': 'p', 'operator': 'exists', 'x': 1}]"),
		"node 'c': data.matches is not known here: remove it"},
	    {AFTER("u", "update_contact", "'set': {'Set': 1}, 'Set': 1"),
		"node 'u': data.Set is not known here; did you mean set?"},
	    {AFTER("s", "split", "'weights': {'weight': 1}, 'weight': 1"),
		"node 's': data.weight is not known here; did you mean weights?"},
	    {AFTER("e", "exit", "'label': 'End', 'x': 1"),
		"node 'e': data.x is not known here: remove it"},
	    /* senders */
	    {AFTER("m", "send_email", "'templateId': 'hello', 'from': 'A <a@b.example.org>'"),
		"node 'm': the domain of its sender, b.example.org, is not registered: register"},
	    /* several faults, all reported */
	    {TRIGGER
		"," NODE("a", "wait", "") "," NODE("b", "teleport", "") "," NODE("c", "exit", ""),
		EDGE("t", "a") "," EDGE("a", "a"),
		"node 'a': does not say how long|node 'b': is of type|"
		"node 'b' cannot be reached|node 'c' cannot be reached"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(automation_design) design = sample_design(cases[i].nodes, cases[i].edges);
		g_autofree char *got = sample_faults(design, true);
		g_autofree char *text = sample_text(cases[i].want);
		g_auto(GStrv) lines = g_strsplit(text, "|", -1);
		g_autofree char *joined = g_strjoinv("*\n", lines);
		g_autofree char *want = g_strconcat(joined, *text ? "*\n" : "", NULL);
		g_auto(GStrv) got_lines = g_strsplit(got, "\n", -1);

		cr_expect(g_pattern_match_simple(want, got), "%s %s:\n got %s\nwant %s",
		    cases[i].nodes, cases[i].edges, got, want);
		cr_expect_eq(g_strv_length(got_lines), g_strv_length(lines) + (*text != '\0'),
		    "%s: got %s", cases[i].nodes, got);
	}
}

Test(design, wants_a_sender)
{
	AUTO(automation_design) without =
	    sample_design(AFTER("m", "send_email", "'templateId': 'hello'"));
	AUTO(automation_design) with = sample_design(
	    AFTER("m", "send_email", "'templateId': 'hello', 'from': 'a@example.com'"));
	g_autofree char *got = sample_faults(without, false);

	cr_expect_str_eq(got, "node \"m\" has no sender: give data.from, or give the workspace a "
			      "default sender\n");
	g_free(got);
	got = sample_faults(with, false);
	cr_expect_str_empty(got);
}

static bool
cannot_ask(const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_TEMPORARY, "the database is away");
	return false;
}

Test(design, is_not_at_fault_where_a_template_cannot_be_looked_for)
{
	const struct automation_design_lookup away = {.template_find = cannot_ask, .sender = ""},
					      blind = {.sender = ""};
	AUTO(automation_design) design =
	    sample_design(AFTER("m", "send_email", "'templateId': 'hello'"));
	g_autoptr(GError) error = NULL;

	cr_expect_not(automation_design_check(design, &away, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY));
	cr_expect(automation_design_check(design, &blind, NULL));
}

/* Repeats item count times, with its index for each N in it. The caller owns the text. */
static char *
design_repeat(const char *item, guint count)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		g_autofree char *place = g_strdup_printf("%u", i);
		g_auto(GStrv) parts = g_strsplit(item, "N", -1);
		g_autofree char *filled = g_strjoinv(place, parts);

		g_string_append(text, filled);
	}
	return g_string_free(text, FALSE);
}

/* Makes a design of count nodes: a trigger and a chain of waits. */
static struct automation_design *
design_row_of(guint count)
{
	g_autofree char *waits = design_repeat("," NODE("N", "wait", WAIT_DATA), count - 1);
	g_autofree char *nodes = g_strconcat(TRIGGER, waits, NULL);
	g_autoptr(GString) edges = g_string_new(EDGE("t", "0"));

	for (guint i = 1; i < count - 1; i++)
		g_string_append_printf(edges, ", {'source': '%u', 'target': '%u'}", i - 1, i);
	return sample_design(nodes, edges->str);
}

Test(design, has_at_most_500_nodes)
{
	AUTO(automation_design) most = design_row_of(LIMIT_DESIGN_NODES);
	AUTO(automation_design) more = design_row_of(LIMIT_DESIGN_NODES + 1);
	g_autofree char *got = sample_faults(most, true);

	cr_expect_str_empty(got);
	g_free(got);
	got = sample_faults(more, true);
	cr_expect_str_eq(
	    got, "the design has 501 nodes, and may have 500: make two workflows of it\n");
}

Test(design, has_limits_on_what_it_says)
{
	static const struct {
		const char *type, *before, *item, *after;
		guint most;
		const char *want;
	} cases[] = {
	    {"trigger", "'eventName': '", "a", "'", LIMIT_EVENT_NAME_LENGTH,
		"data.eventName must be 1 to 100 characters"},
	    {"trigger", "'eventName': '", "\xc3\xa9", "'", LIMIT_EVENT_NAME_LENGTH,
		"data.eventName must be 1 to 100 characters"},
	    {"wait_for_event", "'eventName': '", "a", "'", LIMIT_EVENT_NAME_LENGTH,
		"data.eventName must be 1 to 100 characters"},
	    {"send_email", "'html': 'a', 'subject': '", "a", "'", LIMIT_SUBJECT_LENGTH,
		"data.subject must be at most 100 characters"},
	    {"send_email", "'subject': 'a', 'templateId': '", "a", "'", LIMIT_TEMPLATE_ID_LENGTH,
		"data.templateId must be at most 64 characters"},
	    {"send_email", MAIL_DATA ", 'replyTo': ['a@example.com'", ",'a@example.com'", "]",
		LIMIT_RECIPIENTS - 1, "data.replyTo must have at most 50 elements"},
	    {"send_email", MAIL_DATA ", 'from': '", "a", " <a@example.com>'",
		LIMIT_FROM_LENGTH - 16, "data.from must be at most 100 characters"},
	    {"wait", "'until': '", "a", "'", LIMIT_PROPERTY_LENGTH,
		"data.until must be at most 256 characters"},
	    {"condition", "'rules': [{'operator': 'exists', 'property': '", "a", "'}]",
		LIMIT_PROPERTY_LENGTH, "data.rules[0].property must be the name of a p"},
	    {"update_contact", "'set': {'a': 1", ",'pN': 1", "}", 99,
		"data.set must have at most 100 properties"},
	    {"split", "'weights': {'a': 1", ",'pN': 1", "}", 99,
		"data.weights must have at most 100 properties"},
	};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		guint more = i % 2;
		const char *type = cases[i / 2].type;
		g_autofree char *items = design_repeat(cases[i / 2].item, cases[i / 2].most + more);
		g_autofree char *node =
		    g_strdup_printf("{'id': 'n', 'type': '%s', 'data': {%s%s%s}}", type,
			cases[i / 2].before, items, cases[i / 2].after);
		AUTO(automation_design) design = sample_design(node, "");
		const char *fault = automation_design_node(design, "n")->fault;

		if (more)
			cr_expect(fault && g_str_has_prefix(fault, cases[i / 2].want),
			    "%s: got %s, want %s", type, fault, cases[i / 2].want);
		else
			cr_expect_null(fault, "%s: got %s", type, fault);
	}
}

Test(design, changes_consent_in_at_most_100_topics_or_audiences)
{
	static const char *const members[] = {"topics", "audiences"};

	for (guint i = 0; i < 4; i++) {
		const char *member = members[i / 2];
		guint count = 100 + i % 2;
		g_autoptr(GString) data = g_string_new(NULL);

		for (guint k = 0; k < count; k++)
			g_string_append_printf(data,
			    "%s'01980000-0000-7000-8000-000000000%03u': true", k == 0 ? "" : ", ",
			    k);
		g_autofree char *node =
		    g_strdup_printf("{'id': 'n', 'type': 'update_contact', 'data': {'%s': {%s}}}",
			member, data->str);
		g_autofree char *want =
		    g_strdup_printf("data.%s must have at most 100 properties", member);
		AUTO(automation_design) design = sample_design(node, "");

		cr_expect_str_eq(automation_design_node(design, "n")->fault
				     ? automation_design_node(design, "n")->fault
				     : "",
		    count > 100 ? want : "");
	}
}

Test(design, finds_its_way)
{
	AUTO(automation_design) design = sample_design(TRIGGER
	    "," NODE("c", "condition", RULES_DATA) "," NODE("w", "wait", WAIT_DATA) "," EXIT,
	    EDGE_BY("t", "any", "c") "," EDGE_BY("c", "yes", "w") "," EDGE("w", "x") "," EDGE(
		"w", "gone"));
	const struct automation_design_node *t = automation_design_node(design, "t");
	const struct automation_design_node *c = automation_design_node(design, "c");
	const struct automation_design_node *w = automation_design_node(design, "w");

	cr_expect_eq(automation_design_start(design), t);
	cr_expect_str_eq(automation_design_trigger(design)->event_name, "order");
	cr_expect_eq(automation_design_next(design, t, NULL), c);
	cr_expect_eq(automation_design_next(design, c, "yes"), w);
	cr_expect_null(automation_design_next(design, c, "no"));
	cr_expect_eq(automation_design_next(design, w, NULL), automation_design_node(design, "x"));
	cr_expect_null(automation_design_node(design, "gone"));
}
