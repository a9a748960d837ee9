/* SPDX-License-Identifier: MIT */
/* Reads and checks the data of each type of node. */
#include "automation/node_data.h"

#include <string.h>

#include "automation/duration.h"
#include "automation/ending.h"
#include "rule/event_name.h"
#include "automation/node.h"
#include "automation/node_request.h"
#include "rule/properties.h"
#include "automation/rules.h"
#include "automation/trigger.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/email.h"
#include "base/limits/template.h"
#include "base/limits/workflow.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/unknown.h"
#include "mail/address.h"
#include "mail/header.h"
#include "person/contact.h"
#include "text/time_zone.h"

static bool
fail_email(GError **error, const char *message)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, message);
	return false;
}

/* Editors save empty strings for fields that were left empty. */
static void
drop_empty(const char **text)
{
	if (*text && !**text)
		*text = NULL;
}

static bool
node_data_check_sender(const char *from, GError **error)
{
	AUTO(mail_address) address = from ? mail_address_parse(from, error) : NULL;

	if (!from || address)
		return true;
	g_prefix_error(error, "data.from ");
	return false;
}

static bool
check_reply_to(const char **lists, GError **error)
{
	for (; lists && *lists; lists++) {
		g_autoptr(GPtrArray) addresses = mail_address_parse_list(*lists, error);

		if (!addresses) {
			g_prefix_error(error, "data.replyTo ");
			return false;
		}
	}
	return true;
}

static void
drop_empty_reply_to(struct automation_node_email *email)
{
	const char **kept = email->reply_to;

	for (const char **list = email->reply_to; list && *list; list++)
		if (**list)
			*kept++ = *list;
	if (kept)
		*kept = NULL;
	if (email->reply_to && !email->reply_to[0])
		g_clear_pointer(&email->reply_to, g_free);
}

static bool
read_kind(struct automation_node_email *email, GError **error)
{
	struct base_id topic;

	email->is_transactional = g_strcmp0(email->kind, "transactional") == 0;
	if (email->kind && !email->is_transactional && strcmp(email->kind, "marketing") != 0)
		return fail_email(error, "data.kind must be one of marketing, transactional");
	return !email->topic_id || base_id_parse(email->topic_id, &topic) ||
	       fail_email(error, "data.topicId is not a topic");
}

/* Sets empty members to NULL, and checks that the rest can be sent. INVALID, with the fault and the
   remedy; reply_to still belongs to the caller then. */
static bool
node_data_check_email(struct automation_node_email *email, GError **error)
{
	drop_empty(&email->template_id);
	drop_empty(&email->subject);
	drop_empty(&email->html);
	drop_empty(&email->text);
	drop_empty(&email->from);
	drop_empty(&email->kind);
	drop_empty(&email->topic_id);
	drop_empty_reply_to(email);
	if (!read_kind(email, error))
		return false;
	if (email->published && (email->template_id || email->html || email->text))
		return fail_email(error,
		    "has data.template and another content: leave data.templateId, data.html and "
		    "data.text out");
	if (email->template_id && email->html)
		return fail_email(
		    error, "has both data.templateId and data.html: leave one of them out");
	if (!email->template_id && !email->html && !email->published)
		return fail_email(error,
		    "has nothing to send: give data.templateId, or data.subject and "
		    "data.html");
	if (!email->template_id && !email->subject && !email->published)
		return fail_email(error, "has no data.subject: give one");
	return (!email->subject || mail_check_text("data.subject", email->subject, error)) &&
	       node_data_check_sender(email->from, error) && check_reply_to(email->reply_to, error);
}

#define DEDUPE_WINDOW_DEFAULT (5 * 60 * 1000)
#define REQUEST_TIMEOUT 10 /* seconds */
#define SET_PROPERTIES 100
#define SET_TARGETS 100
#define SPLIT_SIDES 100

static const struct json_place place_data = {NULL, "data", 0};

/* The data of any type of node. Each type has its own table of fields. */
struct data {
	const char *event_name, *reentry, *unit;
	const struct json *until, *filter, *timeout, *duration, *set, *copy, *names, *weights,
	    *template, *hours, *before, *after, *subscribed, *topics, *audiences;
	const struct json *goal, *exits;
	const char *time, *zone, *priority, *key;
	struct automation_node_request request;
	const char **days; /* owned */
	struct automation_trigger_given trigger;
	gint64 dedupe_window;
	bool is_windowed; /* dedupe_window is given */
	struct automation_node_email email;
};

