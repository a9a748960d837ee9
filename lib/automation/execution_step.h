/* SPDX-License-Identifier: MIT */
/* The steps of one execution through its design. */
#ifndef AUTOMATION_EXECUTION_STEP_H
#define AUTOMATION_EXECUTION_STEP_H

#include <glib.h>
#include <stdbool.h>

struct automation_batch;
struct automation_locked_contact;
struct json;
struct store_execution_claimed;
struct store_step_outcome;

/* Steps an execution of the batch until it waits, has finished or has used up its steps for one
   turn. Runs inside the batch's transaction and leaves the rows to store in the batch. An error of
   the step itself is stored with the execution, which is retried or FAILED. Returns false only when
   the database failed. */
bool automation_execution_step(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error);

/* The same for an execution whose request has this outcome, which is not stored. An outcome that no
   step takes is stored, so that the engine finds it. */
bool automation_execution_answer(struct automation_batch *batch,
    struct store_execution_claimed *claimed, const struct store_step_outcome *outcome,
    GError **error);

/* Takes the first steps of an execution that is not stored yet, as far as they do nothing but move
   on and wait, and end nothing. Steps that do more, or may fail, are left to the engine, which
   steps each in a transaction that it can repeat alone; so are executions with a goal or an exit.
   event: the properties of the event that begins it. Returns false only when the database failed.
 */
bool automation_execution_begin(struct automation_batch *batch,
    struct store_execution_claimed *claimed, struct automation_locked_contact *locked,
    struct json *event, GError **error);

#endif
