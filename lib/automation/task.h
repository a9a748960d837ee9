/* SPDX-License-Identifier: MIT */
/* What is to be done to all executions of a workflow that goes on, or is deleted. */
#ifndef AUTOMATION_TASK_H
#define AUTOMATION_TASK_H

#include <glib.h>
#include <stdbool.h>

struct core;

/* Does a batch of each; *count_r: how much it was. Any number of processes may do this at once. */
bool automation_task_run(struct core *core, guint *count_r, GError **error);

#endif