#define DATA(name, type, member, ...) JSON_FIELD(name, type, struct data, member, __VA_ARGS__)

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
    DATA("dedupe_window", FIELD_INTEGER, dedupe_window, .given = offsetof(struct data, is_windowed),
	.min = 0, .max = LIMIT_DEDUPE_MS),
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

static const struct json_field template_fields[] = {
    JSON_FIELD("id", FIELD_STRING, struct automation_node_email, published, .required = true,
	.min = 1, .max = LIMIT_TEMPLATE_ID_LENGTH),
    JSON_FIELD("variables", FIELD_OBJECT, struct automation_node_email, variables,
	.max = LIMIT_TEMPLATE_VARIABLES),
};

static const struct json_field email_fields[] = {
    DATA("templateId", FIELD_STRING, email.template_id, .max = LIMIT_TEMPLATE_ID_LENGTH),
    DATA("template", FIELD_OBJECT, template, .elements = template_fields,
	.element_count = G_N_ELEMENTS(template_fields)),
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

static bool G_GNUC_PRINTF(2, 3) fail(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static bool
read_event_name(const char *given, char **name_r, GError **error)
{
	return (*name_r = rule_event_name("data.eventName", given, error)) != NULL;
}

static bool
node_data_read_filter(const struct json *given, struct automation_rules **filter_r, GError **error)
{
	const struct json_place place = {&place_data, "filter", 0};

	return !given || (*filter_r = automation_rules_read(given, &place, error)) != NULL;
}

/* Editors save an empty string for a key that was left empty. */
static bool
read_key(const char *given, const char **key_r, GError **error)
{
	*key_r = given && *given ? given : NULL;
	return !*key_r || g_utf8_strlen(*key_r, -1) <= LIMIT_PROPERTY_LENGTH ||
	       fail(error, "data.key must be at most %d characters", LIMIT_PROPERTY_LENGTH);
}

static bool
read_reentry(const char *given, enum automation_reentry *reentry_r, GError **error)
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
	return fail(error, "data.reentry must be every, after_finish or once");
}

static bool
read_trigger(struct automation_design_node *node, const struct json *json, const struct data *data,
    GError **error)
{
	struct automation_node_trigger *trigger = &node->trigger;
	const struct json_place hours = {&place_data, "hours", 0};

	trigger->dedupe_window = data->dedupe_window;
	trigger->is_windowed = data->is_windowed;
	return read_key(data->key, &trigger->key, error) &&
	       automation_endings_read(data->goal, data->exits, &trigger->endings, error) &&
	       read_event_name(data->event_name, &trigger->event_name, error) &&
	       node_data_read_filter(data->filter, &trigger->filter, error) &&
	       read_reentry(data->reentry, &trigger->reentry, error) &&
	       sending_hours_read(data->hours, &hours, true, &trigger->hours, error) &&
	       automation_trigger_read(trigger, &data->trigger, error);
}

/* A variable's value is a text, a number or a boolean, or the path of one. */
static bool
node_data_check_variables(const struct json *variables, GError **error)
{
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		if (json_kind(value) < JSON_ARRAY ||
		    (json_kind(value) == JSON_OBJECT && json_member_count(value) == 1 &&
			json_string(json_member_get(value, "var"), NULL)))
			continue;
		return fail(error,
		    "data.template.variables.%s must be a string, a number, true, false or "
		    "{\"var\": path}",
		    name);
	}
	return true;
}

static bool
node_data_read_template(
    struct automation_node_email *email, const struct json *template, GError **error)
{
	if (!template)
		return true;
	if (!json_fields_read(
		template, template_fields, G_N_ELEMENTS(template_fields), email, error)) {
		g_prefix_error(error, "data.template.");
		return false;
	}
	return node_data_check_variables(email->variables, error);
}

static bool
node_data_read_email(struct automation_design_node *node, const struct json *json,
    const struct data *data, GError **error)
{
	const struct json_place priority = {&place_data, "priority", 0};

	node->email = data->email; /* takes over reply_to, the only member that is owned */
	return sending_priority_read(data->priority, &priority, &node->email.priority, error) &&
	       node_data_read_template(&node->email, data->template, error) &&
	       node_data_check_email(&node->email, error);
}

