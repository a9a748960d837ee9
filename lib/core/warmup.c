/* SPDX-License-Identifier: MIT */
/* Sees which domains are warmed up. */
#include "core/warmup.h"

#include "base/clock.h"
#include "base/id.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/warmup.h"

#define BATCH 50
#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define LOOK_AGAIN_MS ((gint64)10 * 60 * 1000)

bool
core_warmup_is_enough(const struct store_warmup *warmup)
{
	return warmup->days >= WARMUP_DAYS && warmup->delivered >= WARMUP_DELIVERED &&
	       warmup->bounced * 100 <
		   WARMUP_BOUNCED_PERCENT * (warmup->delivered + warmup->bounced);
}

gint64
core_warmup_next(const struct store_warmup *warmup, gint64 now)
{
	/* Of the days that are lacking, today may be the first. */
	gint64 last = now / DAY_MS + WARMUP_DAYS - warmup->days - 1;

	return MAX(last * DAY_MS, now + LOOK_AGAIN_MS);
}

static bool
look(struct db *db, void *context, GError **error)
{
	gint64 now = base_clock_now();
	struct base_id domains[BATCH];
	struct store_warmup warmup;
	guint *count = context;

	if (!store_warmup_due(db, now, BATCH, domains, count, error))
		return false;
	for (guint i = 0; i < *count; i++) {
		if (!store_warmup_sum(db, &domains[i], now, &warmup, error))
			return false;
		if (!(core_warmup_is_enough(&warmup)
			    ? store_warmup_finish(db, &domains[i], now, error)
			    : store_warmup_postpone(
				  db, &domains[i], core_warmup_next(&warmup, now), error)))
			return false;
	}
	return true;
}

bool
core_warmup_due(struct core *core, bool *more_r, GError **error)
{
	guint count = 0;

	if (!db_transact(core->db, look, &count, error))
		return false;
	*more_r = count == BATCH;
	return true;
}
