/* SPDX-License-Identifier: MIT */
/* One execution: stepping it through its design, retrying, failing and cancelling it. */
#ifndef AUTOMATION_EXECUTION_H
#define AUTOMATION_EXECUTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct automation_batch;
struct service;
struct store_execution_claimed;

/* Steps an execution of the batch until it waits, has finished or has used up its steps for one
   turn. Runs inside the batch's transaction and leaves the rows to store in the batch. An error of
   the step itself is stored with the execution, which is retried or FAILED. Returns false only when
   the database failed. */
bool automation_execution_step(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error);

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
