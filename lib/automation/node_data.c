/* SPDX-License-Identifier: MIT */
/* Reads and checks the data of each type of node. */
#include "automation/node_data.h"

#include <string.h>

#include "automation/duration.h"
#include "automation/ending.h"
#include "automation/node.h"
#include "automation/node_email.h"
#include "automation/node_given.h"
#include "automation/node_request.h"
#include "automation/node_update.h"
#include "automation/node_wait.h"
#include "automation/rules.h"
#include "automation/trigger.h"
#include "base/array.h"
#include "base/limits/email.h"
#include "base/limits/template.h"
#include "base/limits/workflow.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/unknown.h"
#include "rule/event_name.h"

#define DEDUPE_WINDOW_DEFAULT (5 * 60 * 1000)
#define REQUEST_TIMEOUT 10 /* seconds */
#define SET_PROPERTIES 100
#define SET_TARGETS 100
#define SPLIT_SIDES 100

#define DATA(name, type, member, ...)                                                              \
	JSON_FIELD(name, type, struct automation_node_given, member, __VA_ARGS__)

/* automation/duration.h and automation/rules.h read these. React Flow's own nodes show label. */
#define ANY_KIND                                                                                   \
	(JSON_KIND(JSON_BOOLEAN) | JSON_KIND(JSON_NUMBER) | JSON_KIND(JSON_STRING) |               \
	    JSON_KIND(JSON_ARRAY) | JSON_KIND(JSON_OBJECT))
#define LABEL JSON_KNOWN("label")
#define BODY_KINDS                                                                                 \
	(JSON_KIND(JSON_BOOLEAN) | JSON_KIND(JSON_INTEGER) | JSON_KIND(JSON_NUMBER) |              \
	    JSON_KIND(JSON_STRING) | JSON_KIND(JSON_ARRAY) | JSON_KIND(JSON_OBJECT))
static const struct json_field duration_fields[] = {JSON_KNOWN("duration"), JSON_KNOWN("unit")};
static const struct json_field condition_fields[] = {
    JSON_KNOWN("match"), JSON_KNOWN("rules"), LABEL};
static const struct json_field end_fields[] = {LABEL};

/* automation/trigger.h reads these. */
static const struct json_field date_members[] = {JSON_KNOWN("property"), JSON_KNOWN("days"),
    JSON_KNOWN("at"), JSON_KNOWN("zone"), JSON_KNOWN("repeat")};
static const struct json_field schedule_members[] = {JSON_KNOWN("cron"), JSON_KNOWN("zone")};

static const struct json_field trigger_fields[] = {
    DATA("eventName", FIELD_STRING, event_name, .required = true),
    DATA("filter", FIELD_OBJECT, filter),
    DATA("reentry", FIELD_STRING, reentry),
    DATA("hours", FIELD_JSON, hours, .kinds = JSON_KIND(JSON_STRING) | JSON_KIND(JSON_OBJECT),
	JSON_MEMBERS(sending_hours_fields)),
    DATA("dedupe_window", FIELD_INTEGER, dedupe_window,
	.given = offsetof(struct automation_node_given, is_windowed), .min = 0,
	.max = LIMIT_DEDUPE_MS),
    DATA("key", FIELD_STRING, key),
    DATA("goal", FIELD_JSON, goal, .kinds = ANY_KIND),
    DATA("exit", FIELD_JSON, exits, .kinds = ANY_KIND),
    DATA("segmentId", FIELD_STRING, trigger.segment),
    DATA("audienceId", FIELD_STRING, trigger.audience),
    DATA("include", FIELD_STRING, trigger.include),
    DATA("date", FIELD_OBJECT, trigger.date, JSON_MEMBERS(date_members)),
    DATA("schedule", FIELD_OBJECT, trigger.schedule, JSON_MEMBERS(schedule_members)),
    LABEL,
};

