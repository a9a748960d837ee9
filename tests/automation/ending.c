/* SPDX-License-Identifier: MIT */
/* Tests designs with keys, goals, exits and digests: their faults, and their simulation. */
#include "automation/ending.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "automation/simulate.h"
#include "json/value.h"
#include "tests/automation/sample.h"

#define START(more) NODE("t", "trigger", "'eventName': 'order'" more)
#define GOAL(more) START(", 'goal': {" more "}")
#define OUT(more) START(", 'exit': [" more "]")
#define PAID "{'eventName': 'paid'}"
#define PAIDS PAID "," PAID "," PAID "," PAID "," PAID "," PAID "," PAID "," PAID "," PAID "," PAID
#define PRO "{'rules': [{'property': 'plan', 'operator': 'equals', 'value': 'pro'}]}"
#define DIGEST(more) START("") "," NODE("d", "digest", more), EDGE("t", "d")

static const struct {
	const char *nodes, *edges, *want; /* the beginning of the faults */
} designs[] = {
    {START(", 'key': 'event.id'"), "", ""},
    {START(", 'key': ''"), "", ""},
    {START(", 'key': 5"), "", "node \"t\": data.key must be a string"},
    {GOAL("'any': [" PAID ", " PRO "], 'within': {'duration': 90, 'unit': 'days'}, 'ends': false"),
	"", ""},
    {GOAL("'any': [" PAIDS "]"), "", ""},
    {GOAL("'any': [" PAIDS "," PAID "]"), "",
	"node \"t\": data.goal.any must be 1 to 10 conditions\n"},
    {GOAL("'any': []"), "", "node \"t\": data.goal.any must be 1 to 10 conditions\n"},
    {GOAL(""), "", "node \"t\": data.goal.any must be 1 to 10 conditions\n"},
    {START(", 'goal': [" PAID "]"), "", "node \"t\": data.goal must be an object\n"},
    {GOAL("'any': [" PAID "], 'within': {'duration': 90, 'unit': 'days'}"), "", ""},
    {GOAL("'any': [" PAID "], 'within': {'duration': 91, 'unit': 'days'}"), "",
	"node \"t\": data.goal.within must be at most 90 days\n"},
    {GOAL("'any': [" PAID "], 'within': {'duration': 1}"), "",
	"node \"t\": data.goal.within.unit must be minutes, hours, days or weeks\n"},
    {GOAL("'any': [" PAID "], 'ends': 'no'"), "",
	"node \"t\": data.goal.ends must be true or false\n"},
    {GOAL("'any': [" PAID "], 'all': 1"), "",
	"node \"t\": data.goal.all is not known here: remove it\n"},
    {OUT(PAIDS), "", ""},
    {OUT(PAIDS "," PAID), "", "node \"t\": data.exit must be 1 to 10 conditions\n"},
    {OUT(""), "", "node \"t\": data.exit must be 1 to 10 conditions\n"},
    {START(", 'exit': " PAID), "", "node \"t\": data.exit must be 1 to 10 conditions\n"},
    {OUT("'paid'"), "", "node \"t\": data.exit[0] must be an object: an event, or rules\n"},
    {OUT(PAID ", {}"), "", "node \"t\": data.exit[1] must have eventName or rules\n"},
    {OUT("{'eventName': 'paid', 'rules': []}"), "",
	"node \"t\": data.exit[0] has both eventName and rules: leave one of them out\n"},
    {OUT("{'eventName': ' '}"), "", "node \"t\": data.exit[0].eventName must be 1 to"},
    {OUT("{'eventName': 'paid', 'filter': {}}"), "",
	"node \"t\": data.exit[0].filter.rules must be an array of rules\n"},
    {OUT("{'rules': []}"), "", "node \"t\": data.exit[0].rules must not be empty\n"},
    {OUT("{'rules': [{'property': 'a', 'operator': 'is'}]}"), "",
	"node \"t\": data.exit[0].rules[0].operator must be"},
    {OUT("{'eventName': 'paid', 'match': 'any'}"), "",
	"node \"t\": data.exit[0].match is not known here: remove it\n"},
    {OUT("{'eventName': 'segment.entered'}"), "",
	"node \"t\": data.exit[0].segmentId is required\n"},
    {OUT("{'eventName': 'segment.left', 'segmentId': 'x'}"), "",
	"node \"t\": data.exit[0].segmentId is not a segment\n"},
    {OUT("{'eventName': 'paid', 'segmentId': '01890a5d-ac96-774b-bcce-b302099a8057'}"), "",
	"node \"t\": data.exit[0].segmentId goes with segment.entered and segment.left alone\n"},
    {OUT("{'eventName': 'workflow.started'}"), "",
	"node \"t\": data.exit[0].eventName workflow.started cannot be an exit\n"},
    {GOAL("'any': [{'eventName': 'date.reached'}]"), "",
	"node \"t\": data.goal.any[0].eventName date.reached cannot be a goal\n"},
    /* digests */
    {DIGEST("'duration': 31, 'unit': 'days', 'key': 'event.id'"), ""},
    {DIGEST("'duration': 32, 'unit': 'days'"),
	"node \"d\": data.duration must be at most 31 days\n"},
    {DIGEST("'time': '09:00', 'days': ['mon'], 'zone': 'Europe/Berlin'"), ""},
    {DIGEST("'time': '9'"), "node \"d\": data.time must be a time such as 09:00\n"},
    {DIGEST("'time': '09:00', 'duration': 1, 'unit': 'days'"),
	"node \"d\": has both data.duration and data.time: leave one of them out\n"},
    {DIGEST("'duration': 1, 'unit': 'days', 'days': ['mon']"),
	"node \"d\": data.days goes with data.time alone\n"},
    {DIGEST(""),
	"node \"d\": does not say how long: give data.duration and data.unit, or data.time\n"},
    {DIGEST("'duration': 1, 'unit': 'days', 'every': 1"),
	"node \"d\": data.every is not known here"},
};

