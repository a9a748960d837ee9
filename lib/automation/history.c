/* SPDX-License-Identifier: MIT */
/* Lists the steps of an execution. Those that it has left are rows; the last one, at which it
   stands or ended, is made from the execution itself, unless it has a row. So is the first one
   after a start for many: its row would be the same for each of them. */
#include "automation/history.h"

#include <string.h>

#include "automation/design.h"
#include "automation/node.h"
#include "automation/step.h"
#include "base/clock.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/workflow.h"

const char *
automation_history_result(guint result)
{
	static const char *const words[] = {
	    [RESULT_NONE] = NULL,
	    [RESULT_DONE] = "done",
	    [RESULT_WAITING] = "waiting",
	    [RESULT_SKIPPED] = "skipped",
	    [RESULT_RETRYING] = "retrying",
	    [RESULT_FAILED] = "failed",
	};

	return words[result];
}

/* A step in a wait, also when its end or its event came and the engine has not gone on yet. */
static void
set_waiting(struct store_execution_step *step, const struct store_execution *e,
    const struct automation_design_node *node)
{
	step->result = RESULT_WAITING;
	step->wait_until = e->wait_until;
	if (!node || node->fault)
		return;
	if (e->released && node->type == NODE_WAIT_FOR_EVENT && node->wait_event.timeout)
		step->wait_until = e->step_time + node->wait_event.timeout;
	step->why = automation_step_waits(node, step->wait_until);
}

/* A step that is due, or whose email waits until the workspace's quota has room. */
static void
set_due(struct store_execution_step *step, const struct store_execution *e)
{
	char text[CLOCK_ISO_SIZE];

	if (e->attempts > 0) {
		step->result = RESULT_RETRYING;
		step->error = g_strdup(e->error_message);
	} else if (e->ready_at > e->step_time) {
		step->result = RESULT_WAITING;
		step->wait_until = e->ready_at;
		step->why = g_strdup_printf("the quota of emails has no room until %s",
		    base_clock_format(e->ready_at, text));
	}
}

static void
set_result(struct store_execution_step *step, const struct store_execution *e,
    const struct automation_design_node *node)
{
	bool is_due = e->status == EXECUTION_IN_PROGRESS && !e->released,
	     is_over = e->status != EXECUTION_IN_PROGRESS && e->status != EXECUTION_WAITING;

	step->left = is_over ? e->step_time : 0;
	if (is_due) {
		set_due(step, e);
	} else if (!is_over) {
		set_waiting(step, e, node);
	} else if (e->status == EXECUTION_COMPLETED) {
		step->result = RESULT_DONE;
	} else if (e->status == EXECUTION_FAILED) {
		step->result = RESULT_FAILED;
		step->error = g_strdup(e->error_message);
	} else {
		step->result = RESULT_SKIPPED;
		step->left = e->completed;
		step->why = g_strdup_printf(
		    "cancelled: %s", store_execution_cancellations[e->cancellation - 1]);
	}
}

/* Reads the version that the execution runs; *design_r is NULL when it is removed. */
static bool
history_read_design(struct db *db, const struct store_execution *e,
    struct automation_design **design_r, GError **error)
{
	struct store_workflow_design stored;

	if (!store_workflow_design(db, &e->workflow_id, e->version, &stored, error))
		return false;
	*design_r = stored.text ? automation_design_parse(stored.text, stored.size, NULL) : NULL;
	g_free(stored.text);
	return true;
}

/* The trigger, which a start has begun at the time of its event; without what a design that is
   removed would say of it. The caller frees it. */
static struct store_execution_step *
history_first_step(struct db *db, const struct store_execution *e, GError **error)
{
	AUTO(automation_design) design = NULL;

	if (!history_read_design(db, e, &design, error))
		return NULL;
	const struct automation_design_node *node = design ? automation_design_start(design) : NULL;
	struct store_execution_step *step = g_new0(struct store_execution_step, 1);
	step->sequence = 1;
	step->step_id = node ? g_strdup(node->id) : NULL;
	step->type = node ? g_strdup(node->type_name) : NULL;
	step->entered = step->left = base_id_time(&e->event_id);
	step->result = RESULT_DONE;
	step->why = node && !node->fault ? automation_step_came(node) : NULL;
	return step;
}

/* Adds the first step to the first page, unless it has a row. */
static bool
history_add_first(
    struct db *db, const struct store_execution *e, guint limit, GPtrArray *steps, GError **error)
{
	const struct store_execution_step *first = steps->len > 0 ? steps->pdata[0] : NULL;

	if (!e->has_start || e->step_count == 1 || limit == 0 || (first && first->sequence == 1))
		return true;
	struct store_execution_step *step = history_first_step(db, e, error);
	if (!step)
		return false;
	g_ptr_array_insert(steps, 0, step);
	if (steps->len > limit)
		g_ptr_array_set_size(steps, (gint)limit);
	return true;
}

/* The step at which an execution stands or ended. The caller frees it. */
static struct store_execution_step *
last_step(struct db *db, const struct store_execution *e, GError **error)
{
	AUTO(automation_design) design = NULL;

	if (!history_read_design(db, e, &design, error))
		return NULL;
	const struct automation_design_node *node =
	    design ? automation_design_node(design, e->step_id) : NULL;
	struct store_execution_step *step = g_new0(struct store_execution_step, 1);
	step->sequence = e->step_count;
	step->step_id = g_strdup(e->step_id);
	step->type = node ? g_strdup(node->type_name) : NULL;
	step->entered = e->step_time;
	set_result(step, e, node);
	return step;
}

/* Adds the last step to a page, unless the page ends before it or has its row. */
static bool
history_add_last(
    struct db *db, const struct store_execution *e, guint limit, GPtrArray *steps, GError **error)
{
	const struct store_execution_step *last =
	    steps->len > 0 ? steps->pdata[steps->len - 1] : NULL;

	if (steps->len == limit || (last && last->sequence == e->step_count))
		return true;
	struct store_execution_step *step = last_step(db, e, error);
	if (step)
		g_ptr_array_add(steps, step);
	return step != NULL;
}

GPtrArray *
automation_history_list(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, guint after, guint limit, GError **error)
{
	AUTO(store_execution) e = store_execution_get(db, workspace, execution, error);

	if (!e)
		return NULL;
	g_autoptr(GPtrArray) steps = store_execution_step_list(db, e, after, limit, error);
	if (!steps || (after == 0 && !history_add_first(db, e, limit, steps, error)) ||
	    (after < e->step_count && !history_add_last(db, e, limit, steps, error)))
		return NULL;
	return g_steal_pointer(&steps);
}
