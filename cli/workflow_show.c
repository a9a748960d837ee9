/* SPDX-License-Identifier: MIT */
/* posthouse workflow show: a workflow, and where its executions stand. */
#include <string.h>

#include "automation/design.h"
#include "automation/graph.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/workflow.h"
#include "store/execution.h"
#include "store/workflow.h"
#include "store/workspace.h"

static gint64
count_at(GHashTable *counts, const char *node)
{
	const gint64 *count = g_hash_table_lookup(counts, node);

	return count ? *count : 0;
}

/* How many stand at nodes that this version of the design has not. */
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
	/* For people the drawing is all of it. */
	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		cli_output_item(call->output,
		    FIELDS(cli_text("id", node->id), cli_text("type", node->type_name),
			cli_number("executions", count_at(counts, node->id))),
		    i == 0 ? drawing : "");
	}
	cli_output_list_end(call->output);
}

bool
cli_workflow_show(struct cli_call *call, GError **error)
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
	AUTO(automation_design)
	design = text ? automation_design_parse(text, strlen(text), error) : NULL;
	g_autoptr(GHashTable) counts =
	    design ? store_execution_count_steps(call->db, workspace, &id, error) : NULL;
	if (!counts)
		return false;
	cli_output_facts(call->output,
	    FIELDS(cli_id("id", &id), cli_text("name", workflow->name),
		cli_text("status", store_workflow_status_name(workflow->status)),
		cli_number("version", version), cli_number("saved", workflow->current_version),
		cli_number("active", workflow->active_version),
		cli_number("elsewhere", count_elsewhere(counts, design)),
		cli_text("created_by", workflow->created_by),
		cli_time("created", workflow->created), cli_time("updated", workflow->updated)));
	show_nodes(call, design, counts);
	return true;
}
