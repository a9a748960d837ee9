/* SPDX-License-Identifier: MIT */
/* The rows of all people whom a transaction of a start begins. */
#ifndef AUTOMATION_BEGUN_H
#define AUTOMATION_BEGUN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct automation_begun;
struct automation_locked_contact;
struct json;
struct service;
struct store_automation_event;
struct store_execution;
struct store_person_told;
struct store_workflow_entry;

/* The rows are gathered while the people are begun one by one, and stored together, in a few round
   trips for all of them. What the rows point to stays until they are stored, but for those of
   executions. event: its properties, for the first steps of the executions, which are taken before
   they are stored (automation_execution_begin); NULL: none are taken. */
struct automation_begun *automation_begun_new(struct json *event);
void automation_begun_free(struct automation_begun *begun);
DEFINE_AUTO(automation_begun, automation_begun_free)

/* Each adds a row. All executions have the same is_exclusive (store_execution_insert), and all
   entries the same first. locked: of the execution. */
void automation_begun_execution(struct automation_begun *begun,
    const struct store_execution *execution, struct automation_locked_contact *locked,
    bool is_exclusive);
void automation_begun_entry(
    struct automation_begun *begun, const struct store_workflow_entry *entry);
void automation_begun_event(
    struct automation_begun *begun, const struct store_automation_event *event);

/* Adds a person, who is stored already, to those who are told the event (store_person_told). */
void automation_begun_told(struct automation_begun *begun, const struct base_id *person);

/* Stores the rows; told: of the event. Errors of db/statement.h. */
bool automation_begun_store(struct automation_begun *begun, struct service *service,
    const struct store_person_told *told, GError **error);

#endif
