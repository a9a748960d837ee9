/* SPDX-License-Identifier: MIT */
/* Simulates an event, which ends, starts and releases executions. */
#include "automation/simulate_event.h"

#include <string.h>
#include <stdbool.h>

#include "automation/design.h"
#include "automation/duration.h"
#include "automation/ending.h"
#include "automation/node.h"
#include "automation/rules.h"
#include "automation/simulate_ending.h"
#include "automation/simulate_run.h"
#include "automation/simulation.h"
#include "automation/simulator.h"
#include "automation/step.h"
#include "rule/event_name.h"
#include "rule/operator.h"

/* The first unfinished run by the value of a key. */
static const struct automation_run *
simulate_find_unfinished(
    const struct automation_simulator *simulator, const guint8 key[RULE_HASH_SIZE])
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		const struct automation_run *run = simulator->runs->pdata[i];

		if (run->state < RUN_COMPLETED && memcmp(run->key, key, RULE_HASH_SIZE) == 0)
			return run;
	}
	return NULL;
}

/* The last run by the value of a key; NULL: there is none yet. */
static const struct automation_run *
simulate_find_last(const struct automation_simulator *simulator, const guint8 key[RULE_HASH_SIZE])
{
	for (guint i = simulator->runs->len; i > 0; i--) {
		const struct automation_run *run = simulator->runs->pdata[i - 1];

		if (memcmp(run->key, key, RULE_HASH_SIZE) == 0)
			return run;
	}
	return NULL;
}

/* Returns whether dedupe window and re-entry allow a start; else appends the reason to why. */
static bool
simulate_may_start(const struct automation_simulator *simulator,
    const struct automation_node_trigger *trigger, const struct automation_simulation_event *event,
    const guint8 key[RULE_HASH_SIZE], GString *why)
{
	const struct automation_run *unfinished = simulate_find_unfinished(simulator, key),
				    *last = simulate_find_last(simulator, key);

	if (last && automation_step_is_duplicate(
			trigger, last->event_name, last->started, event->name, event->time)) {
		g_autofree char *ago = automation_duration_format(event->time - last->started);
		g_autofree char *window = automation_duration_format(trigger->dedupe_window);
		g_string_append_printf(why,
		    "starts nothing: deduplicated, as the last start was %s ago and "
		    "dedupe_window is %s",
		    ago, window);
		return false;
	}
	if (trigger->reentry == REENTRY_ONCE && last)
		g_string_append(why, "starts nothing: reentry is once");
	else if (trigger->reentry == REENTRY_AFTER_FINISH && unfinished)
		g_string_append_printf(why,
		    "starts nothing: reentry is after_finish, and execution %u is not finished",
		    unfinished->number);
	else
		return true;
	return false;
}

/* run: the execution whose rules are asked; NULL: none yet. */
static struct automation_rules_scope
simulate_scope_of(const struct automation_simulator *simulator,
    const struct automation_simulation_event *event, const struct automation_run *run)
{
	return (struct automation_rules_scope){simulator->properties, event->properties,
	    simulator->fields, NULL, run ? run->event : event->properties,
	    simulator->input->segments, run ? run->results : NULL};
}

/* Returns whether the event starts an execution, by the value of the trigger's key; appends the
   reason to why. */
static bool
simulate_decide_start(const struct automation_simulator *simulator,
    const struct automation_simulation_event *event, guint8 key_r[RULE_HASH_SIZE], GString *why)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(simulator->input->design);
	const struct automation_rules_scope scope = simulate_scope_of(simulator, event, NULL);
	g_autoptr(GString) match = g_string_new(NULL);

	if (!trigger)
		return false;
	bool matches = automation_step_matches(trigger, event->name, &scope, match);
	if (!matches) {
		if (strcmp(trigger->event_name, event->name) == 0)
			g_string_append_printf(
			    why, "starts nothing: its filter says %s", match->str);
		return false;
	}
	if (automation_endings_bar(trigger->endings, &scope)) {
		g_string_append(why, "starts nothing: its goal or an exit holds already");
		return false;
	}
	rule_operator_hash(
	    trigger->key ? automation_rules_value(trigger->key, &scope) : NULL, key_r);
	if (!simulate_may_start(simulator, trigger, event, key_r, why))
		return false;
	g_string_append_printf(why, "starts execution %u", simulator->result->started + 1);
	return true;
}

