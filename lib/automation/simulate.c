/* SPDX-License-Identifier: MIT */
/* Runs a design on a virtual clock. */
#include "automation/simulate.h"

#include <stdbool.h>
#include <string.h>

#include "automation/design.h"
#include "automation/duration.h"
#include "automation/event_name.h"
#include "automation/properties.h"
#include "automation/rules.h"
#include "automation/simulate_world.h"
#include "automation/step.h"
#include "json/strict.h"

/* What is still to come. */
struct script {
	GArray *events; /* struct automation_simulation_event, in their order */
	guint next;	/* of them */
	gint64 until;	/* what comes after it does not; 0: to the end */
};

/* Whether re-entry lets the event start one; else why is told the reason. */
static bool
may_start(const struct automation_simulation_world *world,
    const struct automation_node_trigger *trigger, const struct automation_simulation_event *event,
    GString *why)
{
	const struct automation_simulation_run *unfinished = automation_world_unfinished(world);

	if (automation_step_is_duplicate(
		trigger, world->last_name, world->last_time, event->name, event->time)) {
		g_autofree char *ago = automation_duration_format(event->time - world->last_time);
		g_autofree char *window = automation_duration_format(trigger->dedupe_window);
		g_string_append_printf(why,
		    "starts nothing: deduplicated, as the last start was %s ago and "
		    "dedupe_window is %s",
		    ago, window);
		return false;
	}
	if (trigger->reentry == REENTRY_ONCE && world->runs->len > 0)
		g_string_append(why, "starts nothing: reentry is once");
	else if (trigger->reentry == REENTRY_AFTER_FINISH && unfinished)
		g_string_append_printf(why,
		    "starts nothing: reentry is after_finish, and execution %u is not finished",
		    unfinished->number);
	else
		return true;
	return false;
}

/* Whether it starts one; why is told the reason. */
static bool
decide_start(const struct automation_simulation_world *world,
    const struct automation_simulation_event *event, GString *why)
{
	const struct automation_node_trigger *trigger = automation_design_trigger(world->design);
	g_autoptr(GString) match = g_string_new(NULL);

	if (!trigger)
		return false;
	bool matches = automation_step_matches(
	    trigger, event->name, event->properties, world->properties, match);
	if (!matches) {
		if (strcmp(trigger->event_name, event->name) == 0)
			g_string_append_printf(
			    why, "starts nothing: its filter says %s", match->str);
		return false;
	}
	if (!may_start(world, trigger, event, why))
		return false;
	g_string_append_printf(why, "starts execution %u", world->result->started + 1);
	return true;
}

/* Why an event of the right name does not let an execution go. */
static void
explain_filter(const struct automation_simulation_world *world,
    const struct automation_simulation_run *run, const struct automation_simulation_event *event,
    GString *why)
{
	const struct automation_rules_scope scope = {world->properties, event->properties};

	if (strcmp(run->node->wait_event.event_name, event->name) != 0)
		return;
	g_string_append_printf(why, "%sexecution %u waits for it at %s, but ", why->len ? "; " : "",
	    run->number, run->node->id);
	automation_rules_hold(run->node->wait_event.filter, &scope, why);
}

static bool
waits_for(
    const struct automation_simulation_run *run, const struct automation_simulation_event *event)
{
	return run->state == RUN_WAITS_FOR_EVENT &&
	       automation_step_in_time(run->time, run->until, event->time);
}

/* The executions that it lets go; why is told them. */
static GPtrArray *
find_released(const struct automation_simulation_world *world,
    const struct automation_simulation_event *event, GString *why)
{
	GPtrArray *released = g_ptr_array_new();

	for (guint i = 0; i < world->runs->len; i++) {
		struct automation_simulation_run *run = world->runs->pdata[i];

		if (!waits_for(run, event))
			continue;
		if (!automation_step_releases(
			run->node, event->name, event->properties, world->properties)) {
			explain_filter(world, run, event, why);
			continue;
		}
		g_ptr_array_add(released, run);
		g_string_append_printf(why, "%sreleases execution %u at %s", why->len ? "; " : "",
		    run->number, run->node->id);
	}
	return released;
}

