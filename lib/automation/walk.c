/* SPDX-License-Identifier: MIT */
/* Steps one execution, and says what is to be stored of it. */
#include "automation/walk.h"

#include <string.h>

#include "automation/batch.h"
#include "automation/design.h"
#include "automation/event_wait.h"
#include "automation/design_cache.h"
#include "automation/mailing.h"
#include "automation/node.h"
#include "automation/locked_contact.h"
#include "automation/progress.h"
#include "automation/step.h"
#include "base/error.h"
#include "base/fault.h"
#include "core/core.h"
#include "json/strict.h"
#include "store/automation_event_write.h"
#include "store/workflow_write.h"

#define STEPS_AT_ONCE 50

/* The execution in hand. */
struct walk {
	struct automation_batch *batch;
	struct store_execution_claimed *claimed;
	struct store_execution *execution; /* of claimed */
	struct automation_locked_contact *person;
	const struct automation_cached_design *volume;
	struct json *event; /* that started it: its properties; NULL: not read, or gone */
	bool event_read;
	const struct automation_design_node *node;
	bool is_over; /* it steps no more in this batch */
};

static void
finish(struct walk *walk, enum store_execution_status status)
{
	automation_progress_finish(walk->claimed, status, walk->batch->now);
	walk->is_over = true;
}

static void
fail(struct walk *walk, const char *message)
{
	automation_progress_fail(walk->claimed, message, walk->batch->now);
	walk->is_over = true;
}

/* An error of a step: one that may pass is tried again. False for one of the database. */
static bool
fail_or_retry(struct walk *walk, GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) ||
	    g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN)) {
		g_propagate_error(error, failure);
		return false;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_FAILED))
		automation_progress_retry(walk->claimed, failure->message, walk->batch->now);
	else
		fail(walk, failure->message);
	walk->is_over = true;
	g_error_free(failure);
	return true;
}

static void
move(struct walk *walk, const struct automation_design_node *next)
{
	walk->node = next;
	if (next)
		automation_progress_move(walk->execution, next);
	else
		finish(walk, EXECUTION_COMPLETED);
}

static const struct json *
read_event(void *context, GError **error)
{
	struct walk *walk = context;
	g_autofree char *text = NULL;

	if (walk->event_read)
		return walk->event;
	if (!store_automation_event_properties(
		walk->batch->core->db, &walk->execution->event_id, &text, error))
		return NULL;
	walk->event_read = true;
	walk->event = text ? json_parse_as("properties", text, strlen(text), NULL) : NULL;
	return walk->event;
}

static bool
make_input(struct walk *walk, struct automation_step_input *input_r, GError **error)
{
	GError *failure = NULL;

	*input_r = (struct automation_step_input){
	    .design = walk->volume->design,
	    .node = walk->node,
	    .contact = &walk->execution->contact_id,
	    .properties = walk->person->properties,
	    .time = walk->execution->step_time,
	    .count = walk->execution->step_count,
	};
	if (!walk->volume->asks_event)
		return true;
	input_r->event = read_event(walk, &failure);
	if (!failure)
		return true;
	g_propagate_error(error, failure);
	return false;
}

static bool
leave(struct walk *walk, enum automation_step_leave how, gint64 time, GError **error)
{
	struct automation_step_input input;
	struct automation_step_result result;

	walk->execution->step_time = time;
	if (!make_input(walk, &input, error))
		return false;
	automation_step_leave(&input, how, &result);
	move(walk, result.next);
	automation_step_clear(&result);
	return true;
}

/* waits: whether it has a row of its own already. */
static bool
wait_event(struct walk *walk, gint64 until, bool waits, GError **error)
{
	struct store_execution *e = walk->execution;
	struct automation_event_wait_state state;

	if (!automation_event_wait_look(
		walk->batch, e, walk->node, walk->person, until, &state, error))
		return false;
	if (state.over && waits)
		automation_event_wait_note(e, walk->node, walk->batch->gone);
	if (state.over)
		return leave(walk, state.how, state.time, error);
	if (!waits)
		automation_event_wait_note(e, walk->node, walk->batch->waits);
	e->status = EXECUTION_WAITING;
	e->wait_until = until;
	e->ready_at = state.look_at;
	walk->is_over = true;
	return true;
}

/* One that comes to its node anew, or is due again at a wait. */
static bool
resume(struct walk *walk, GError **error)
{
	struct store_execution *e = walk->execution;
	gint64 released = e->released;

	if (walk->node->fault || (e->status != EXECUTION_WAITING && !released))
		return true;
	if (released) {
		automation_event_wait_note(e, walk->node, walk->batch->gone);
		return leave(walk, LEAVE_EVENT, released, error);
	}
	if (walk->node->type == NODE_WAIT_FOR_EVENT)
		return wait_event(walk, e->wait_until, true, error);
	return leave(walk, LEAVE_TIME, e->wait_until, error);
}

