/* SPDX-License-Identifier: MIT */
/* Begins and ends the waits of an execution. */
#include "automation/execution_wait.h"

#include <string.h>

#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/digest_stored.h"
#include "automation/node.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "automation/stepper.h"
#include "base/budget.h"
#include "json/strict.h"
#include "rule/event_name.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/feedback.h"

/* The end of a wait for an event, or the next time to check it. */
struct wait_state {
	bool over;
	enum automation_step_leave how; /* when over: LEAVE_EVENT or LEAVE_TIMEOUT */
	gint64 time;			/* when over: the time of its end */
	gint64 check_at;		/* else: when to check again, 0 = when an event comes */
};

#define CHECK_AGAIN_MS 1000

/* A wait for an event, and its batch. */
struct wait {
	struct automation_batch *batch;
	const struct store_execution *execution;
	const struct automation_design_node *node;
	const struct automation_locked_contact *locked;
	gint64 until;		    /* its timeout; 0: none */
	const struct json *started; /* properties of the event that started the execution */
	const struct automation_results *results; /* of its steps */
};

/* Finds the first event that came while the execution waited and that releases it. *time_r: its
   time; 0: none. */
static bool
find_releasing_event(const struct wait *wait, gint64 *time_r, GError **error)
{
	const struct store_execution *e = wait->execution;
	struct base_budget budget = {.begun = 0};

	*time_r = 0;
	if (wait->locked->contact->last_seen <= e->step_time)
		return true;
	g_autoptr(GPtrArray) events = store_automation_event_between(wait->batch->service->db,
	    &e->contact_id, wait->node->wait_event.event_name, e->step_time, wait->until, error);
	if (!events)
		return false;
	for (guint i = 0; i < events->len && *time_r == 0; i++) {
		const struct store_automation_event *event = events->pdata[i];
		AUTO(json) properties =
		    json_parse_as("properties", event->properties, strlen(event->properties), NULL);
		const struct automation_rules_scope scope = {wait->locked->properties, properties,
		    wait->locked->fields, &budget, wait->started, wait->locked->segments,
		    wait->results};

		if (automation_step_in_time(e->step_time, wait->until, event->timestamp) &&
		    automation_step_releases(wait->node, event->name, &scope))
			*time_r = event->timestamp;
	}
	return true;
}

/* *pending_r: the feedback queue may hold an earlier event about an email, so the wait must not
   time out yet. */
static bool
is_feedback_pending(const struct wait *wait, bool *pending_r, GError **error)
{
	const char *name = wait->node->wait_event.event_name;
	struct store_automation_feedback_search search = {
	    &wait->execution->contact_id, EVENT_NONE, name, wait->until};
	struct db *db = wait->batch->service->db;

	*pending_r = false;
	if (rule_event_name_is_own(name))
		return store_automation_feedback_pending(db, &search, pending_r, error);
	if (!rule_event_name_reserved(name))
		return true;
	search.status = store_event_status(name + strlen(EVENT_NAME_RESERVED));
	search.name = NULL;
	return search.status == EVENT_NONE ||
	       store_automation_feedback_pending(db, &search, pending_r, error);
}

/* Checks a wait. An event that came during the wait, before the timeout, has precedence over the
   timeout. */
static bool
check_wait(const struct wait *wait, struct wait_state *state_r, GError **error)
{
	gint64 until = wait->until, now = wait->batch->now;
	bool pending = false;
	gint64 time;

	if (!find_releasing_event(wait, &time, error))
		return false;
	bool timeout = !time && until && until <= now;
	if (timeout && !is_feedback_pending(wait, &pending, error))
		return false;
	*state_r = (struct wait_state){
	    .over = time || (timeout && !pending),
	    .how = time ? LEAVE_EVENT : LEAVE_TIMEOUT,
	    .time = time ? time : until,
	    .check_at = pending ? now + CHECK_AGAIN_MS : until,
	};
	return true;
}

void
automation_execution_note_wait(const struct store_execution *execution,
    const struct automation_design_node *node, const struct json *started,
    const struct automation_results *results, GArray *waits)
{
	struct store_execution_wait wait = {
	    .workspace = &execution->workspace_id,
	    .contact = &execution->contact_id,
	    .execution = &execution->id,
	    .event_name = node->wait_event.event_name,
	    .asks_results = automation_rules_ask_results(node->wait_event.filter),
	};

	automation_rules_correlate(
	    node->wait_event.filter, started, results, &wait.property, wait.hash);
	g_array_append_val(waits, wait);
}