static void
take(struct automation_simulation_world *world, const struct automation_simulation_event *event)
{
	g_autoptr(GString) why = g_string_new(NULL);

	if (event->properties && !automation_event_name_reserved(event->name))
		automation_world_merge(world, event->properties);
	bool starts = decide_start(world, event, why);
	g_autoptr(GPtrArray) released = find_released(world, event, why);
	automation_simulation_tell(world->result, event->time,
	    g_strdup_printf("event %s", event->name),
	    g_strdup(why->len ? why->str : "nothing waits for it"));
	for (guint i = 0; i < released->len; i++)
		automation_world_leave(world, released->pdata[i], LEAVE_EVENT, event->time);
	if (starts)
		automation_world_start(world, event->name, event->time, event->properties);
}

/* One wait's end or one event, whichever is first. False when nothing is left to come. */
static bool
advance(struct automation_simulation_world *world, struct script *script)
{
	struct automation_simulation_run *run = automation_world_next_wait(world);
	const struct automation_simulation_event *event =
	    script->next < script->events->len
		? &g_array_index(script->events, struct automation_simulation_event, script->next)
		: NULL;
	/* At the same time the wait is over: an event releases what it is before. */
	bool waits = run && (!event || run->until <= event->time);
	gint64 until = script->until;

	if ((!run && !event) || (until && (waits ? run->until : event->time) > until))
		return false;
	if (!waits) {
		take(world, event);
		script->next++;
	} else {
		automation_world_leave(
		    world, run, run->state == RUN_WAITS ? LEAVE_TIME : LEAVE_TIMEOUT, run->until);
	}
	return true;
}

static int
compare_events(const void *a, const void *b)
{
	const struct automation_simulation_event *event_a = a, *event_b = b;

	return (event_a->time > event_b->time) - (event_a->time < event_b->time);
}

/* In their order, each at a time of its own. */
static GArray *
sort_events(const struct automation_simulation_input *input)
{
	GArray *events = g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));

	g_array_append_vals(events, input->events, input->event_count);
	g_array_sort(events, compare_events);
	for (guint i = 1; i < events->len; i++) {
		struct automation_simulation_event *event =
		    &g_array_index(events, struct automation_simulation_event, i);

		event->time = MAX(event->time, event[-1].time + 1);
	}
	return events;
}

static void
note_ends(struct automation_simulation_world *world)
{
	struct automation_simulation *result = world->result;

	for (guint i = 0; i < world->runs->len; i++) {
		const struct automation_simulation_run *run = world->runs->pdata[i];
		bool waits = run->state < RUN_COMPLETED;
		const struct automation_simulation_execution execution = {
		    .state = waits			   ? SIMULATION_WAITING
			     : run->state == RUN_COMPLETED ? SIMULATION_COMPLETED
							   : SIMULATION_FAILED,
		    .node = run->node,
		    .steps = run->count,
		    .until = waits ? run->until : 0,
		};

		g_array_append_val(result->executions, execution);
		result->completed += run->state == RUN_COMPLETED;
		result->failed += run->state == RUN_FAILED;
		result->waiting += waits;
	}
}

struct automation_simulation *
automation_simulate(const struct automation_simulation_input *input)
{
	g_autoptr(GArray) events = sort_events(input);
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func(g_free);
	struct script script = {events, 0, input->until};
	struct automation_simulation_world world = {
	    .design = input->design,
	    .contact = &input->contact,
	    .result = automation_simulation_new(),
	    .runs = runs,
	};

	automation_world_merge(&world, input->properties);
	while (advance(&world, &script))
		continue;
	note_ends(&world);
	world.result->properties = automation_properties_merge(world.properties, NULL);
	g_clear_pointer(&world.properties, json_free);
	return world.result;
}
