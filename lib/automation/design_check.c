/* SPDX-License-Identifier: MIT */
/* Finds what keeps a design from being active. */
#include "automation/design_check.h"

#include <string.h>

#include "automation/design.h"
#include "automation/design_walk.h"
#include "base/error.h"
#include "base/limits.h"
#include "mail/address.h"

struct check {
	const struct automation_design *design;
	const struct automation_design_world *world;
	GPtrArray *faults;
	GHashTable *registered; /* domains that were found */
};

static void G_GNUC_PRINTF(3, 4) note(struct check *check, const char *node, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	automation_design_fault_add(check->faults, node, "%s", text);
}

static void
check_shape(struct check *check)
{
	const GPtrArray *shape = automation_design_shape_faults(check->design);

	for (guint i = 0; i < shape->len; i++) {
		const struct automation_design_fault *found = shape->pdata[i];

		note(check, found->node, "%s", found->message);
	}
}

static void
check_count(struct check *check)
{
	guint count = automation_design_nodes(check->design)->len;

	if (count > LIMIT_DESIGN_NODES)
		note(check, NULL,
		    "the design has %u nodes, and may have %d: make two workflows of it", count,
		    LIMIT_DESIGN_NODES);
}

static void
check_trigger(struct check *check)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);
	const struct automation_design_node *first = NULL;

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (node->type != NODE_TRIGGER)
			continue;
		if (first)
			note(check, node->id,
			    "node \"%s\" is a second trigger beside \"%s\": leave one of them",
			    node->id, first->id);
		else
			first = node;
	}
	if (!first)
		note(check, NULL,
		    "the design has no trigger: add a node of type trigger with data.eventName");
}

/* A template that is not there, or brings no subject where the node has none either. */
static bool
check_template(struct check *check, const struct automation_design_node *node, GError **error)
{
	const char *id = node->email.template_id;
	bool found = true, subject = true;

	if (!id || !check->world->template_find)
		return true;
	if (!check->world->template_find(id, &found, &subject, check->world->context, error))
		return false;
	if (!found)
		note(check, node->id,
		    "node \"%s\": template \"%s\" does not exist: create it, or name another in "
		    "data.templateId",
		    node->id, id);
	else if (!subject && !node->email.subject)
		note(check, node->id,
		    "node \"%s\": template \"%s\" has no subject: give one in data.subject",
		    node->id, id);
	return true;
}

/* The address that the email of a node is from; NULL where that is not looked at. */
static struct mail_address *
sender_of(struct check *check, const struct automation_design_node *node)
{
	const char *from = node->email.from ? node->email.from : check->world->sender;

	return check->world->domain_find && from && *from ? mail_address_parse(from, NULL) : NULL;
}

/* Each domain is looked for once. */
static bool
check_domain(struct check *check, const struct automation_design_node *node, GError **error)
{
	AUTO(mail_address) address = sender_of(check, node);
	const char *name = address ? mail_address_domain(address) : NULL;
	bool found = true;

	if (!name || g_hash_table_contains(check->registered, name))
		return true;
	if (!check->world->domain_find(name, &found, check->world->context, error))
		return false;
	if (found) {
		g_hash_table_add(check->registered, g_strdup(name));
		return true;
	}
	note(check, node->id,
	    "node \"%s\": the domain of its sender, %s, is not registered: register it, or name "
	    "another sender in data.from",
	    node->id, name);
	struct automation_design_fault *fault = check->faults->pdata[check->faults->len - 1];
	fault->of_sender = true;
	return true;
}

static void
check_strangers(struct check *check, const struct automation_design_node *node)
{
	for (guint i = 0; node->strangers && i < node->strangers->len; i++) {
		const char *stranger = node->strangers->pdata[i];

		note(check, node->id, "node \"%s\": %s%s", node->id, stranger,
		    g_str_has_suffix(stranger, "?") ? "" : ": remove it");
	}
}

static bool
check_node(struct check *check, const struct automation_design_node *node, GError **error)
{
	check_strangers(check, node);
	if (node->fault) {
		note(check, node->id, "node \"%s\": %s", node->id, node->fault);
		return true;
	}
	if (node->type != NODE_SEND_EMAIL)
		return true;
	if (!node->email.from && !check->world->sender)
		note(check, node->id,
		    "node \"%s\" has no sender: give data.from, or give the workspace a default "
		    "sender",
		    node->id);
	return check_template(check, node, error) && check_domain(check, node, error);
}

static bool
check_nodes(struct check *check, GError **error)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);

	for (guint i = 0; i < nodes->len; i++)
		if (!check_node(check, nodes->pdata[i], error))
			return false;
	return true;
}

/* "e1", or where it runs, for an edge without an id. The caller owns it. */
static char *
edge_name(const struct automation_design_edge *edge)
{
	if (edge->id && *edge->id)
		return g_strdup_printf("edge \"%s\"", edge->id);
	return g_strdup_printf("the edge from \"%s\" to \"%s\"", edge->source_id, edge->target_id);
}

/* What the ways out of a node are called. The caller owns it. */
static char *
exit_names(const struct automation_design_node *node)
{
	if (node->type == NODE_CONDITION)
		return g_strdup("yes or no");
	if (node->type == NODE_WAIT_FOR_EVENT)
		return g_strdup("event or timeout");
	GString *names = g_string_new(NULL);
	for (guint i = 0; i < node->split.count; i++)
		g_string_append_printf(
		    names, "%s%s", i == 0 ? "" : " or ", node->split.sides[i].handle);
	return g_string_free(names, FALSE);
}

