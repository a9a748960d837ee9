/* SPDX-License-Identifier: MIT */
/* How far an execution has come, as its row says it. */
#ifndef AUTOMATION_PROGRESS_H
#define AUTOMATION_PROGRESS_H

#include <glib.h>

#include "store/execution.h"

struct store_execution_claimed;
struct automation_design_node;

/* To another node, where it is due at once, at the time of its step. */
void automation_progress_move(
    struct store_execution *execution, const struct automation_design_node *next);

/* It stays at its node until then, however often, and tries again: no failure. */
void automation_progress_wait(struct store_execution_claimed *claimed, gint64 until, gint64 now);

/* Over, with this status. */
void automation_progress_finish(
    struct store_execution_claimed *claimed, enum store_execution_status status, gint64 now);

/* FAILED for good: the step at which it stands could not be done, as message says. */
void automation_progress_fail(
    struct store_execution_claimed *claimed, const char *message, gint64 now);

/* After a step has failed in a way that may pass, as message says: when it is to be tried again, or
   that it has been tried often enough, and is FAILED. */
void automation_progress_retry(
    struct store_execution_claimed *claimed, const char *message, gint64 now);

#endif