static const struct json_field email_fields[] = {
    DATA("templateId", FIELD_STRING, email.template_id, .max = LIMIT_TEMPLATE_ID_LENGTH),
    DATA("template", FIELD_OBJECT, template, .elements = automation_template_fields,
	.element_count = G_N_ELEMENTS(automation_template_fields)),
    DATA("subject", FIELD_STRING, email.subject, .max = LIMIT_SUBJECT_LENGTH),
    DATA("html", FIELD_STRING, email.html),
    DATA("text", FIELD_STRING, email.text),
    DATA("from", FIELD_STRING, email.from, .max = LIMIT_FROM_LENGTH),
    DATA("replyTo", FIELD_STRINGS, email.reply_to, .max = LIMIT_RECIPIENTS),
    DATA("kind", FIELD_STRING, email.kind),
    DATA("topicId", FIELD_STRING, email.topic_id),
    DATA("priority", FIELD_STRING, priority),
    DATA("ignoreCap", FIELD_BOOLEAN, email.ignores_cap),
    LABEL,
};

static const struct json_field wait_fields[] = {
    DATA("until", FIELD_JSON, until, .kinds = JSON_KIND(JSON_STRING) | JSON_KIND(JSON_INTEGER)),
    DATA("before", FIELD_OBJECT, before, JSON_MEMBERS(duration_fields)),
    DATA("after", FIELD_OBJECT, after, JSON_MEMBERS(duration_fields)),
    DATA("duration", FIELD_JSON, duration, .kinds = JSON_KIND(JSON_NUMBER)),
    JSON_KNOWN("unit"),
    DATA("time", FIELD_STRING, time),
    DATA("days", FIELD_STRINGS, days),
    DATA("zone", FIELD_STRING, zone),
    LABEL,
};

static const struct json_field wait_event_fields[] = {
    DATA("eventName", FIELD_STRING, event_name, .required = true),
    DATA("filter", FIELD_OBJECT, filter),
    DATA("timeout", FIELD_OBJECT, timeout, JSON_MEMBERS(duration_fields)),
    DATA("segmentId", FIELD_STRING, trigger.segment),
    LABEL,
};

static const struct json_field update_fields[] = {
    DATA("set", FIELD_OBJECT, set, .max = SET_PROPERTIES),
    DATA("copy", FIELD_OBJECT, copy, .max = SET_PROPERTIES),
    DATA("names", FIELD_OBJECT, names),
    DATA("subscribed", FIELD_JSON, subscribed,
	.kinds = JSON_KIND(JSON_BOOLEAN) | JSON_KIND(JSON_OBJECT)),
    DATA("topics", FIELD_OBJECT, topics, .max = SET_TARGETS),
    DATA("audiences", FIELD_OBJECT, audiences, .max = SET_TARGETS),
    LABEL,
};

static const struct json_field digest_fields[] = {
    DATA("duration", FIELD_JSON, duration, .kinds = JSON_KIND(JSON_NUMBER)),
    JSON_KNOWN("unit"),
    DATA("time", FIELD_STRING, time),
    DATA("days", FIELD_STRINGS, days),
    DATA("zone", FIELD_STRING, zone),
    DATA("key", FIELD_STRING, key),
    LABEL,
};

static const struct json_field request_fields[] = {
    DATA("url", FIELD_STRING, request.url, .required = true),
    DATA("method", FIELD_STRING, request.method),
    DATA("headers", FIELD_OBJECT, request.headers, .max = LIMIT_REQUEST_HEADERS),
    DATA("body", FIELD_JSON, request.body, .kinds = BODY_KINDS),
    DATA("timeout", FIELD_INTEGER, request.timeout, .min = 1, .max = LIMIT_REQUEST_TIMEOUT),
    DATA("attempts", FIELD_INTEGER, request.attempts, .min = 1, .max = LIMIT_REQUEST_ATTEMPTS),
    LABEL,
};

static const struct json_field split_fields[] = {
    DATA("weights", FIELD_OBJECT, weights, .required = true, .max = SPLIT_SIDES),
    LABEL,
};

static bool
read_event_name(const char *given, char **name_r, GError **error)
{
	return (*name_r = rule_event_name("data.eventName", given, error)) != NULL;
}

static bool
node_data_read_filter(const struct json *given, struct automation_rules **filter_r, GError **error)
{
	const struct json_place place = {&automation_place_data, "filter", 0};

	return !given || (*filter_r = automation_rules_read(given, &place, error)) != NULL;
}

