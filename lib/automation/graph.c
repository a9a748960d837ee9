/* SPDX-License-Identifier: MIT */
/* Draws designs as text. */
#include "automation/graph.h"

#include <stdbool.h>
#include <string.h>

#include "automation/design.h"
#include "automation/node.h"
#include "base/limits/workflow.h"
#include "text/width.h"

/* A line of the drawing. */
struct line {
	char *text;
	const struct automation_design_node *node; /* whose count follows the text; NULL: none */
};

/* A drawing in progress. */
struct drawing {
	const struct automation_design *design;
	GArray *lines;	    /* of struct line */
	GString *margin;    /* the beginning of each line */
	GHashTable *drawn;  /* nodes */
	GPtrArray *pending; /* nodes that follow below the branches being drawn */
};

static void
clear_line(gpointer line)
{
	g_free(((struct line *)line)->text);
}

static void G_GNUC_PRINTF(3, 4) draw_line(
    struct drawing *drawing, const struct automation_design_node *node, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_autofree char *shown = text_width_line(text);
	struct line line = {g_strconcat(drawing->margin->str, shown, NULL), node};
	g_array_append_val(drawing->lines, line);
}

/* Returns the nodes that from leads to, nearest first, up to nodes that are drawn or pending. */
static GPtrArray *
ahead(const struct drawing *drawing, const struct automation_design_node *from)
{
	GPtrArray *nodes = g_ptr_array_new();
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

	g_ptr_array_add(nodes, (gpointer)from);
	g_hash_table_add(seen, (gpointer)from);
	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		for (guint j = 0; j < node->exit_count; j++) {
			const struct automation_design_node *to = node->exits[j].to;

			if (!g_hash_table_contains(drawing->drawn, to) &&
			    !g_ptr_array_find(drawing->pending, to, NULL) &&
			    g_hash_table_add(seen, (gpointer)to))
				g_ptr_array_add(nodes, (gpointer)to);
		}
	}
	return nodes;
}

static bool
is_elsewhere(const struct drawing *drawing, const struct automation_design_node *node)
{
	return g_hash_table_contains(drawing->drawn, node) ||
	       g_ptr_array_find(drawing->pending, node, NULL);
}

/* Returns the nearest node at which two branches of a node join; NULL when none do. */
static const struct automation_design_node *
find_join(const struct drawing *drawing, const struct automation_design_node *node)
{
	g_autoptr(GHashTable) reached = g_hash_table_new(NULL, NULL); /* by an earlier branch */

	for (guint i = 0; i < node->exit_count; i++) {
		const struct automation_design_node *head = node->exits[i].to;

		if (is_elsewhere(drawing, head))
			continue;
		g_autoptr(GPtrArray) nodes = ahead(drawing, head);
		for (guint j = 0; j < nodes->len; j++)
			if (g_hash_table_contains(reached, nodes->pdata[j]))
				return nodes->pdata[j];
		for (guint j = 0; j < nodes->len; j++)
			g_hash_table_add(reached, nodes->pdata[j]);
	}
	return NULL;
}

static void graph_draw(struct drawing *drawing, const struct automation_design_node *node);

static void
draw_branch(struct drawing *drawing, const struct automation_design_node *node, const char *handle,
    bool last)
{
	const struct automation_design_node *to =
	    automation_design_next(drawing->design, node, handle);
	gsize margin = drawing->margin->len;

	draw_line(drawing, NULL, " +- %s%s", handle, to ? "" : ": the end");
	if (!to)
		return;
	g_string_append(drawing->margin, last ? "    " : " |  ");
	graph_draw(drawing, to);
	g_string_truncate(drawing->margin, margin);
}

/* Returns the handles of a node that branches, NULL-terminated, in the order for people; empty for
   other nodes. The caller owns the array. */
static const char **
handles_of(const struct automation_design_node *node)
{
	static const char *const condition[] = {"yes", "no", NULL};
	static const char *const wait_for_event[] = {"event", "timeout", NULL};
	static const char *const request[] = {"ok", "failed", NULL};
	guint count = node->type == NODE_SPLIT && !node->fault ? node->split.count : 0;
	const char **handles = g_new0(const char *, MAX(count, 2) + 1);

	if (node->type == NODE_CONDITION)
		memcpy(handles, condition, sizeof(condition));
	else if (node->type == NODE_WAIT_FOR_EVENT)
		memcpy(handles, wait_for_event, sizeof(wait_for_event));
	else if (node->type == NODE_REQUEST)
		memcpy(handles, request, sizeof(request));
	for (guint i = 0; i < count; i++)
		handles[i] = node->split.sides[i].handle;
	return handles;
}

