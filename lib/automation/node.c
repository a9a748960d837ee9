/* SPDX-License-Identifier: MIT */
/* Knows the types of nodes, and describes nodes. */
#include "automation/node.h"

#include "automation/duration.h"
#include "automation/ending.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"
#include "text/width.h"

static const struct {
	const char *name;
	const char *exits[2]; /* the handles of its edges; none: one edge of any handle */
} types[] = {
    [NODE_UNKNOWN] = {NULL},
    [NODE_TRIGGER] = {"trigger"},
    [NODE_SEND_EMAIL] = {"send_email"},
    [NODE_WAIT] = {"wait"},
    [NODE_WAIT_FOR_EVENT] = {"wait_for_event", {"event", "timeout"}},
    [NODE_CONDITION] = {"condition", {"yes", "no"}},
    [NODE_UPDATE_CONTACT] = {"update_contact"},
    [NODE_DELETE_CONTACT] = {"delete_contact"},
    [NODE_REQUEST] = {"request", {"ok", "failed"}},
    [NODE_SPLIT] = {"split"},
    [NODE_DIGEST] = {"digest"},
    [NODE_EXIT] = {"exit"},
};

const char *
automation_node_type_name(enum automation_node_type type)
{
	return types[type].name;
}

/* Returns the type of this name (NULL allowed); NODE_UNKNOWN when there is none. */
static enum automation_node_type
node_find_type(const char *name)
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
	node->type = node_find_type(name);
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

bool
automation_node_type_is_end(enum automation_node_type type)
{
	return type == NODE_EXIT || type == NODE_DELETE_CONTACT;
}

char *
automation_node_type_exits(enum automation_node_type type)
{
	const char *const *exits = types[type].exits;

	return exits[0] ? g_strdup_printf("%s or %s", exits[0], exits[1]) : NULL;
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

	if (automation_node_type_is_end(node->type))
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
		g_clear_pointer(&node->trigger.endings, automation_endings_free);
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
		g_clear_pointer(&node->update.patch, json_free);
		break;
	case NODE_SPLIT:
		g_free(node->split.sides);
		break;
	default:
		break;
	}
	g_free(node->fault);
	g_clear_pointer(&node->unknown_members, g_ptr_array_unref);
	g_free(node->exits);
}

#define SHOWN_LENGTH 60

static void
append_filter(GString *text, const struct automation_rules *filter)
{
	if (automation_rules_count(filter) == 0)
		return;
	g_string_append(text, " if ");
	automation_rules_describe(filter, text);
}

static void
append_email(GString *text, const struct automation_node_email *email)
{
	if (email->template_id || email->published)
		g_string_append_printf(text, " template %s",
		    email->template_id ? email->template_id : email->published);
	else
		g_string_append_printf(text, " \"%s\"", email->subject);
}

static void
append_until(GString *text, const struct automation_node_wait *wait)
{
	g_autofree char *shift = automation_duration_format(ABS(wait->shift));
	char time[CLOCK_ISO_SIZE];

	g_string_append(text, " until ");
	if (wait->by_clock) {
		text_wall_clock_describe(&wait->clock, text);
		return;
	}
	if (wait->shift)
		g_string_append_printf(text, "%s %s ", shift, wait->shift < 0 ? "before" : "after");
	g_string_append(
	    text, wait->property ? wait->property : base_clock_format(wait->until, time));
}

static void
append_wait(GString *text, const struct automation_node_wait *wait)
{
	if (!wait->duration) {
		append_until(text, wait);
		return;
	}
	g_autofree char *duration = automation_duration_format(wait->duration);
	g_string_append_printf(text, " %s", duration);
}

static void
append_wait_event(GString *text, const struct automation_node_wait_event *wait)
{
	g_string_append_printf(text, " %s", wait->event_name);
	append_filter(text, wait->filter);
	if (!wait->timeout)
		return;
	g_autofree char *timeout = automation_duration_format(wait->timeout);
	g_string_append_printf(text, ", at most %s", timeout);
}

static void
append_names(GString *text, const struct json *object, const char **separator)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		g_string_append_printf(text, "%s%s", *separator, name);
		*separator = ", ";
	}
}

static void
append_update(GString *text, const struct automation_node_update *update)
{
	const char *separator = " ";

	append_names(text, update->names, &separator);
	append_names(text, update->patch, &separator);
	append_names(text, update->copy, &separator);
	if (update->subscribed) {
		g_string_append_printf(text, "%ssubscribed", separator);
		separator = ", ";
	}
	append_names(text, update->topics, &separator);
	append_names(text, update->audiences, &separator);
}

static void
append_digest(GString *text, const struct automation_node_digest *digest)
{
	g_autofree char *duration = automation_duration_format(digest->duration);

	if (digest->duration) {
		g_string_append_printf(text, " %s", duration);
	} else {
		g_string_append(text, " until ");
		text_wall_clock_describe(&digest->clock, text);
	}
	if (digest->key)
		g_string_append_printf(text, " by %s", digest->key);
}

static void
append_split(GString *text, const struct automation_node_split *split)
{
	for (guint i = 0; i < split->count; i++)
		g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT, i == 0 ? " " : ", ",
		    split->sides[i].handle, split->sides[i].weight);
}

static void
append_data(GString *text, const struct automation_design_node *node)
{
	if (node->type == NODE_TRIGGER) {
		g_string_append_printf(text, " %s", node->trigger.event_name);
		append_filter(text, node->trigger.filter);
	} else if (node->type == NODE_SEND_EMAIL) {
		append_email(text, &node->email);
	} else if (node->type == NODE_WAIT) {
		append_wait(text, &node->wait);
	} else if (node->type == NODE_WAIT_FOR_EVENT) {
		append_wait_event(text, &node->wait_event);
	} else if (node->type == NODE_CONDITION) {
		g_string_append_c(text, ' ');
		automation_rules_describe(node->rules, text);
	} else if (node->type == NODE_UPDATE_CONTACT) {
		append_update(text, &node->update);
	} else if (node->type == NODE_REQUEST) {
		g_string_append_printf(text, " %s %s", node->request.method, node->request.url);
	} else if (node->type == NODE_SPLIT) {
		append_split(text, &node->split);
	} else if (node->type == NODE_DIGEST) {
		append_digest(text, &node->digest);
	}
}

char *
automation_node_describe(const struct automation_design_node *node)
{
	g_autoptr(GString) text = g_string_new(*node->type_name ? node->type_name : "no type");

	if (node->fault)
		g_string_append(text, " (not valid)");
	else
		append_data(text, node);
	g_autofree char *line = text_width_line(text->str);
	if (g_utf8_strlen(line, -1) <= SHOWN_LENGTH)
		return g_steal_pointer(&line);
	g_autofree char *beginning = g_utf8_substring(line, 0, SHOWN_LENGTH - 3);
	return g_strconcat(beginning, "...", NULL);
}
