/* SPDX-License-Identifier: MIT */
/* The types of nodes. */
#include "automation/node.h"

#include "automation/rules.h"
#include "base/error.h"
#include "json/value.h"

static const struct {
	const char *name;
	const char *exits[2]; /* by name; none: one, whatever its name */
} types[] = {
    [NODE_UNKNOWN] = {NULL},
    [NODE_TRIGGER] = {"trigger"},
    [NODE_SEND_EMAIL] = {"send_email"},
    [NODE_WAIT] = {"wait"},
    [NODE_WAIT_FOR_EVENT] = {"wait_for_event", {"event", "timeout"}},
    [NODE_CONDITION] = {"condition", {"yes", "no"}},
    [NODE_UPDATE_CONTACT] = {"update_contact"},
    [NODE_SPLIT] = {"split"},
    [NODE_EXIT] = {"exit"},
};

const char *
automation_node_type_name(enum automation_node_type type)
{
	return types[type].name;
}

enum automation_node_type
automation_node_type(const char *name)
{
	for (enum automation_node_type type = NODE_TRIGGER; type <= NODE_EXIT; type++)
		if (g_strcmp0(types[type].name, name) == 0)
			return type;
	return NODE_UNKNOWN;
}

bool
automation_node_read_type(struct automation_design_node *node, const char *name, GError **error)
{
	node->type_name = name ? name : "";
	node->type = automation_node_type(name);
	if (node->type != NODE_UNKNOWN)
		return true;
	g_autoptr(GString) names = g_string_new(NULL);
	for (enum automation_node_type type = NODE_TRIGGER; type <= NODE_EXIT; type++)
		g_string_append_printf(names, "%s%s",
		    type == NODE_TRIGGER ? ""
		    : type == NODE_EXIT	 ? " or "
					 : ", ",
		    types[type].name);
	if (name)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "is of type \"%s\", which is unknown: use %s", name, names->str);
	else
		g_set_error(
		    error, PH_ERROR, PH_ERROR_INVALID, "has no type: give it %s", names->str);
	return false;
}

static bool
has_side(const struct automation_node_split *split, const char *handle)
{
	for (guint i = 0; i < split->count; i++)
		if (g_strcmp0(split->sides[i].handle, handle) == 0)
			return true;
	return false;
}

bool
automation_node_has_exit(const struct automation_design_node *node, const char *handle)
{
	const char *const *exits = types[node->type].exits;

	if (node->type == NODE_EXIT)
		return false;
	if (node->type == NODE_SPLIT)
		return node->fault || has_side(&node->split, handle);
	return !exits[0] || g_strcmp0(handle, exits[0]) == 0 || g_strcmp0(handle, exits[1]) == 0;
}

void
automation_node_clear(struct automation_design_node *node)
{
	switch (node->type) {
	case NODE_TRIGGER:
		g_free(node->trigger.event_name);
		g_clear_pointer(&node->trigger.filter, automation_rules_free);
		break;
	case NODE_SEND_EMAIL:
		g_free(node->email.reply_to);
		break;
	case NODE_WAIT_FOR_EVENT:
		g_free(node->wait_event.event_name);
		g_clear_pointer(&node->wait_event.filter, automation_rules_free);
		break;
	case NODE_CONDITION:
		g_clear_pointer(&node->rules, automation_rules_free);
		break;
	case NODE_UPDATE_CONTACT:
		g_clear_pointer(&node->patch, json_free);
		break;
	case NODE_SPLIT:
		g_free(node->split.sides);
		break;
	default:
		break;
	}
	g_free(node->fault);
	g_clear_pointer(&node->strangers, g_ptr_array_unref);
	g_free(node->exits);
}
