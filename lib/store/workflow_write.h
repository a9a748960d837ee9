/* SPDX-License-Identifier: MIT */
/* Workflows, as they are made, changed and looked at by the engine. All but the last inside a
   transaction. */
#ifndef STORE_WORKFLOW_WRITE_H
#define STORE_WORKFLOW_WRITE_H

#include "store/workflow.h"

/* All of it but the design. */
bool store_workflow_insert(struct db *db, const struct store_workflow *workflow, GError **error);

/* The workflow, without its design, which nobody else changes until the transaction ends, and which
   nobody steps. As store_workflow_missing. The caller frees it. */
struct store_workflow *store_workflow_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* name, status, current_version, active_version and updated. */
bool store_workflow_update(struct db *db, const struct store_workflow *workflow, GError **error);

bool store_workflow_delete(struct db *db, const struct base_id *id, gint64 now, GError **error);

/* A design of it, as text. */
bool store_workflow_version_insert(struct db *db, const struct store_workflow *workflow,
    guint version, const char *design, gsize size, GError **error);

/* What decides whether its executions may step. */
struct store_workflow_state {
	struct base_id id;
	enum store_workflow_status status;
	bool deleted;
};

/* The states of workflows, whose ids are set, and which stay so until the transaction ends: who
   changes them waits. One that is not there at all counts as deleted. */
bool store_workflow_states(
    struct db *db, struct store_workflow_state *states, guint count, GError **error);

/* A version's text; NULL without error when there is none. The caller owns it. */
bool store_workflow_design(struct db *db, const struct base_id *id, guint version, char **text_r,
    gsize *size_r, GError **error);

#endif
