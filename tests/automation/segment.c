/* SPDX-License-Identifier: MIT */
/* Tests rules of workflows that ask for segments. */
#include <criterion/criterion.h>
#include <string.h>

#include "segment/segment.h"
#include "service/service.h"
#include "tests/automation/fixture.h"

/* Makes a segment of these rules. */
static struct base_id
segment_make(struct fixture *fixture, const char *rules)
{
	g_autofree char *text = sample_text(rules);
	g_autoptr(GError) error = NULL;
	AUTO(store_segment)
	segment = segment_create(fixture->service, &fixture->house->workspace, "S", text, &error);

	cr_assert(segment, "%s", error ? error->message : "");
	return segment->id;
}

/* The text with the id for each S0. The caller owns it. */
static char *
segment_fill(const char *text, const struct base_id *id)
{
	GString *filled = g_string_new(text);
	char name[ID_TEXT_SIZE];

	g_string_replace(filled, "S0", base_id_format(id, name), 0);
	return g_string_free(filled, FALSE);
}

#define PROS                                                                                       \
	"{'match': 'all', 'rules': [{'property': 'plan', 'operator': 'equals', 'value': 'pro'}]}"
#define IN "'rules': [{'segment': 'S0', 'operator': 'in'}]"
#define NOT_IN "'rules': [{'segment': 'S0', 'operator': 'not_in'}]"
#define BRANCH(rules)                                                                              \
	NODE("c", "condition", rules) "," NODE("y", "exit", "") "," NODE("n", "exit", "")
#define BRANCHES EDGE_BY("c", "yes", "y") "," EDGE_BY("c", "no", "n")

/* Each run with a person who is new, and with one who is known. */
Test(segment, is_asked_by_every_rule)
{
	static const struct {
		const char *nodes, *edges, *properties, *want;
	} cases[] = {
	    {TRIGGER "," BRANCH(IN), EDGE("t", "c") "," BRANCHES, "{'plan': 'pro'}",
		"COMPLETED y 3\n"},
	    {TRIGGER "," BRANCH(IN), EDGE("t", "c") "," BRANCHES, "{'plan': 'free'}",
		"COMPLETED n 3\n"},
	    {TRIGGER "," BRANCH(NOT_IN), EDGE("t", "c") "," BRANCHES, "{'plan': 'free'}",
		"COMPLETED y 3\n"},
	    {TRIGGER "," BRANCH("'match': 'any', 'rules': [{'property': 'x', 'operator': "
				"'exists'}, {" IN "}]"),
		EDGE("t", "c") "," BRANCHES, "{'plan': 'pro'}", "COMPLETED y 3\n"},
	    /* what a step has just changed counts */
	    {TRIGGER "," NODE("u", "update_contact", "'set': {'plan': 'pro'}") "," BRANCH(IN),
		EDGE("t", "u") "," EDGE("u", "c") "," BRANCHES, "{}", "COMPLETED y 4\n"},
	    /* the trigger's filter, with the properties that the event brings */
	    {NODE("t", "trigger", "'eventName': 'order', 'filter': {" IN "}"), "",
		"{'plan': 'pro'}", "COMPLETED t 1\n"},
	    {NODE("t", "trigger", "'eventName': 'order', 'filter': {" IN "}"), "", "{}", ""},
	    {NODE("t", "trigger", "'eventName': 'order', 'filter': {" NOT_IN "}"), "", "{}",
		"COMPLETED t 1\n"},
	};
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = segment_make(fixture, PROS);

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		g_autofree char *nodes = segment_fill(cases[i / 2].nodes, &id);

		fixture_clear(fixture);
		if (i % 2 == 1)
			fixture_event(fixture, "hello", "{'plan': 'old'}");
		fixture_workflow(fixture, nodes, cases[i / 2].edges);
		fixture_event(fixture, "order", cases[i / 2].properties);
		fixture_run(fixture);
		fixture_expect(cases[i / 2].nodes, fixture_show(fixture), cases[i / 2].want);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM person"), 1);
	}
}

Test(segment, is_asked_by_the_filter_of_a_wait)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = segment_make(fixture, PROS);
	g_autofree char *nodes = segment_fill(TRIGGER
	    "," NODE("w", "wait_for_event", "'eventName': 'paid', 'filter': {" IN "}"),
	    &id);

	fixture_workflow(fixture, nodes, EDGE("t", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_event(fixture, "paid", NULL);
	fixture_run(fixture);
	fixture_expect("not in it", fixture_show(fixture), "WAITING w 2\n");
	fixture_event(fixture, "paid", "{'plan': 'pro'}");
	fixture_run(fixture);
	fixture_expect("in it", fixture_show(fixture), "COMPLETED w 2\n");
	/* An event that comes before the step */
	fixture_at(10);
	fixture_event(fixture, "order", NULL);
	fixture_at(20);
	fixture_event(fixture, "paid", NULL);
	fixture_run(fixture);
	fixture_expect("at once", fixture_show(fixture), "COMPLETED w 2\nCOMPLETED w 2\n");
}

Test(segment, has_nobody_once_it_is_removed)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = segment_make(fixture, PROS);
	g_autofree char *nodes = segment_fill(TRIGGER "," BRANCH(IN), &id);

	fixture_workflow(fixture, nodes, EDGE("t", "c") "," BRANCHES);
	cr_assert(store_segment_remove(fixture->db, &fixture->house->workspace, &id, NULL));
	fixture_event(fixture, "order", "{'plan': 'pro'}");
	fixture_run(fixture);
	fixture_expect("nobody", fixture_show(fixture), "COMPLETED n 3\n");
}

#define UNKNOWN "01980000-0000-7000-8000-000000000001"

Test(segment, has_to_be_there_when_a_design_is_activated)
{
	static const struct {
		const char *nodes, *want;
	} cases[] = {
	    {TRIGGER "," NODE(
		 "c", "condition", "'rules': [{'segment': '" UNKNOWN "', 'operator': 'in'}]"),
		"node \"c\": data.rules[0].segment is not a segment"},
	    {TRIGGER "," NODE("c", "condition",
		 "'rules': [{'rules': [{'segment': 'S0', 'operator': 'in'}, {'segment': '" UNKNOWN
		 "', 'operator': 'not_in'}]}]"),
		"node \"c\": data.rules[0].rules[1].segment is not a segment"},
	    {NODE("t", "trigger",
		 "'eventName': 'order', 'filter': {'rules': [{'segment': '" UNKNOWN
		 "', 'operator': 'in'}]}"),
		"node \"t\": data.filter.rules[0].segment is not a segment"},
	    {TRIGGER "," NODE("c", "wait_for_event",
		 "'eventName': 'paid', 'filter': {'rules': [{'segment': '" UNKNOWN
		 "', 'operator': 'in'}]}"),
		"node \"c\": data.filter.rules[0].segment is not a segment"},
	    {TRIGGER "," NODE("c", "condition", IN), NULL},
	};
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = segment_make(fixture, PROS);
	struct base_id workflow = fixture_workflow(fixture, TRIGGER, "");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *nodes = segment_fill(cases[i].nodes, &id);
		const char *edges = strstr(nodes, "'c'") ? EDGE("t", "c") : "";
		g_autofree char *got = fixture_change(fixture, &workflow, NULL, nodes, edges);

		cr_expect(cases[i].want ? g_strcmp0(got, cases[i].want) == 0 : !got, "%s: got %s",
		    cases[i].nodes, got);
	}
}
