/* SPDX-License-Identifier: MIT */
/* Parses designs. */
#include "automation/design.h"

#include <string.h>

#include "automation/node_data.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/value.h"
#include "text/width.h"

struct automation_design {
	struct json *root;
	gsize text_size;
	GPtrArray *nodes; /* of struct automation_design_node */
	GHashTable *by_id;
	GArray *edges; /* of struct automation_design_edge */
	GPtrArray *faults;
	const struct automation_design_node *start;
};

void
automation_design_fault_free(gpointer data)
{
	struct automation_design_fault *fault = data;

	g_free(fault->node);
	g_free(fault->message);
	g_free(fault);
}

void
automation_design_fault_add(GPtrArray *faults, const char *node, const char *format, ...)
{
	va_list args;

	if (faults->len >= LIMIT_DESIGN_FAULTS)
		return;
	struct automation_design_fault *fault = g_new0(struct automation_design_fault, 1);

	fault->node = g_strdup(node);
	va_start(args, format);
	g_autofree char *message = g_strdup_vprintf(format, args);
	va_end(args);
	fault->message = text_width_line(message);
	g_ptr_array_add(faults, fault);
}

static void
design_free_node(gpointer data)
{
	struct automation_design_node *node = data;

	automation_node_clear(node);
	g_free(node);
}

/* Returns a string member; NULL for other types, and for strings that contain U+0000. */
static const char *
design_text_of(const struct json *object, const char *name)
{
	gsize size;
	const char *text = json_string(json_member_get(object, name), &size);

	return text && strlen(text) == size ? text : NULL;
}

/* Returns a node's id; NULL, with a fault added, when it is not valid. */
static const char *
design_read_id(struct automation_design *design, const struct json *value, gsize place)
{
	const char *id = design_text_of(value, "id");
	glong length = id ? g_utf8_strlen(id, -1) : 0;

	if (length >= 1 && length <= LIMIT_NODE_ID_LENGTH)
		return id;
	automation_design_fault_add(design->faults, NULL,
	    "nodes[%" G_GSIZE_FORMAT "].id must be a string of 1 to %d characters", place,
	    LIMIT_NODE_ID_LENGTH);
	return NULL;
}

/* An error becomes the node's fault. */
static void
read_type_and_data(struct automation_design_node *node, const struct json *value)
{
	const char *type = json_string(json_member_get(value, "type"), NULL);
	g_autoptr(GError) error = NULL;

	if (!automation_node_read_type(node, type, &error) ||
	    !automation_node_data_read(node, json_member_get(value, "data"), &error))
		node->fault = g_strdup(error->message);
}

/* Frees the members of a node that nothing borrows from. */
static void
forget_rest(const struct automation_design_node *node, const struct json *value)
{
	struct json_iterator members = json_members(value);
	const struct json *member;
	const char *name;

	while (json_iterator_next(&members, &name, &member))
		if (strcmp(name, "data") == 0)
			automation_node_data_forget(node, member);
		else
			json_forget(member);
}

static void
read_node(struct automation_design *design, const struct json *value, gsize place)
{
	if (json_kind(value) != JSON_OBJECT) {
		automation_design_fault_add(
		    design->faults, NULL, "nodes[%" G_GSIZE_FORMAT "] must be an object", place);
		return;
	}
	const char *id = design_read_id(design, value, place);
	if (!id)
		return;
	if (g_hash_table_contains(design->by_id, id)) {
		automation_design_fault_add(design->faults, id,
		    "node \"%s\" is there more than once: give each node an id of its own", id);
		return;
	}
	struct automation_design_node *node = g_new0(struct automation_design_node, 1);
	node->id = id;
	node->number = design->nodes->len;
	read_type_and_data(node, value);
	forget_rest(node, value);
	g_ptr_array_add(design->nodes, node);
	g_hash_table_insert(design->by_id, (char *)id, node);
	if (node->type == NODE_TRIGGER && !design->start)
		design->start = node;
}

static void
add_exit(const struct automation_design_edge *edge)
{
	struct automation_design_node *node = edge->source;

	if (!node || !edge->target)
		return;
	node->exits = g_renew(struct automation_node_exit, node->exits, node->exit_count + 1);
	node->exits[node->exit_count++] = (struct automation_node_exit){edge->handle, edge->target};
}

static void
read_edge(struct automation_design *design, const struct json *value, gsize place)
{
	struct automation_design_edge edge = {.id = design_text_of(value, "id"),
	    .source_id = design_text_of(value, "source"),
	    .target_id = design_text_of(value, "target"),
	    .handle = design_text_of(value, "sourceHandle")};

	if (!edge.source_id || !edge.target_id) {
		automation_design_fault_add(design->faults, NULL,
		    "edges[%" G_GSIZE_FORMAT "] must be an object whose source and target are ids "
		    "of nodes",
		    place);
		return;
	}
	if (edge.handle && !*edge.handle)
		edge.handle = NULL;
	edge.source = g_hash_table_lookup(design->by_id, edge.source_id);
	edge.target = g_hash_table_lookup(design->by_id, edge.target_id);
	g_array_append_val(design->edges, edge);
	add_exit(&edge);
}

