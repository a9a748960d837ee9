/* SPDX-License-Identifier: MIT */
/* The answers to workflows' requests that have come and are not stored.

   Those that come together are stored in one transaction, with the moves of their executions. Where
   that cannot be, since one step fails or the server has rolled it back, each has a transaction of
   its own; where that cannot be either, the answer is stored alone, and the engine makes the step.
   Each asks for its lease, so what is stored twice changes nothing. */
#ifndef WEBHOOK_STEP_ANSWERS_H
#define WEBHOOK_STEP_ANSWERS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/automation/step_request.h"

struct service;

/* Inside a transaction: takes outcomes and moves their executions on, as automation_engine_answered
   does. */
typedef bool (*webhook_step_move)(struct service *service,
    const struct store_step_outcome *outcomes, guint count, bool *taken_r, GError **error);

/* The answer to a request, or the fault of its attempt. */
struct webhook_step_answer {
	struct store_step_request *request;
	struct store_step_outcome outcome; /* borrows from the members below, and from request */
	char *body, *error;
	bool is_unsent; /* no attempt was made: the lease is given back, and outcome tells nothing
			   else */
};

/* An answer without attempt or body, which takes over the request; the caller frees it. */
struct webhook_step_answer *webhook_step_answer_new(struct store_step_request *request);
void webhook_step_answer_free(struct webhook_step_answer *answer);
DEFINE_AUTO(webhook_step_answer, webhook_step_answer_free)

struct webhook_step_answers;

/* There are none. service outlives them. The caller frees them. */
struct webhook_step_answers *webhook_step_answers_new(
    struct service *service, webhook_step_move move);
void webhook_step_answers_free(struct webhook_step_answers *answers);
DEFINE_AUTO(webhook_step_answers, webhook_step_answers_free)

/* Adds an answer, and takes it over. */
void webhook_step_answers_add(
    struct webhook_step_answers *answers, struct webhook_step_answer *answer);

guint webhook_step_answers_count(const struct webhook_step_answers *answers);

/* For how long the oldest has waited, ms; 0: there is none. */
gint64 webhook_step_answers_age(const struct webhook_step_answers *answers);

/* Stores all. *trouble_r: the error of one that can never be stored, and is dropped, for the log,
   or NULL; the caller frees it. Returns false with TEMPORARY or UNCERTAIN, and keeps those that are
   not stored, or may not be: to be called again after service_ensure. */
bool webhook_step_answers_store(
    struct webhook_step_answers *answers, GError **trouble_r, GError **error);

#endif
