/* SPDX-License-Identifier: MIT */
/* The steps of one execution through its design. */
#ifndef AUTOMATION_EXECUTION_STEP_H
#define AUTOMATION_EXECUTION_STEP_H

#include <glib.h>
#include <stdbool.h>

struct automation_batch;
struct store_execution_claimed;

/* Steps an execution of the batch until it waits, has finished or has used up its steps for one
   turn. Runs inside the batch's transaction and leaves the rows to store in the batch. An error of
   the step itself is stored with the execution, which is retried or FAILED. Returns false only when
   the database failed. */
bool automation_execution_step(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error);

#endif
