/* SPDX-License-Identifier: MIT */
/* The engine: what a worker of the spool does for workflows. */
#ifndef AUTOMATION_ENGINE_H
#define AUTOMATION_ENGINE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct core;

/* One worker's engine. core is not owned. */
struct automation_engine;

struct automation_engine *automation_engine_new(struct core *core);
void automation_engine_free(struct automation_engine *engine);
DEFINE_AUTO(automation_engine, automation_engine_free)

/* Takes in what became of emails, does what changed workflows ask for, and steps executions that
   are due: a batch of each, or a few. *count_r: how much was done; 0: nothing is due now. Each step
   and its effect are one transaction, so that any number of workers may do this at once, and die at
   it. *trouble_r (not NULL) is what was wrong with an execution that could not be stepped, for the
   log, which the caller frees; else NULL. False when the database could not be asked. */
bool automation_engine_run(
    struct automation_engine *engine, guint *count_r, GError **trouble_r, GError **error);

#endif
