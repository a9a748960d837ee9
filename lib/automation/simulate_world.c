/* SPDX-License-Identifier: MIT */
/* Steps executions on a virtual clock. */
#include "automation/simulate_world.h"

#include <string.h>

#include "automation/describe.h"
#include "automation/design.h"
#include "automation/properties.h"
#include "automation/simulation.h"
#include "json/strict.h"

void
automation_world_merge(struct automation_simulation_world *world, const struct json *patch)
{
	g_autofree char *text = automation_properties_merge(world->properties, patch);

	g_clear_pointer(&world->properties, json_free);
	world->properties = json_parse(text, strlen(text), NULL);
}

static void
finish(struct automation_simulation_world *world, struct automation_simulation_run *run,
    enum automation_simulation_run_state state, const char *why)
{
	const char *word = state == RUN_COMPLETED ? "COMPLETED" : "FAILED";
	struct automation_simulation_line *line =
	    automation_simulation_tell(world->result, run->time, g_strdup(word), g_strdup(why));

	run->state = state;
	line->execution = run->number;
}

/* Notes what a step decided, and does it. */
static void
apply(struct automation_simulation_world *world, struct automation_simulation_run *run,
    struct automation_step_result *result)
{
	struct automation_simulation_line *line = automation_simulation_tell(world->result,
	    run->time, automation_node_describe(run->node), g_steal_pointer(&result->why));

	line->execution = run->number;
	line->node = g_strdup(run->node->id);
	line->branch = g_strdup(result->handle);
	if (result->kind == STEP_UPDATE)
		automation_world_merge(world, result->patch);
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

static struct automation_step_input
input_of(
    const struct automation_simulation_world *world, const struct automation_simulation_run *run)
{
	return (struct automation_step_input){
	    .design = world->design,
	    .node = run->node,
	    .contact = world->contact,
	    .properties = world->properties,
	    .event = run->event,
	    .time = run->time,
	    .count = run->count,
	    .explain = true,
	};
}

static void
go(struct automation_simulation_world *world, struct automation_simulation_run *run)
{
	while (run->state == RUN_GOES) {
		struct automation_step_input input = input_of(world, run);
		struct automation_step_result result;

		automation_step(&input, &result);
		apply(world, run, &result);
	}
}

void
automation_world_leave(struct automation_simulation_world *world,
    struct automation_simulation_run *run, enum automation_step_leave how, gint64 time)
{
	struct automation_step_result result;

	run->time = time;
	struct automation_step_input input = input_of(world, run);
	automation_step_leave(&input, how, &result);
	apply(world, run, &result);
	go(world, run);
}

void
automation_world_start(struct automation_simulation_world *world, const char *name, gint64 time,
    const struct json *event)
{
	struct automation_simulation_run *run = g_new0(struct automation_simulation_run, 1);

	run->number = ++world->result->started;
	run->node = automation_design_start(world->design);
	run->time = time;
	run->count = 1;
	run->event = event;
	g_ptr_array_add(world->runs, run);
	world->last_name = name;
	world->last_time = time;
	go(world, run);
}

const struct automation_simulation_run *
automation_world_unfinished(const struct automation_simulation_world *world)
{
	for (guint i = 0; i < world->runs->len; i++) {
		const struct automation_simulation_run *run = world->runs->pdata[i];

		if (run->state < RUN_COMPLETED)
			return run;
	}
	return NULL;
}

struct automation_simulation_run *
automation_world_next_wait(const struct automation_simulation_world *world)
{
	struct automation_simulation_run *first = NULL;

	for (guint i = 0; i < world->runs->len; i++) {
		struct automation_simulation_run *run = world->runs->pdata[i];

		if ((run->state == RUN_WAITS || run->state == RUN_WAITS_FOR_EVENT) && run->until &&
		    (!first || run->until < first->until))
			first = run;
	}
	return first;
}