Test(ending, designs_have_faults)
{
	for (gsize i = 0; i < G_N_ELEMENTS(designs); i++) {
		AUTO(automation_design) design = sample_design(designs[i].nodes, designs[i].edges);
		g_autofree char *faults = sample_faults(design, true);

		cr_expect(*designs[i].want ? g_str_has_prefix(faults, designs[i].want) : !*faults,
		    "%s: got %s, want %s", designs[i].nodes, faults, designs[i].want);
	}
}

/* The dedupe window is off in a design with a digest, unless it is given. */
Test(ending, digests_take_each_event)
{
	static const struct {
		const char *more, *node;
		gint64 want;
	} windows[] = {
	    {"", NODE("d", "digest", WAIT_DATA), 0},
	    {", 'dedupe_window': 7", NODE("d", "digest", WAIT_DATA), 7},
	    {"", NODE("d", "wait", WAIT_DATA), 300000},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(windows); i++) {
		g_autofree char *nodes =
		    g_strdup_printf(START("%s") ",%s", windows[i].more, windows[i].node);
		AUTO(automation_design) design = sample_design(nodes, "");

		cr_expect_eq(
		    automation_design_trigger(design)->dedupe_window, windows[i].want, "%s", nodes);
	}
}

#define DAY (24 * 60 * 60 * 1000LL)
#define EVERY(more) START(", 'dedupe_window': 0" more)
#define WAITS NODE("w", "wait", WAIT_DATA)
#define WAY EDGE("t", "w")

/* Events of "NAME" or "NAME:JSON", an hour apart; lines of HOURS, execution, node, action and why.
 */
static char *
ending_simulate(const struct automation_design *design, const char *script)
{
	g_auto(GStrv) words = g_strsplit(script, " ", -1);
	struct automation_simulation_event events[8] = {{0}};
	GString *text = g_string_new(NULL);
	struct json *documents[8] = {NULL};
	guint count = 0;

	for (; words[count]; count++) {
		char *colon = strchr(words[count], ':');

		if (colon) {
			*colon = '\0';
			events[count].properties = documents[count] = sample_json(colon + 1);
		}
		events[count].name = words[count];
		events[count].time = (count + 1) * DAY / 24;
	}
	const struct automation_simulation_input input = {
	    .design = design, .events = events, .event_count = count};
	struct automation_simulation *simulation = automation_simulate(&input);
	for (guint i = 0; i < simulation->lines->len; i++) {
		const struct automation_simulation_line *line = simulation->lines->pdata[i];

		g_string_append_printf(text, "%g %u %s %s (%s)\n",
		    (double)line->time / ((double)DAY / 24), line->execution,
		    line->node ? line->node : "-", line->action, line->why ? line->why : "");
	}
	automation_simulation_free(simulation);
	for (guint i = 0; i < count; i++)
		g_clear_pointer(&documents[i], json_free);
	return g_string_free(text, FALSE);
}

