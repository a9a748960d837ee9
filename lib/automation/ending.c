/* SPDX-License-Identifier: MIT */
/* Reads and tests the goal and the exits of a version. */
#include "automation/ending.h"

#include <string.h>

#include "automation/duration.h"
#include "automation/rules.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "json/place.h"
#include "json/value.h"
#include "rule/event_name.h"
#include "rule/properties.h"

static const struct json_place place_data = {NULL, "data", 0};

static void
ending_clear_condition(void *data)
{
	struct automation_condition *condition = data;

	g_free(condition->event_name);
	g_clear_pointer(&condition->rules, automation_rules_free);
}

void
automation_endings_free(struct automation_endings *endings)
{
	g_array_unref(endings->goals);
	g_array_unref(endings->exits);
	g_free(endings);
}

/* Refuses members that a place does not have. */
static bool
ending_check_members(const struct json *object, const char *const *known,
    const struct json_place *parent, GError **error)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		const struct json_place place = {parent, name, 0};

		if (!g_strv_contains(known, name))
			return json_place_fail(&place, error, "is not known here: remove it");
	}
	return true;
}

static bool
ending_read_segment(struct automation_condition *condition, const struct json *json,
    const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "segmentId", 0};
	const char *id = json_string(json_member_get(json, "segmentId"), NULL);
	bool is_wanted = strcmp(condition->event_name, "segment.entered") == 0 ||
			 strcmp(condition->event_name, "segment.left") == 0;

	if (!json_member_get(json, "segmentId"))
		return !is_wanted || json_place_fail(&place, error, "is required");
	if (!is_wanted)
		return json_place_fail(
		    &place, error, "goes with segment.entered and segment.left alone");
	return (id && base_id_parse(id, &condition->segment_id)) ||
	       json_place_fail(&place, error, "is not a segment");
}

static bool
ending_read_event(struct automation_condition *condition, const struct json *json,
    const struct json_place *place, GError **error)
{
	static const char *const known[] = {"eventName", "filter", "segmentId", NULL};
	const struct json_place name = {place, "eventName", 0}, filter = {place, "filter", 0};
	const struct json *given = json_member_get(json, "filter");
	gsize size;
	const char *text = json_string(json_member_get(json, "eventName"), &size);
	g_autofree char *path = json_place_path(&name);

	if (!text || strlen(text) != size)
		return json_place_fail(&name, error, "must be a string");
	if (!(condition->event_name = rule_event_name(path, text, error)))
		return false;
	return ending_check_members(json, known, place, error) &&
	       (!given ||
		   (condition->rules = automation_rules_read(given, &filter, error)) != NULL) &&
	       ending_read_segment(condition, json, place, error);
}

static bool
ending_read_rules(struct automation_condition *condition, const struct json *json,
    const struct json_place *place, GError **error)
{
	static const char *const known[] = {"match", "rules", NULL};
	const struct json_place rules = {place, "rules", 0};

	if (!ending_check_members(json, known, place, error) ||
	    !(condition->rules = automation_rules_read(json, place, error)))
		return false;
	return automation_rules_count(condition->rules) > 0 ||
	       json_place_fail(&rules, error, "must not be empty");
}

static bool
ending_read_condition(struct automation_condition *condition, const struct json *json,
    const struct json_place *place, GError **error)
{
	bool is_event = json_member_has(json, "eventName"),
	     is_rules = json_member_has(json, "rules");

	if (json_kind(json) != JSON_OBJECT)
		return json_place_fail(place, error, "must be an object: an event, or rules");
	if (is_event && is_rules)
		return json_place_fail(
		    place, error, "has both eventName and rules: leave one of them out");
	if (!is_event && !is_rules)
		return json_place_fail(place, error, "must have eventName or rules");
	return is_event ? ending_read_event(condition, json, place, error)
			: ending_read_rules(condition, json, place, error);
}

static bool
ending_read_list(
    GArray *conditions, const struct json *list, const struct json_place *place, GError **error)
{
	gsize count = json_array_length(list);

	if (count < 1 || count > LIMIT_CONDITIONS)
		return json_place_fail(
		    place, error, "must be 1 to %d conditions", LIMIT_CONDITIONS);
	for (gsize i = 0; i < count; i++) {
		const struct json_place own = {place, NULL, i};
		struct automation_condition condition = {NULL};
		bool is_read =
		    ending_read_condition(&condition, json_array_at(list, i), &own, error);

		g_array_append_val(conditions, condition);
		if (!is_read)
			return false;
	}
	return true;
}

static bool
ending_read_goal(struct automation_endings *endings, const struct json *goal, GError **error)
{
	static const char *const known[] = {"any", "within", "ends", NULL};
	const struct json_place place = {&place_data, "goal", 0}, any = {&place, "any", 0},
				within = {&place, "within", 0}, ends = {&place, "ends", 0};
	const struct json *time = json_member_get(goal, "within"),
			  *end = json_member_get(goal, "ends");

	if (json_kind(goal) != JSON_OBJECT)
		return json_place_fail(&place, error, "must be an object");
	if (!ending_check_members(goal, known, &place, error) ||
	    !ending_read_list(endings->goals, json_member_get(goal, "any"), &any, error))
		return false;
	if (time && json_kind(time) != JSON_OBJECT)
		return json_place_fail(&within, error, "must be an object");
	if (time && !automation_duration_read(time, &within, &endings->within, error))
		return false;
	if (endings->within > LIMIT_GOAL_MS)
		return json_place_fail(&within, error, "must be at most 90 days");
	if (end && json_kind(end) != JSON_BOOLEAN)
		return json_place_fail(&ends, error, "must be true or false");
	endings->goes_on = end && !json_boolean(end);
	return true;
}

