/* SPDX-License-Identifier: MIT */
/* Says what a node does. */
#include "automation/describe.h"

#include "automation/design.h"
#include "automation/duration.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "base/columns.h"
#include "json/value.h"

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
	if (email->template_id)
		g_string_append_printf(text, " template %s", email->template_id);
	else
		g_string_append_printf(text, " \"%s\"", email->subject);
}

static void
append_wait(GString *text, const struct automation_node_wait *wait)
{
	char time[CLOCK_ISO_SIZE];

	if (wait->duration) {
		g_autofree char *duration = automation_duration_format(wait->duration);
		g_string_append_printf(text, " %s", duration);
	} else {
		g_string_append_printf(text, " until %s",
		    wait->property ? wait->property : base_clock_format(wait->until, time));
	}
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
append_update(GString *text, const struct json *patch)
{
	struct json_iterator members = json_members(patch);
	const struct json *value;
	const char *separator = " ", *name;

	while (json_iterator_next(&members, &name, &value)) {
		g_string_append_printf(text, "%s%s", separator, name);
		separator = ", ";
	}
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
		append_update(text, node->patch);
	} else if (node->type == NODE_SPLIT) {
		append_split(text, &node->split);
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
	g_autofree char *line = base_columns_line(text->str);
	if (g_utf8_strlen(line, -1) <= SHOWN_LENGTH)
		return g_steal_pointer(&line);
	g_autofree char *beginning = g_utf8_substring(line, 0, SHOWN_LENGTH - 3);
	return g_strconcat(beginning, "...", NULL);
}
