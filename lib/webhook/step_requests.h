/* SPDX-License-Identifier: MIT */
/* The requests of workflows' steps, made by the thread of webhooks on its connections.

   1. The engine stores a request with its step, and the execution is due no more.
   2. webhook_step_requests_begin takes as many requests of each host as its connections allow, and
      more of a host that answers promptly. One transaction leases those of a host, and counts the
      attempts.
   3. The poster makes them, outside of any transaction. One that it cannot begin soon comes back
      unsent, so that each attempt ends within its lease.
   4. webhook_step_requests_take gathers the answers.
   5. webhook_step_requests_store stores those that came together (webhook/step_answers.h). One
      transaction asks for the leases, and for executions that still run, moves these executions on,
      and removes the requests.
   6. Where that cannot be, since another process has locked the person or a step fails, the answer
      is stored alone, and makes the execution due: the engine moves it on later.

   A process that dies between 2 and 5 leaves its lease, which ends after the time of the attempt,
   or at once when delivery_recover finds the journal of the process: the request is made again. */
#ifndef WEBHOOK_STEP_REQUESTS_H
#define WEBHOOK_STEP_REQUESTS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "webhook/step_answers.h"

struct fetch_post;
struct fetch_poster;
struct fetch_rules;
struct service;

struct webhook_step_requests;

/* Nothing is under way. service and rules outlive it. The caller frees it. */
struct webhook_step_requests *webhook_step_requests_new(struct service *service,
    const struct fetch_rules *rules, guint host_connections, webhook_step_move move);
void webhook_step_requests_free(struct webhook_step_requests *requests);
DEFINE_AUTO(webhook_step_requests, webhook_step_requests_free)

/* The number of requests under way, and of answers that are not stored. */
guint webhook_step_requests_count(const struct webhook_step_requests *requests);

/* The hosts with requests that are due, as an array of char *, which the caller owns. NULL with
   errors of db/statement.h. */
GPtrArray *webhook_step_requests_find(struct webhook_step_requests *requests, GError **error);

/* Hands due requests to these hosts over to the poster, until room are under way. *ended_r: some
   have ended at once, since they cannot be made. Errors of db/statement.h. */
bool webhook_step_requests_begin(struct webhook_step_requests *requests,
    struct fetch_poster *poster, const GPtrArray *hosts, guint room, bool *ended_r, GError **error);

/* Takes a post that came back, to be stored with others. False, and nothing is done: it is none of
   these. */
bool webhook_step_requests_take(
    struct webhook_step_requests *requests, const struct fetch_post *post);

/* Whether answers are to be stored: they are many, or the oldest has waited long enough, or no more
   come. */
bool webhook_step_requests_are_gathered(const struct webhook_step_requests *requests);

/* Stores the answers that came, as webhook_step_answers_store. */
bool webhook_step_requests_store(
    struct webhook_step_requests *requests, GError **trouble_r, GError **error);

/* Gives back the leases of all requests that are under way, after the poster is freed, and stores
   the answers that came, likewise. */
bool webhook_step_requests_leave(
    struct webhook_step_requests *requests, GError **trouble_r, GError **error);

#endif