/* 1973. A smaller number is no time in milliseconds: today in seconds would be 1970. */
#define EPOCH_MS_LEAST 100000000000

bool
automation_node_data_time(const struct json *value, gint64 *epoch_ms_r)
{
	gsize size;
	const char *text = json_string(value, &size);

	if (json_kind(value) == JSON_INTEGER) {
		gint64 time = json_integer(value);
		bool good = time >= EPOCH_MS_LEAST && time <= CLOCK_LAST;

		*epoch_ms_r = good ? time : 0;
		return good;
	}
	return text && strlen(text) == size &&
	       (base_clock_parse(text, epoch_ms_r) ||
		   g_ascii_string_to_signed(
		       text, 10, EPOCH_MS_LEAST, CLOCK_LAST, epoch_ms_r, NULL));
}

static bool
read_shift(const struct data *data, gint64 *shift_r, GError **error)
{
	const struct json_place before = {&place_data, "before", 0},
				after = {&place_data, "after", 0};

	if (data->before && data->after)
		return fail(error, "has both data.before and data.after: leave one of them out");
	if (data->after)
		return automation_duration_read(data->after, &after, shift_r, error);
	if (data->before && !automation_duration_read(data->before, &before, shift_r, error))
		return false;
	*shift_r = -*shift_r;
	return true;
}

static bool
read_days(const char *const *names, guint *days_r, GError **error)
{
	*days_r = names ? 0 : TEXT_WALL_CLOCK_EVERY_DAY;
	for (guint i = 0; names && names[i]; i++) {
		guint day = text_wall_clock_day(names[i]);

		if (day == 0)
			return fail(error,
			    "data.days[%u] must be one of mon, tue, wed, thu, fri, sat, sun", i);
		*days_r |= day;
	}
	return *days_r != 0 || fail(error, "data.days must not be empty");
}

/* Reads time, days and zone. */
static bool
read_clock(const struct data *data, struct text_wall_clock_time *clock_r, const char **zone_r,
    GError **error)
{
	*zone_r = data->zone;
	if (!text_wall_clock_minute(data->time, &clock_r->minute))
		return fail(error, "data.time must be a time such as 09:00");
	if (!read_days((const char *const *)data->days, &clock_r->days, error))
		return false;
	return !data->zone || text_time_zone_is_name(data->zone) ||
	       fail(error, "data.zone must be an IANA time zone");
}

/* Checks that members stand beside those that they belong to. */
static bool
check_wait_members(const struct data *data, const struct json *until, GError **error)
{
	const char *first = data->duration ? "duration" : "time";

	if ((data->duration && (until || data->time)) || (data->time && until))
		return fail(error, "has both data.%s and data.%s: leave one of them out", first,
		    until ? "until" : "time");
	if (!until && (data->before || data->after))
		return fail(
		    error, "data.%s goes with data.until alone", data->before ? "before" : "after");
	if (!data->time && (data->days || data->zone))
		return fail(
		    error, "data.%s goes with data.time alone", data->days ? "days" : "zone");
	return true;
}

static bool
read_digest(struct automation_design_node *node, const struct json *json, const struct data *data,
    GError **error)
{
	struct automation_node_digest *digest = &node->digest;

	if (!read_key(data->key, &digest->key, error) || !check_wait_members(data, NULL, error))
		return false;
	if (data->time)
		return read_clock(data, &digest->clock, &digest->zone, error);
	if (!data->duration)
		return fail(error, "does not say how long: give data.duration and data.unit, or "
				   "data.time");
	return automation_duration_read(json, &place_data, &digest->duration, error) &&
	       (digest->duration <= LIMIT_DIGEST_MS ||
		   fail(error, "data.duration must be at most 31 days"));
}