/* The end that a wait had when it ended at time; 0: none. */
static gint64
end_of_wait(const struct automation_design_node *node, gint64 entered, gint64 time)
{
	if (node->type != NODE_WAIT_FOR_EVENT)
		return time;
	return node->wait_event.timeout ? entered + node->wait_event.timeout : 0;
}

/* Reads the event of this time that ended a wait; *properties_r: NULL where it is gone. */
static bool
execution_read_released(const struct automation_stepper *stepper, gint64 time,
    struct json **properties_r, GError **error)
{
	g_autoptr(GPtrArray) events = store_automation_event_between(stepper->batch->service->db,
	    &stepper->execution->contact_id, stepper->node->wait_event.event_name, time - 1,
	    time + 1, error);

	*properties_r = NULL;
	if (!events)
		return false;
	if (events->len == 0)
		return true;
	const struct store_automation_event *event = events->pdata[0];
	*properties_r =
	    json_parse_as("properties", event->properties, strlen(event->properties), NULL);
	return true;
}

static bool
execution_leave_wait(
    struct automation_stepper *stepper, enum automation_step_leave how, gint64 time, GError **error)
{
	gint64 entered = stepper->execution->step_time;
	struct automation_step_input input;
	struct automation_step_result result;
	AUTO(json) released = NULL;

	stepper->execution->step_time = time;
	if (!automation_stepper_input(stepper, &input, error))
		return false;
	if (how == LEAVE_EVENT && input.keeps_results &&
	    !execution_read_released(stepper, time, &released, error))
		return false;
	input.released = released;
	automation_step_leave(&input, how, &result);
	bool taken = automation_stepper_keep(stepper, result.given, error);
	if (!taken || stepper->is_over) {
		automation_step_clear(&result);
		return taken;
	}
	struct store_execution_step step = automation_stepper_row(stepper, &result);
	step.entered = entered;
	step.wait_until = end_of_wait(stepper->node, entered, time);
	automation_batch_step(stepper->batch, &step);
	automation_stepper_move(stepper, result.next);
	automation_step_clear(&result);
	return true;
}

bool
automation_execution_wait(struct automation_stepper *stepper, gint64 until, GError **error)
{
	struct store_execution *e = stepper->execution;

	if (until <= stepper->batch->now)
		return execution_leave_wait(stepper, LEAVE_TIME, until, error);
	e->status = EXECUTION_WAITING;
	e->wait_until = e->ready_at = until;
	stepper->is_over = true;
	return true;
}

bool
automation_execution_await(
    struct automation_stepper *stepper, gint64 until, bool waits, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct wait wait = {stepper->batch, e, stepper->node, stepper->locked, until, NULL, NULL};
	GError *failure = NULL;
	struct wait_state state;

	if (automation_rules_ask_started(stepper->node->wait_event.filter))
		wait.started = automation_stepper_event(stepper, &failure);
	if (failure) {
		g_propagate_error(error, failure);
		return false;
	}
	if (automation_rules_ask_results(stepper->node->wait_event.filter) &&
	    !(wait.results = automation_stepper_results(stepper, error)))
		return false;
	if (!automation_locked_contact_read_segments(
		stepper->locked, stepper->node->wait_event.filter, error) ||
	    !check_wait(&wait, &state, error))
		return false;
	if (state.over && waits)
		automation_execution_note_wait(e, stepper->node, NULL, NULL, stepper->batch->gone);
	if (state.over)
		return execution_leave_wait(stepper, state.how, state.time, error);
	if (!waits)
		automation_execution_note_wait(
		    e, stepper->node, wait.started, wait.results, stepper->batch->waits);
	e->status = EXECUTION_WAITING;
	e->wait_until = until;
	e->ready_at = state.check_at;
	stepper->is_over = true;
	return true;
}

bool
automation_execution_resume(struct automation_stepper *stepper, GError **error)
{
	struct store_execution *e = stepper->execution;
	gint64 released = e->released;

	if (stepper->node->fault || (e->status != EXECUTION_WAITING && !released))
		return true;
	if (released) {
		automation_execution_note_wait(e, stepper->node, NULL, NULL, stepper->batch->gone);
		return execution_leave_wait(stepper, LEAVE_EVENT, released, error);
	}
	if (stepper->node->type == NODE_WAIT_FOR_EVENT)
		return automation_execution_await(stepper, e->wait_until, true, error);
	if (stepper->node->type == NODE_DIGEST && !stepper->digest &&
	    !(stepper->digest = automation_digest_close(stepper->batch->service->db, e, error)))
		return false;
	return execution_leave_wait(stepper, LEAVE_TIME, e->wait_until, error);
}