static bool
ending_has_rules(const GArray *conditions)
{
	for (guint i = 0; i < conditions->len; i++)
		if (!g_array_index(conditions, struct automation_condition, i).event_name)
			return true;
	return false;
}

static GArray *
ending_no_conditions(void)
{
	GArray *conditions = g_array_new(FALSE, FALSE, sizeof(struct automation_condition));

	g_array_set_clear_func(conditions, ending_clear_condition);
	return conditions;
}

bool
automation_endings_read(const struct json *goal, const struct json *exits,
    struct automation_endings **endings_r, GError **error)
{
	const struct json_place place = {&place_data, "exit", 0};

	*endings_r = NULL;
	if (!goal && !exits)
		return true;
	AUTO(automation_endings) endings = g_new0(struct automation_endings, 1);
	endings->goals = ending_no_conditions();
	endings->exits = ending_no_conditions();
	if ((goal && !ending_read_goal(endings, goal, error)) ||
	    (exits && !ending_read_list(endings->exits, exits, &place, error)))
		return false;
	endings->has_rules = ending_has_rules(endings->goals) || ending_has_rules(endings->exits);
	*endings_r = g_steal_pointer(&endings);
	return true;
}

static gsize
ending_weight_of(const GArray *conditions)
{
	gsize weight = 64 + 2 * conditions->len * sizeof(struct automation_condition);

	for (guint i = 0; i < conditions->len; i++) {
		const struct automation_condition *condition =
		    &g_array_index(conditions, struct automation_condition, i);

		weight += automation_rules_weight(condition->rules) +
			  (condition->event_name ? strlen(condition->event_name) : 0);
	}
	return weight;
}

gsize
automation_endings_weight(const struct automation_endings *endings)
{
	return endings ? sizeof(*endings) + ending_weight_of(endings->goals) +
			     ending_weight_of(endings->exits)
		       : 0;
}

bool
automation_endings_each(const struct automation_endings *endings,
    bool (*take)(const struct automation_condition *condition, bool is_goal,
	const struct json_place *place, void *context, GError **error),
    void *context, GError **error)
{
	const struct json_place goal = {&place_data, "goal", 0}, any = {&goal, "any", 0},
				exits = {&place_data, "exit", 0};
	guint goals = endings ? endings->goals->len : 0,
	      count = endings ? goals + endings->exits->len : 0;

	for (guint i = 0; i < count; i++) {
		bool is_goal = i < goals;
		guint number = is_goal ? i : i - goals;
		const struct json_place place = {is_goal ? &any : &exits, NULL, number};

		if (!take(&g_array_index(is_goal ? endings->goals : endings->exits,
			      struct automation_condition, number),
			is_goal, &place, context, error))
			return false;
	}
	return true;
}

/* Whether the event is about the segment of the condition. */
static bool
ending_is_of_segment(const struct automation_condition *condition, const struct json *event)
{
	static const struct base_id none;
	const char *text = json_string(rule_properties_get(event, "segment_id"), NULL);
	struct base_id id;

	return base_id_equal(&condition->segment_id, &none) ||
	       (text && base_id_parse(text, &id) && base_id_equal(&condition->segment_id, &id));
}

static bool
ending_holds(const struct automation_condition *condition, const char *event_name,
    const struct automation_rules_scope *scope, GString *why)
{
	struct automation_rules_scope own = *scope;

	if (!condition->event_name) {
		own.event = scope->started;
		own.is_brief = true;
		return automation_rules_hold(condition->rules, &own, why);
	}
	if (g_strcmp0(condition->event_name, event_name) != 0 ||
	    !ending_is_of_segment(condition, scope->event) ||
	    !automation_rules_hold(condition->rules, scope, NULL))
		return false;
	if (why)
		g_string_append_printf(why, "%s came", event_name);
	return true;
}

bool
automation_endings_hold(const GArray *conditions, const char *event_name,
    const struct automation_rules_scope *scope, GString *why)
{
	gsize length = why ? why->len : 0;

	for (guint i = 0; i < conditions->len; i++) {
		if (ending_holds(&g_array_index(conditions, struct automation_condition, i),
			event_name, scope, why))
			return true;
		if (why)
			g_string_truncate(why, length);
	}
	return false;
}

bool
automation_endings_bar(
    const struct automation_endings *endings, const struct automation_rules_scope *scope)
{
	return endings && endings->has_rules &&
	       (automation_endings_hold(endings->goals, NULL, scope, NULL) ||
		   automation_endings_hold(endings->exits, NULL, scope, NULL));
}
