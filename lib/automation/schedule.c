/* SPDX-License-Identifier: MIT */
/* Makes starts of ticks of schedules, and stores those that come by themselves. */
#include "automation/schedule.h"

#include "automation/node.h"
#include "db/after_commit.h"
#include "service/metrics.h"
#include "store/automation/start.h"
#include "store/automation/tick.h"

gint64
automation_schedule_latest(const struct store_tick *schedule,
    const struct automation_node_schedule *plan, gint64 now, gint64 *next_r)
{
	gint64 latest = schedule->next_at;

	for (;;) {
		*next_r = text_cron_next(&plan->cron, plan->zone, latest);
		if (*next_r == 0 || *next_r > now)
			return latest;
		latest = *next_r;
	}
}

static void
schedule_count(void *source)
{
	service_metrics_add(
	    METRIC_STARTS, 1, store_start_sources[GPOINTER_TO_UINT(source) - 1], NULL);
}

bool
automation_schedule_store(struct db *db, const struct store_start *start, GError **error)
{
	db_after_commit(db, schedule_count, GUINT_TO_POINTER(start->source), NULL);
	return store_start_insert(db, start, NULL, 0, error);
}

bool
automation_schedule_start(struct db *db, const struct store_tick *schedule,
    const struct automation_node_schedule *plan, gint64 tick, gint64 now, GError **error)
{
	bool runs;

	if (!store_tick_runs(db, schedule, &runs, error))
		return false;
	g_autofree char *properties =
	    g_strdup_printf("{\"scheduled_at\":%" G_GINT64_FORMAT "}", tick);
	const struct store_start start = {.id = base_id_new(),
	    .workspace_id = schedule->workspace_id,
	    .workflow_id = schedule->workflow_id,
	    .source = START_SCHEDULE,
	    .status = runs ? START_SKIPPED : START_PENDING,
	    .has_segment = plan->has_segment,
	    .segment_id = plan->target,
	    .has_audience = !plan->has_segment,
	    .audience_id = plan->target,
	    .properties = properties,
	    .scheduled_at = tick,
	    .created = now,
	    .completed = runs ? now : 0};

	return automation_schedule_store(db, &start, error);
}
