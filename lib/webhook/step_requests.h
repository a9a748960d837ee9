/* SPDX-License-Identifier: MIT */
/* The requests of workflows' steps, made by the thread of webhooks on its connections.

   1. The engine stores a request with its step, and the execution is due no more.
   2. webhook_step_requests_begin takes as many requests of each host as its connections allow. A
      lease is one statement, which counts the attempt.
   3. The poster makes it, outside of any transaction.
   4. webhook_step_requests_take stores the outcome. An answer that ends the request makes the
      execution due, in the statement that stores it: it asks for the lease, and for an execution
      that still runs. The same transaction moves the execution on, and removes the row.
   5. Where that cannot be, since another process has locked the person, the workflow is paused or
      the step fails, the answer is stored alone: the engine moves the execution on later.

   A process that dies between 2 and 4 leaves its lease, which ends after the time of the attempt,
   or at once when delivery_recover finds the journal of the process: the request is made again. */
#ifndef WEBHOOK_STEP_REQUESTS_H
#define WEBHOOK_STEP_REQUESTS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct fetch_post;
struct fetch_poster;
struct fetch_rules;
struct service;

struct base_id;

struct webhook_step_requests;

/* Inside the transaction that has stored the answer to the request of an execution: moves it on, as
   automation_engine_answered does, and with that removes the row of the request. */
typedef bool (*webhook_step_move)(
    struct service *service, const struct base_id *execution, GError **error);

/* Nothing is under way. service and rules outlive it. The caller frees it. */
struct webhook_step_requests *webhook_step_requests_new(struct service *service,
    const struct fetch_rules *rules, guint host_connections, webhook_step_move move);
void webhook_step_requests_free(struct webhook_step_requests *requests);
DEFINE_AUTO(webhook_step_requests, webhook_step_requests_free)

/* The number of requests under way. */
guint webhook_step_requests_count(const struct webhook_step_requests *requests);

/* The hosts with requests that are due, as an array of char *, which the caller owns. NULL with
   errors of db/statement.h. */
GPtrArray *webhook_step_requests_find(struct webhook_step_requests *requests, GError **error);

/* Hands due requests to these hosts over to the poster, until room are under way. *ended_r: some
   have ended at once, since they cannot be made. Errors of db/statement.h. */
bool webhook_step_requests_begin(struct webhook_step_requests *requests,
    struct fetch_poster *poster, const GPtrArray *hosts, guint room, bool *ended_r, GError **error);

/* Takes a post that came back, and stores its outcome. *own_r: it is one of these; else nothing
   is done. Errors of db/statement.h; the lease then ends by itself. */
bool webhook_step_requests_take(struct webhook_step_requests *requests,
    const struct fetch_post *post, bool *own_r, GError **error);

/* Gives back the leases of all requests that are under way. Errors of db/statement.h. */
bool webhook_step_requests_leave(struct webhook_step_requests *requests, GError **error);

#endif