static bool
wait(struct walk *walk, gint64 until, GError **error)
{
	struct store_execution *e = walk->execution;

	if (until <= walk->batch->now)
		return leave(walk, LEAVE_TIME, until, error);
	e->status = EXECUTION_WAITING;
	e->wait_until = e->ready_at = until;
	walk->is_over = true;
	return true;
}

/* Whether the workspace's quotas let no email leave now: then the step is due again when they do.
 */
static bool
wait_for_quota(struct walk *walk)
{
	gint64 until = automation_batch_full(walk->batch, &walk->execution->workspace_id);

	if (until == 0)
		return false;
	automation_progress_wait(walk->claimed, until, walk->batch->now);
	walk->is_over = true;
	return true;
}

static bool
send_email(struct walk *walk, const struct automation_node_email *email, GError **error)
{
	const struct automation_mailing mailing = {
	    .batch = walk->batch,
	    .execution = walk->execution,
	    .email = email,
	    .properties = walk->person->properties,
	    .event = read_event,
	    .event_context = walk,
	};
	GError *failure = NULL;

	if (wait_for_quota(walk) || automation_mailing_draft(&mailing, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
		return fail_or_retry(walk, failure, error);
	g_error_free(failure);
	return wait_for_quota(walk);
}

static bool
update(struct walk *walk, const struct json *patch, GError **error)
{
	GError *failure = NULL;

	return automation_locked_contact_merge(walk->person, patch, &failure) ||
	       fail_or_retry(walk, failure, error);
}

/* What a step decided. */
static bool
obey(struct walk *walk, const struct automation_step_result *result, GError **error)
{
	switch (result->kind) {
	case STEP_WAIT:
		return wait(walk, result->until, error);
	case STEP_WAIT_EVENT:
		return wait_event(walk, result->until, false, error);
	case STEP_END:
		finish(walk, EXECUTION_COMPLETED);
		return true;
	case STEP_FAIL:
		fail(walk, result->message);
		return true;
	case STEP_SEND:
		if (!send_email(walk, result->email, error))
			return false;
		break;
	case STEP_UPDATE:
		if (!update(walk, result->patch, error))
			return false;
		break;
	case STEP_MOVE:
		break;
	}
	if (!walk->is_over)
		move(walk, result->next);
	return true;
}

static bool
go(struct walk *walk, GError **error)
{
	if (!resume(walk, error))
		return false;
	/* A step that kills is told from those before it. */
	guint limit = walk->execution->deaths > 0 ? 1 : STEPS_AT_ONCE;
	for (guint i = 0; i < limit && !walk->is_over; i++) {
		struct automation_step_input input;
		struct automation_step_result result;

		FAULT_AT("step", walk->node->id);

		if (!make_input(walk, &input, error))
			return false;
		automation_step(&input, &result);
		bool done = obey(walk, &result, error);
		automation_step_clear(&result);
		if (!done)
			return false;
	}
	return true;
}

/* True when the workflow lets it step. Else it is parked, until the workflow goes on or, where that
   is deleted, it is cancelled with the others (automation/task.h). */
static bool
may_step(struct walk *walk)
{
	struct store_execution *e = walk->execution;
	const struct store_workflow_state *state =
	    automation_batch_state(walk->batch, &e->workflow_id);

	if (!state->deleted && state->status != WORKFLOW_PAUSED)
		return true;
	walk->claimed->parked = e->ready_at;
	e->ready_at = 0;
	return false;
}

static bool
set_out(struct walk *walk, GError **error)
{
	const struct store_execution *e = walk->execution;
	GError *failure = NULL;

	walk->volume =
	    automation_design_cache_get(walk->batch->core, &e->workflow_id, e->version, error);
	if (!walk->volume)
		return false;
	walk->person = automation_batch_person(walk->batch, walk->claimed, &failure);
	if (!walk->person)
		return fail_or_retry(walk, failure, error);
	if (walk->volume->design)
		walk->node = automation_design_node(walk->volume->design, e->step_id);
	if (walk->node)
		return go(walk, error);
	fail(walk, "the design has no such step any more");
	return true;
}

bool
automation_walk(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error)
{
	struct walk walk = {.batch = batch, .claimed = claimed, .execution = &claimed->execution};

	claimed->execution.updated = batch->now;
	automation_batch_mark(batch, &claimed->execution.id);
	bool done = !may_step(&walk) || set_out(&walk, error);
	json_free(walk.event);
	automation_batch_mark(batch, NULL);
	if (walk.is_over)
		claimed->execution.deaths = 0;
	return done;
}