static void
check_handle(struct check *check, const struct automation_design_edge *edge, const char *name)
{
	const struct automation_design_node *node = edge->source;

	if (automation_node_has_exit(node, edge->handle))
		return;
	if (node->type == NODE_EXIT) {
		note(check, node->id,
		    "node \"%s\" is an exit, but %s leads on from it: remove that", node->id, name);
		return;
	}
	g_autofree char *names = exit_names(node);
	if (edge->handle)
		note(check, node->id,
		    "node \"%s\" has no way out \"%s\", by which %s leaves: let its sourceHandle "
		    "be %s",
		    node->id, edge->handle, name, names);
	else
		note(check, node->id,
		    "node \"%s\": %s does not say by which way out it leaves: let its sourceHandle "
		    "be %s",
		    node->id, name, names);
}

static void
check_ends(struct check *check, const struct automation_design_edge *edge)
{
	g_autofree char *name = edge_name(edge);

	if (!edge->source)
		note(check, edge->source_id,
		    "%s comes from node \"%s\", which does not exist: remove it, or add the node",
		    name, edge->source_id);
	if (!edge->target)
		note(check, edge->source_id,
		    "node \"%s\": %s leads to node \"%s\", which does not exist: remove it, or add "
		    "the node",
		    edge->source_id, name, edge->target_id);
	else if (edge->target->type == NODE_TRIGGER)
		note(check, edge->target->id,
		    "node \"%s\" is a trigger, but %s leads to it: let that lead to the node "
		    "behind it",
		    edge->target->id, name);
	if (edge->source && edge->source->type != NODE_UNKNOWN)
		check_handle(check, edge, name);
}

static bool
has_one_exit(const struct automation_design_node *node)
{
	return node->type != NODE_CONDITION && node->type != NODE_WAIT_FOR_EVENT &&
	       node->type != NODE_SPLIT;
}

/* Two edges by the same way out. */
static void
check_single(struct check *check, const struct automation_design_edge *edge, GHashTable *seen)
{
	const struct automation_design_node *node = edge->source;
	bool one = node && has_one_exit(node);

	if (!node || node->type == NODE_UNKNOWN || node->type == NODE_EXIT)
		return;
	g_autofree char *key = g_strconcat(edge->source_id, "\n", one ? "" : edge->handle, NULL);
	if (g_hash_table_add(seen, g_strdup(key)))
		return;
	if (one || !edge->handle)
		note(check, node->id, "node \"%s\" has more than one edge out of it: leave one",
		    node->id);
	else
		note(check, node->id, "node \"%s\" has more than one edge out of \"%s\": leave one",
		    node->id, edge->handle);
}

static void
check_edges(struct check *check)
{
	const GArray *edges = automation_design_edges(check->design);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < edges->len; i++) {
		const struct automation_design_edge *edge =
		    &g_array_index(edges, struct automation_design_edge, i);

		check_ends(check, edge);
		check_single(check, edge, seen);
	}
}

/* Only where there is one trigger to start from; the rest of the faults would be guesses. */
static void
check_reach(struct check *check)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);
	g_autoptr(GHashTable) reached = automation_design_reached(check->design);

	if (g_hash_table_size(reached) == 0)
		return;
	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (!g_hash_table_contains(reached, node) && node->type != NODE_TRIGGER)
			note(check, node->id,
			    "node \"%s\" cannot be reached from the trigger: lead an edge to it, "
			    "or remove it",
			    node->id);
	}
}

static void
check_circles(struct check *check)
{
	g_autoptr(GPtrArray) circle = automation_design_circle(check->design);

	if (!circle)
		return;
	const struct automation_design_node *first = circle->pdata[0];
	g_autoptr(GString) way = g_string_new(NULL);
	for (guint i = 0; i < circle->len; i++) {
		const struct automation_design_node *node = circle->pdata[i];

		g_string_append_printf(way, "\"%s\" -> ", node->id);
	}
	note(check, first->id,
	    "node \"%s\" is in a circle without a wait (%s\"%s\"): put a wait for a duration or "
	    "for "
	    "an event into it",
	    first->id, way->str, first->id);
}

GPtrArray *
automation_design_faults(const struct automation_design *design,
    const struct automation_design_world *world, GError **error)
{
	g_autoptr(GPtrArray) faults = g_ptr_array_new_with_free_func(automation_design_fault_free);
	g_autoptr(GHashTable) registered =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct check check = {design, world, faults, registered};

	check_shape(&check);
	check_count(&check);
	check_trigger(&check);
	if (!check_nodes(&check, error))
		return NULL;
	check_edges(&check);
	check_reach(&check);
	check_circles(&check);
	return g_steal_pointer(&faults);
}

bool
automation_design_check(const struct automation_design *design,
    const struct automation_design_world *world, GError **error)
{
	g_autoptr(GPtrArray) faults = automation_design_faults(design, world, error);

	if (!faults || faults->len == 0)
		return faults != NULL;
	const struct automation_design_fault *first = faults->pdata[0];
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, first->message);
	return false;
}
