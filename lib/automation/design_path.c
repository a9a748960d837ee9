/* SPDX-License-Identifier: MIT */
/* Follows the edges of a design: the nodes that its trigger leads to, and circles. */
#include "automation/design_path.h"

#include <stdbool.h>

#include "automation/design.h"

GHashTable *
automation_design_reached(const struct automation_design *design)
{
	GHashTable *reached = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) open = g_ptr_array_new();
	const struct automation_design_node *node = automation_design_start(design);

	for (; node; node = open->len ? g_ptr_array_steal_index_fast(open, open->len - 1) : NULL) {
		g_hash_table_add(reached, (gpointer)node);
		for (guint i = 0; i < node->exit_count; i++)
			if (!g_hash_table_contains(reached, node->exits[i].to))
				g_ptr_array_add(open, (gpointer)node->exits[i].to);
	}
	return reached;
}

/* Returns whether each visit of a node takes time. A wait until a time does not: on the second
   visit the time has passed. A wait with a fault counts as one that takes time. */
static bool
design_path_lasts(const struct automation_design_node *node)
{
	return node->type == NODE_WAIT_FOR_EVENT || node->type == NODE_DIGEST ||
	       (node->type == NODE_WAIT && (node->fault || node->wait.duration > 0));
}

/* A node on the path of the search. */
struct stop {
	const struct automation_design_node *node;
	guint next; /* index of the edge to follow next */
};

enum { UNSEEN, ON_THE_WAY, DONE };

static GPtrArray *
cut_circle(const GArray *way, const struct automation_design_node *first)
{
	GPtrArray *circle = g_ptr_array_new();
	guint i = way->len;

	while (g_array_index(way, struct stop, i - 1).node != first)
		i--;
	for (i--; i < way->len; i++)
		g_ptr_array_add(circle, (gpointer)g_array_index(way, struct stop, i).node);
	return circle;
}

static void
design_path_enter(GArray *way, GHashTable *states, const struct automation_design_node *node)
{
	struct stop stop = {node, 0};

	g_hash_table_insert(states, (gpointer)node, GUINT_TO_POINTER(ON_THE_WAY));
	g_array_append_val(way, stop);
}

/* Searches depth-first from one node; returns the first circle, or NULL. */
static GPtrArray *
design_path_search(const struct automation_design_node *from, GHashTable *states)
{
	g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(struct stop));

	design_path_enter(way, states, from);
	while (way->len > 0) {
		struct stop *stop = &g_array_index(way, struct stop, way->len - 1);

		if (stop->next == stop->node->exit_count) {
			g_hash_table_insert(states, (gpointer)stop->node, GUINT_TO_POINTER(DONE));
			g_array_set_size(way, way->len - 1);
			continue;
		}
		const struct automation_design_node *to = stop->node->exits[stop->next++].to;
		guint state = GPOINTER_TO_UINT(g_hash_table_lookup(states, to));
		if (state == ON_THE_WAY)
			return cut_circle(way, to);
		if (state == UNSEEN && !design_path_lasts(to))
			design_path_enter(way, states, to);
	}
	return NULL;
}

GPtrArray *
automation_design_circle(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);
	g_autoptr(GHashTable) states = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];
		bool is_seen = g_hash_table_contains(states, node);
		GPtrArray *circle =
		    is_seen || design_path_lasts(node) ? NULL : design_path_search(node, states);

		if (circle)
			return circle;
	}
	return NULL;
}