static bool
read_wait(struct automation_design_node *node, const struct json *json, const struct data *data,
    GError **error)
{
	struct automation_node_wait *wait = &node->wait;
	const struct json *until = data->until;
	const char *text = json_string(until, NULL);

	if (text && !*text)
		until = NULL;
	if (!check_wait_members(data, until, error))
		return false;
	if (data->duration)
		return automation_duration_read(json, &place_data, &wait->duration, error);
	wait->by_clock = data->time != NULL;
	if (data->time)
		return read_clock(data, &wait->clock, &wait->zone, error);
	if (!until)
		return fail(error, "does not say how long: give data.duration and data.unit, or "
				   "data.until");
	if (!read_shift(data, &wait->shift, error))
		return false;
	if (text && g_utf8_strlen(text, -1) > LIMIT_PROPERTY_LENGTH)
		return fail(
		    error, "data.until must be at most %d characters", LIMIT_PROPERTY_LENGTH);
	if (automation_node_data_time(until, &wait->until))
		return true;
	wait->property = text;
	return text || fail(error, "data.until must be an ISO 8601 time, epoch milliseconds or the "
				   "name of a property");
}

static bool
read_wait_event(struct automation_design_node *node, const struct json *json,
    const struct data *data, GError **error)
{
	const struct json_place place = {&place_data, "timeout", 0};
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
    const struct data *data, GError **error)
{
	node->rules = automation_rules_read(json, &place_data, error);
	if (!node->rules)
		return false;
	return automation_rules_count(node->rules) > 0 ||
	       fail(error, "has nothing to decide by: give data.rules one rule or more");
}

/* Fails when a member's name is no path of a property. The caller owns the patch that sets them. */
static char *
patch_of(const char *member, const struct json *set, GError **error)
{
	const char *bad = NULL;
	char *patch = rule_properties_patch(set, &bad);

	if (!patch)
		fail(error,
		    "data.%s names \"%s\", which is no property: parts with dots between them, at "
		    "most %d",
		    member, bad, LIMIT_PROPERTY_PARTS);
	return patch;
}

static bool
check_copy(const struct json *copy, GError **error)
{
	g_autofree char *patch = patch_of("copy", copy, error);
	struct json_iterator members = json_members(copy);
	const struct json *value;
	const char *name;

	if (!patch)
		return false;
	while (json_iterator_next(&members, &name, &value))
		if (!json_string(value, NULL) || !*json_string(value, NULL))
			return fail(error, "data.copy.%s must be the path of a property", name);
	return true;
}

static bool
node_data_check_names(const struct json *names, GError **error)
{
	struct json_iterator members = json_members(names);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		bool is_first = strcmp(name, "first_name") == 0;
		const char *text = json_string(value, NULL);
		const struct person_contact_fields fields = {
		    .first_name = is_first ? text : NULL, .last_name = is_first ? NULL : text};
		char *address;

		if (!is_first && strcmp(name, "last_name") != 0)
			return fail(error, "data.names has first_name and last_name alone");
		if (value && !text && !json_string(json_member_get(value, "var"), NULL))
			return fail(
			    error, "data.names.%s must be a string, null or {\"var\": path}", name);
		if (!person_contact_check(&fields, &address, error)) {
			g_prefix_error(error, "data.names.");
			return false;
		}
	}
	return true;
}

/* The path of {"var": path}; NULL: the value is nothing of that kind. */
static const char *
node_data_var(const struct json *value)
{
	const char *path = json_kind(value) == JSON_OBJECT && json_member_count(value) == 1
			       ? json_string(json_member_get(value, "var"), NULL)
			       : NULL;

	return path && *path && g_utf8_strlen(path, -1) <= LIMIT_PROPERTY_LENGTH ? path : NULL;
}

static bool
check_subscribed(const struct json *value, GError **error)
{
	const struct json *turned =
	    json_member_count(value) == 1 ? json_member_get(value, "not") : NULL;

	return !value || json_kind(value) == JSON_BOOLEAN ||
	       node_data_var(turned ? turned : value) ||
	       fail(error, "data.subscribed must be true, false, {\"var\": path} or {\"not\": "
			   "{\"var\": path}}");
}

static bool
check_topics(const struct json *topics, GError **error)
{
	struct json_iterator members = json_members(topics);
	const struct json *value;
	struct base_id topic;
	const char *id;

	while (json_iterator_next(&members, &id, &value)) {
		if (!base_id_parse(id, &topic))
			return fail(error, "data.topics.%s is not a topic", id);
		if (json_kind(value) != JSON_BOOLEAN)
			return fail(error, "data.topics.%s must be true or false", id);
	}
	return true;
}