/* Draws all branches of a node; returns the node at which they join, or NULL. */
static const struct automation_design_node *
draw_branches(
    struct drawing *drawing, const struct automation_design_node *node, const char *const *handles)
{
	const struct automation_design_node *join = find_join(drawing, node);

	if (join)
		g_ptr_array_add(drawing->pending, (gpointer)join);
	for (; *handles; handles++)
		draw_branch(drawing, node, *handles, !join && !handles[1]);
	if (join)
		g_ptr_array_remove_index(drawing->pending, drawing->pending->len - 1);
	return join;
}

/* Draws a node and all nodes that it leads to. */
static void
graph_draw(struct drawing *drawing, const struct automation_design_node *node)
{
	while (node) {
		if (is_elsewhere(drawing, node)) {
			bool above = g_hash_table_contains(drawing->drawn, node);

			draw_line(drawing, NULL, " -> [%s]%s", node->id, above ? " (above)" : "");
			return;
		}
		g_autofree char *text = automation_node_describe(node);
		g_autofree const char **handles = handles_of(node);
		g_hash_table_add(drawing->drawn, (gpointer)node);
		draw_line(drawing, node, "[%s] %s", node->id, text);
		if (handles[0])
			node = draw_branches(drawing, node, handles);
		else
			node = automation_design_next(drawing->design, node, NULL);
		if (node && !is_elsewhere(drawing, node))
			draw_line(drawing, NULL, " |");
	}
}

static void
draw_rest(struct drawing *drawing)
{
	const GPtrArray *nodes = automation_design_nodes(drawing->design);
	bool first = true;

	for (guint i = 0; i < nodes->len; i++) {
		if (g_hash_table_contains(drawing->drawn, nodes->pdata[i]))
			continue;
		if (first && g_hash_table_size(drawing->drawn) > 0)
			draw_line(drawing, NULL, "not reached from the trigger:");
		first = false;
		graph_draw(drawing, nodes->pdata[i]);
	}
}

static void
graph_write_number(GString *text, const struct line *line, guint column, GHashTable *counts)
{
	const gint64 *count = g_hash_table_lookup(counts, line->node->id);

	g_string_append_printf(text, "%*s%" G_GINT64_FORMAT,
	    (int)(column - text_width(line->text) + 2), "", count ? *count : 0);
}

static char *
write_lines(const GArray *lines, GHashTable *counts)
{
	GString *text = g_string_new(NULL);
	guint column = 0;

	for (guint i = 0; i < lines->len; i++)
		column = MAX(column, text_width(g_array_index(lines, struct line, i).text));
	for (guint i = 0; i < lines->len; i++) {
		const struct line *line = &g_array_index(lines, struct line, i);

		g_string_append(text, line->text);
		if (line->node && counts)
			graph_write_number(text, line, column, counts);
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

char *
automation_graph_draw(const struct automation_design *design, GHashTable *counts)
{
	guint nodes = automation_design_nodes(design)->len;

	if (nodes > LIMIT_DESIGN_NODES)
		return g_strdup_printf("%u nodes are too many to draw\n", nodes);
	struct drawing drawing = {
	    .design = design,
	    .lines = g_array_new(FALSE, FALSE, sizeof(struct line)),
	    .margin = g_string_new(NULL),
	    .drawn = g_hash_table_new(NULL, NULL),
	    .pending = g_ptr_array_new(),
	};

	g_array_set_clear_func(drawing.lines, clear_line);
	graph_draw(&drawing, automation_design_start(design));
	draw_rest(&drawing);
	char *text = write_lines(drawing.lines, counts);
	g_array_unref(drawing.lines);
	g_string_free(drawing.margin, TRUE);
	g_hash_table_unref(drawing.drawn);
	g_ptr_array_unref(drawing.pending);
	return text;
}
