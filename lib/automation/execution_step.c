/* SPDX-License-Identifier: MIT */
/* Steps one execution through its design, and carries out the decision of each step. */
#include "automation/execution_step.h"

#include "automation/answer.h"
#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/digest_stored.h"
#include "automation/execution.h"
#include "automation/execution_ending.h"
#include "automation/execution_request.h"
#include "automation/execution_update.h"
#include "automation/execution_wait.h"
#include "automation/mailing.h"
#include "automation/node.h"
#include "automation/results.h"
#include "automation/step.h"
#include "automation/stepper.h"
#include "base/error.h"
#include "base/fault.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/step_request.h"
#include "store/automation/workflow.h"

#define STEPS_AT_ONCE 50

/* Returns whether the workspace's quota is full, and delays the execution until it has room. */
static bool
wait_for_quota(struct automation_stepper *stepper)
{
	gint64 until = automation_batch_full(stepper->batch, &stepper->execution->workspace_id);

	if (until == 0)
		return false;
	automation_execution_delay(stepper->claimed, until, stepper->batch->now);
	stepper->is_over = true;
	return true;
}

static bool
execution_send_email(
    struct automation_stepper *stepper, const struct automation_node_email *email, GError **error)
{
	const struct automation_mailing mailing = {
	    .batch = stepper->batch,
	    .execution = stepper->execution,
	    .email = email,
	    .hours = &automation_design_trigger(stepper->cached->design)->hours,
	    .properties = stepper->locked->properties,
	    .event = automation_stepper_event,
	    .results = stepper->cached->keeps_results ? automation_stepper_results : NULL,
	    .event_context = stepper,
	    .answers = automation_answer_is(stepper->cached->design),
	    .compat_tests = stepper->cached->has_form,
	    .has_endings = stepper->cached->has_endings,
	};
	GError *failure = NULL;

