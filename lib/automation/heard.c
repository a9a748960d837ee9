/* SPDX-License-Identifier: MIT */
/* Finds the names of events that a design hears. */
#include "automation/heard.h"

#include <stdbool.h>
#include <string.h>

#include "automation/design.h"
#include "automation/ending.h"
#include "automation/node.h"
#include "rule/event_name.h"
#include "store/automation/heard.h"

static void
heard_note(GArray *heard, const char *name, const struct base_id *segment, bool is_trigger,
    gint64 goal_within)
{
	const struct store_heard one = {name, *segment, is_trigger, goal_within};

	bool is_known =
	    strcmp(name, EVENT_NAME_DATE) == 0 || strcmp(name, EVENT_NAME_SCHEDULE) == 0;

	if (rule_event_name_is_own(name) && (is_known || !rule_event_name_is_start(name)))
		g_array_append_val(heard, one);
}

/* The goals and exits of a trigger. */
struct heard_endings {
	GArray *heard;
	gint64 within; /* of the goals */
};

/* Rules hear of changes of the person. */
static bool
heard_add_ending(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	const struct heard_endings *of = context;

	heard_note(of->heard, condition->event_name ? condition->event_name : "person.updated",
	    &condition->segment_id, false, is_goal ? of->within : 0);
	return true;
}

GArray *
automation_heard(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);
	GArray *heard = g_array_new(FALSE, FALSE, sizeof(struct store_heard));

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (node->fault)
			continue;
		if (node->type == NODE_TRIGGER) {
			heard_note(heard, node->trigger.event_name,
			    node->trigger.schedule.has_segment ? &node->trigger.schedule.target
							       : &node->trigger.segment_id,
			    true, 0);
			struct heard_endings of = {
			    heard, node->trigger.endings ? node->trigger.endings->within : 0};
			automation_endings_each(node->trigger.endings, heard_add_ending, &of, NULL);
		} else if (node->type == NODE_WAIT_FOR_EVENT)
			heard_note(heard, node->wait_event.event_name, &node->wait_event.segment_id,
			    false, 0);
	}
	return heard;
}
