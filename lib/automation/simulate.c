/* Runs a design on a virtual clock. */
#include "automation/simulate.h"

#include <stdbool.h>
#include <string.h>

#include "automation/describe.h"
#include "automation/design.h"
#include "automation/duration.h"
#include "automation/event_name.h"
#include "automation/properties.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "base/clock.h"
#include "json/strict.h"

enum run_state { RUN_GOES, RUN_WAITS, RUN_WAITS_FOR_EVENT, RUN_COMPLETED, RUN_FAILED };

/* An execution. */
struct run {
	guint number;
	enum run_state state;
	const struct design_node *node;
	gint64 time;  /* the step's */
	gint64 until; /* of a wait, 0 = no end */
	guint count;  /* nodes visited */
	const struct json *event;
};

struct world {
	const struct simulation_input *input;
	struct simulation *result;
	GArray *events;		 /* in their order */
	GPtrArray *runs;	 /* of struct run */
	struct json *properties; /* of the contact */
	const char *last_name;	 /* of the event that last started one, */
	gint64 last_time;	 /* and when */
};

static void
free_line(gpointer data)
{
	struct simulation_line *line = data;

	g_free(line->node);
	g_free(line->action);
	g_free(line->branch);
	g_free(line->why);
	g_free(line);
}

void
automation_simulation_free(struct simulation *simulation)
{
	g_ptr_array_unref(simulation->lines);
	g_array_unref(simulation->executions);
	g_free(simulation->properties);
	g_free(simulation);
}

/* Takes action and why over. */
static struct simulation_line *
add_line(struct world *world, gint64 time, char *action, char *why)
{
	struct simulation_line *line = g_new0(struct simulation_line, 1);

	line->time = time;
	line->action = action;
	line->why = why;
	g_ptr_array_add(world->result->lines, line);
	return line;
}

static void
merge(struct world *world, const struct json *patch)
{
	g_autofree char *text = automation_properties_merge(world->properties, patch);

	g_clear_pointer(&world->properties, json_free);
	world->properties = json_parse(text, strlen(text), NULL);
}

static void
finish(struct world *world, struct run *run, enum run_state state, const char *why)
{
	const char *word = state == RUN_COMPLETED ? "COMPLETED" : "FAILED";

	run->state = state;
	add_line(world, run->time, g_strdup(word), g_strdup(why))->execution = run->number;
}

/* Notes what a step decided, and does it. */
static void
apply(struct world *world, struct run *run, struct step_result *result)
{
	struct simulation_line *line = add_line(
	    world, run->time, automation_node_describe(run->node), g_steal_pointer(&result->why));

	line->execution = run->number;
	line->node = g_strdup(run->node->id);
	line->branch = g_strdup(result->handle);
	if (result->kind == STEP_UPDATE)
		merge(world, result->patch);
	if (result->kind == STEP_FAIL) {
		finish(world, run, RUN_FAILED, result->message);
	} else if (result->kind == STEP_WAIT || result->kind == STEP_WAIT_EVENT) {
		run->state = result->kind == STEP_WAIT ? RUN_WAITS : RUN_WAITS_FOR_EVENT;
		run->until = result->until;
	} else if (result->kind == STEP_END || !result->next) {
		finish(world, run, RUN_COMPLETED, NULL);
	} else {
		run->node = result->next;
		run->count++;
		run->state = RUN_GOES;
	}
	automation_step_clear(result);
}

static struct step_input
input_of(const struct world *world, const struct run *run)
{
	return (struct step_input){
	    .design = world->input->design,
	    .node = run->node,
	    .contact = &world->input->contact,
	    .properties = world->properties,
	    .event = run->event,
	    .time = run->time,
	    .count = run->count,
	    .explain = true,
	};
}

static void
go(struct world *world, struct run *run)
{
	while (run->state == RUN_GOES) {
		struct step_input input = input_of(world, run);
		struct step_result result;

		automation_step(&input, &result);
		apply(world, run, &result);
	}
}

/* Out of a wait that ends at that time. */
static void
go_on(struct world *world, struct run *run, enum step_leave how, gint64 time)
{
	struct step_result result;

	run->time = time;
	struct step_input input = input_of(world, run);
	automation_step_leave(&input, how, &result);
	apply(world, run, &result);
	go(world, run);
}

static void
start(struct world *world, const struct simulation_event *event)
{
	struct run *run = g_new0(struct run, 1);

	run->number = ++world->result->started;
	run->node = automation_design_start(world->input->design);
	run->time = event->time;
	run->count = 1;
	run->event = event->properties;
	g_ptr_array_add(world->runs, run);
	world->last_name = event->name;
	world->last_time = event->time;
	go(world, run);
}

static const struct run *
find_unfinished(const struct world *world)
{
	for (guint i = 0; i < world->runs->len; i++) {
		const struct run *run = world->runs->pdata[i];

		if (run->state < RUN_COMPLETED)
			return run;
	}
	return NULL;
}