	if (wait_for_quota(stepper) ||
	    automation_mailing_draft(&mailing, &stepper->snoozed, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
		return automation_stepper_fail_or_retry(stepper, failure, error);
	g_error_free(failure);
	return wait_for_quota(stepper);
}

#define JOINED "the event has joined the digest that is open"

/* Opens a digest, at whose end the execution goes on, or joins the one that is open. */
static bool
execution_gather(
    struct automation_stepper *stepper, struct automation_step_result *result, GError **error)
{
	struct store_execution *e = stepper->execution;
	GError *failure = NULL;
	const struct json *event = automation_stepper_event(stepper, &failure);
	const struct automation_digest_arrival arrival = {result->key, event, result->until};
	bool joined;

	if (failure) {
		g_propagate_error(error, failure);
		return false;
	}
	if (!automation_digest_join(stepper->batch->service->db, e, &arrival, &joined, error))
		return false;
	stepper->is_over = true;
	if (!joined) {
		/* Others may be due at this node before its end, even if that has passed. */
		e->status = EXECUTION_WAITING;
		e->wait_until = e->ready_at = result->until;
		return true;
	}
	g_free(result->why);
	result->why = g_strdup(JOINED);
	automation_stepper_note(stepper, result, stepper->batch->sent->len);
	e->completion = COMPLETION_DIGEST;
	automation_stepper_finish(stepper, EXECUTION_COMPLETED);
	return true;
}

static bool execution_apply(struct automation_stepper *stepper,
    const struct automation_step_input *input, struct automation_step_result *result,
    GError **error);

/* The request cannot be made: the step goes on as if it had failed. */
static bool
execution_refuse_request(struct automation_stepper *stepper,
    const struct automation_step_input *given, const char *why, GError **error)
{
	struct automation_step_input input = *given;
	const struct automation_step_answer answer = {.error = why};
	struct automation_step_result result;

	input.answer = &answer;
	automation_step(&input, &result);
	bool done = execution_apply(stepper, &input, &result, error);
	automation_step_clear(&result);
	return done;
}

/* Has the request of a step made; one that cannot be made has failed. */
static bool
execution_request(
    struct automation_stepper *stepper, const struct automation_step_input *input, GError **error)
{
	g_autofree char *why = NULL;

	if (!automation_execution_ask(stepper, input, &why, error))
		return false;
	return !why || execution_refuse_request(stepper, input, why, error);
}

/* Carries out the decision of a step. */
static bool
execution_apply(struct automation_stepper *stepper, const struct automation_step_input *input,
    struct automation_step_result *result, GError **error)
{
	guint sent = stepper->batch->sent->len;

	automation_execution_take_answer(stepper);
	switch (result->kind) {
	case STEP_WAIT:
		return automation_execution_wait(stepper, result->until, error);
	case STEP_WAIT_EVENT:
		return automation_execution_await(stepper, result->until, false, error);
	case STEP_REQUEST:
		return execution_request(stepper, input, error);
	case STEP_FAIL:
		automation_stepper_fail(stepper, result->message);
		return true;
	case STEP_SEND:
		if (!execution_send_email(stepper, result->email, error))
			return false;
		break;
	case STEP_UPDATE:
		if (!automation_execution_update(stepper, result, error))
			return false;
		break;
	case STEP_DIGEST:
		return execution_gather(stepper, result, error);
	case STEP_DELETE:
		stepper->locked->is_deleted = true;
		break;
	case STEP_MOVE:
	case STEP_END:
		break;
	}
	if (!automation_stepper_keep(stepper, result->given, error))
		return false;
	if (stepper->is_over)
		return true;
	automation_stepper_note(stepper, result, sent);
	automation_stepper_move(stepper, result->next);
	return true;
}

static bool
step_on(struct automation_stepper *stepper, GError **error)
{
	if (stepper->execution->status == EXECUTION_WAITING &&
	    !automation_execution_check_endings(stepper, error))
		return false;
	if (!stepper->is_over && !automation_execution_resume(stepper, error))
		return false;
	/* One step for each transaction, so that the journal tells which step kills the
	 * process. */
	guint limit = stepper->execution->deaths > 0 ? 1 : STEPS_AT_ONCE;
	for (guint i = 0; i < limit && !stepper->is_over; i++) {
		struct automation_step_input input;
		struct automation_step_result result;

		if (!automation_execution_check_endings(stepper, error))
			return false;
		if (stepper->is_over)
			break;
		FAULT_AT("step", stepper->node->id);

		if (!automation_stepper_input(stepper, &input, error))
			return false;
		automation_step(&input, &result);
		bool done = execution_apply(stepper, &input, &result, error);
		automation_step_clear(&result);
		if (!done)
			return false;
	}
	return true;
}

/* Returns whether the workflow's state allows steps. Otherwise the execution is parked
   until the workflow is no longer paused or, when it was deleted, until the task cancels it
   (automation/workflow.h). */
static bool
may_step(struct automation_stepper *stepper)
{
	struct store_execution *e = stepper->execution;
	const struct store_workflow_state *state =
	    automation_batch_state(stepper->batch, &e->workflow_id);

	if (!state->deleted && state->status != WORKFLOW_PAUSED)
		return true;
	stepper->claimed->parked = e->ready_at;
	e->ready_at = 0;
	return false;
}

static bool
load_and_step(struct automation_stepper *stepper, GError **error)
{
	const struct store_execution *e = stepper->execution;
	GError *failure = NULL;

	stepper->cached = automation_design_cache_get(
	    stepper->batch->service, &e->workflow_id, e->version, error);
	if (!stepper->cached)
		return false;
	stepper->locked = automation_batch_contact(stepper->batch, stepper->claimed, &failure);
	if (!stepper->locked)
		return automation_stepper_fail_or_retry(stepper, failure, error);
	/* The batch cancels the others of a person whom it removes. */
	if (stepper->locked->is_deleted)
		return true;
	if (!automation_stepper_read_fields(stepper, error))
		return false;
	if (stepper->cached->design)
		stepper->node = automation_design_node(stepper->cached->design, e->step_id);
	if (stepper->node)
		return step_on(stepper, error);
	automation_stepper_fail(stepper, "the design has no such step any more");
	return true;
}

/* Whether a node may only move an execution on, or have it wait. */
static bool
execution_is_plain(const struct automation_design_node *node)
{
	return node->type == NODE_TRIGGER || node->type == NODE_WAIT ||
	       node->type == NODE_WAIT_FOR_EVENT || node->type == NODE_SPLIT;
}

static bool
execution_goes_on(const struct automation_step_result *result, gint64 now)
{
	if (result->kind == STEP_MOVE)
		return result->next != NULL;
	return (result->kind == STEP_WAIT || result->kind == STEP_WAIT_EVENT) &&
	       (result->until == 0 || result->until > now);
}

static bool
execution_step_first(struct automation_stepper *stepper, GError **error)
{
	bool goes = true, done = true;

	for (guint i = 0; i < STEPS_AT_ONCE && done && goes && !stepper->is_over; i++) {
		struct automation_step_input input;
		struct automation_step_result result;

		if (!execution_is_plain(stepper->node))
			break;
		if (!automation_stepper_input(stepper, &input, error))
			return false;
		automation_step(&input, &result);
		goes = execution_goes_on(&result, stepper->batch->now);
		done = !goes || execution_apply(stepper, &input, &result, error);
		automation_step_clear(&result);
	}
	return done;
}

bool
automation_execution_begin(struct automation_batch *batch, struct store_execution_claimed *claimed,
    struct automation_locked_contact *locked, struct json *event, GError **error)
{
	const struct store_execution *e = &claimed->execution;
	struct automation_stepper stepper = {.batch = batch,
	    .claimed = claimed,
	    .execution = &claimed->execution,
	    .locked = locked,
	    .event = event,
	    .event_read = true};
	const struct automation_cached_design *cached =
	    automation_design_cache_get(batch->service, &e->workflow_id, e->version, error);

	stepper.cached = cached;
	if (!cached || !automation_stepper_read_fields(&stepper, error))
		return false;
	stepper.node = cached->design ? automation_design_node(cached->design, e->step_id) : NULL;
	if (!stepper.node || cached->has_endings)
		return true;
	/* There are none yet, so none need to be read. */
	AUTO(automation_results)
	results = automation_results_new(automation_design_ids(cached->design));
	stepper.results = results;
	return execution_step_first(&stepper, error);
}

static bool
execution_step(struct automation_stepper *stepper, GError **error)
{
	struct automation_batch *batch = stepper->batch;
	struct store_execution *e = stepper->execution;

	e->updated = batch->now;
	automation_batch_mark(batch, &e->id);
	bool done = !may_step(stepper) || load_and_step(stepper, error);
	g_free(stepper->digest);
	json_free(stepper->event);
	store_step_answer_clear(&stepper->answer);
	g_clear_pointer(&stepper->results, automation_results_free);
	automation_batch_mark(batch, NULL);
	if (done && e->completed && stepper->cached && stepper->cached->has_endings)
		g_ptr_array_add(batch->unwatched, &e->id);
	if (stepper->is_over)
		e->deaths = 0;
	return done;
}

bool
automation_execution_step(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error)
{
	struct automation_stepper stepper = {
	    .batch = batch, .claimed = claimed, .execution = &claimed->execution};

	return execution_step(&stepper, error);
}

bool
automation_execution_answer(struct automation_batch *batch, struct store_execution_claimed *claimed,
    const struct store_step_outcome *outcome, GError **error)
{
	struct automation_stepper stepper = {.batch = batch,
	    .claimed = claimed,
	    .execution = &claimed->execution,
	    .outcome = outcome};
	bool stored;

	claimed->execution.ready_at = outcome->time;
	return execution_step(&stepper, error) &&
	       (stepper.is_taken ||
		   store_step_request_end(batch->service->db, outcome, &stored, error));
}
