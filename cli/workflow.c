/* SPDX-License-Identifier: MIT */
/* posthouse workflow: saves, lists, shows, activates, pauses and removes workflows. */
#include <string.h>

#include "automation/design.h"
#include "automation/graph.h"
#include "automation/workflow.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/start.h"
#include "cli/workflow_file.h"
#include "cli/workflow_find.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"

static gint64
count_at(GHashTable *counts, const char *node)
{
	const gint64 *count = g_hash_table_lookup(counts, node);

	return count ? *count : 0;
}

/* Counts the executions at nodes that this version of the design does not have. */
static gint64
count_elsewhere(GHashTable *counts, const struct automation_design *design)
{
	GHashTableIter all;
	gpointer node, count;
	gint64 elsewhere = 0;

	g_hash_table_iter_init(&all, counts);
	while (g_hash_table_iter_next(&all, &node, &count))
		if (!automation_design_node(design, node))
			elsewhere += *(const gint64 *)count;
	return elsewhere;
}

static void
show_nodes(struct cli_call *call, const struct automation_design *design, GHashTable *counts)
{
	const GPtrArray *nodes = automation_design_nodes(design);
	g_autofree char *graph = automation_graph_draw(design, counts);
	g_autofree char *drawing = g_strconcat("\n", graph, NULL);

	cli_output_list_begin(call->output, "nodes", NULL);
	/* People see only the drawing, with the first node. */
	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		cli_output_item(call->output,
		    FIELDS(cli_text("id", node->id), cli_text("type", node->type_name),
			cli_number("executions", count_at(counts, node->id))),
		    i == 0 ? drawing : "");
	}
	cli_output_list_end(call->output);
}

#define MEMBER(name, member) cli_member(name, &automation_workflow_view, member, workflow)

static bool
workflow_show(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id;
	struct base_id id;

	if (!cli_workflow_find(call, call->values[0].text, &id, error))
		return false;
	AUTO(store_workflow) workflow = store_workflow_get(call->db, workspace, &id, error);
	if (!workflow)
		return false;
	guint version =
	    workflow->active_version ? workflow->active_version : workflow->current_version;
	g_autofree char *text = store_workflow_version(call->db, workspace, &id, version, error);
	AUTO(automation_design) design =
	    text ? automation_design_parse(text, strlen(text), error) : NULL;
	g_autoptr(GHashTable) counts =
	    design ? store_execution_count_steps(call->db, workspace, &id, error) : NULL;
	if (!counts)
		return false;
	cli_output_facts(call->output,
	    FIELDS(MEMBER("id", "workflow_id"), MEMBER("name", "name"), MEMBER("status", "status"),
		cli_number("version", version), MEMBER("saved", "current_version"),
		MEMBER("active", "active_version"),
		cli_number("elsewhere", count_elsewhere(counts, design)),
		MEMBER("created_by", "created_by"), MEMBER("created", "created"),
		MEMBER("updated", "updated")));
	show_nodes(call, design, counts);
	return true;
}

enum { PUT_FILE, PUT_NAME, PUT_ID, PUT_ACTIVATE, PUT_USER };
static const struct cli_parameter put_parameters[] = {
    [PUT_FILE] = {"FILE", "the design, as an editor saves it: JSON", .type = PARAMETER_FILE},
    [PUT_NAME] = {"--name", "the workflow's name; if not given, that of FILE without .json", "NAME",
	.max = LIMIT_NAME_LENGTH},
    [PUT_ID] = {"--id", "the workflow of which it is the next version", "ID", PARAMETER_ID},
    [PUT_ACTIVATE] = {"--activate", "activate the workflow", NULL, PARAMETER_FLAG},
    [PUT_USER] = {"--user",
	"the user who makes a new workflow; if not given, the workspace's first user", "EMAIL",
	PARAMETER_ADDRESS},
};

static char *
workflow_name_of(const struct cli_value *values)
{
	if (values[PUT_NAME].text)
		return g_strdup(values[PUT_NAME].text);
	char *name = g_path_get_basename(values[PUT_FILE].text);
	if (g_str_has_suffix(name, ".json"))
		name[strlen(name) - strlen(".json")] = '\0';
	return name;
}

/* Finds the workflow by --id or by name. Returns false without error when it is new. */
static bool
workflow_find(struct cli_call *call, const char *name, struct base_id *id_r, GError **error)
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
workflow_create(struct cli_call *call, struct service *service,
    struct automation_workflow_change *change, const char *name, struct base_id *id_r,
    GError **error)
{
	g_autofree char *user =
	    store_user_choose(call->db, &call->workspace->id, call->values[PUT_USER].text, error);
	const struct automation_workflow_author author = {user, AUTHOR_USER};

	change->name = name;
	return user && automation_workflow_create(
			   service, &call->workspace->id, &author, change, id_r, error);
}

