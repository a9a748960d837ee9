/* SPDX-License-Identifier: MIT */
/* Holds the execution that is being stepped: reads for its steps, moves it on, and ends it. */
#include "automation/stepper.h"

#include <string.h>

#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/execution.h"
#include "automation/node.h"
#include "automation/results.h"
#include "automation/results_stored.h"
#include "automation/step.h"
#include "base/error.h"
#include "db/after_commit.h"
#include "json/strict.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/feedback.h"
#include "store/automation/step_request.h"
#include "store/consent/snooze.h"
#include "store/figure/figure.h"

/* Moves the execution to the next node, due at once, at the time of its step. */
static void
stepper_enter(struct store_execution *execution, const struct automation_design_node *next)
{
	g_free(execution->step_id);
	execution->step_id = g_strdup(next->id);
	execution->step_count++;
	if (next->number / 8 < EXECUTION_VISITED)
		execution->visited[next->number / 8] |= (guint8)(1U << next->number % 8);
	execution->status = EXECUTION_IN_PROGRESS;
	execution->ready_at = execution->step_time;
	execution->wait_until = execution->released = 0;
	execution->attempts = 0;
	automation_execution_set_error(execution, NULL);
}

void
automation_stepper_finish(struct automation_stepper *stepper, enum store_execution_status status)
{
	automation_execution_set_error(stepper->execution, NULL);
	automation_execution_finish(stepper->claimed, status, stepper->batch->now);
	stepper->is_over = true;
}

void
automation_stepper_fail(struct automation_stepper *stepper, const char *message)
{
	automation_execution_fail(stepper->claimed, message, stepper->batch->now);
	stepper->is_over = true;
}

bool
automation_stepper_fail_or_retry(
    struct automation_stepper *stepper, GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) ||
	    g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN)) {
		g_propagate_error(error, failure);
		return false;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_FAILED))
		automation_execution_retry(stepper->claimed, failure->message, stepper->batch->now);
	else
		automation_stepper_fail(stepper, failure->message);
	stepper->is_over = true;
	g_error_free(failure);
	return true;
}

void
automation_stepper_move(
    struct automation_stepper *stepper, const struct automation_design_node *next)
{
	const struct store_execution *e = stepper->execution;

	store_step_answer_clear(&stepper->answer);
	stepper->answer.is_answered = false;
	stepper->node = next;
	stepper->has_moved = true;
	if (next) {
		stepper_enter(stepper->execution, next);
		store_figure_count_step(stepper->batch->service->db, &e->workspace_id,
		    &e->workflow_id, next->id, STEP_ENTERED, stepper->batch->now);
	} else
		automation_stepper_finish(stepper, EXECUTION_COMPLETED);
}

struct store_execution_step
automation_stepper_row(
    const struct automation_stepper *stepper, const struct automation_step_result *result)
{
	const struct store_execution *e = stepper->execution;
	const struct automation_design_node *node = stepper->node;

	return (struct store_execution_step){
	    .execution_id = e->id,
	    .workspace_id = e->workspace_id,
	    .sequence = e->step_count,
	    .step_id = (char *)node->id,
	    .type = (char *)node->type_name,
	    .entered = stepper->answer.is_answered ? stepper->asked : e->step_time,
	    .left = e->step_time,
	    .result = RESULT_DONE,
	    .branch = (char *)result->handle,
	    .why = result->why,
	    .given = result->given,
	};
}

static void
stepper_count_snoozed(void *data)
{
	service_metrics_add(METRIC_MAILINGS_SKIPPED, 1, "snoozed", NULL);
}

/* The reason why the step has sent nothing. */
static char *
stepper_unsent(struct automation_stepper *stepper)
{
	struct automation_batch *batch = stepper->batch;

	if (!stepper->snoozed)
		return (char *)AUTOMATION_UNSENT;
	db_after_commit(batch->service->db, stepper_count_snoozed, NULL, g_free);
	g_autofree char *text = store_snooze_text(stepper->snoozed);
	return g_string_chunk_insert(batch->texts, text);
}

void
automation_stepper_note(
    struct automation_stepper *stepper, const struct automation_step_result *result, guint count)
{
	const GArray *sent = stepper->batch->sent;
	struct store_execution_step step = automation_stepper_row(stepper, result);