/* Whether re-entry lets the event start one; else why is told the reason. */
static bool
may_start(const struct world *world, const struct node_trigger *trigger,
    const struct simulation_event *event, GString *why)
{
	const struct run *unfinished = find_unfinished(world);

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
decide_start(const struct world *world, const struct simulation_event *event, GString *why)
{
	const struct node_trigger *trigger = automation_design_trigger(world->input->design);
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
explain_filter(const struct world *world, const struct run *run,
    const struct simulation_event *event, GString *why)
{
	const struct rules_scope scope = {world->properties, event->properties};

	if (strcmp(run->node->wait_event.event_name, event->name) != 0)
		return;
	g_string_append_printf(why, "%sexecution %u waits for it at %s, but ", why->len ? "; " : "",
	    run->number, run->node->id);
	automation_rules_hold(run->node->wait_event.filter, &scope, why);
}

static bool
waits_for(const struct run *run, const struct simulation_event *event)
{
	return run->state == RUN_WAITS_FOR_EVENT &&
	       automation_step_in_time(run->time, run->until, event->time);
}

/* The executions that it lets go; why is told them. */
static GPtrArray *
find_released(const struct world *world, const struct simulation_event *event, GString *why)
{
	GPtrArray *released = g_ptr_array_new();

	for (guint i = 0; i < world->runs->len; i++) {
		struct run *run = world->runs->pdata[i];

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
take(struct world *world, const struct simulation_event *event)
{
	g_autoptr(GString) why = g_string_new(NULL);

	if (event->properties && !automation_event_name_reserved(event->name))
		merge(world, event->properties);
	bool starts = decide_start(world, event, why);
	g_autoptr(GPtrArray) released = find_released(world, event, why);
	add_line(world, event->time, g_strdup_printf("event %s", event->name),
	    g_strdup(why->len ? why->str : "nothing waits for it"));
	for (guint i = 0; i < released->len; i++)
		go_on(world, released->pdata[i], LEAVE_EVENT, event->time);
	if (starts)
		start(world, event);
}

/* The one whose wait ends first; NULL when none does. */
static struct run *
next_wait(const struct world *world)
{
	struct run *first = NULL;

	for (guint i = 0; i < world->runs->len; i++) {
		struct run *run = world->runs->pdata[i];

		if ((run->state == RUN_WAITS || run->state == RUN_WAITS_FOR_EVENT) && run->until &&
		    (!first || run->until < first->until))
			first = run;
	}
	return first;
}

/* One wait's end or one event, whichever is first. False when nothing is left to come. */
static bool
advance(struct world *world, guint *event_r)
{
	struct run *run = next_wait(world);
	const struct simulation_event *event =
	    *event_r < world->events->len
		? &g_array_index(world->events, struct simulation_event, *event_r)
		: NULL;
	/* At the same time the wait is over: an event releases what it is before. */
	bool waits = run && (!event || run->until <= event->time);
	gint64 until = world->input->until;

	if ((!run && !event) || (until && (waits ? run->until : event->time) > until))
		return false;
	if (!waits) {
		take(world, event);
		++*event_r;
	} else {
		go_on(world, run, run->state == RUN_WAITS ? LEAVE_TIME : LEAVE_TIMEOUT, run->until);
	}
	return true;
}

static int
compare_events(const void *a, const void *b)
{
	const struct simulation_event *event_a = a, *event_b = b;

	return (event_a->time > event_b->time) - (event_a->time < event_b->time);
}

/* In their order, each at a time of its own. */
static GArray *
sort_events(const struct simulation_input *input)
{
	GArray *events = g_array_new(FALSE, FALSE, sizeof(struct simulation_event));

	g_array_append_vals(events, input->events, input->event_count);
	g_array_sort(events, compare_events);
	for (guint i = 1; i < events->len; i++) {
		struct simulation_event *event = &g_array_index(events, struct simulation_event, i);

		event->time = MAX(event->time, event[-1].time + 1);
	}
	return events;
}

static void
note_ends(struct world *world)
{
	struct simulation *result = world->result;

	for (guint i = 0; i < world->runs->len; i++) {
		const struct run *run = world->runs->pdata[i];
		bool waits = run->state < RUN_COMPLETED;
		const struct simulation_execution execution = {
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

struct simulation *
automation_simulate(const struct simulation_input *input)
{
	g_autoptr(GArray) events = sort_events(input);
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func(g_free);
	struct world world = {input, g_new0(struct simulation, 1), events, runs, NULL, NULL, 0};
	guint event = 0;

	world.result->lines = g_ptr_array_new_with_free_func(free_line);
	world.result->executions = g_array_new(FALSE, FALSE, sizeof(struct simulation_execution));
	merge(&world, input->properties);
	while (advance(&world, &event))
		continue;
	note_ends(&world);
	world.result->properties = automation_properties_merge(world.properties, NULL);
	g_clear_pointer(&world.properties, json_free);
	return world.result;
}
