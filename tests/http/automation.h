/* SPDX-License-Identifier: MIT */
/* Workflows and what comes of them, put into the database as they are: for tests of how they are
   read, in states that no request brings about. */
#ifndef TESTS_HTTP_AUTOMATION_H
#define TESTS_HTTP_AUTOMATION_H

#include "store/execution.h"
#include "store/workflow.h"
#include "tests/http/exchange.h"
#include "tests/http/tenant.h"

#define DESIGN "{\"nodes\":[],\"edges\":[]}"

/* An active workflow of two versions, of which the first is active; made by a user. */
struct base_id automation_workflow(const struct tenant *tenant, const char *name);

/* One that is made by a request, and begins with each event of that name: its executions wait for
   30 days. Its id; the caller owns it. */
char *automation_start(const struct tenant *tenant, const char *event);

/* Deletes it, as far as the request does that at once: its executions are not cancelled yet. */
void automation_delete(const struct tenant *tenant, const struct base_id *workflow);

/* A contact with two properties, and an event of it. */
struct base_id automation_contact(const struct tenant *tenant, const char *email);
struct base_id automation_event(
    const struct tenant *tenant, const struct base_id *contact, const char *name);

/* An execution with all that belongs to its status. */
struct base_id automation_execution(const struct tenant *tenant, const struct base_id *workflow,
    const struct base_id *contact, enum store_execution_status status);

/* An email that it sent, with the events sent and delivered. */
struct base_id automation_email(
    const struct tenant *tenant, const struct base_id *workflow, const struct base_id *execution);

/* The text of an id; the caller owns it. */
char *automation_text(const struct base_id *id);

/* Walks a list from its first page to its last, which must be as full as they have to be: the
   members called key of its items, separated by spaces. query: "" or "status=...&". The caller owns
   it. */
char *automation_walk(const struct tenant *tenant, const char *path, const char *query,
    const char *collection, const char *key);

#endif