static bool
node_trigger_read_reentry(const char *given, enum automation_reentry *reentry_r, GError **error)
{
	static const char *const names[] = {
	    [REENTRY_EVERY] = "every",
	    [REENTRY_AFTER_FINISH] = "after_finish",
	    [REENTRY_ONCE] = "once",
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		*reentry_r = i;
		if (g_strcmp0(given ? given : "every", names[i]) == 0)
			return true;
	}
	return automation_node_fail(error, "data.reentry must be every, after_finish or once");
}

static bool
node_trigger_read(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	struct automation_node_trigger *trigger = &node->trigger;
	const struct json_place hours = {&automation_place_data, "hours", 0};

	trigger->dedupe_window = data->dedupe_window;
	trigger->is_windowed = data->is_windowed;
	return automation_node_read_key(data->key, &trigger->key, error) &&
	       automation_endings_read(data->goal, data->exits, &trigger->endings, error) &&
	       read_event_name(data->event_name, &trigger->event_name, error) &&
	       node_data_read_filter(data->filter, &trigger->filter, error) &&
	       node_trigger_read_reentry(data->reentry, &trigger->reentry, error) &&
	       sending_hours_read(data->hours, &hours, true, &trigger->hours, error) &&
	       automation_trigger_read(trigger, &data->trigger, error);
}

static bool
read_wait_event(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	const struct json_place place = {&automation_place_data, "timeout", 0};
	struct automation_node_wait_event *wait = &node->wait_event;

	return read_event_name(data->event_name, &wait->event_name, error) &&
	       node_data_read_filter(data->filter, &wait->filter, error) &&
	       automation_trigger_segment(
		   wait->event_name, data->trigger.segment, &wait->segment_id, error) &&
	       (!data->timeout ||
		   automation_duration_read(data->timeout, &place, &wait->timeout, error));
}

static bool
node_data_read_condition(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	node->rules = automation_rules_read(json, &automation_place_data, error);
	if (!node->rules)
		return false;
	return automation_rules_count(node->rules) > 0 ||
	       automation_node_fail(
		   error, "has nothing to decide by: give data.rules one rule or more");
}

static int
compare_sides(const void *a, const void *b)
{
	const struct automation_node_side *side_a = a, *side_b = b;

	return strcmp(side_a->handle, side_b->handle);
}

static bool
add_side(struct automation_node_split *split, const char *handle, const struct json *weight,
    GError **error)
{
	gint64 number = json_integer(weight);

	if (!*handle || g_utf8_strlen(handle, -1) > LIMIT_HANDLE_LENGTH)
		return automation_node_fail(error,
		    "data.weights names a side of no or more than %d characters",
		    LIMIT_HANDLE_LENGTH);
	if (json_kind(weight) != JSON_INTEGER || number < 0 || number > LIMIT_WEIGHT)
		return automation_node_fail(error,
		    "data.weights.%s must be a whole number from 0 to %d", handle, LIMIT_WEIGHT);
	split->sides[split->count++] = (struct automation_node_side){handle, number};
	split->total += number;
	return true;
}

static bool
read_split(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	struct json_iterator sides = json_members(data->weights);
	struct automation_node_split *split = &node->split;
	const struct json *weight;
	const char *handle;

	split->sides = g_new0(struct automation_node_side, json_member_count(data->weights));
	while (json_iterator_next(&sides, &handle, &weight))
		if (!add_side(split, handle, weight, error))
			return false;
	if (split->total == 0)
		return automation_node_fail(error, "data.weights are all 0: give one of them more");
	base_array_sort(split->sides, split->count, sizeof(*split->sides), compare_sides);
	return true;
}

static bool
node_data_read_request(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	node->request = data->request;
	return automation_node_request_check(&node->request, error);
}

#define FIELD_TABLE(rows) .table = JSON_TABLE(rows)

