/* SPDX-License-Identifier: MIT */
/* Notes in the audit what a command has changed. */
#include "cli/audit.h"

#include <string.h>

#include "base/log.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/workspace.h"

struct store_audit
cli_audit_operator(const struct base_id *workspace, const char *action)
{
	return (struct store_audit){
	    .workspace_id = *workspace,
	    .actor = AUDIT_OPERATOR,
	    .actor_name = g_get_user_name(),
	    .action = action,
	};
}

static bool
add(struct cli_call *call, const struct base_id *workspace, GError **error)
{
	const char *action = call->audit ? call->audit : call->command->audit;
	struct store_audit audit = cli_audit_operator(workspace, action);
	g_autofree char *type = g_strndup(action, strcspn(action, "."));

	audit.target_type = type;
	cli_output_named(call->output, &audit.target_id, &audit.target_name);
	return store_audit_add(call->db, &audit, error);
}

void
cli_audit_note(struct cli_call *call)
{
	g_autoptr(GError) error = NULL;
	bool done;

	if (!call->command->audit || call->only_read)
		return;
	if (call->workspace) {
		done = add(call, &call->workspace->id, &error);
	} else {
		/* A command about a workspace has its name as the first argument. */
		AUTO(store_workspace) named =
		    store_workspace_find(call->db, call->values[0].text, &error);
		done = named && add(call, &named->id, &error);
	}
	if (!done)
		base_log("the change is not in the audit: %s", error->message);
}
