/* SPDX-License-Identifier: MIT */
/* Steps executions that are due, in batches. An execution that makes its batch fail is stepped
 * alone.
 *
 * An execution whose step kills the process is found in these steps:
 * 1. The journal names the execution that is being stepped (service/journal.h).
 * 2. The process dies; the server rolls its transaction back, so that nothing has happened.
 * 3. delivery_recover counts the death against that execution.
 * 4. A batch leaves out executions with deaths. After the batch, each of them is stepped in its own
 *    transaction, node by node, so that another death affects no other execution.
 * 5. After LIMIT_DEATHS deaths a child process with limits runs that transaction. While it
 *    runs its row is locked, and other workers pass it over.
 * 6. The child dies too: the execution is FAILED at the node at which it stands.
 *
 * Events that wait are read before any step, since they may end or release an execution that is
 * due: while a run reads full batches of them it makes no steps.
 */
#include "automation/engine.h"

#include "automation/batch.h"
#include "automation/design_cache.h"
#include "automation/execution.h"
#include "automation/execution_step.h"
#include "automation/feedback.h"
#include "automation/received.h"
#include "automation/workflow.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/process.h"
#include "base/limits/workflow.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "process/isolate.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/step_request.h"

#define BATCH 100
#define BATCHES 5
#define TRIES 10
#define LOW_WATER_MS 5000 /* how long searches may begin where the previous one ended */
#define BEHIND_MS 60000	  /* how long steps wait for events at a stretch */

struct automation_engine {
	struct service *service;
	gint64 low; /* the ready_at at which the next search begins; it returns to 0 from time to
		       time, to find rows that were added below it */
	gint64 reset_at; /* on base_clock_boot */
	struct store_turn turn;
	guint alone; /* how many more executions are stepped one by one */
	/* Since when there are more events to read than one batch: epoch ms, and on
	   base_clock_boot; 0: there are not */
	gint64 behind_since, behind_from;
};

struct attempt {
	struct automation_engine *engine;
	struct store_execution_search search;
	guint count;
	gint64 last;		       /* the latest ready_at of the batch, or the earliest of those
					  that it leaves due */
	struct base_id last_workspace; /* the workspace of that execution */
	const char *fault;
	GArray *suspects; /* of struct suspect: left out of the batch; NULL: leave out none */
	const struct base_id *only; /* step this execution alone; NULL: all that are due */
};

/* An execution during whose step a process died. */
struct suspect {
	struct base_id id;
	guint deaths;
};

struct automation_engine *
automation_engine_new(struct service *service)
{
	struct automation_engine *engine = g_new0(struct automation_engine, 1);

	engine->service = service;
	return engine;
}

void
automation_engine_free(struct automation_engine *engine)
{
	g_free(engine);
}

static gint64
engine_low_of(struct automation_engine *engine)
{
	gint64 now = base_clock_boot();

	if (now >= engine->reset_at) {
		engine->low = 0;
		engine->reset_at = now + LOW_WATER_MS;
	}
	return engine->low;
}

static struct automation_batch *
engine_claim(struct attempt *attempt, GError **error)
{
	struct automation_engine *engine = attempt->engine;

	attempt->search.low = engine->low;
	attempt->search.now = base_clock_now();
	attempt->search.turn = &engine->turn;
	struct automation_batch *batch =
	    attempt->only ? automation_batch_claim_one(
				engine->service, attempt->only, attempt->search.now, error)
			  : automation_batch_claim(engine->service, &attempt->search, error);

	attempt->count = batch ? batch->claimed->len : 0;
	if (attempt->count > 0) {
		const struct store_execution_claimed *last =
		    batch->claimed->pdata[attempt->count - 1];

		attempt->last = last->execution.ready_at;
		attempt->last_workspace = last->execution.workspace_id;
	}
	return batch;
}

/* Moves executions with deaths from the batch to the suspects. */
static void
leave_out_suspects(struct attempt *attempt, struct automation_batch *batch)
{
	g_array_set_size(attempt->suspects, 0);
	for (guint i = batch->claimed->len; i > 0; i--) {
		const struct store_execution *e =
		    &((const struct store_execution_claimed *)batch->claimed->pdata[i - 1])
			 ->execution;
		const struct suspect suspect = {e->id, e->deaths};

		if (e->deaths == 0)
			continue;
		g_array_append_val(attempt->suspects, suspect);
		g_ptr_array_remove_index(batch->claimed, i - 1);
	}
}

/* Shortens the batch to count executions. The others stay due, for the next batch. */
static void
leave_rest(struct attempt *attempt, struct automation_batch *batch, guint count)
{
	const struct store_execution_claimed *next = batch->claimed->pdata[count];

	attempt->count = count;
	attempt->last = next->execution.ready_at;
	g_ptr_array_set_size(batch->claimed, (gint)count);
}

/* Executions that are due again already come before later ones, such as those of the same person.
 */
