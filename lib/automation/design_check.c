/* SPDX-License-Identifier: MIT */
/* Finds the faults that keep a design from being active. */
#include "automation/design_check.h"

#include <stdbool.h>

#include "automation/design.h"
#include "automation/design_check_edges.h"
#include "automation/design_check_email.h"
#include "automation/design_check_event.h"
#include "automation/design_check_request.h"
#include "automation/design_checking.h"
#include "automation/design_path.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "json/value.h"

static void
design_check_shape(struct automation_design_checking *check)
{
	const GPtrArray *shape = automation_design_shape_faults(check->design);

	for (guint i = 0; i < shape->len; i++) {
		const struct automation_design_fault *found = shape->pdata[i];

		automation_design_note(check, found->node, "%s", found->message);
	}
}

static void
design_check_count(struct automation_design_checking *check)
{
	guint count = automation_design_nodes(check->design)->len;

	if (count > LIMIT_DESIGN_NODES)
		automation_design_note(check, NULL,
		    "the design has %u nodes, and may have %d: make two workflows of it", count,
		    LIMIT_DESIGN_NODES);
}

static void
design_check_trigger(struct automation_design_checking *check)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);
	const struct automation_design_node *first = NULL;

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (node->type != NODE_TRIGGER)
			continue;
		if (first)
			automation_design_note(check, node->id,
			    "node \"%s\" is a second trigger beside \"%s\": leave one of them",
			    node->id, first->id);
		else
			first = node;
	}
	if (!first)
		automation_design_note(check, NULL,
		    "the design has no trigger: add a node of type trigger with data.eventName");
}

/* An object whose members are named by ids. */
struct design_targets {
	const char *member, *noun; /* noun: the words for one of them */
	const struct json *ids;
	bool (*find)(const char *id, bool *found_r, void *context, GError **error); /* or NULL */
};

/* Checks that they exist. */
static bool
design_check_targets(struct automation_design_checking *check,
    const struct automation_design_node *node, const struct design_targets *targets, GError **error)
{
	struct json_iterator members = json_members(targets->ids);
	const struct json *value;
	const char *id;
	bool found;

	while (targets->find && json_iterator_next(&members, &id, &value)) {
		if (!targets->find(id, &found, check->lookup->context, error))
			return false;
		if (!found)
			automation_design_note(check, node->id, "node \"%s\": data.%s.%s is not %s",
			    node->id, targets->member, id, targets->noun);
	}
	return true;
}

static bool
design_check_update(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	const struct design_targets topics = {
	    "topics", "a topic", node->update.topics, check->lookup->topic_find};
	const struct design_targets audiences = {
	    "audiences", "an audience", node->update.audiences, check->lookup->audience_find};

	return design_check_targets(check, node, &topics, error) &&
	       design_check_targets(check, node, &audiences, error);
}

static void
design_check_unknown_members(
    struct automation_design_checking *check, const struct automation_design_node *node)
{
	for (guint i = 0; node->unknown_members && i < node->unknown_members->len; i++) {
		const char *member = node->unknown_members->pdata[i];

		automation_design_note(check, node->id, "node \"%s\": %s%s", node->id, member,
		    g_str_has_suffix(member, "?") ? "" : ": remove it");
	}
}

static bool
design_check_node(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	design_check_unknown_members(check, node);
	if (node->fault) {
		automation_design_note(check, node->id, "node \"%s\": %s", node->id, node->fault);
		return true;
	}
	automation_design_check_awaited(check, node);
	if (node->type == NODE_UPDATE_CONTACT)
		return design_check_update(check, node, error);
	if (node->type == NODE_REQUEST)
		return automation_design_check_request(check, node, error);
	if (node->type != NODE_SEND_EMAIL)
		return automation_design_check_event(check, node, error) &&
		       automation_design_check_segments(check, node, error);
	return automation_design_check_email(check, node, error);
}

static bool
design_check_nodes(struct automation_design_checking *check, GError **error)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);

	for (guint i = 0; i < nodes->len; i++)
		if (!design_check_node(check, nodes->pdata[i], error))
			return false;
	return true;
}

/* Checks that the trigger leads to each node; not without a trigger, when all nodes would fail. */
static void
design_check_reach(struct automation_design_checking *check)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);
	g_autoptr(GHashTable) reached = automation_design_reached(check->design);

	if (g_hash_table_size(reached) == 0)
		return;
	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (!g_hash_table_contains(reached, node) && node->type != NODE_TRIGGER)
			automation_design_note(check, node->id,
			    "node \"%s\" cannot be reached from the trigger: lead an edge to it, "
			    "or remove it",
			    node->id);
	}
}

static void
design_check_circles(struct automation_design_checking *check)
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
	automation_design_note(check, first->id,
	    "node \"%s\" is in a circle without a wait (%s\"%s\"): put a wait for a duration or "
	    "for "
	    "an event into it",
	    first->id, way->str, first->id);
}

GPtrArray *
automation_design_faults(const struct automation_design *design,
    const struct automation_design_lookup *lookup, GError **error)
{
	g_autoptr(GPtrArray) faults = g_ptr_array_new_with_free_func(automation_design_fault_free);
	g_autoptr(GHashTable) registered =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct automation_design_checking check = {design, lookup, faults, registered};

	design_check_shape(&check);
	design_check_count(&check);
	design_check_trigger(&check);
	if (!design_check_nodes(&check, error))
		return NULL;
	automation_design_check_edges(&check);
	design_check_reach(&check);
	design_check_circles(&check);
	return g_steal_pointer(&faults);
}

bool
automation_design_check(const struct automation_design *design,
    const struct automation_design_lookup *lookup, GError **error)
{
	g_autoptr(GPtrArray) faults = automation_design_faults(design, lookup, error);

	if (!faults || faults->len == 0)
		return faults != NULL;
	const struct automation_design_fault *first = faults->pdata[0];
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, first->message);
	return false;
}
