/* SPDX-License-Identifier: MIT */
/* What has come of a simulation, and what happened in it. */
#ifndef AUTOMATION_SIMULATION_H
#define AUTOMATION_SIMULATION_H

#include <glib.h>

#include "base/scope.h"

struct automation_design_node;

/* One line of what happened. Texts are NULL where there is nothing to say. */
struct automation_simulation_line {
	gint64 time;	 /* epoch ms */
	guint execution; /* from 1; 0: it is about an event */
	char *node;	 /* the id of the step */
	char *action;	 /* "event order.placed", "wait 3 days", "COMPLETED", "FAILED" */
	char *branch;	 /* the handle by which it went on */
	char *why;
};

/* Where an execution is in the end. */
enum automation_simulation_state { SIMULATION_WAITING, SIMULATION_COMPLETED, SIMULATION_FAILED };

struct automation_simulation_execution {
	enum automation_simulation_state state;
	const struct automation_design_node *node; /* of the design */
	guint steps;				   /* nodes visited */
	gint64 until;				   /* of one that waits, 0 = no end */
};

struct automation_simulation {
	GPtrArray *lines;   /* of struct automation_simulation_line, by time */
	GArray *executions; /* of struct automation_simulation_execution, in their order */
	guint started, completed, failed, waiting;
	char *properties; /* of the contact in the end: JSON */
};

/* An empty one. The caller frees it. */
struct automation_simulation *automation_simulation_new(void);
void automation_simulation_free(struct automation_simulation *simulation);
DEFINE_AUTO(automation_simulation, automation_simulation_free)

/* Adds a line, which takes action and why over; the caller may say the rest. It lives as long as
   the simulation. */
struct automation_simulation_line *automation_simulation_tell(
    struct automation_simulation *simulation, gint64 time, char *action, char *why);

#endif