/* Appends the reason why an event of the right name does not let an execution go on. */
static void
simulate_explain_filter(const struct automation_simulator *simulator,
    const struct automation_run *run, const struct automation_simulation_event *event, GString *why)
{
	const struct automation_rules_scope scope = simulate_scope_of(simulator, event, run);

	if (strcmp(run->node->wait_event.event_name, event->name) != 0)
		return;
	g_string_append_printf(why, "%sexecution %u waits for it at %s, but ", why->len ? "; " : "",
	    run->number, run->node->id);
	automation_rules_hold(run->node->wait_event.filter, &scope, why);
}

static bool
simulate_waits_for(
    const struct automation_run *run, const struct automation_simulation_event *event)
{
	return run->state == RUN_WAITS_FOR_EVENT &&
	       automation_step_in_time(run->time, run->until, event->time);
}

/* The executions that the event lets go on. Appends to why which ones they are, and why others that
   wait for this event do not go on. The caller frees the array. */
static GPtrArray *
simulate_find_released(const struct automation_simulator *simulator,
    const struct automation_simulation_event *event, GString *why)
{
	GPtrArray *released = g_ptr_array_new();

	for (guint i = 0; i < simulator->runs->len; i++) {
		struct automation_run *run = simulator->runs->pdata[i];

		const struct automation_rules_scope scope =
		    simulate_scope_of(simulator, event, run);

		if (!simulate_waits_for(run, event))
			continue;
		if (!automation_step_releases(run->node, event->name, &scope)) {
			simulate_explain_filter(simulator, run, event, why);
			continue;
		}
		g_ptr_array_add(released, run);
		g_string_append_printf(why, "%sreleases execution %u at %s", why->len ? "; " : "",
		    run->number, run->node->id);
	}
	return released;
}

void
automation_simulate_take(
    struct automation_simulator *simulator, const struct automation_simulation_event *event)
{
	g_autoptr(GString) why = g_string_new(NULL);
	guint8 key[RULE_HASH_SIZE];

	if (event->properties && !rule_event_name_reserved(event->name) &&
	    !rule_event_name_is_own(event->name))
		automation_simulate_merge(&simulator->properties, event->properties);
	g_autoptr(GString) ended = g_string_new(NULL);
	g_autoptr(GArray) endings = automation_simulate_find_endings(simulator, event, ended);
	bool starts = simulate_decide_start(simulator, event, key, why);
	g_autoptr(GPtrArray) released = simulate_find_released(simulator, event, why);
	if (ended->len > 0) {
		g_string_prepend(why, why->len > 0 ? "; " : "");
		g_string_prepend(why, ended->str);
	}
	g_autofree char *action = g_strdup_printf("event %s", event->name);
	const struct automation_simulation_line line = {
	    .time = event->time,
	    .action = action,
	    .why = why->len ? why->str : (char *)"nothing waits for it",
	};
	automation_simulation_add(simulator->result, simulator->input->lines, &line);
	for (guint i = 0; i < endings->len; i++) {
		const struct automation_simulated_ending *ending =
		    &g_array_index(endings, struct automation_simulated_ending, i);

		ending->run->state = ending->state;
		automation_simulate_carry_end(
		    simulator, ending->run, ending->is_goal, event->time, ending->why);
	}
	for (guint i = 0; i < released->len; i++)
		automation_simulate_leave(
		    simulator, released->pdata[i], LEAVE_EVENT, event->time, event->properties);
	if (starts)
		automation_simulate_start(
		    simulator, event->name, event->time, event->properties, key);
}
