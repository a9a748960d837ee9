/* posthouse workflow: what follows when somebody does something. */
#include "cli/workflow.h"

#include "base/limits.h"
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "cli/workflow_file.h"
#include "store/workflow.h"
#include "store/workspace.h"

bool
cli_workflow_find(const struct call *call, const char *given, struct id *id_r, GError **error)
{
	if (base_id_parse(given, id_r))
		return store_workflow_check(call->db, &call->workspace->id, id_r, error);
	return store_workflow_find(call->db, &call->workspace->id, given, id_r, error);
}

/* The verbs that take a workflow and nothing else. */
enum { WORKFLOW };
static const struct parameter workflow_parameters[] = {
    [WORKFLOW] = {"WORKFLOW", WORKFLOW_HELP, .max = LIMIT_NAME_LENGTH},
};

static bool
list(struct call *call, GError **error)
{
	g_autoptr(GPtrArray) workflows =
	    store_workflow_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!workflows)
		return false;
	cli_output_list_begin(call->output, "workflows", "There is no workflow yet.");
	for (guint i = workflows->len; i > 0; i--) {
		const struct workflow *workflow = workflows->pdata[i - 1];

		cli_output_row(call->output,
		    FIELDS(cli_id("id", &workflow->id), cli_text("name", workflow->name),
			cli_text("status", store_workflow_status_name(workflow->status)),
			cli_number("saved", workflow->current_version),
			cli_number("active", workflow->active_version),
			cli_time("updated", workflow->updated)));
	}
	cli_output_list_end(call->output);
	return true;
}

static const struct command commands[] = {
    {"check",
	"Tell what keeps a design from being active. Templates and the default sender are looked "
	"for where there is an installation.",
	NEED_WORKSPACE, .of_files = true, PARAMETERS(cli_workflow_check_parameters),
	.run = cli_workflow_check},
    {"simulate",
	"Run a design on a virtual clock: show each step, when it comes and why. Nothing is sent.",
	NEED_NOTHING, .of_files = true, PARAMETERS(cli_workflow_simulate_parameters),
	.run = cli_workflow_simulate},
    {"list", "List the workflows: their status, how many designs have been saved, which is active.",
	NEED_WORKSPACE, .run = list},
    {"show",
	"Draw a workflow, with the number of executions that stand at each node. What is drawn is "
	"the active design, or before there is one the newest.",
	NEED_WORKSPACE, PARAMETERS(workflow_parameters), .run = cli_workflow_show},
};

const struct noun cli_noun_workflow = {"workflow", commands, G_N_ELEMENTS(commands)};
