/* SPDX-License-Identifier: MIT */
/* Steps executions that are due, in batches; one that breaks its batch is stepped alone.
 *
 * One whose step kills its process is found like this:
 * 1. The journal names the execution that is being stepped (core/journal.h).
 * 2. The process dies; the server rolls its transaction back, so that nothing has happened.
 * 3. core_recover counts the death of that execution.
 * 4. A batch leaves out executions of which processes died. Each is stepped after it in a
 *    transaction of its own, node by node, so that its death takes nobody along.
 * 5. After LIMIT_DEATHS deaths that transaction is made by a child process with limits. While it
 *    runs its row is locked, and other workers pass it over.
 * 6. The child dies too: the execution is FAILED at the node at which it stands.
 */
#include "automation/engine.h"

#include "automation/batch.h"
#include "automation/feedback.h"
#include "automation/design_cache.h"
#include "automation/progress.h"
#include "automation/task.h"
#include "automation/walk.h"
#include "base/apart.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "db/connection.h"
#include "db/transaction.h"

#define BATCH 100
#define BATCHES 5
#define TRIES 10
#define LOW_WATER_MS 5000 /* how long the search may begin where the last one ended */

struct automation_engine {
	struct core *core;
	gint64 low;	 /* where the next search begins: rows that came in late are found when it
			    starts from 0 again */
	gint64 reset_at; /* on base_clock_boot */
	struct store_turn turn;
	guint alone; /* so many executions are stepped one by one */
};

struct work {
	struct automation_engine *engine;
	struct store_execution_search search;
	guint count;
	gint64 last;		       /* the latest ready_at, */
	struct base_id last_workspace; /* and whose it is */
	const char *fault;
	GArray *suspects; /* struct suspect: of the batch, left out of it; NULL: none is left out */
	const struct base_id *only; /* NULL: those that are due */
};

struct suspect {
	struct base_id id;
	guint deaths;
};

struct automation_engine *
automation_engine_new(struct core *core)
{
	struct automation_engine *engine = g_new0(struct automation_engine, 1);

	engine->core = core;
	return engine;
}

void
automation_engine_free(struct automation_engine *engine)
{
	g_free(engine);
}

static gint64
low_of(struct automation_engine *engine)
{
	gint64 now = base_clock_boot();

	if (now >= engine->reset_at) {
		engine->low = 0;
		engine->reset_at = now + LOW_WATER_MS;
	}
	return engine->low;
}

static struct automation_batch *
claim(struct work *work, GError **error)
{
	struct automation_engine *engine = work->engine;

	work->search.low = engine->low;
	work->search.now = base_clock_now();
	work->search.turn = &engine->turn;
	struct automation_batch *batch =
	    work->only
		? automation_batch_claim_one(engine->core, work->only, work->search.now, error)
		: automation_batch_claim(engine->core, &work->search, error);

	work->count = batch ? batch->claimed->len : 0;
	if (work->count > 0) {
		const struct store_execution_claimed *last = batch->claimed->pdata[work->count - 1];

		work->last = last->execution.ready_at;
		work->last_workspace = last->execution.workspace_id;
	}
	return batch;
}

/* Takes out of a batch those of which processes died. */
static void
leave_out_suspects(struct work *work, struct automation_batch *batch)
{
	g_array_set_size(work->suspects, 0);
	for (guint i = batch->claimed->len; i > 0; i--) {
		const struct store_execution *e =
		    &((const struct store_execution_claimed *)batch->claimed->pdata[i - 1])
			 ->execution;
		const struct suspect suspect = {e->id, e->deaths};

		if (e->deaths == 0)
			continue;
		g_array_append_val(work->suspects, suspect);
		g_ptr_array_remove_index(batch->claimed, i - 1);
	}
}

/* Those from the one at count on are stepped by the next batch: they stay due as they are. */
static void
leave_rest(struct work *work, struct automation_batch *batch, guint count)
{
	const struct store_execution_claimed *next = batch->claimed->pdata[count];

	work->count = count;
	work->last = next->execution.ready_at;
	g_ptr_array_set_size(batch->claimed, (gint)count);
}

static bool
step(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(automation_batch) batch = claim(work, error);

	if (!batch)
		return false;
	if (work->suspects)
		leave_out_suspects(work, batch);
	for (guint i = 0; i < batch->claimed->len; i++) {
		if (i > 0 && automation_design_cache_is_full(work->engine->core)) {
			leave_rest(work, batch, i);
			break;
		}
		if (!automation_walk(batch, batch->claimed->pdata[i], error))
			return false;
	}
	return automation_batch_store(batch, error);
}

/* Instead of stepping it: the one at which a transaction fails by itself. */
static bool
put_off(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(automation_batch) batch = claim(work, error);

	if (!batch)
		return false;
	for (guint i = 0; i < batch->claimed->len; i++)
		automation_progress_retry(batch->claimed->pdata[i], work->fault, batch->now);
	return automation_batch_store(batch, error);
}

/* Instead of stepping it: the one whose child died. */
static bool
give_up(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(automation_batch) batch = claim(work, error);

	if (!batch)
		return false;
	for (guint i = 0; i < batch->claimed->len; i++)
		automation_progress_fail(batch->claimed->pdata[i], work->fault, batch->now);
	return automation_batch_store(batch, error);
}

