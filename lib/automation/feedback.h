/* SPDX-License-Identifier: MIT */
/* What became of the emails of workflows, as events of their contacts. */
#ifndef AUTOMATION_FEEDBACK_H
#define AUTOMATION_FEEDBACK_H

#include <glib.h>
#include <stdbool.h>

struct core;

/* Takes in a batch from the queue; *count_r: how many. Any number of processes may do this at
   once. */
bool automation_feedback_run(struct core *core, guint *count_r, GError **error);

#endif
