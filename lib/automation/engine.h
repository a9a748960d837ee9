/* SPDX-License-Identifier: MIT */
/* The workflow engine: a worker of the spool runs it to step executions. */
#ifndef AUTOMATION_ENGINE_H
#define AUTOMATION_ENGINE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct service;
struct store_step_outcome;

/* One worker's engine. */
struct automation_engine;

/* Makes an engine, which borrows service. The caller frees it. */
struct automation_engine *automation_engine_new(struct service *service);
void automation_engine_free(struct automation_engine *engine);
DEFINE_AUTO(automation_engine, automation_engine_free)

/* Records the feedback on workflow emails (automation/feedback.h), runs the tasks of changed
   workflows (automation/workflow.h), and steps executions that are due: one batch of each, or a
   few. *count_r: how many rows were processed; 0: nothing is due now. A step and its effects are
   one transaction, so any number of workers may run at once, and each may die at any point.
   *trouble_r (not NULL): the error of an execution that could not be stepped, for the log, or NULL;
   the caller frees it. False when the database failed. */
bool automation_engine_run(
    struct automation_engine *engine, guint *count_r, GError **trouble_r, GError **error);

/* Inside a transaction: takes the outcomes of requests that are answered, at most
   STORE_STEP_REQUESTS_MOST, and makes the steps of their executions. taken_r: of each whether that
   was done. It is not where the lease is another's or the execution has ended, and not where
   another process has locked the execution or its person, or where the execution has killed a
   process before: the outcome is then to be stored alone (store_step_request_end), which asks for
   the lease too. Errors of a step, and of db/statement.h: each may do without the others. */
bool automation_engine_answered(struct service *service, const struct store_step_outcome *outcomes,
    guint count, bool *taken_r, GError **error);

#endif
