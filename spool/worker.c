/* One worker of the spool: claims what is due and delivers it, batch after batch. */
#include "spool/worker.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/deliver.h"
#include "store/outbox.h"

#define IDLE_MS 500	  /* between two looks when nothing is due */
#define TROUBLE_MS 5000	  /* after the database could not be asked */
#define LOW_WATER_MS 5000 /* how long the search may begin where the last one ended */

static volatile int stopping;

void
worker_stop(void)
{
	stopping = 1;
}

/* Where the next search begins: rows that came in late are found when it starts from 0 again. */
struct low_water {
	gint64 ready_at;
	gint64 reset_at;
};

static gint64
low_of(struct low_water *low)
{
	gint64 now = base_clock_boot();

	if (now >= low->reset_at) {
		low->ready_at = 0;
		low->reset_at = now + LOW_WATER_MS;
	}
	return low->ready_at;
}

static bool
is_over(const struct worker_plan *plan)
{
	return stopping || (plan->until && base_clock_boot() >= plan->until);
}

/* Sleeps in short steps: a signal's flag is seen soon, and the plan's end. */
static void
pause_for(const struct worker_plan *plan, gint64 ms)
{
	gint64 end = base_clock_boot() + ms;

	while (!is_over(plan) && base_clock_boot() < end)
		g_usleep(100 * 1000);
}

/* Claims and delivers a batch; *count_r is its size. False when the database could not be asked. */
static bool
work(struct core *core, struct copy *copies, guint limit, struct low_water *low, guint *count_r)
{
	struct claim claim = core_deliver_claim(core);
	g_autoptr(GError) error = NULL;
	gint64 now = base_clock_now();

	if (!core_ensure(core, &error) || !store_outbox_claim(core->db, &claim, low_of(low), now,
					      limit, copies, count_r, &error)) {
		base_log("%s", error->message);
		return false;
	}
	if (*count_r == 0)
		return true;
	low->ready_at = now;
	struct delivery *delivery = core_deliver_start(core, &claim, copies, *count_r, NULL);
	core_deliver_wait(delivery, 0);
	if (core_deliver_trouble(delivery))
		base_log("%s", core_deliver_trouble(delivery)->message);
	core_deliver_free(delivery);
	return true;
}

int
worker_run(const struct worker_plan *plan)
{
	guint limit = (guint)base_settings_number(plan->settings, SETTING_SPOOL_BATCH);
	g_autofree struct copy *copies = g_new(struct copy, limit);
	AUTO(core) core = core_open(plan->settings);
	struct low_water low = {0, 0};

	while (!is_over(plan)) {
		guint count = 0;
		bool asked = work(core, copies, limit, &low, &count);

		if (plan->once && !asked)
			return EX_TEMPFAIL;
		if (plan->once && count == 0)
			break;
		if (count == 0)
			pause_for(plan, asked ? IDLE_MS : TROUBLE_MS);
	}
	return EXIT_SUCCESS;
}