/* Whether a transaction failed by what it was about, not by the database's state. */
static bool
is_fault(const GError *failure)
{
	return !g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

/* Somebody else may use up a quota between the look at it and the count: then it is looked at
   again. */
static bool
transact(struct automation_engine *engine, struct work *work, GError **error)
{
	for (guint tries = 1;; tries++) {
		g_autoptr(GError) failure = NULL;

		if (db_transact(engine->core->db, step, work, &failure))
			return true;
		if (tries < TRIES && g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
			continue;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
}

/* In the child, which has no connection yet. The result says whether it was still due. */
static GBytes *
step_alone(void *context, GError **error)
{
	const struct work *parent = context;
	struct core *core = core_open(parent->engine->core->settings);
	struct automation_engine *engine = automation_engine_new(core);
	struct work work = {.engine = engine, .only = parent->only};

	if (!core_ensure(core, error) || !transact(engine, &work, error))
		return NULL;
	return g_bytes_new(&work.count, sizeof(work.count));
}

static bool
step_apart(struct work *work, GError **error)
{
	const struct base_apart apart = {
	    .what = "The step could not be done",
	    .work = step_alone,
	    .context = work,
	    APART_LIMITS,
	};
	g_autoptr(GBytes) count = base_apart(&apart, error);

	if (count)
		work->count = *(const guint *)g_bytes_get_data(count, NULL);
	return count != NULL;
}

/* Until it is not due any more. */
static bool
step_suspect(struct automation_engine *engine, const struct suspect *suspect, GError **trouble_r,
    GError **error)
{
	struct work work = {.engine = engine, .only = &suspect->id};
	struct db *db = engine->core->db;
	GError *failure = NULL;
	bool done = true;

	for (guint i = 0; done && i < LIMIT_STEPS && (i == 0 || work.count > 0); i++)
		done = suspect->deaths < LIMIT_DEATHS ? transact(engine, &work, &failure)
						      : step_apart(&work, &failure);
	if (done)
		return true;
	if (!is_fault(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	work.fault = failure->message;
	bool dead = g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE);
	done = db_transact(db, dead ? give_up : put_off, &work, error);
	g_clear_error(trouble_r);
	g_propagate_error(trouble_r, failure);
	return done;
}

static bool
step_suspects(
    struct automation_engine *engine, const GArray *suspects, GError **trouble_r, GError **error)
{
	for (guint i = 0; i < suspects->len; i++)
		if (!step_suspect(
			engine, &g_array_index(suspects, struct suspect, i), trouble_r, error))
			return false;
	return true;
}

/* Once what was claimed is stored. A batch that took turns says nothing of the oldest ones. */
static void
move_on(struct automation_engine *engine, const struct work *work)
{
	const struct store_execution_search *search = &work->search;

	if (!search->turns)
		engine->low = work->count > 0 ? work->last : 0;
	store_turn_end(&engine->turn, &search->plan, search->full, &work->last_workspace);
}

/* *more_r: whether the next batch is likely to be a whole one. */
static bool
step_batch(struct automation_engine *engine, guint *count_r, bool *more_r, GError **trouble_r,
    GError **error)
{
	g_autoptr(GArray) suspects = g_array_new(FALSE, FALSE, sizeof(struct suspect));
	struct work work = {
	    .engine = engine, .search.limit = engine->alone > 0 ? 1 : BATCH, .suspects = suspects};
	GError *failure = NULL;

	automation_design_cache_trim(engine->core);
	gint64 low = low_of(engine);
	bool done = transact(engine, &work, &failure);
	if (done && work.count == 0 && low > 0) {
		engine->low = 0;
		done = transact(engine, &work, &failure);
	}
	if (done) {
		engine->alone -= MIN(engine->alone, work.search.limit == 1 ? 1 : 0);
		move_on(engine, &work);
		*count_r += work.count;
		*more_r = work.search.limit == BATCH && (work.search.turns || work.search.full);
		return step_suspects(engine, suspects, trouble_r, error);
	}
	if (!is_fault(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	*count_r += 1;
	if (work.search.limit > 1) {
		engine->alone = BATCH;
		g_error_free(failure);
		return true;
	}
	engine->alone--;
	work.fault = failure->message;
	done = db_transact(engine->core->db, put_off, &work, error);
	if (done)
		move_on(engine, &work);
	g_propagate_error(trouble_r, failure);
	return done;
}

/* As long as there is enough for whole batches; but a worker has other duties too. */
static bool
step_batches(struct automation_engine *engine, guint *count_r, GError **trouble_r, GError **error)
{
	bool more = true;

	for (guint i = 0; more && i < BATCHES; i++) {
		more = false;
		if (!step_batch(engine, count_r, &more, trouble_r, error))
			return false;
	}
	return true;
}

bool
automation_engine_run(
    struct automation_engine *engine, guint *count_r, GError **trouble_r, GError **error)
{
	guint feedback = 0, tasks = 0;

	*count_r = 0;
	*trouble_r = NULL;
	automation_design_cache_trim(engine->core);
	/* Without one it goes on; then a death is counted of nobody. */
	core_ensure_journal(engine->core, NULL);
	if (!automation_feedback_run(engine->core, &feedback, error) ||
	    !automation_task_run(engine->core, &tasks, error))
		return false;
	*count_r = feedback + tasks;
	return step_batches(engine, count_r, trouble_r, error);
}
