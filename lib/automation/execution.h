/* SPDX-License-Identifier: MIT */
/* The state of one execution: failing, retrying, delaying, finishing and cancelling it. */
#ifndef AUTOMATION_EXECUTION_H
#define AUTOMATION_EXECUTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/automation/execution.h"

struct service;

/* Sets the failure of the current step; NULL: it has none. */
void automation_execution_set_error(struct store_execution *e, const char *message);

/* Leaves the execution at its node until then, without counting a failed attempt. */
void automation_execution_delay(struct store_execution_claimed *claimed, gint64 until, gint64 now);

/* The delay of a step that cannot be done yet, in ms. */
#define AUTOMATION_EXECUTION_DELAY_MS 60000

/* Ends the execution with this status. */
void automation_execution_finish(
    struct store_execution_claimed *claimed, enum store_execution_status status, gint64 now);

/* Marks an execution as FAILED for good at its current step. message says why; now is epoch ms. */
void automation_execution_fail(
    struct store_execution_claimed *claimed, const char *message, gint64 now);

/* After a failure that may pass: sets the time of the next attempt or, after the last one, marks
   the execution as FAILED. message says what failed; now is epoch ms. */
void automation_execution_retry(
    struct store_execution_claimed *claimed, const char *message, gint64 now);

/* Cancels an execution by hand. NOT_FOUND "Execution not found"; CONFLICT when it has finished. */
bool automation_execution_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);

#endif
