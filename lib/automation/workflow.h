/* SPDX-License-Identifier: MIT */
/* Workflows: making, changing and removing them, and the tasks that this leaves for the engine. */
#ifndef AUTOMATION_WORKFLOW_H
#define AUTOMATION_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/automation/workflow.h"

struct json_view;
struct service;
struct store_edit;

/* The members of a workflow, a struct store_workflow, in answers, and in lists. */
extern const struct json_view automation_workflow_view, automation_workflow_list;

/* The members of a workflow to set. All borrowed. */
struct automation_workflow_change {
	const char *name;   /* NULL: unchanged */
	const char *status; /* "draft", "active" or "paused"; NULL: unchanged, draft if new */
	const char *design; /* JSON text of a new version; NULL: unchanged */
	gsize design_size;
	const char
	    *form; /* the steps that design was made of (store/automation/workflow.h), or NULL */
	const struct store_edit *edit; /* NULL: of nobody known. Its tags are those of
					  store_edit_tag(updated) */
};

/* The author of a workflow: an email address, or the id of a key. */
struct automation_workflow_author {
	const char *name;
	enum store_workflow_author type;
};

/* Makes a workflow; change has a name and a design. *id_r: its id. INVALID, naming name, status, or
   the design's node at fault. CONFLICT when the workspace has its maximum of workflows, or of
   active workflows that the same event starts. */
bool automation_workflow_create(struct service *service, const struct base_id *workspace,
    const struct automation_workflow_author *author,
    const struct automation_workflow_change *change, struct base_id *id_r, GError **error);

/* Changes a workflow. A paused workflow starts and steps nothing; its executions continue when it
   is no longer paused. INVALID, and CONFLICT for the event, as in automation_workflow_create;
   CHANGED as the edit says; NOT_FOUND "Workflow not found". */
bool automation_workflow_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct automation_workflow_change *change, GError **error);

/* Removes a workflow, and cancels its executions. NOT_FOUND "Workflow not found". */
bool automation_workflow_remove(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);

/* Makes a workflow a draft, and cancels its executions: many at once, and those that are left
   later, by its task, unless it is active again. NOT_FOUND "Workflow not found". */
bool automation_workflow_stop(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);

/* Runs one batch of each pending task: unparks the executions of a workflow that is no longer
   paused, or cancels those of a removed or stopped workflow. *count_r: how many rows were changed.
   Any number of processes may run this at once. Errors of db/transaction.h. */
bool automation_workflow_run_tasks(struct service *service, guint *count_r, GError **error);

#endif
