/* SPDX-License-Identifier: MIT */
/* Keeps what happens in a simulation. */
#include "automation/simulation.h"

static void
free_line(gpointer data)
{
	struct automation_simulation_line *line = data;

	g_free(line->node);
	g_free(line->action);
	g_free(line->branch);
	g_free(line->why);
	g_free(line);
}

struct automation_simulation *
automation_simulation_new(void)
{
	struct automation_simulation *simulation = g_new0(struct automation_simulation, 1);

	simulation->lines = g_ptr_array_new_with_free_func(free_line);
	simulation->executions =
	    g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_execution));
	return simulation;
}

void
automation_simulation_free(struct automation_simulation *simulation)
{
	g_ptr_array_unref(simulation->lines);
	g_array_unref(simulation->executions);
	g_free(simulation->properties);
	g_free(simulation);
}

struct automation_simulation_line *
automation_simulation_tell(
    struct automation_simulation *simulation, gint64 time, char *action, char *why)
{
	struct automation_simulation_line *line = g_new0(struct automation_simulation_line, 1);

	line->time = time;
	line->action = action;
	line->why = why;
	g_ptr_array_add(simulation->lines, line);
	return line;
}
