/* SPDX-License-Identifier: MIT */
/* Simulates goals and exits. */
#include "automation/simulate_ending.h"

#include <stdbool.h>

#include "automation/design.h"
#include "automation/ending.h"
#include "automation/node.h"
#include "automation/rules.h"
#include "automation/simulation.h"
#include "automation/simulator.h"

void
automation_simulate_end(struct automation_simulator *simulator, struct automation_run *run,
    enum automation_run_state state, gint64 time, const char *action, const char *why)
{
	const struct automation_simulation_line line = {
	    .time = time,
	    .execution = run->number,
	    .node = (char *)run->node->id,
	    .action = (char *)action,
	    .why = (char *)why,
	};

	automation_simulation_add(simulator->result, simulator->input->lines, &line);
	run->state = state;
	run->time = time;
}

/* Returns whether the goal (is_goal) or an exit of a run holds, at an event or, if that is NULL,
   before a step. Appends the reason to why. */
static bool
simulate_test_ending(struct automation_simulator *simulator, struct automation_run *run,
    bool is_goal, const struct automation_simulation_event *event, gint64 time, GString *why)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(simulator->input->design);
	const struct automation_endings *endings = trigger ? trigger->endings : NULL;
	const struct automation_rules_scope scope = {.contact = simulator->properties,
	    .event = event ? event->properties : NULL,
	    .fields = simulator->fields,
	    .started = run->event,
	    .segments = simulator->input->segments,
	    .results = run->results};

	if (!endings || (!event && !endings->has_rules) || time < run->started ||
	    (event && time == run->started))
		return false;
	if (is_goal && (run->has_goal || (endings->within ? time >= run->started + endings->within
							  : run->state >= RUN_COMPLETED)))
		return false;
	if (!is_goal && run->state >= RUN_COMPLETED)
		return false;
	return automation_endings_hold(
	    is_goal ? endings->goals : endings->exits, event ? event->name : NULL, &scope, why);
}

void
automation_simulate_carry_end(struct automation_simulator *simulator, struct automation_run *run,
    bool is_goal, gint64 time, const char *why)
{
	const struct automation_endings *endings =
	    automation_design_trigger(simulator->input->design)->endings;
	bool goes_on = is_goal && (endings->goes_on || run->state >= RUN_COMPLETED);
	enum automation_run_state state = goes_on   ? run->state
					  : is_goal ? RUN_COMPLETED
						    : RUN_CANCELLED;
	gint64 step_time = run->time;

	run->has_goal |= is_goal;
	automation_simulate_end(simulator, run, state, time, is_goal ? "goal" : "exit", why);
	if (goes_on)
		run->time = step_time;
}

void
automation_simulate_check_rules(
    struct automation_simulator *simulator, struct automation_run *run, gint64 time)
{
	for (guint i = 0; i < 2 && run->state < RUN_COMPLETED; i++) {
		bool is_goal = i == 0;
		g_autoptr(GString) why = g_string_new(is_goal ? "goal: " : "exit: ");

		if (simulate_test_ending(simulator, run, is_goal, NULL, time, why))
			automation_simulate_carry_end(simulator, run, is_goal, time, why->str);
	}
}

static void
simulate_clear_ending(void *ending)
{
	g_free(((struct automation_simulated_ending *)ending)->why);
}

GArray *
automation_simulate_find_endings(struct automation_simulator *simulator,
    const struct automation_simulation_event *event, GString *why)
{
	GArray *endings = g_array_new(FALSE, FALSE, sizeof(struct automation_simulated_ending));

	g_array_set_clear_func(endings, simulate_clear_ending);
	for (guint i = 0; i < 2 * simulator->runs->len; i++) {
		bool is_goal = i < simulator->runs->len;
		struct automation_run *run = simulator->runs->pdata[i % simulator->runs->len];
		g_autoptr(GString) reason = g_string_new(is_goal ? "goal: " : "exit: ");

		if (!simulate_test_ending(simulator, run, is_goal, event, event->time, reason))
			continue;
		const struct automation_endings *of =
		    automation_design_trigger(simulator->input->design)->endings;
		struct automation_simulated_ending ending = {
		    run, is_goal, g_strdup(reason->str), run->state};
		if (!is_goal || !of->goes_on)
			run->state = MAX(run->state, is_goal ? RUN_COMPLETED : RUN_CANCELLED);
		g_string_append_printf(why, "%s%s of execution %u", why->len ? "; " : "",
		    is_goal ? "goal" : "exit", run->number);
		g_array_append_val(endings, ending);
	}
	return endings;
}
