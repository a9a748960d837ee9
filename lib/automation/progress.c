/* SPDX-License-Identifier: MIT */
/* What the row of an execution says after a step. */
#include "automation/progress.h"

#include "automation/node.h"
#include "store/execution_write.h"

#define MESSAGE_LENGTH 1000

static const gint64 pauses[] = {60000, 5 * 60000, 15 * 60000, 60 * 60000};

void
automation_progress_move(
    struct store_execution *execution, const struct automation_design_node *next)
{
	g_free(execution->step_id);
	execution->step_id = g_strdup(next->id);
	execution->step_count++;
	execution->status = EXECUTION_IN_PROGRESS;
	execution->ready_at = execution->step_time;
	execution->wait_until = execution->released = 0;
	execution->attempts = 0;
}

void
automation_progress_wait(struct store_execution_claimed *claimed, gint64 until, gint64 now)
{
	claimed->execution.updated = now;
	claimed->execution.ready_at = until;
}

void
automation_progress_finish(
    struct store_execution_claimed *claimed, enum store_execution_status status, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	e->status = status;
	e->ready_at = e->wait_until = e->released = 0;
	e->attempts = 0;
	e->completed = now;
	claimed->exclusive = false;
}

void
automation_progress_fail(struct store_execution_claimed *claimed, const char *message, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	g_free(e->error_step);
	g_free(e->error_message);
	e->error_step = g_strdup(e->step_id);
	e->error_message =
	    g_utf8_substring(message, 0, MIN(g_utf8_strlen(message, -1), MESSAGE_LENGTH));
	automation_progress_finish(claimed, EXECUTION_FAILED, now);
}

void
automation_progress_retry(struct store_execution_claimed *claimed, const char *message, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	e->updated = now;
	if (e->attempts >= G_N_ELEMENTS(pauses))
		automation_progress_fail(claimed, message, now);
	else
		e->ready_at = now + pauses[e->attempts++];
}
