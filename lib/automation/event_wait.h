/* SPDX-License-Identifier: MIT */
/* An execution that waits for an event: whether the wait is over, and the row by which who takes
   the event in finds it. */
#ifndef AUTOMATION_EVENT_WAIT_H
#define AUTOMATION_EVENT_WAIT_H

#include <glib.h>
#include <stdbool.h>

#include "automation/step.h"

struct automation_batch;
struct store_execution;
struct automation_locked_contact;

struct automation_event_wait_state {
	bool over;
	enum automation_step_leave how; /* of one that is over: LEAVE_EVENT or LEAVE_TIMEOUT, */
	gint64 time;			/* and the time of its end */
	gint64 look_at; /* of one that goes on: when to look again, 0 = when an event comes */
};

/* Inside the batch's transaction: where it stands, at node, until the timeout (0 = none). An event
   that came while it waited, before the timeout, goes before it; and the timeout is not taken while
   an event that is earlier may still be in the queue. */
bool automation_event_wait_look(struct automation_batch *batch,
    const struct store_execution *execution, const struct automation_design_node *node,
    const struct automation_locked_contact *person, gint64 until,
    struct automation_event_wait_state *state_r, GError **error);

/* Adds its row to waits, of struct store_execution_wait: to those that begin, or those that are
   gone. It borrows from both. */
void automation_event_wait_note(const struct store_execution *execution,
    const struct automation_design_node *node, GArray *waits);

#endif