static bool
workflow_tell(struct cli_call *call, const struct base_id *id, bool created, GError **error)
{
	AUTO(store_workflow) workflow =
	    store_workflow_get(call->db, &call->workspace->id, id, error);

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

static bool
workflow_put(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	struct service *service = call->service;
	g_autofree char *name = workflow_name_of(values);
	g_autoptr(GError) failure = NULL;
	struct base_id id;

	g_autoptr(GBytes) text = cli_value_read_file(
	    &put_parameters[PUT_FILE], values[PUT_FILE].text, LIMIT_DESIGN_BYTES, error);
	if (!text)
		return false;
	struct automation_workflow_change change = {
	    .status = values[PUT_ACTIVATE].number ? "active" : NULL};
	change.design = g_bytes_get_data(text, &change.design_size);
	if (!change.design)
		change.design = ""; /* g_bytes_get_data gives NULL for an empty file */
	bool found = workflow_find(call, name, &id, &failure);
	if (failure) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	if (found && values[PUT_ID].text)
		change.name = values[PUT_NAME].text;
	if (found ? !automation_workflow_change(service, &call->workspace->id, &id, &change, error)
		  : !workflow_create(call, service, &change, name, &id, error))
		return false;
	call->audit = found ? NULL : "workflow.created";
	return workflow_tell(call, &id, !found, error);
}

/* The parameters of the verbs that take only a workflow. */
enum { WORKFLOW };
static const struct cli_parameter workflow_parameters[] = {
    [WORKFLOW] = {"WORKFLOW", WORKFLOW_HELP, .max = LIMIT_NAME_LENGTH},
};

static bool
workflow_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) workflows =
	    store_workflow_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!workflows)
		return false;
	cli_output_list_begin(call->output, "workflows", "There are no workflows yet.");
	for (guint i = 0; i < workflows->len; i++) {
		const struct store_workflow *workflow = workflows->pdata[i];

		cli_output_row(call->output,
		    FIELDS(MEMBER("id", "workflow_id"), MEMBER("name", "name"),
			MEMBER("status", "status"), MEMBER("saved", "current_version"),
			MEMBER("active", "active_version"), MEMBER("updated", "updated")));
	}
	cli_output_list_end(call->output);
	return true;
}

/* Sets the status. said: the sentence for the answer. */
static bool
change_status(
    struct cli_call *call, enum store_workflow_status status, const char *said, GError **error)
{
	struct service *service = call->service;
	const char *given = call->values[WORKFLOW].text;
	const char *name = store_workflow_status_name(status);
	const struct automation_workflow_change change = {.status = name};
	struct base_id id;

	if (!cli_workflow_find(call, given, &id, error) ||
	    !automation_workflow_change(service, &call->workspace->id, &id, &change, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_text("status", name)),
	    "Workflow %s is %s: %s", given, name, said);
	return true;
}

static bool
workflow_activate(struct cli_call *call, GError **error)
{
	return change_status(call, WORKFLOW_ACTIVE,
	    "events start its newest design, and paused executions continue.", error);
}

static bool
workflow_halt(struct cli_call *call, GError **error)
{
	return change_status(call, WORKFLOW_PAUSED,
	    "no event starts it, and its executions pause until it is active again.", error);
}

static bool
workflow_draft(struct cli_call *call, GError **error)
{
	return change_status(call, WORKFLOW_DRAFT,
	    "no event starts it any more, and its executions continue to their end.", error);
}

static bool
workflow_remove_one(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	const char *given = call->values[WORKFLOW].text;
	struct base_id id;

	if (!cli_workflow_find(call, given, &id, error) ||
	    !automation_workflow_remove(service, &call->workspace->id, &id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_truth("removed", true)),
	    "Workflow %s is removed, and its executions are cancelled.", given);
	return true;
}

static const struct cli_command commands[] = {
    {"put",
	"Save a design: the first version of a new workflow, or the next version of the workflow "
	"with that name.",
	NEED_WORKSPACE, PARAMETERS(put_parameters), .audit = "workflow.changed",
	.run = workflow_put},
    {"check",
	"List the faults that prevent a design from being active. Templates and the default sender "
	"are checked if there is an installation.",
	NEED_WORKSPACE, .of_files = true, PARAMETERS(cli_workflow_check_parameters),
	.run = cli_workflow_check},
    {"simulate",
	"Run a design on a virtual clock, and show each step with its time and reason. Nothing is "
	"sent.",
	NEED_NOTHING, .of_files = true, PARAMETERS(cli_workflow_simulate_parameters),
	.run = cli_workflow_simulate},
    {"start",
	"Begin a workflow for one person, for some, or for those of an audience or a segment.",
	NEED_WORKSPACE, .parameters = cli_start_parameters, .count = CLI_START_PARAMETERS,
	.audit = "start.created", .run = cli_start_workflow},
    {"list",
	"List the workflows, with their status, the number of saved designs, and the active one.",
	NEED_WORKSPACE, .run = workflow_list},
    {"show",
	"Draw a workflow, with the number of executions at each node. The drawing shows the active "
	"design, or the newest if none is active.",
	NEED_WORKSPACE, PARAMETERS(workflow_parameters), .run = workflow_show},
    {"activate", "Let events start a workflow, with its newest design.", NEED_WORKSPACE,
	PARAMETERS(workflow_parameters), .audit = "workflow.changed", .run = workflow_activate},
    {"pause", "Stop events from starting a workflow, and pause its executions.", NEED_WORKSPACE,
	PARAMETERS(workflow_parameters), .audit = "workflow.changed", .run = workflow_halt},
    {"draft", "Stop events from starting a workflow; its executions continue to their end.",
	NEED_WORKSPACE, PARAMETERS(workflow_parameters), .audit = "workflow.changed",
	.run = workflow_draft},
    {"remove", "Remove a workflow, and cancel its executions.", NEED_WORKSPACE,
	PARAMETERS(workflow_parameters), .audit = "workflow.deleted", .run = workflow_remove_one},
};

const struct cli_noun cli_noun_workflow = {"workflow", commands, G_N_ELEMENTS(commands)};
