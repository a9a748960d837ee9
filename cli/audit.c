/* SPDX-License-Identifier: MIT */
/* Notes in the audit what a command has changed. */
#include "cli/audit.h"

#include <string.h>

#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "config/log.h"
#include "config/log_line.h"
#include "store/workspace/audit_name.h"
#include "store/workspace/workspace.h"

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

/* The type of what an action changes: the word before its dot. The caller owns it. */
static char *
audit_type(const char *action)
{
	return g_strndup(action, strcspn(action, "."));
}

/* Whether the audit calls a thing of this type by its name, which is the first argument. */
static bool
audit_is_named(const char *type)
{
	static const char *const named[] = {"property", "secret", "stream", NULL};

	return g_strv_contains(named, type);
}

/* Names what was changed: by the answer or, if it tells no id, by an argument that is one, such as
   the key of a property. A command about a workspace names the workspace. */
static void
name_target(const struct cli_call *call, const struct store_workspace *workspace,
    char text_r[ID_TEXT_SIZE], struct store_audit *audit)
{
	const struct cli_command *command = call->command;

	if (strcmp(audit->target_type, "workspace") == 0) {
		audit->target_id = base_id_format(&workspace->id, text_r);
		audit->target_name = workspace->name;
		return;
	}
	cli_output_named(call->output, &audit->target_id, &audit->target_name);
	if (!audit->target_id && command->count > 0 &&
	    (audit_is_named(audit->target_type) || command->parameters[0].type == PARAMETER_ID))
		audit->target_id = call->values[0].text;
	if (call->audit_name)
		audit->target_name = call->audit_name;
}

/* The name that the database has of something; NULL: none, or it cannot be read, which is logged.
   The caller owns it. */
static char *
audit_read_name(
    const struct cli_call *call, const struct base_id *workspace, const char *type, const char *id)
{
	g_autoptr(GError) error = NULL;
	char *name;

	if (!store_audit_name_get(call->db, workspace, type, id, &name, &error))
		config_log("the audit cannot read a name: %s", error->message);
	return name;
}

void
cli_audit_foresee(struct cli_call *call)
{
	const char *action = call->command->audit;
	const char *given = call->command->count > 0 ? call->values[0].text : NULL;
	struct base_id id;

	if (!action || !given || !call->workspace || !g_str_has_suffix(action, ".deleted"))
		return;
	g_autofree char *type = audit_type(action);
	bool has_name = strcmp(type, "workflow") == 0 || strcmp(type, "audience") == 0;
	if (has_name && !base_id_parse(given, &id))
		call->audit_name = g_strdup(given);
	else
		call->audit_name = audit_read_name(call, &call->workspace->id, type, given);
}

static bool
audit_note_of(struct cli_call *call, const struct store_workspace *workspace, GError **error)
{
	const char *action = call->audit ? call->audit : call->command->audit;
	struct store_audit audit = cli_audit_operator(&workspace->id, action);
	g_autofree char *type = audit_type(action), *known = NULL;
	char text[ID_TEXT_SIZE];

	audit.target_type = type;
	name_target(call, workspace, text, &audit);
	g_autofree char *hint = strcmp(type, "suppression") == 0 &&
					strcmp(call->command->parameters[0].name, "EMAIL") == 0
				    ? config_log_line_hint(call->settings, call->values[0].text)
				    : NULL;
	if (hint)
		audit.target_name = hint;
	if (!audit.target_name && audit.target_id)
		audit.target_name = known =
		    audit_read_name(call, &workspace->id, type, audit.target_id);
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
		done = audit_note_of(call, call->workspace, &error);
	} else {
		/* A command about a workspace has its name as the first argument. */
		AUTO(store_workspace) named =
		    store_workspace_find(call->db, call->values[0].text, &error);
		done = named && audit_note_of(call, named, &error);
	}
	if (!done)
		config_log("the change is not in the audit: %s", error->message);
}
