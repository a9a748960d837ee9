/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_WORKFLOW_H
#define AUTOMATION_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/workflow.h"

struct core;

/* What a workflow is to be. All borrowed. */
struct automation_workflow_change {
	const char *name;   /* NULL: as it is */
	const char *status; /* "draft", "active" or "paused"; NULL: as it is, a new one draft */
	const char *design; /* JSON text, a new version; NULL: as it is */
	gsize design_size;
};

/* Who does it: an email address, or the id of a key. */
struct automation_author {
	const char *name;
	enum store_workflow_author type;
};

/* Makes one; name and design are given. INVALID, naming name, status, or in the design the node
   that is at fault. CONFLICT when the workspace has as many as it may, or as many that are active
   and start by the same event. */
bool automation_workflow_create(struct core *core, const struct base_id *workspace,
    const struct automation_author *author, const struct automation_workflow_change *change,
    struct base_id *id_r, GError **error);

/* Changes one. Nothing of a workflow steps or starts any more once it has been made paused, and its
   executions go on when it is no more. INVALID and, of the event, CONFLICT likewise; NOT_FOUND
   "Workflow not found". */
bool automation_workflow_change(struct core *core, const struct base_id *workspace,
    const struct base_id *id, const struct automation_workflow_change *change, GError **error);

/* Removes one, and cancels its executions. NOT_FOUND "Workflow not found". */
bool automation_workflow_remove(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