static bool
check_audiences(const struct json *audiences, GError **error)
{
	struct json_iterator members = json_members(audiences);
	const struct json *value;
	struct base_id audience;
	const char *id;

	while (json_iterator_next(&members, &id, &value)) {
		if (!base_id_parse(id, &audience))
			return fail(error, "data.audiences.%s is not an audience", id);
		if (value && json_kind(value) != JSON_BOOLEAN)
			return fail(error, "data.audiences.%s must be true, false or null", id);
	}
	return true;
}

static bool
read_consent(struct automation_node_update *update, const struct data *data, GError **error)
{
	update->subscribed = data->subscribed;
	update->topics = data->topics;
	update->audiences = data->audiences;
	return check_subscribed(data->subscribed, error) && check_topics(data->topics, error) &&
	       check_audiences(data->audiences, error);
}

static bool
read_update(struct automation_design_node *node, const struct json *json, const struct data *data,
    GError **error)
{
	g_autofree char *patch = NULL;

	if (!data->set && !data->copy && !data->names && !data->subscribed && !data->topics &&
	    !data->audiences)
		return fail(error, "data.set is required");
	if (!(patch = patch_of("set", data->set, error)) || !check_copy(data->copy, error) ||
	    !node_data_check_names(data->names, error) || !read_consent(&node->update, data, error))
		return false;
	if (json_member_count(data->set) + json_member_count(data->copy) +
		    json_member_count(data->names) + json_member_count(data->topics) +
		    json_member_count(data->audiences) ==
		0 &&
	    !data->subscribed)
		return fail(error, "data.set is empty: give it a property to set");
	node->update.names = data->names;
	node->update.copy = data->copy;
	node->update.patch = json_parse_as("data.set", patch, strlen(patch), error);
	return node->update.patch != NULL;
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
		return fail(error, "data.weights names a side of no or more than %d characters",
		    LIMIT_HANDLE_LENGTH);
	if (json_kind(weight) != JSON_INTEGER || number < 0 || number > LIMIT_WEIGHT)
		return fail(error, "data.weights.%s must be a whole number from 0 to %d", handle,
		    LIMIT_WEIGHT);
	split->sides[split->count++] = (struct automation_node_side){handle, number};
	split->total += number;
	return true;
}

static bool
read_split(struct automation_design_node *node, const struct json *json, const struct data *data,
    GError **error)
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
		return fail(error, "data.weights are all 0: give one of them more");
	base_array_sort(split->sides, split->count, sizeof(*split->sides), compare_sides);
	return true;
}

static bool
node_data_read_request(struct automation_design_node *node, const struct json *json,
    const struct data *data, GError **error)
{
	node->request = data->request;
	return automation_node_request_check(&node->request, error);
}

#define FIELD_TABLE(rows) .table = JSON_TABLE(rows)

static const struct {
	struct json_table table;
	bool (*read)(struct automation_design_node *node, const struct json *json,
	    const struct data *data, GError **error);
} types[] = {
    [NODE_TRIGGER] = {FIELD_TABLE(trigger_fields), read_trigger},
    [NODE_SEND_EMAIL] = {FIELD_TABLE(email_fields), node_data_read_email},
    [NODE_WAIT] = {FIELD_TABLE(wait_fields), read_wait},
    [NODE_WAIT_FOR_EVENT] = {FIELD_TABLE(wait_event_fields), read_wait_event},
    [NODE_CONDITION] = {FIELD_TABLE(condition_fields), node_data_read_condition},
    [NODE_UPDATE_CONTACT] = {FIELD_TABLE(update_fields), read_update},
    [NODE_DELETE_CONTACT] = {FIELD_TABLE(end_fields), NULL},
    [NODE_REQUEST] = {FIELD_TABLE(request_fields), node_data_read_request},
    [NODE_SPLIT] = {FIELD_TABLE(split_fields), read_split},
    [NODE_DIGEST] = {FIELD_TABLE(digest_fields), read_digest},
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

	json_unknown_check(json, &types[node->type].table, &place_data, &unknown, NULL);
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
	struct data data = {
	    .dedupe_window = DEDUPE_WINDOW_DEFAULT,
	    .request = {.timeout = REQUEST_TIMEOUT, .attempts = LIMIT_REQUEST_ATTEMPTS},
	};

	if (json && json_kind(json) != JSON_OBJECT)
		return fail(error, "data must be an object");
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
