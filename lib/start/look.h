/* SPDX-License-Identifier: MIT */
/* Looks at people, for the segments and dates that workflows hear. */
#ifndef START_LOOK_H
#define START_LOOK_H

#include <glib.h>
#include <stdbool.h>

struct service;

/* Looks at the next people of the workspace whose look is due, or goes on, for a moment. *worked_r:
   there was one. Any number of processes may run this at once: one at a time looks at a workspace.
   Errors of db/transaction.h. */
bool start_look_run(struct service *service, bool *worked_r, GError **error);

#endif