static const struct {
	struct json_table table;
	bool (*read)(struct automation_design_node *node, const struct json *json,
	    const struct automation_node_given *data, GError **error);
} types[] = {
    [NODE_TRIGGER] = {FIELD_TABLE(trigger_fields), node_trigger_read},
    [NODE_SEND_EMAIL] = {FIELD_TABLE(email_fields), automation_node_read_email},
    [NODE_WAIT] = {FIELD_TABLE(wait_fields), automation_node_read_wait},
    [NODE_WAIT_FOR_EVENT] = {FIELD_TABLE(wait_event_fields), read_wait_event},
    [NODE_CONDITION] = {FIELD_TABLE(condition_fields), node_data_read_condition},
    [NODE_UPDATE_CONTACT] = {FIELD_TABLE(update_fields), automation_node_read_update},
    [NODE_DELETE_CONTACT] = {FIELD_TABLE(end_fields), NULL},
    [NODE_REQUEST] = {FIELD_TABLE(request_fields), node_data_read_request},
    [NODE_SPLIT] = {FIELD_TABLE(split_fields), read_split},
    [NODE_DIGEST] = {FIELD_TABLE(digest_fields), automation_node_read_digest},
    [NODE_EXIT] = {FIELD_TABLE(end_fields), NULL},
};

/* Collects the members that the type does not have. */
static void
note_unknown_members(struct automation_design_node *node, const struct json *json)
{
	struct json_unknown unknown = {
	    .noun = "known here",
	    .refuse = true,
	    .faults = g_ptr_array_new_with_free_func(g_free),
	};

	json_unknown_check(json, &types[node->type].table, &automation_place_data, &unknown, NULL);
	if (unknown.faults->len > 0)
		node->unknown_members = unknown.faults;
	else
		g_ptr_array_unref(unknown.faults);
}

bool
automation_node_data_read(
    struct automation_design_node *node, const struct json *json, GError **error)
{
	const struct json_table *table = &types[node->type].table;
	struct automation_node_given data = {
	    .dedupe_window = DEDUPE_WINDOW_DEFAULT,
	    .request = {.timeout = REQUEST_TIMEOUT, .attempts = LIMIT_REQUEST_ATTEMPTS},
	};

	if (json && json_kind(json) != JSON_OBJECT)
		return automation_node_fail(error, "data must be an object");
	note_unknown_members(node, json);
	if (!json_fields_read(json, table->fields, table->count, &data, error)) {
		g_prefix_error(error, "data.");
		return false;
	}
	bool is_read = !types[node->type].read || types[node->type].read(node, json, &data, error);
	g_free(data.days);
	return is_read;
}

/* Whether the node keeps this object of its data. */
static bool
is_borrowed(const struct automation_design_node *node, const char *name)
{
	static const char *const of_trigger[] = {"goal", "exit", "date", "schedule", NULL};
	static const char *const of_update[] = {
	    "copy", "names", "subscribed", "topics", "audiences", NULL};
	static const char *const of_request[] = {"headers", "body", NULL};

	return (node->type == NODE_SEND_EMAIL && strcmp(name, "template") == 0) ||
	       (node->type == NODE_TRIGGER && g_strv_contains(of_trigger, name)) ||
	       (node->type == NODE_UPDATE_CONTACT && g_strv_contains(of_update, name)) ||
	       (node->type == NODE_REQUEST && g_strv_contains(of_request, name));
}

void
automation_node_data_forget(const struct automation_design_node *node, const struct json *json)
{
	struct json_iterator members = json_members(json);
	const struct json *member;
	const char *name;

	if (node->type == NODE_CONDITION) {
		automation_rules_forget(json);
		return;
	}
	while (json_iterator_next(&members, &name, &member))
		if (strcmp(name, "filter") == 0)
			automation_rules_forget(member);
		else if (!is_borrowed(node, name))
			json_forget(member);
}

gsize
automation_node_weight(const struct automation_design_node *node)
{
	gsize weight = sizeof(*node) + 128 + node->exit_count * sizeof(*node->exits);

	if (node->fault)
		return weight + strlen(node->fault);
	if (node->type == NODE_TRIGGER)
		weight += automation_rules_weight(node->trigger.filter) +
			  automation_endings_weight(node->trigger.endings);
	else if (node->type == NODE_WAIT_FOR_EVENT)
		weight += automation_rules_weight(node->wait_event.filter);
	else if (node->type == NODE_CONDITION)
		weight += automation_rules_weight(node->rules);
	else if (node->type == NODE_UPDATE_CONTACT)
		weight += 2 * json_weight(node->update.patch); /* plus its text */
	else if (node->type == NODE_SPLIT)
		weight += node->split.count * sizeof(*node->split.sides);
	return weight;
}
