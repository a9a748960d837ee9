/* SPDX-License-Identifier: MIT */
#include "cli/workflow_find.h"

#include "base/id.h"
#include "cli/call.h"
#include "store/automation/workflow.h"
#include "store/workspace/workspace.h"

bool
cli_workflow_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error)
{
	if (base_id_parse(given, id_r))
		return store_workflow_check(call->db, &call->workspace->id, id_r, error);
	return store_workflow_find(call->db, &call->workspace->id, given, id_r, error);
}
