/* SPDX-License-Identifier: MIT */
/* The rows of all people whom a transaction of a start begins. */
#ifndef AUTOMATION_BEGUN_H
#define AUTOMATION_BEGUN_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct automation_begun;
struct automation_locked_contact;
struct service;
struct store_automation_event;
struct store_execution;
struct store_workflow_entry;

/* The rows are gathered while the people are begun one by one, and stored together, in a few round
   trips for all of them. What the rows point to stays until they are stored, but for the key of an
   execution. */
struct automation_begun *automation_begun_new(void);
void automation_begun_free(struct automation_begun *begun);
DEFINE_AUTO(automation_begun, automation_begun_free)

/* Each adds a row. All executions have the same is_exclusive (store_execution_insert), and all
   entries the same first. The contact is stored as it is when the rows are stored. */
void automation_begun_execution(
    struct automation_begun *begun, const struct store_execution *execution, bool is_exclusive);
void automation_begun_entry(
    struct automation_begun *begun, const struct store_workflow_entry *entry);
void automation_begun_event(
    struct automation_begun *begun, const struct store_automation_event *event);
void automation_begun_seen(
    struct automation_begun *begun, struct automation_locked_contact *locked);

/* Stores the rows. Errors of db/statement.h. */
bool automation_begun_store(
    const struct automation_begun *begun, struct service *service, GError **error);

#endif
