/* SPDX-License-Identifier: MIT */
/* Events that reach workflows: those that they start, and the executions that they release or end.
 */
#ifndef AUTOMATION_EVENT_DISPATCH_H
#define AUTOMATION_EVENT_DISPATCH_H

#include <glib.h>
#include <stdbool.h>

#include "automation/recorded.h"

struct service;

/* Starts the workflows whose triggers match the event, and releases the executions that wait for
   it. All filters together have the time of a budget (base/budget.h); those that it does not
   suffice for do not match. Runs inside the event's transaction. *deduplicated_r: triggers matched,
   and the dedupe window of each held its start back. Errors of db/statement.h. */
bool automation_event_dispatch(struct service *service,
    const struct automation_recorded_event *event, bool *deduplicated_r, GError **error);

/* Begins a workflow for a person whose event a start tells: the filter of the trigger and its rules
   about re-entry hold, its name and its dedupe window do not. Releases nothing. Sets the results of
   event->beginning. Runs inside a transaction that has locked the workflow and the person. Errors
   of db/statement.h. */
bool automation_event_begin(
    struct service *service, const struct automation_recorded_event *event, GError **error);

#endif
