/* SPDX-License-Identifier: MIT */
/* Ends executions before a step by rules of their goal or an exit. */
#include "automation/execution_ending.h"

#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/ending.h"
#include "automation/execution_wait.h"
#include "automation/node.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "automation/stepper.h"
#include "automation/watch.h"
#include "base/budget.h"
#include "service/service.h"
#include "store/automation/digest.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"

/* Ends the execution where it stands, by its goal or an exit. */
static bool
execution_end(struct automation_stepper *stepper, bool is_goal, char *why, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct db *db = stepper->batch->service->db;
	const struct automation_step_result result = {.why = why};
	struct store_execution_step step = automation_stepper_row(stepper, &result);

	if (e->status == EXECUTION_WAITING && stepper->node->type == NODE_WAIT_FOR_EVENT)
		automation_execution_note_wait(e, stepper->node, NULL, NULL, stepper->batch->gone);
	if (stepper->node->type == NODE_DIGEST && !store_digest_remove(db, &e->id, error))
		return false;
	if (e->status == EXECUTION_WAITING)
		step.left = MAX(step.left, e->released ? e->released : e->ready_at);
	step.result = is_goal ? RESULT_DONE : RESULT_SKIPPED;
	step.wait_until = e->wait_until;
	automation_batch_step(stepper->batch, &step);
	if (is_goal)
		e->completion = COMPLETION_GOAL;
	else
		e->cancellation = CANCELLATION_EXIT;
	automation_stepper_finish(stepper, is_goal ? EXECUTION_COMPLETED : EXECUTION_CANCELLED);
	return true;
}

/* Notes that the goal is reached. */
static bool
execution_reach(struct automation_stepper *stepper, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct db *db = stepper->batch->service->db;

	e->goal_at = stepper->batch->now;
	store_execution_count_goal(db, &e->workspace_id, &e->workflow_id, e->goal_at);
	return store_watch_remove(db, &e->id, WATCH_GOAL, error);
}

/* Whether the goal still counts that ends an execution, or that it has not reached yet. */
static bool
execution_seeks_goal(
    const struct store_execution *e, const struct automation_endings *endings, gint64 now)
{
	return !e->goal_at &&
	       (endings->within == 0 || now < base_id_time(&e->event_id) + endings->within);
}

static bool
execution_test_endings(
    struct automation_stepper *stepper, const struct automation_endings *endings, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct base_budget budget = {.begun = 0};
	struct automation_step_input input;

	if (!automation_stepper_input(stepper, &input, error) ||
	    !automation_watch_read_segments(stepper->locked, endings, error))
		return false;
	const struct automation_rules_scope scope = {.contact = stepper->locked->properties,
	    .fields = stepper->locked->fields,
	    .budget = &budget,
	    .started = input.event,
	    .segments = stepper->locked->segments,
	    .results = input.results};
	g_autoptr(GString) goal = g_string_new("goal: ");
	g_autoptr(GString) exit = g_string_new("exit: ");
	if (execution_seeks_goal(e, endings, stepper->batch->now) &&
	    automation_endings_hold(endings->goals, NULL, &scope, goal)) {
		if (!execution_reach(stepper, error))
			return false;
		if (!endings->goes_on)
			return execution_end(stepper, true, goal->str, error);
	}
	return !automation_endings_hold(endings->exits, NULL, &scope, exit) ||
	       execution_end(stepper, false, exit->str, error);
}

bool
automation_execution_check_endings(struct automation_stepper *stepper, GError **error)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(stepper->cached->design);
	const struct automation_endings *endings = trigger ? trigger->endings : NULL;

	return stepper->is_over || !endings || !endings->has_rules ||
	       execution_test_endings(stepper, endings, error);
}
