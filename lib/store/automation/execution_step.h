/* SPDX-License-Identifier: MIT */
/* The steps that executions have left. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_AUTOMATION_EXECUTION_STEP_H
#define STORE_AUTOMATION_EXECUTION_STEP_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_execution;

/* How a step ended, or how it stands. Rows are DONE or SKIPPED. */
enum store_execution_result {
	RESULT_NONE, /* it is due */
	RESULT_DONE,
	RESULT_WAITING,
	RESULT_SKIPPED, /* an email that was not sent, or a step that was cancelled */
	RESULT_RETRYING,
	RESULT_FAILED,
};

/* A step of an execution. Texts are NULL and times (epoch ms) 0 where there is nothing. */
struct store_execution_step {
	struct base_id execution_id, workspace_id;
	guint sequence; /* from 1 */
	char *step_id, *type;
	gint64 entered, left;
	enum store_execution_result result;
	char *branch, *why;
	struct base_id email_id;
	bool has_email;
	gint64 wait_until;
	char *error;
	char *given; /* what the node gave, a JSON object; not read by lists */
};

void store_execution_step_free(struct store_execution_step *step);
DEFINE_AUTO(store_execution_step, store_execution_step_free)

/* Stores the rows of steps. Deferred (db_defer). */
bool store_execution_step_insert(
    struct db *db, const struct store_execution_step *steps, guint count, GError **error);

/* The result of a step: its node, and what it gave. */
struct store_execution_given {
	char *step_id, *given;
};

/* The results that the nodes of an execution gave at their visits, oldest first, as an array of
   struct store_execution_given. The caller owns it. */
GPtrArray *store_execution_step_given(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, GError **error);

/* The rows of an execution behind a sequence and up to its step_count, in their order, at most
   limit, as an array of struct store_execution_step. The caller owns it. */
GPtrArray *store_execution_step_list(struct db *db, const struct store_execution *execution,
    guint after, guint limit, GError **error);

#endif