	/* It would be the same for everybody: automation/history.c makes it. */
	if (stepper->batch->is_of_start && stepper->node->type == NODE_TRIGGER)
		return;
	step.has_email = sent->len > count;
	if (step.has_email) {
		step.email_id =
		    g_array_index(sent, struct store_sent_email, sent->len - 1).email_id;
	} else if (result->kind == STEP_SEND) {
		step.result = RESULT_SKIPPED;
		step.why = stepper_unsent(stepper);
		store_figure_count_step(stepper->batch->service->db, &step.workspace_id,
		    &stepper->execution->workflow_id, step.step_id, STEP_SKIPPED,
		    stepper->batch->now);
	}
	automation_batch_step(stepper->batch, &step);
}

const struct json *
automation_stepper_event(void *context, GError **error)
{
	struct automation_stepper *stepper = context;
	g_autofree char *text = NULL;

	if (stepper->event_read)
		return stepper->event;
	if (!store_automation_event_properties(
		stepper->batch->service->db, &stepper->execution->event_id, &text, error))
		return NULL;
	stepper->event_read = true;
	stepper->event = text ? json_parse_as("properties", text, strlen(text), NULL) : NULL;
	return stepper->event;
}

const struct automation_results *
automation_stepper_results(void *context, GError **error)
{
	struct automation_stepper *stepper = context;
	const struct store_execution *e = stepper->execution;

	if (!stepper->results)
		stepper->results = automation_results_stored(stepper->batch->service,
		    &e->workspace_id, &e->id, stepper->cached->design, error);
	return stepper->results;
}

bool
automation_stepper_keep(struct automation_stepper *stepper, const char *given, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (!given)
		return true;
	/* Those of earlier steps need not be read where nobody asks for them. */
	if (!stepper->results && stepper->cached->forgets_results)
		stepper->results =
		    automation_results_new(automation_design_ids(stepper->cached->design));
	if (!automation_stepper_results(stepper, error))
		return false;
	if (!automation_results_set(stepper->results, stepper->node->id, given, &failure))
		automation_stepper_fail(stepper, failure->message);
	return true;
}

/* Reads the answer to the request of the node, which has none yet when the execution has just come
   to it. */
static bool
stepper_read_answer(struct automation_stepper *stepper, GError **error)
{
	const struct store_execution *e = stepper->execution;
	const struct store_step_outcome *outcome = stepper->outcome;
	struct store_step_answer *answer = &stepper->answer;

	store_step_answer_clear(answer);
	if (stepper->has_moved)
		*answer = (struct store_step_answer){.is_asked = false};
	else if (outcome && outcome->sequence == e->step_count)
		*answer = (struct store_step_answer){
		    .is_asked = true,
		    .is_answered = true,
		    .status = outcome->status,
		    .body = g_strdup(outcome->body),
		    .error = g_strdup(outcome->error),
		    .time = outcome->time,
		};
	else if (!store_step_request_answer(
		     stepper->batch->service->db, &e->id, e->step_count, answer, error))
		return false;
	stepper->told =
	    (struct automation_step_answer){answer->status, answer->body, answer->error};
	return true;
}

bool
automation_stepper_read_fields(struct automation_stepper *stepper, GError **error)
{
	return !stepper->cached->asks_fields ||
	       automation_locked_contact_read_fields(stepper->locked, error);
}

bool
automation_stepper_input(
    struct automation_stepper *stepper, struct automation_step_input *input_r, GError **error)
{
	GError *failure = NULL;

	if (stepper->node->type == NODE_REQUEST && !stepper_read_answer(stepper, error))
		return false;
	if (stepper->node->type == NODE_CONDITION && !stepper->node->fault &&
	    !automation_locked_contact_read_segments(stepper->locked, stepper->node->rules, error))
		return false;
	*input_r = (struct automation_step_input){
	    .design = stepper->cached->design,
	    .node = stepper->node,
	    .contact = &stepper->execution->contact_id,
	    .properties = stepper->locked->properties,
	    .time = stepper->execution->step_time,
	    .count = stepper->execution->step_count,
	    .explain = true,
	    .fields = stepper->locked->fields,
	    .segments = stepper->locked->segments,
	    .keeps_results = stepper->cached->keeps_results,
	    .digest = stepper->digest,
	    .answer = stepper->answer.is_answered ? &stepper->told : NULL,
	};
	if (stepper->cached->asks_results &&
	    !(input_r->results = automation_stepper_results(stepper, error)))
		return false;
	if (!stepper->cached->asks_event)
		return true;
	input_r->event = automation_stepper_event(stepper, &failure);
	if (!failure)
		return true;
	g_propagate_error(error, failure);
	return false;
}