static void
engine_note_due(struct attempt *attempt, const struct automation_batch *batch)
{
	for (guint i = 0; i < batch->claimed->len; i++) {
		const struct store_execution_claimed *claimed = batch->claimed->pdata[i];
		gint64 ready_at = claimed->execution.ready_at;

		if (ready_at && ready_at <= batch->now)
			attempt->last = MIN(attempt->last, ready_at);
	}
}

static bool
engine_step(struct db *db, void *context, GError **error)
{
	struct attempt *attempt = context;
	AUTO(automation_batch) batch = engine_claim(attempt, error);

	if (!batch)
		return false;
	if (attempt->suspects)
		leave_out_suspects(attempt, batch);
	for (guint i = 0; i < batch->claimed->len; i++) {
		if (i > 0 && automation_design_cache_is_full(attempt->engine->service)) {
			leave_rest(attempt, batch, i);
			break;
		}
		if (!automation_execution_step(batch, batch->claimed->pdata[i], error))
			return false;
	}
	engine_note_due(attempt, batch);
	return automation_batch_store(batch, error);
}

/* Delays an execution whose transaction fails even when it is alone in it. */
static bool
engine_put_off(struct db *db, void *context, GError **error)
{
	struct attempt *attempt = context;
	AUTO(automation_batch) batch = engine_claim(attempt, error);

	if (!batch)
		return false;
	for (guint i = 0; i < batch->claimed->len; i++)
		automation_execution_retry(batch->claimed->pdata[i], attempt->fault, batch->now);
	return automation_batch_store(batch, error);
}

/* Fails an execution whose child process died. */
static bool
engine_give_up(struct db *db, void *context, GError **error)
{
	struct attempt *attempt = context;
	AUTO(automation_batch) batch = engine_claim(attempt, error);

	if (!batch)
		return false;
	for (guint i = 0; i < batch->claimed->len; i++)
		automation_execution_fail(batch->claimed->pdata[i], attempt->fault, batch->now);
	return automation_batch_store(batch, error);
}

/* The place of the outcome of an execution whose lease is held; count: there is none. */
static guint
engine_find_outcome(const struct store_step_outcome *outcomes, guint count, const bool *held,
    const struct base_id *execution)
{
	guint i = 0;

	while (i < count && !(held[i] && base_id_equal(outcomes[i].execution, execution)))
		i++;
	return i;
}

bool
automation_engine_answered(struct service *service, const struct store_step_outcome *outcomes,
    guint count, bool *taken_r, GError **error)
{
	const struct base_id *executions[STORE_STEP_REQUESTS_MOST];
	bool held[STORE_STEP_REQUESTS_MOST];

	for (guint i = 0; i < count; i++) {
		executions[i] = outcomes[i].execution;
		taken_r[i] = false;
	}
	automation_design_cache_trim(service);
	AUTO(automation_batch)
	batch = automation_batch_claim_asking(service, executions, count, error);
	if (!batch || !store_step_request_hold(service->db, outcomes, count, held, error))
		return false;
	for (guint i = 0; i < batch->claimed->len;) {
		struct store_execution_claimed *claimed = batch->claimed->pdata[i];
		const struct store_execution *e = &claimed->execution;
		guint place = engine_find_outcome(outcomes, count, held, &e->id);

		if (place == count || e->deaths > 0 ||
		    (i > 0 && automation_design_cache_is_full(service))) {
			g_ptr_array_remove_index(batch->claimed, i);
			continue;
		}
		if (!automation_execution_answer(batch, claimed, &outcomes[place], error))
			return false;
		taken_r[place] = true;
		i++;
	}
	return automation_batch_store(batch, error);
}

