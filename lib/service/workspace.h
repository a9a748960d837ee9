/* SPDX-License-Identifier: MIT */
/* A workspace: its name, its default sender, and its limits with what is used of them. */
#ifndef SERVICE_WORKSPACE_H
#define SERVICE_WORKSPACE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/workspace/limit.h"

struct base_id;
struct service;
struct store_workspace;

struct service_workspace {
	struct store_workspace *workspace;
	struct store_limits limits;
	gint64 used[STORE_LIMIT_COUNT]; /* indexed like limits; -1: not counted */
};

void service_workspace_free(struct service_workspace *workspace);
DEFINE_AUTO(service_workspace, service_workspace_free)

/* Reads a workspace. A rate is not counted, and a quota only while it is set; for
   workflows_per_event, the event with the most active workflows counts. Errors of db/statement.h.
   The caller frees it. */
struct service_workspace *service_workspace_get(
    struct service *service, const struct base_id *id, GError **error);

/* Sets name and default sender (NULL: unchanged). INVALID "default_sender ..." when the sender is
   no address or too long; CONFLICT when another workspace has the name. */
bool service_workspace_change(struct service *service, const struct base_id *id, const char *name,
    const char *sender, GError **error);

#endif
