/* SPDX-License-Identifier: MIT */
/* Checks the events of a design: their names, segments, goals and exits. */
#include "automation/design_check_event.h"

#include <string.h>
#include <stdbool.h>

#include "automation/design.h"
#include "automation/design_checking.h"
#include "automation/design_lookup.h"
#include "automation/ending.h"
#include "automation/rules.h"
#include "base/id.h"
#include "json/place.h"
#include "rule/event_name.h"

/* The rules of a node that are checked. */
struct rules_check {
	struct automation_design_checking *check;
	const struct automation_design_node *node;
};

static bool
design_check_segment(
    const struct base_id *segment, const struct json_place *place, void *context, GError **error)
{
	const struct rules_check *of = context;
	const struct automation_design_lookup *lookup = of->check->lookup;
	bool found;

	if (!lookup->segment_find(segment, &found, lookup->context, error))
		return false;
	g_autofree char *path = json_place_path(place);
	if (!found)
		automation_design_note(of->check, of->node->id, "node \"%s\": %s is not a segment",
		    of->node->id, path);
	return true;
}

/* Checks a segment that people are to enter or leave: nobody does with a frozen one. */
static bool
design_check_entered(struct automation_design_checking *check,
    const struct automation_design_node *node, const struct base_id *segment, const char *path,
    GError **error)
{
	static const struct base_id none;
	const struct automation_design_lookup *lookup = check->lookup;
	bool found, is_frozen = false;

	if (!lookup->segment_find || base_id_equal(segment, &none))
		return true;
	if (!lookup->segment_find(segment, &found, lookup->context, error) ||
	    (found && lookup->segment_frozen &&
		!lookup->segment_frozen(segment, &is_frozen, lookup->context, error)))
		return false;
	if (!found || is_frozen)
		automation_design_note(check, node->id, "node \"%s\": %s is %s", node->id, path,
		    found ? "frozen" : "not a segment");
	return true;
}

/* Checks the segments of a goal or an exit. */
static bool
design_check_ending(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	const struct json_place filter = {place, "filter", 0}, id = {place, "segmentId", 0};
	const struct rules_check *of = context;
	g_autofree char *path = json_place_path(&id);

	return automation_rules_each_segment(condition->rules,
		   condition->event_name ? &filter : place, design_check_segment, context, error) &&
	       design_check_entered(of->check, of->node, &condition->segment_id, path, error);
}

/* Checks the audience or segment of a schedule. */
static bool
design_check_schedule(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	const struct automation_node_schedule *schedule = &node->trigger.schedule;
	const struct automation_design_lookup *lookup = check->lookup;
	const struct base_id *id = &schedule->target;
	char text[ID_TEXT_SIZE];
	bool found = true;

	if (schedule->has_segment && lookup->segment_find &&
	    !lookup->segment_find(id, &found, lookup->context, error))
		return false;
	if (!schedule->has_segment && lookup->audience_find &&
	    !lookup->audience_find(base_id_format(id, text), &found, lookup->context, error))
		return false;
	if (!found)
		automation_design_note(check, node->id, "node \"%s\": data.%s", node->id,
		    schedule->has_segment ? "segmentId is not a segment"
					  : "audienceId is not an audience");
	return true;
}

bool
automation_design_check_event(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	if (node->type == NODE_WAIT_FOR_EVENT)
		return design_check_entered(
		    check, node, &node->wait_event.segment_id, "data.segmentId", error);
	if (node->type != NODE_TRIGGER)
		return true;
	if (strcmp(node->trigger.event_name, EVENT_NAME_SCHEDULE) != 0)
		return design_check_entered(
		    check, node, &node->trigger.segment_id, "data.segmentId", error);
	return design_check_schedule(check, node, error);
}

bool
automation_design_check_segments(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	const struct json_place data = {NULL, "data", 0}, filter = {&data, "filter", 0};
	struct rules_check of = {check, node};

	if (!check->lookup->segment_find)
		return true;
	if (node->type == NODE_CONDITION)
		return automation_rules_each_segment(
		    node->rules, &data, design_check_segment, &of, error);
	if (node->type == NODE_TRIGGER &&
	    !automation_endings_each(node->trigger.endings, design_check_ending, &of, error))
		return false;
	return (node->type != NODE_TRIGGER && node->type != NODE_WAIT_FOR_EVENT) ||
	       automation_rules_each_segment(
		   node->type == NODE_TRIGGER ? node->trigger.filter : node->wait_event.filter,
		   &filter, design_check_segment, &of, error);
}

static bool
design_check_ending_name(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	const struct rules_check *of = context;
	const struct json_place name = {place, "eventName", 0};

	if (!condition->event_name || !rule_event_name_is_start(condition->event_name))
		return true;
	g_autofree char *path = json_place_path(&name);
	automation_design_note(of->check, of->node->id, "node \"%s\": %s %s cannot be %s",
	    of->node->id, path, condition->event_name, is_goal ? "a goal" : "an exit");
	return true;
}

void
automation_design_check_awaited(
    struct automation_design_checking *check, const struct automation_design_node *node)
{
	struct rules_check of = {check, node};

	if (node->type == NODE_TRIGGER)
		automation_endings_each(node->trigger.endings, design_check_ending_name, &of, NULL);
	if (node->type == NODE_WAIT_FOR_EVENT &&
	    rule_event_name_is_start(node->wait_event.event_name))
		automation_design_note(check, node->id,
		    "node \"%s\": data.eventName %s cannot be awaited", node->id,
		    node->wait_event.event_name);
}
