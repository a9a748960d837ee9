/* SPDX-License-Identifier: MIT */
/* posthouse workflow put: saves designs. */
#include <string.h>

#include "automation/workflow.h"
#include "base/error.h"
#include "base/limits.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/workflow.h"
#include "core/core.h"
#include "store/workflow.h"
#include "store/workspace.h"

enum { PUT_FILE, PUT_NAME, PUT_ID, PUT_ACTIVATE, PUT_USER };
const struct cli_parameter cli_workflow_put_parameters[WORKFLOW_PUT_PARAMETERS] = {
    [PUT_FILE] = {"FILE", "the design, as an editor saves it: JSON", .type = PARAMETER_FILE},
    [PUT_NAME] = {"--name", "what to call it; without it as FILE, without .json", "NAME",
	.max = LIMIT_NAME_LENGTH},
    [PUT_ID] = {"--id", "of which workflow it is the next version, whatever that is called", "ID",
	PARAMETER_ID},
    [PUT_ACTIVATE] = {"--activate", "let events start it", NULL, PARAMETER_FLAG},
    [PUT_USER] = {"--user", "who makes a new workflow; without it the workspace's first user",
	"EMAIL", PARAMETER_ADDRESS},
};

static char *
name_of(const struct cli_value *values)
{
	if (values[PUT_NAME].text)
		return g_strdup(values[PUT_NAME].text);
	char *name = g_path_get_basename(values[PUT_FILE].text);
	if (g_str_has_suffix(name, ".json"))
		name[strlen(name) - strlen(".json")] = '\0';
	return name;
}

/* Whether there is the workflow that is meant. False without error: there is none yet. */
static bool
find(struct cli_call *call, const char *name, struct base_id *id_r, GError **error)
{
	const struct cli_value *given = &call->values[PUT_ID];
	g_autoptr(GError) failure = NULL;

	if (given->text) {
		*id_r = given->id;
		return store_workflow_check(call->db, &call->workspace->id, id_r, error);
	}
	if (store_workflow_find(call->db, &call->workspace->id, name, id_r, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
create(struct cli_call *call, struct core *core, struct automation_workflow_change *change,
    const char *name, struct base_id *id_r, GError **error)
{
	g_autofree char *user = store_workspace_user(
	    call->db, &call->workspace->id, call->values[PUT_USER].text, error);
	const struct automation_author author = {user, AUTHOR_USER};

	change->name = name;
	return user &&
	       automation_workflow_create(core, &call->workspace->id, &author, change, id_r, error);
}

static bool
tell(struct cli_call *call, const struct base_id *id, bool created, GError **error)
{
	AUTO(store_workflow)
	workflow = store_workflow_get(call->db, &call->workspace->id, id, error);

	if (!workflow)
		return false;
	const char *status = store_workflow_status_name(workflow->status);
	cli_output_say(call->output,
	    FIELDS(cli_id("id", id), cli_text("name", workflow->name), cli_text("status", status),
		cli_number("saved", workflow->current_version),
		cli_number("active", workflow->active_version), cli_truth("created", created)),
	    "Workflow %s has version %u; its status is %s.", workflow->name,
	    workflow->current_version, status);
	return true;
}

bool
cli_workflow_put(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	AUTO(core) core = core_open(call->settings);
	g_autofree char *name = name_of(values);
	g_autoptr(GError) failure = NULL;
	struct base_id id;

	g_autoptr(GBytes) text = cli_value_read_file(&cli_workflow_put_parameters[PUT_FILE],
	    values[PUT_FILE].text, LIMIT_DESIGN_BYTES, error);
	if (!text || !core_ensure(core, error))
		return false;
	struct automation_workflow_change change = {
	    .status = values[PUT_ACTIVATE].number ? "active" : NULL};
	change.design = g_bytes_get_data(text, &change.design_size);
	if (!change.design)
		change.design = ""; /* an empty file is a design, and no good one */
	bool found = find(call, name, &id, &failure);
	if (failure) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	if (found && values[PUT_ID].text)
		change.name = values[PUT_NAME].text;
	if (found ? !automation_workflow_change(core, &call->workspace->id, &id, &change, error)
		  : !create(call, core, &change, name, &id, error))
		return false;
	return tell(call, &id, !found, error);
}
