/* Steps executions that are due, in batches; one that breaks its batch is stepped alone. */
#include "automation/engine.h"

#include "automation/batch.h"
#include "automation/feedback.h"
#include "automation/library.h"
#include "automation/progress.h"
#include "automation/task.h"
#include "automation/walk.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "db/connection.h"
#include "db/transaction.h"

#define BATCH 100
#define BATCHES 5
#define LOW_WATER_MS 5000 /* how long the search may begin where the last one ended */

struct engine {
	struct core *core;
	gint64 low;	 /* where the next search begins: rows that came in late are found when it
			    starts from 0 again */
	gint64 reset_at; /* on base_clock_boot */
	guint alone;	 /* so many executions are stepped one by one */
};

struct work {
	struct engine *engine;
	guint limit, count;
	gint64 last; /* the latest ready_at */
	const char *fault;
};

struct engine *
automation_engine_new(struct core *core)
{
	struct engine *engine = g_new0(struct engine, 1);

	engine->core = core;
	return engine;
}

void
automation_engine_free(struct engine *engine)
{
	g_free(engine);
}

static gint64
low_of(struct engine *engine)
{
	gint64 now = base_clock_boot();

	if (now >= engine->reset_at) {
		engine->low = 0;
		engine->reset_at = now + LOW_WATER_MS;
	}
	return engine->low;
}

static struct batch *
claim(struct work *work, GError **error)
{
	struct engine *engine = work->engine;
	struct batch *batch =
	    automation_batch_claim(engine->core, engine->low, base_clock_now(), work->limit, error);

	work->count = batch ? batch->claimed->len : 0;
	if (work->count > 0)
		work->last =
		    ((struct claimed *)batch->claimed->pdata[work->count - 1])->execution.ready_at;
	return batch;
}

static bool
step(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(batch) batch = claim(work, error);

	if (!batch)
		return false;
	for (guint i = 0; i < batch->claimed->len; i++)
		if (!automation_walk(batch, batch->claimed->pdata[i], error))
			return false;
	return automation_batch_store(batch, error);
}

/* Instead of stepping it: the one at which a transaction fails by itself. */
static bool
put_off(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(batch) batch = claim(work, error);

	if (!batch)
		return false;
	for (guint i = 0; i < batch->claimed->len; i++)
		automation_progress_retry(batch->claimed->pdata[i], work->fault, batch->now);
	return automation_batch_store(batch, error);
}

/* Whether a transaction failed by what it was about, not by the database's state. */
static bool
is_fault(const GError *failure)
{
	return !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

static bool
step_batch(struct engine *engine, guint *count_r, GError **trouble_r, GError **error)
{
	struct work work = {.engine = engine, .limit = engine->alone > 0 ? 1 : BATCH};
	GError *failure = NULL;

	gint64 low = low_of(engine);
	bool done = db_transact(engine->core->db, step, &work, &failure);
	if (done && work.count == 0 && low > 0) {
		engine->low = 0;
		done = db_transact(engine->core->db, step, &work, &failure);
	}
	if (done) {
		engine->alone -= MIN(engine->alone, work.limit == 1 ? 1 : 0);
		engine->low = work.count > 0 ? work.last : 0;
		*count_r += work.count;
		return true;
	}
	if (!is_fault(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	*count_r += 1;
	if (work.limit > 1) {
		engine->alone = BATCH;
		g_error_free(failure);
		return true;
	}
	engine->alone--;
	work.fault = failure->message;
	done = db_transact(engine->core->db, put_off, &work, error);
	g_propagate_error(trouble_r, failure);
	return done;
}

/* As long as there is enough for whole batches; but a worker has other duties too. */
static bool
step_batches(struct engine *engine, guint *count_r, GError **trouble_r, GError **error)
{
	for (guint i = 0; i < BATCHES; i++) {
		guint before = *count_r;

		if (!step_batch(engine, count_r, trouble_r, error))
			return false;
		if (*trouble_r || *count_r - before < BATCH)
			break;
	}
	return true;
}

bool
automation_engine_run(struct engine *engine, guint *count_r, GError **trouble_r, GError **error)
{
	guint feedback = 0, tasks = 0;

	*count_r = 0;
	*trouble_r = NULL;
	automation_library_trim(engine->core);
	if (!automation_feedback_run(engine->core, &feedback, error) ||
	    !automation_task_run(engine->core, &tasks, error))
		return false;
	*count_r = feedback + tasks;
	return step_batches(engine, count_r, trouble_r, error);
}
