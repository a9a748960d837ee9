/* SPDX-License-Identifier: MIT */
/* Changes the state of one execution: fails, retries, delays, finishes and cancels it. */
#include "automation/execution.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/own.h"

#define MESSAGE_LENGTH 1000

/* ms between attempts of a step */
static const gint64 pauses[] = {AUTOMATION_EXECUTION_DELAY_MS, 5 * 60000, 15 * 60000, 60 * 60000};

void
automation_execution_set_error(struct store_execution *e, const char *message)
{
	g_clear_pointer(&e->error_step, g_free);
	g_clear_pointer(&e->error_message, g_free);
	if (!message)
		return;
	e->error_step = g_strdup(e->step_id);
	e->error_message =
	    g_utf8_substring(message, 0, MIN(g_utf8_strlen(message, -1), MESSAGE_LENGTH));
}

void
automation_execution_delay(struct store_execution_claimed *claimed, gint64 until, gint64 now)
{
	claimed->execution.updated = now;
	claimed->execution.ready_at = until;
}

void
automation_execution_finish(
    struct store_execution_claimed *claimed, enum store_execution_status status, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	e->status = status;
	e->ready_at = e->wait_until = e->released = 0;
	e->attempts = 0;
	e->completed = now;
	claimed->exclusive = false;
}

void
automation_execution_fail(struct store_execution_claimed *claimed, const char *message, gint64 now)
{
	automation_execution_set_error(&claimed->execution, message);
	automation_execution_finish(claimed, EXECUTION_FAILED, now);
}

void
automation_execution_retry(struct store_execution_claimed *claimed, const char *message, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	e->updated = now;
	if (e->attempts >= G_N_ELEMENTS(pauses)) {
		automation_execution_fail(claimed, message, now);
		return;
	}
	automation_execution_set_error(e, message);
	e->ready_at = now + pauses[e->attempts++];
}

struct cancellation {
	const struct store_execution *execution;
	guint count;
};

static bool
execution_cancel_running(struct db *db, void *context, GError **error)
{
	struct cancellation *cancellation = context;

	return store_execution_cancel(
	    db, cancellation->execution, base_clock_now(), &cancellation->count, error);
}

bool
automation_execution_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	AUTO(store_execution) execution = store_execution_get(service->db, workspace, id, error);
	struct cancellation cancellation = {execution, 0};

	if (!execution)
		return false;
	bool runs =
	    execution->status == EXECUTION_IN_PROGRESS || execution->status == EXECUTION_WAITING;
	if (runs && !db_transact(service->db, execution_cancel_running, &cancellation, error))
		return false;
	if (cancellation.count > 0) {
		service_metrics_add(METRIC_EXECUTIONS_ENDED, cancellation.count, "cancelled", NULL);
		return true;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Execution has already finished");
	return false;
}
