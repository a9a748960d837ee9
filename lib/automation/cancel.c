/* SPDX-License-Identifier: MIT */
/* Cancels an execution by hand. */
#include "automation/cancel.h"

#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/execution_write.h"

struct work {
	const struct base_id *id;
	guint count;
};

static bool
cancel(struct db *db, void *context, GError **error)
{
	struct work *work = context;

	return store_execution_cancel(db, work->id, base_clock_now(), &work->count, error);
}

bool
automation_execution_cancel(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	struct work work = {id, 0};
	AUTO(store_execution) execution = store_execution_get(core->db, workspace, id, error);

	if (!execution)
		return false;
	bool runs =
	    execution->status == EXECUTION_IN_PROGRESS || execution->status == EXECUTION_WAITING;
	if (runs && !db_transact(core->db, cancel, &work, error))
		return false;
	if (work.count > 0)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Execution has already finished");
	return false;
}
