/* SPDX-License-Identifier: MIT */
/* The answer of a simulation: its executions, and its trace. */
#include "automation/simulation_view.h"

#include <string.h>

#include "automation/node.h"
#include "automation/simulation.h"
#include "json/writer.h"
#include "store/automation/execution.h"

/* Writes a number; null in place of 0. */
static void
simulation_write_number(struct json_writer *writer, const char *key, gint64 number)
{
	if (number)
		json_writer_integer(writer, key, number);
	else
		json_writer_null(writer, key);
}

static void
simulation_write_execution(struct json_writer *writer, guint number,
    const struct automation_simulation_execution *execution)
{
	static const enum store_execution_status statuses[] = {
	    [SIMULATION_WAITING] = EXECUTION_WAITING,
	    [SIMULATION_COMPLETED] = EXECUTION_COMPLETED,
	    [SIMULATION_FAILED] = EXECUTION_FAILED,
	    [SIMULATION_CANCELLED] = EXECUTION_CANCELLED,
	};

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "execution", number);
	json_writer_string(
	    writer, "status", store_execution_statuses[statuses[execution->state] - 1]);
	json_writer_string(writer, "current_step_id", execution->node->id);
	json_writer_integer(writer, "step_count", execution->steps);
	simulation_write_number(writer, "wait_until", execution->until);
	json_writer_end_object(writer);
}

static void
simulation_write_line(struct json_writer *writer, const struct automation_simulation_line *line)
{
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "timestamp", line->time);
	simulation_write_number(writer, "execution", line->execution);
	json_writer_string(writer, "step_id", line->node);
	json_writer_string(writer, "action", line->action);
	json_writer_string(writer, "branch", line->branch);
	json_writer_string(writer, "why", line->why);
	json_writer_end_object(writer);
}

void
automation_simulation_write(
    struct json_writer *writer, const struct automation_simulation *simulation)
{
	const GArray *executions = simulation->executions;

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "started", simulation->started);
	json_writer_integer(writer, "completed", simulation->completed);
	json_writer_integer(writer, "failed", simulation->failed);
	json_writer_integer(writer, "waiting", simulation->waiting);
	json_writer_raw(
	    writer, "properties", simulation->properties, strlen(simulation->properties));
	json_writer_begin_array(writer, "executions");
	for (guint i = 0; i < executions->len; i++)
		simulation_write_execution(writer, i + 1,
		    &g_array_index(executions, struct automation_simulation_execution, i));
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "trace");
	for (guint i = 0; i < simulation->lines->len; i++)
		simulation_write_line(writer, simulation->lines->pdata[i]);
	json_writer_end_array(writer);
	json_writer_boolean(writer, "truncated", simulation->truncated);
	json_writer_end_object(writer);
}
