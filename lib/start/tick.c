/* SPDX-License-Identifier: MIT */
/* Makes a start of each tick of a schedule.

   1. start_tick_run reads the schedules that are due.
   2. tick_make locks the workflow, and moves the schedule from this tick to the first one that is
      still to come. A process that is too late does not find the tick any more.
   3. The same transaction stores the start, whose key of workflow and tick is unique. Of several
      ticks that have passed, the latest makes it. While the start of an earlier tick is not over,
      the new one is skipped.
   A tick that has passed when the workflow changes is made by that transaction, in the same way
   (automation/workflow.c). */
#include "start/tick.h"

#include <string.h>

#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/node.h"
#include "automation/schedule.h"
#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
#include "rule/event_name.h"
#include "service/service.h"
#include "store/automation/tick.h"
#include "store/automation/start.h"
#include "store/automation/workflow.h"

#define BATCH 20

struct tick {
	struct service *service;
	const struct store_tick *schedule;
	const struct automation_node_schedule *plan;
	gint64 now;
	bool is_made;
};

static bool
tick_make(struct db *db, void *context, GError **error)
{
	struct tick *tick = context;
	const struct store_tick *schedule = tick->schedule;
	struct store_start_workflow workflow;
	bool moved;
	gint64 next;

	tick->is_made = false;
	if (!store_start_workflow(
		db, &schedule->workspace_id, &schedule->workflow_id, &workflow, error))
		return false;
	if (workflow.is_deleted || workflow.status != WORKFLOW_ACTIVE)
		return true;
	gint64 time = automation_schedule_latest(schedule, tick->plan, tick->now, &next);
	if (!store_tick_move(db, schedule, next ? next : G_MAXINT64, &moved, error) || !moved)
		return !(error && *error);
	tick->is_made = true;
	return automation_schedule_start(db, schedule, tick->plan, time, tick->now, error);
}

bool
start_tick_run(struct service *service, guint *count_r, GError **error)
{
	gint64 now = base_clock_now();
	g_autoptr(GArray) due = store_tick_due(service->db, now, BATCH, error);

	*count_r = 0;
	automation_design_cache_trim(service);
	for (guint i = 0; due && i < due->len; i++) {
		const struct store_tick *schedule = &g_array_index(due, struct store_tick, i);
		const struct automation_cached_design *cached = automation_design_cache_get(
		    service, &schedule->workflow_id, schedule->version, error);
		const struct automation_node_trigger *trigger =
		    cached && cached->design ? automation_design_trigger(cached->design) : NULL;

		if (!cached)
			return false;
		if (!trigger || strcmp(trigger->event_name, EVENT_NAME_SCHEDULE) != 0)
			continue;
		struct tick tick = {service, schedule, &trigger->schedule, now, false};
		if (!db_transact(service->db, tick_make, &tick, error))
			return false;
		*count_r += tick.is_made;
	}
	return due != NULL;
}