static const struct {
	const char *nodes, *edges, *script, *want;
} simulations[] = {
    {EVERY(", 'goal': {'any': [" PAID "]}") "," WAITS, WAY, "order paid",
	"1 0 - event order (starts execution 1)\n1 1 t trigger order (order came)\n"
	"1 1 w wait 1 day (until 1970-01-02T01:00:00.000Z)\n"
	"2 0 - event paid (goal of execution 1)\n2 1 w goal (goal: paid came)\n"},
    {EVERY(", 'exit': [" PRO "]") "," WAITS, WAY, "order seen:{'plan':'pro'}",
	"1 0 - event order (starts execution 1)\n1 1 t trigger order (order came)\n"
	"1 1 w wait 1 day (until 1970-01-02T01:00:00.000Z)\n"
	"2 0 - event seen (exit of execution 1)\n2 1 w exit (exit: plan is \"pro\")\n"},
    {EVERY(", 'exit': [{'eventName': 'order'}], 'reentry': 'after_finish'") "," WAITS, WAY,
	"order order",
	"1 0 - event order (starts execution 1)\n1 1 t trigger order (order came)\n"
	"1 1 w wait 1 day (until 1970-01-02T01:00:00.000Z)\n"
	"2 0 - event order (exit of execution 1; starts execution 2)\n"
	"2 1 w exit (exit: order came)\n2 2 t trigger order (order came)\n"
	"2 2 w wait 1 day (until 1970-01-02T02:00:00.000Z)\n26 2 w wait 1 day (the wait is over)\n"
	"26 2 - COMPLETED ()\n"},
    {EVERY(", 'goal': {'any': [" PRO "]}") "," WAITS, WAY, "order:{'plan':'pro'}",
	"1 0 - event order (starts nothing: its goal or an exit holds already)\n"},
    {EVERY(", 'goal': {'any': [" PAID "], 'ends': false}"), "", "order paid",
	"1 0 - event order (starts execution 1)\n1 1 t trigger order (order came)\n"
	"1 1 - COMPLETED ()\n2 0 - event paid (nothing waits for it)\n"},
    {EVERY(", 'key': 'event.id', 'reentry': 'once'"), "",
	"order:{'id':7} order:{'id':'7'} order:{'id':8}",
	"1 0 - event order (starts execution 1)\n1 1 t trigger order (order came)\n"
	"1 1 - COMPLETED ()\n2 0 - event order (starts nothing: reentry is once)\n"
	"3 0 - event order (starts execution 2)\n3 2 t trigger order (order came)\n"
	"3 2 - COMPLETED ()\n"},
    {START("") "," NODE("d", "digest", "'duration': 3, 'unit': 'hours'") "," NODE(
	 "u", "update_contact", "'copy': {'n': 'step.d.count'}"),
	EDGE("t", "d") "," EDGE("d", "u"), "order order",
	"1 0 - event order (starts execution 1)\n1 1 t trigger order (order came)\n"
	"1 1 d digest 3 hours (until 1970-01-01T04:00:00.000Z)\n"
	"2 0 - event order (starts execution 2)\n2 2 t trigger order (order came)\n"
	"2 2 d digest (the event has joined the digest that is open)\n"
	"4 1 d digest 3 hours (the wait is over)\n4 1 u update_contact n ({\"n\":2})\n"
	"4 1 - COMPLETED ()\n"},
};

Test(ending, simulations_have_lines_for_ends)
{
	for (gsize i = 0; i < G_N_ELEMENTS(simulations); i++) {
		AUTO(automation_design)
		design = sample_design(simulations[i].nodes, simulations[i].edges);
		g_autofree char *got = ending_simulate(design, simulations[i].script);

		cr_expect_str_eq(got, simulations[i].want, "%s:\ngot\n%swant\n%s",
		    simulations[i].nodes, got, simulations[i].want);
	}
}
