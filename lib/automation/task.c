/* SPDX-License-Identifier: MIT */
/* Does, in batches, what changing or deleting a workflow means for its executions. */
#include "automation/task.h"

#include "base/clock.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/execution_write.h"
#include "store/workflow_task.h"
#include "store/workflow_write.h"

#define BATCH 500

struct work {
	const struct store_workflow_task *task;
	guint count;
};

/* Rows that others hold are passed over, so that none is found does not mean that none is left. */
static bool
finish(struct db *db, struct work *work,
    bool (*has)(struct db *db, const struct base_id *workflow, bool *has_r, GError **error),
    GError **error)
{
	bool more;

	if (work->count > 0)
		return true;
	return has(db, &work->task->workflow_id, &more, error) &&
	       (more || store_workflow_task_done(db, work->task, error));
}

static bool
unpark(struct db *db, struct work *work, const struct store_workflow_state *state, GError **error)
{
	/* Paused again: then they stay where they are, and the next change sees to them. */
	if (state->deleted || state->status == WORKFLOW_PAUSED)
		return store_workflow_task_done(db, work->task, error);
	return store_execution_unpark(db, &work->task->workflow_id, BATCH, &work->count, error) &&
	       finish(db, work, store_execution_has_parked, error);
}

static bool
cancel(struct db *db, struct work *work, GError **error)
{
	const struct base_id *workflow = &work->task->workflow_id;
	guint swept;

	if (!store_execution_cancel_workflow(
		db, workflow, base_clock_now(), BATCH, &work->count, error))
		return false;
	if (work->count == 0) {
		if (!store_workflow_task_sweep(db, workflow, BATCH, &swept, error))
			return false;
		work->count = swept;
	}
	return finish(db, work, store_execution_has_running, error);
}

static bool
work_on(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	struct store_workflow_state state = {.id = work->task->workflow_id};
	bool taken;

	work->count = 0;
	/* The workflow before its task: who changes it takes them in this order. */
	if (!store_workflow_states(db, &state, 1, error) ||
	    !store_workflow_task_take(db, work->task, &taken, error))
		return false;
	if (!taken)
		return true;
	return work->task->kind == TASK_UNPARK ? unpark(db, work, &state, error)
					       : cancel(db, work, error);
}

bool
automation_task_run(struct core *core, guint *count_r, GError **error)
{
	g_autoptr(GArray) tasks = store_workflow_task_list(core->db, error);

	*count_r = 0;
	if (!tasks)
		return false;
	for (guint i = 0; i < tasks->len; i++) {
		struct work work = {&g_array_index(tasks, struct store_workflow_task, i), 0};

		if (!db_transact(core->db, work_on, &work, error))
			return false;
		*count_r += work.count;
	}
	return true;
}
