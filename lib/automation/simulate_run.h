/* SPDX-License-Identifier: MIT */
/* The steps of a simulated execution. */
#ifndef AUTOMATION_SIMULATE_RUN_H
#define AUTOMATION_SIMULATE_RUN_H

#include <glib.h>
#include <stdbool.h>

#include "automation/step.h"
#include "rule/operator.h"

struct automation_run;
struct automation_simulator;
struct json;

/* Frees a struct automation_run, as a GDestroyNotify. */
void automation_simulate_free_run(gpointer data);

/* Whether the deadline has come. */
bool automation_simulate_is_late(const struct automation_simulator *simulator);

/* Merges a patch (NULL: none) into an object, which it replaces. */
void automation_simulate_merge(struct json **object, const struct json *patch);

/* Ends a run's wait at time, by an event of these properties (NULL: none), and runs its next
   steps. */
void automation_simulate_leave(struct automation_simulator *simulator, struct automation_run *run,
    enum automation_step_leave how, gint64 time, const struct json *released);

/* Starts a run by an event, and runs its steps until it waits or ends. name and event (properties;
   NULL: none) are borrowed. */
void automation_simulate_start(struct automation_simulator *simulator, const char *name,
    gint64 time, const struct json *event, const guint8 key[RULE_HASH_SIZE]);

#endif
