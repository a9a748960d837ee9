/* SPDX-License-Identifier: MIT */
/* The workflow engine: a worker of the spool runs it to step executions. */
#ifndef AUTOMATION_ENGINE_H
#define AUTOMATION_ENGINE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct service;

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

/* Inside the transaction that has stored the answer to the request of an execution: makes its steps
   that are due, unless another process has locked it or its person, or it has killed a process
   before. Errors of a step, and of db/statement.h: the answer is then to be stored alone. */
bool automation_engine_answered(
    struct service *service, const struct base_id *execution, GError **error);

#endif
