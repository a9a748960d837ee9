/* SPDX-License-Identifier: MIT */
/* Checks the edges of a design. */
#include "automation/design_check_edges.h"

#include <stdbool.h>

#include "automation/design.h"
#include "automation/design_checking.h"

/* Names an edge by its id or, without one, by its nodes. The caller owns the text. */
static char *
design_edge_name(const struct automation_design_edge *edge)
{
	if (edge->id && *edge->id)
		return g_strdup_printf("edge \"%s\"", edge->id);
	return g_strdup_printf("the edge from \"%s\" to \"%s\"", edge->source_id, edge->target_id);
}

/* Lists the handles of a node's edges. The caller owns the text. */
static char *
design_exit_names(const struct automation_design_node *node)
{
	if (node->type != NODE_SPLIT)
		return automation_node_type_exits(node->type);
	GString *names = g_string_new(NULL);
	for (guint i = 0; i < node->split.count; i++)
		g_string_append_printf(
		    names, "%s%s", i == 0 ? "" : " or ", node->split.sides[i].handle);
	return g_string_free(names, FALSE);
}

static void
design_check_handle(struct automation_design_checking *check,
    const struct automation_design_edge *edge, const char *name)
{
	const struct automation_design_node *node = edge->source;

	if (automation_node_has_exit(node, edge->handle))
		return;
	if (automation_node_type_is_end(node->type)) {
		automation_design_note(check, node->id,
		    "node \"%s\" is %s, but %s leads on from it: remove that", node->id,
		    node->type == NODE_EXIT ? "an exit" : "a delete_contact", name);
		return;
	}
	g_autofree char *names = design_exit_names(node);
	if (edge->handle)
		automation_design_note(check, node->id,
		    "node \"%s\" has no way out \"%s\", by which %s leaves: let its sourceHandle "
		    "be %s",
		    node->id, edge->handle, name, names);
	else
		automation_design_note(check, node->id,
		    "node \"%s\": %s does not say by which way out it leaves: let its sourceHandle "
		    "be %s",
		    node->id, name, names);
}

static void
design_check_ends(
    struct automation_design_checking *check, const struct automation_design_edge *edge)
{
	g_autofree char *name = design_edge_name(edge);

	if (!edge->source)
		automation_design_note(check, edge->source_id,
		    "%s comes from node \"%s\", which does not exist: remove it, or add the node",
		    name, edge->source_id);
	if (!edge->target)
		automation_design_note(check, edge->source_id,
		    "node \"%s\": %s leads to node \"%s\", which does not exist: remove it, or add "
		    "the node",
		    edge->source_id, name, edge->target_id);
	else if (edge->target->type == NODE_TRIGGER)
		automation_design_note(check, edge->target->id,
		    "node \"%s\" is a trigger, but %s leads to it: let that lead to the node "
		    "behind it",
		    edge->target->id, name);
	if (edge->source && edge->source->type != NODE_UNKNOWN)
		design_check_handle(check, edge, name);
}

static bool
design_has_one_exit(const struct automation_design_node *node)
{
	g_autofree char *names = automation_node_type_exits(node->type);

	return !names && node->type != NODE_SPLIT;
}

/* Checks that no other edge has the same handle. */
static void
design_check_single(struct automation_design_checking *check,
    const struct automation_design_edge *edge, GHashTable *seen)
{
	const struct automation_design_node *node = edge->source;
	bool one = node && design_has_one_exit(node);

	if (!node || node->type == NODE_UNKNOWN || automation_node_type_is_end(node->type))
		return;
	g_autofree char *key = g_strconcat(edge->source_id, "\n", one ? "" : edge->handle, NULL);
	if (g_hash_table_add(seen, g_strdup(key)))
		return;
	if (one || !edge->handle)
		automation_design_note(check, node->id,
		    "node \"%s\" has more than one edge out of it: leave one", node->id);
	else
		automation_design_note(check, node->id,
		    "node \"%s\" has more than one edge out of \"%s\": leave one", node->id,
		    edge->handle);
}

void
automation_design_check_edges(struct automation_design_checking *check)
{
	const GArray *edges = automation_design_edges(check->design);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < edges->len; i++) {
		const struct automation_design_edge *edge =
		    &g_array_index(edges, struct automation_design_edge, i);

		design_check_ends(check, edge);
		design_check_single(check, edge, seen);
	}
}
