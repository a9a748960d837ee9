/* SPDX-License-Identifier: MIT */
/* Has the request of a step made, and takes its answer. */
#include "automation/execution_request.h"

#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/mailing.h"
#include "automation/node.h"
#include "automation/request.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "automation/stepper.h"
#include "base/error.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/step_request.h"

/* Fills in the request of a step. NULL with INVALID when it cannot be made. */
static struct store_step_request *
execution_make_request(
    struct automation_stepper *stepper, const struct automation_step_input *input, GError **error)
{
	GError *failure = NULL;
	const struct automation_mailing mailing = {
	    .batch = stepper->batch,
	    .execution = stepper->execution,
	    .properties = stepper->locked->properties,
	    .event = automation_stepper_event,
	    .results = automation_stepper_results,
	    .event_context = stepper,
	};
	const struct json *event = automation_stepper_event(stepper, &failure);

	if (failure) {
		g_propagate_error(error, failure);
		return NULL;
	}
	const struct automation_rules_scope scope = {
	    input->properties, event, input->fields, NULL, event, input->segments, input->results};
	const struct automation_request_input request = {
	    .node = &stepper->node->request,
	    .mailing = &mailing,
	    .scope = &scope,
	    .event = event,
	    .now = stepper->batch->now,
	};
	return automation_request_make(&request, error);
}

/* Removes the request that the execution has had in this batch, before it makes another. */
static bool
execution_remove_request(struct automation_stepper *stepper, GError **error)
{
	struct automation_batch *batch = stepper->batch;
	const struct base_id *id = &stepper->execution->id;

	return !g_ptr_array_remove(batch->answered, (void *)id) ||
	       store_step_request_remove(batch->service->db, &id, 1, error);
}

bool
automation_execution_ask(struct automation_stepper *stepper,
    const struct automation_step_input *input, char **why_r, GError **error)
{
	g_autoptr(GError) failure = NULL;

	*why_r = NULL;
	if (!stepper->answer.is_asked) {
		AUTO(store_step_request)
		request = execution_make_request(stepper, input, &failure);

		if (!request && g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
			*why_r = g_strdup(failure->message);
			return true;
		}
		if (!request) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		if (!execution_remove_request(stepper, error) ||
		    !store_step_request_insert(stepper->batch->service->db, request, error))
			return false;
	}
	stepper->execution->status = EXECUTION_IN_PROGRESS;
	stepper->execution->ready_at = 0;
	stepper->is_over = true;
	return true;
}

void
automation_execution_take_answer(struct automation_stepper *stepper)
{
	struct store_execution *e = stepper->execution;

	if (!stepper->answer.is_answered)
		return;
	stepper->asked = e->step_time;
	e->step_time = MAX(e->step_time, stepper->answer.time);
	stepper->is_taken = true;
	g_ptr_array_add(stepper->batch->answered, &e->id);
}