/* Returns whether a transaction failed because of its execution, not because of the database. */
static bool
engine_is_fault(const GError *failure)
{
	return !g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

/* Another transaction may use up a quota between our check and our update of it. The update is then
   LIMITED, and the transaction runs again. */
static bool
engine_transact(struct automation_engine *engine, struct attempt *attempt, GError **error)
{
	for (guint tries = 1;; tries++) {
		g_autoptr(GError) failure = NULL;

		if (db_transact(engine->service->db, engine_step, attempt, &failure))
			return true;
		if (tries < TRIES && g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
			continue;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
}

/* Steps one execution in the child process, which opens its own connection and counts for itself.
   Returns the number of executions that were due (0 or 1). */
static GBytes *
engine_step_alone(void *context, GError **error)
{
	const struct attempt *parent = context;
	struct service *service = service_open(parent->engine->service->settings);
	struct automation_engine *engine = automation_engine_new(service);
	struct attempt attempt = {.engine = engine, .only = parent->only};

	service_metrics_forget();
	if (!service_ensure(service, error) || !service_confine(service, 0, error) ||
	    !engine_transact(engine, &attempt, error))
		return NULL;
	service_metrics_flush(service, true);
	return g_bytes_new(&attempt.count, sizeof(attempt.count));
}

static bool
step_apart(struct attempt *attempt, GError **error)
{
	const struct process_isolate apart = {
	    .what = "The step could not be done",
	    .work = engine_step_alone,
	    .context = attempt,
	    APART_LIMITS,
	};
	g_autoptr(GBytes) count = process_isolate(&apart, error);

	if (count)
		attempt->count = *(const guint *)g_bytes_get_data(count, NULL);
	return count != NULL;
}

/* Steps one suspect until it is no longer due. */
static bool
step_suspect(struct automation_engine *engine, const struct suspect *suspect, GError **trouble_r,
    GError **error)
{
	struct attempt attempt = {.engine = engine, .only = &suspect->id};
	struct db *db = engine->service->db;
	GError *failure = NULL;
	bool done = true;

	for (guint i = 0; done && i < LIMIT_STEPS && (i == 0 || attempt.count > 0); i++)
		done = suspect->deaths < LIMIT_DEATHS ? engine_transact(engine, &attempt, &failure)
						      : step_apart(&attempt, &failure);
	if (done)
		return true;
	if (!engine_is_fault(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	attempt.fault = failure->message;
	bool dead = g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE);
	done = db_transact(db, dead ? engine_give_up : engine_put_off, &attempt, error);
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

/* Sets where the next search begins, after a batch was stored. A batch that took turns between
   workspaces does not tell where the oldest due rows are. */
static void
move_on(struct automation_engine *engine, const struct attempt *attempt)
{
	const struct store_execution_search *search = &attempt->search;

	if (!search->turns)
		engine->low = attempt->count > 0 ? attempt->last : 0;
	store_turn_end(&engine->turn, &search->plan, search->full, &attempt->last_workspace);
}

/* Steps one batch. *more_r: the next batch is probably full too. */
static bool
step_batch(struct automation_engine *engine, guint *count_r, bool *more_r, GError **trouble_r,
    GError **error)
{
	g_autoptr(GArray) suspects = g_array_new(FALSE, FALSE, sizeof(struct suspect));
	struct attempt attempt = {
	    .engine = engine, .search.limit = engine->alone > 0 ? 1 : BATCH, .suspects = suspects};
	GError *failure = NULL;

	automation_design_cache_trim(engine->service);
	gint64 low = engine_low_of(engine);
	bool done = engine_transact(engine, &attempt, &failure);
	if (done && attempt.count == 0 && low > 0) {
		engine->low = 0;
		done = engine_transact(engine, &attempt, &failure);
	}
	if (done) {
		engine->alone -= MIN(engine->alone, attempt.search.limit == 1 ? 1 : 0);
		move_on(engine, &attempt);
		*count_r += attempt.count;
		*more_r =
		    attempt.search.limit == BATCH && (attempt.search.turns || attempt.search.full);
		return step_suspects(engine, suspects, trouble_r, error);
	}
	if (!engine_is_fault(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	*count_r += 1;
	if (attempt.search.limit > 1) {
		engine->alone = BATCH;
		g_error_free(failure);
		return true;
	}
	engine->alone--;
	attempt.fault = failure->message;
	done = db_transact(engine->service->db, engine_put_off, &attempt, error);
	if (done)
		move_on(engine, &attempt);
	g_propagate_error(trouble_r, failure);
	return done;
}

/* Steps full batches, up to BATCHES of them, since the worker also delivers emails. */
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

/* Whether steps have to wait, since events that happened before are still to be read. Those that
   come while these are read do not count, so that steps get their turn however many come. */
static bool
engine_is_behind(
    struct automation_engine *engine, gint64 now, const struct automation_feedback_batch *batch)
{
	gint64 boot = base_clock_boot();

	if (!batch->is_full ||
	    (engine->behind_since > 0 && (batch->newest >= engine->behind_since ||
					     boot - engine->behind_from >= BEHIND_MS))) {
		engine->behind_since = 0;
		return false;
	}
	if (engine->behind_since == 0) {
		engine->behind_since = now;
		engine->behind_from = boot;
	}
	return true;
}

bool
automation_engine_run(
    struct automation_engine *engine, guint *count_r, GError **trouble_r, GError **error)
{
	struct automation_feedback_batch feedback;
	guint tasks = 0, received = 0;
	gint64 now = base_clock_now();

	*count_r = 0;
	*trouble_r = NULL;
	automation_design_cache_trim(engine->service);
	/* A missing journal only means that deaths are not counted. */
	service_ensure_journal(engine->service, NULL);
	if (!automation_feedback_run(engine->service, &feedback, error) ||
	    !automation_received_run(engine->service, &received, error) ||
	    !automation_workflow_run_tasks(engine->service, &tasks, error))
		return false;
	*count_r = feedback.count + received + tasks;
	return engine_is_behind(engine, now, &feedback) ||
	       step_batches(engine, count_r, trouble_r, error);
}
