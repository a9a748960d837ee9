/* SPDX-License-Identifier: MIT */
/* What is still to be done to many executions of a workflow. */
#ifndef STORE_WORKFLOW_TASK_H
#define STORE_WORKFLOW_TASK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* Stored as number. */
enum store_workflow_task_kind {
	TASK_UNPARK = 1, /* it goes on: its parked executions are due again */
	TASK_CANCEL = 2, /* it is deleted, with its executions */
};

struct store_workflow_task {
	struct base_id workflow_id;
	enum store_workflow_task_kind kind;
};

/* Inside a transaction. */
bool store_workflow_task_add(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, enum store_workflow_task_kind kind, GError **error);

/* All of them, as an array of struct store_workflow_task. The caller owns it. */
GArray *store_workflow_task_list(struct db *db, GError **error);

/* Inside a transaction: takes one in hand, if nobody else has: *taken_r. */
bool store_workflow_task_take(
    struct db *db, const struct store_workflow_task *task, bool *taken_r, GError **error);

/* Inside a transaction: one that has been taken is done. */
bool store_workflow_task_done(
    struct db *db, const struct store_workflow_task *task, GError **error);

/* Inside a transaction: what a deleted workflow leaves behind that nobody can ask for, at most
   limit rows of it. *count_r: how many. */
bool store_workflow_task_sweep(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error);

#endif
