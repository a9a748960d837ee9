/* SPDX-License-Identifier: MIT */
/* Holds what a simulation reports. */
#include "automation/simulation.h"

#include <string.h>
#include <stdbool.h>

#include "base/secret.h"

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

bool
automation_simulation_is_full(const struct automation_simulation *simulation, guint most)
{
	return most > 0 && simulation->lines->len >= most;
}

void
automation_simulation_add(struct automation_simulation *simulation, guint most,
    const struct automation_simulation_line *line)
{
	struct automation_simulation_line *copy;

	if (automation_simulation_is_full(simulation, most)) {
		simulation->truncated = true;
		return;
	}
	copy = g_memdup2(line, sizeof(*line));
	copy->node = g_strdup(line->node);
	copy->action = g_strdup(line->action);
	copy->branch = g_strdup(line->branch);
	copy->why = g_strdup(line->why);
	g_ptr_array_add(simulation->lines, copy);
}

struct base_id
automation_simulation_contact(const char *email)
{
	guint8 digest[SHA256_SIZE];
	struct base_id id;

	base_secret_sha256(email ? email : "", email ? strlen(email) : 0, digest);
	memcpy(id.bytes, digest, sizeof(id.bytes));
	return id;
}
