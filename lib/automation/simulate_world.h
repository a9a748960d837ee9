/* SPDX-License-Identifier: MIT */
/* What there is while a design is simulated: a contact, and the executions that it is in. */
#ifndef AUTOMATION_SIMULATE_WORLD_H
#define AUTOMATION_SIMULATE_WORLD_H

#include <glib.h>

#include "automation/step.h"

struct automation_simulation;

enum automation_simulation_run_state {
	RUN_GOES,
	RUN_WAITS,
	RUN_WAITS_FOR_EVENT,
	RUN_COMPLETED,
	RUN_FAILED
};

/* An execution. */
struct automation_simulation_run {
	guint number;
	enum automation_simulation_run_state state;
	const struct automation_design_node *node;
	gint64 time;  /* the step's */
	gint64 until; /* of a wait, 0 = no end */
	guint count;  /* nodes visited */
	const struct json *event;
};

struct automation_simulation_world {
	const struct automation_design *design;
	const struct base_id *contact;
	struct automation_simulation *result;
	GPtrArray *runs;	 /* of struct automation_simulation_run */
	struct json *properties; /* of the contact */
	const char *last_name;	 /* of the event that last started one, */
	gint64 last_time;	 /* and when; name NULL: none has */
};

/* Merges a patch (NULL: none) into the contact's properties, of which there may be none yet. */
void automation_world_merge(struct automation_simulation_world *world, const struct json *patch);

/* Starts an execution by an event, whose name and properties (NULL: none) are borrowed, and goes as
   far as it can. */
void automation_world_start(struct automation_simulation_world *world, const char *name,
    gint64 time, const struct json *event);

/* Takes one out of its wait, which ends at that time, and goes as far as it can. */
void automation_world_leave(struct automation_simulation_world *world,
    struct automation_simulation_run *run, enum automation_step_leave how, gint64 time);

/* The first execution that is not finished; NULL when all are. */
const struct automation_simulation_run *automation_world_unfinished(
    const struct automation_simulation_world *world);

/* The one whose wait ends first; NULL when none does. */
struct automation_simulation_run *automation_world_next_wait(
    const struct automation_simulation_world *world);

#endif
