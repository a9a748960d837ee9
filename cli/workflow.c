/* SPDX-License-Identifier: MIT */
/* posthouse workflow: what follows when somebody does something. */
#include "cli/workflow.h"

#include "automation/workflow.h"
#include "base/limits.h"
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "cli/workflow_file.h"
#include "core/core.h"
#include "store/workflow.h"
#include "store/workspace.h"

bool
cli_workflow_find(
    const struct cli_call *call, const char *given, struct base_id *id_r, GError **error)
{
	if (base_id_parse(given, id_r))
		return store_workflow_check(call->db, &call->workspace->id, id_r, error);
	return store_workflow_find(call->db, &call->workspace->id, given, id_r, error);
}

/* The verbs that take a workflow and nothing else. */
enum { WORKFLOW };
static const struct cli_parameter workflow_parameters[] = {
    [WORKFLOW] = {"WORKFLOW", WORKFLOW_HELP, .max = LIMIT_NAME_LENGTH},
};

static bool
list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) workflows =
	    store_workflow_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!workflows)
		return false;
	cli_output_list_begin(call->output, "workflows", "There is no workflow yet.");
	for (guint i = workflows->len; i > 0; i--) {
		const struct store_workflow *workflow = workflows->pdata[i - 1];

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

/* Sets the status; said: what is to be told then. */
static bool
change_status(
    struct cli_call *call, enum store_workflow_status status, const char *said, GError **error)
{
	AUTO(core) core = core_open(call->settings);
	const char *given = call->values[WORKFLOW].text;
	const char *name = store_workflow_status_name(status);
	const struct automation_workflow_change change = {.status = name};
	struct base_id id;

	if (!cli_workflow_find(call, given, &id, error) || !core_ensure(core, error) ||
	    !automation_workflow_change(core, &call->workspace->id, &id, &change, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_text("status", name)),
	    "Workflow %s is %s: %s", given, name, said);
	return true;
}

static bool
activate(struct cli_call *call, GError **error)
{
	return change_status(call, WORKFLOW_ACTIVE,
	    "events start its newest design, and what stood still goes on.", error);
}

static bool
halt(struct cli_call *call, GError **error)
{
	return change_status(call, WORKFLOW_PAUSED,
	    "no event starts it, and its executions stand still until it is active again.", error);
}

static bool
draft(struct cli_call *call, GError **error)
{
	return change_status(call, WORKFLOW_DRAFT,
	    "no event starts it any more, and its executions go on to their end.", error);
}

static bool
remove_one(struct cli_call *call, GError **error)
{
	AUTO(core) core = core_open(call->settings);
	const char *given = call->values[WORKFLOW].text;
	struct base_id id;

	if (!cli_workflow_find(call, given, &id, error) || !core_ensure(core, error) ||
	    !automation_workflow_remove(core, &call->workspace->id, &id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_truth("removed", true)),
	    "Workflow %s is removed, and its executions are cancelled.", given);
	return true;
}

static const struct cli_command commands[] = {
    {"put",
	"Save a design: the first of a new workflow, or the next version of the one that has the "
	"name.",
	NEED_WORKSPACE, PARAMETERS(cli_workflow_put_parameters), .run = cli_workflow_put},
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
    {"activate", "Let events start a workflow, with its newest design.", NEED_WORKSPACE,
	PARAMETERS(workflow_parameters), .run = activate},
    {"pause", "Let no event start a workflow, and its executions stand still.", NEED_WORKSPACE,
	PARAMETERS(workflow_parameters), .run = halt},
    {"draft", "Let no event start a workflow, and its executions go on to their end.",
	NEED_WORKSPACE, PARAMETERS(workflow_parameters), .run = draft},
    {"remove", "Remove a workflow, and cancel its executions.", NEED_WORKSPACE,
	PARAMETERS(workflow_parameters), .run = remove_one},
};

const struct cli_noun cli_noun_workflow = {"workflow", commands, G_N_ELEMENTS(commands)};