/* Frees the content of all members of the design but nodes. The edges borrow only strings, which
   json_forget keeps. */
static void
forget_others(struct automation_design *design, const struct json *nodes)
{
	struct json_iterator members = json_members(design->root);
	const struct json *member;
	const char *name;

	while (json_iterator_next(&members, &name, &member))
		if (member != nodes)
			json_forget(member);
}

/* In a design with a digest each event counts, unless a dedupe window is given. */
static void
design_settle_window(struct automation_design *design)
{
	bool has_digest = false;

	for (guint i = 0; i < design->nodes->len; i++)
		has_digest |=
		    ((const struct automation_design_node *)design->nodes->pdata[i])->type ==
		    NODE_DIGEST;
	for (guint i = 0; has_digest && i < design->nodes->len; i++) {
		struct automation_design_node *node = design->nodes->pdata[i];

		if (node->type == NODE_TRIGGER && !node->fault && !node->trigger.is_windowed)
			node->trigger.dedupe_window = 0;
	}
}

static bool
read_shape(struct automation_design *design, GError **error)
{
	static const char *const names[] = {"nodes", "edges"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (json_kind(json_member_get(design->root, names[i])) == JSON_ARRAY)
			continue;
		g_set_error(
		    error, PH_ERROR, PH_ERROR_INVALID, "design.%s must be an array", names[i]);
		return false;
	}
	const struct json *nodes = json_member_get(design->root, "nodes");
	const struct json *edges = json_member_get(design->root, "edges");
	for (gsize i = 0; i < json_array_length(nodes); i++)
		read_node(design, json_array_at(nodes, i), i);
	for (gsize i = 0; i < json_array_length(edges); i++)
		read_edge(design, json_array_at(edges, i), i);
	forget_others(design, nodes);
	design_settle_window(design);
	return true;
}

/* strict: refuse U+0000 in any string, also of unknown members. */
static struct automation_design *
design_read_design(const char *text, gsize size, bool strict, GError **error)
{
	const struct json_place place = {NULL, "design", 0};

	if (size > LIMIT_DESIGN_BYTES) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "design must be at most 1 MiB, and is %" G_GSIZE_FORMAT " bytes", size);
		return NULL;
	}
	struct json *root = json_parse_as("design", text, size, error);
	if (!root)
		return NULL;
	AUTO(automation_design) design = g_new0(struct automation_design, 1);
	design->root = root;
	design->text_size = size;
	design->nodes = g_ptr_array_new_with_free_func(design_free_node);
	design->by_id = g_hash_table_new(g_str_hash, g_str_equal);
	design->edges = g_array_new(FALSE, FALSE, sizeof(struct automation_design_edge));
	design->faults = g_ptr_array_new_with_free_func(automation_design_fault_free);
	if ((strict && !json_fields_check_texts(root, &place, error)) || !read_shape(design, error))
		return NULL;
	return g_steal_pointer(&design);
}

struct automation_design *
automation_design_parse(const char *text, gsize size, GError **error)
{
	return design_read_design(text, size, false, error);
}

struct automation_design *
automation_design_parse_strict(const char *text, gsize size, GError **error)
{
	return design_read_design(text, size, true, error);
}

void
automation_design_free(struct automation_design *design)
{
	g_hash_table_unref(design->by_id);
	g_ptr_array_unref(design->nodes);
	g_array_unref(design->edges);
	g_ptr_array_unref(design->faults);
	json_free(design->root);
	g_free(design);
}

gsize
automation_design_weight(const struct automation_design *design)
{
	gsize weight = design->text_size + json_weight(design->root) +
		       2 * design->edges->len * sizeof(struct automation_design_edge) +
		       design->faults->len * 256;

	for (guint i = 0; i < design->nodes->len; i++)
		weight += automation_node_weight(design->nodes->pdata[i]);
	return weight;
}

const GPtrArray *
automation_design_nodes(const struct automation_design *design)
{
	return design->nodes;
}

const GArray *
automation_design_edges(const struct automation_design *design)
{
	return design->edges;
}

const GPtrArray *
automation_design_shape_faults(const struct automation_design *design)
{
	return design->faults;
}

const struct automation_design_node *
automation_design_node(const struct automation_design *design, const char *id)
{
	return g_hash_table_lookup(design->by_id, id);
}

GHashTable *
automation_design_ids(const struct automation_design *design)
{
	return design->by_id;
}

const struct automation_design_node *
automation_design_start(const struct automation_design *design)
{
	return design->start;
}

const struct automation_node_trigger *
automation_design_trigger(const struct automation_design *design)
{
	return design->start && !design->start->fault ? &design->start->trigger : NULL;
}

const struct automation_design_node *
automation_design_next(const struct automation_design *design,
    const struct automation_design_node *node, const char *handle)
{
	for (guint i = 0; i < node->exit_count; i++)
		if (!handle || g_strcmp0(node->exits[i].handle, handle) == 0)
			return node->exits[i].to;
	return NULL;
}
