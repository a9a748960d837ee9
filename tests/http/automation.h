/* SPDX-License-Identifier: MIT */
/* Inserts workflows, executions and their contacts into the database, also in states that no
   request can reach, for tests that read them. */
#ifndef TESTS_HTTP_AUTOMATION_H
#define TESTS_HTTP_AUTOMATION_H

#include "store/automation/execution.h"
#include "store/automation/workflow.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define DESIGN "{\"nodes\":[],\"edges\":[]}"

/* Inserts a workflow with two versions, the first of them active, made by a user. */
struct base_id automation_workflow(const struct fixture *fixture, const char *name);

/* Creates a workflow by a request. Events of that name start it, and its executions wait 30 days.
   The caller owns the id. */
char *automation_start(const struct fixture *fixture, const char *event);

/* Deletes the workflow as the request does, before the engine has cancelled its executions. */
void automation_delete(const struct fixture *fixture, const struct base_id *workflow);

/* A contact with two properties, and an event of it. */
struct base_id automation_contact(const struct fixture *fixture, const char *email);
struct base_id automation_event(
    const struct fixture *fixture, const struct base_id *contact, const char *name);

/* Inserts an execution, with the columns that belong to its status. */
struct base_id automation_execution(const struct fixture *fixture, const struct base_id *workflow,
    const struct base_id *contact, enum store_execution_status status);

/* Inserts an email that an execution sent, with the events sent and delivered. */
struct base_id automation_email(
    const struct fixture *fixture, const struct base_id *workflow, const struct base_id *execution);

/* The text of an id; the caller owns it. */
char *automation_text(const struct base_id *id);

/* Reads a list page by page, and expects all pages but the last to be full. Returns the member key
   of all rows, separated by spaces; the caller owns it. query is "" or "status=...&". */
char *automation_walk(const struct fixture *fixture, const char *path, const char *query,
    const char *collection, const char *key);

#endif
