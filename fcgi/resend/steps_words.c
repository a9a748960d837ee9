/* SPDX-License-Identifier: MIT */
/* Tables of the words of steps, connections and rules, and the errors of steps. */
#include "fcgi/resend/steps_words.h"

#include <stdarg.h>

#include "fcgi/resend/error.h"
#include "json/value.h"
#include "json/writer.h"

const struct fcgi_resend_step_type fcgi_resend_step_types[RESEND_STEPS] = {
    [RESEND_STEP_TRIGGER] = {"trigger", "trigger"},
    [RESEND_STEP_EMAIL] = {"send_email", "send_email"},
    [RESEND_STEP_DELAY] = {"delay", "wait"},
    [RESEND_STEP_WAIT] = {"wait_for_event", "wait_for_event"},
    [RESEND_STEP_CONDITION] = {"condition", "condition"},
    [RESEND_STEP_UPDATE] = {"contact_update", "update_contact"},
    [RESEND_STEP_DELETE] = {"contact_delete", "delete_contact"},
    [RESEND_STEP_SEGMENT] = {"add_to_segment", "update_contact"},
};

const struct fcgi_resend_handle fcgi_resend_handles[RESEND_HANDLES] = {
    {"default", NULL},
    {"condition_met", "yes"},
    {"condition_not_met", "no"},
    {"event_received", "event"},
    {"timeout", "timeout"},
};

/* clang-format off */
const struct fcgi_resend_operator fcgi_resend_operators[RESEND_OPERATORS] = {
	{"eq", "equals", NULL, COMPARED_SCALAR},
	{"neq", "not_equals", NULL, COMPARED_SCALAR},
	{"gt", "greater_than", NULL, COMPARED_NUMBER},
	{"gte", "equals", "greater_than", COMPARED_NUMBER},
	{"lt", "less_than", NULL, COMPARED_NUMBER},
	{"lte", "equals", "less_than", COMPARED_NUMBER},
	{"contains", "contains", NULL, COMPARED_TEXT},
	{"starts_with", "begins_with", NULL, COMPARED_TEXT},
	{"ends_with", "ends_with", NULL, COMPARED_TEXT},
	{"exists", "exists", NULL, COMPARED_NONE},
	{"is_empty", "not_exists", "equals", COMPARED_NONE}, /* or it equals "" */
};
/* clang-format on */

const struct fcgi_resend_unit fcgi_resend_units[RESEND_UNITS] = {
    {{"minute", "minutes", "m", "min", "mins"}, "minutes", 1},
    {{"hour", "hours", "h", "hr", "hrs"}, "hours", 60},
    {{"day", "days", "d"}, "days", 24 * 60},
    {{"week", "weeks", "w"}, "weeks", 7 * 24 * 60},
};

#define TEXT JSON_KIND(JSON_STRING)
#define MAP JSON_KIND(JSON_OBJECT)

static const struct json_field template_fields[] = {
    JSON_KNOWN("id"),
    JSON_KNOWN_AS("variables", MAP),
};

/* A rule has rules in it. A value is compared, so it may be empty. */
enum { RULE_FIELDS = 5 };
static const struct json_field rule_fields[RULE_FIELDS] = {
    JSON_KNOWN("type"),
    JSON_KNOWN("field"),
    JSON_KNOWN("operator"),
    JSON_KNOWN_AS("value", TEXT),
    JSON_KNOWN_AS("rules", 0, .elements = rule_fields, .element_count = RULE_FIELDS),
};

/* A condition is a rule. */
static const struct json_field config_fields[] = {
    JSON_KNOWN("event_name"),
    JSON_KNOWN("duration"),
    JSON_KNOWN("timeout"),
    JSON_KNOWN_AS("filter_rule", MAP, JSON_MEMBERS(rule_fields)),
    JSON_KNOWN("type"),
    JSON_KNOWN("field"),
    JSON_KNOWN("operator"),
    JSON_KNOWN_AS("value", TEXT),
    JSON_KNOWN_AS("rules", 0, JSON_MEMBERS(rule_fields)),
    JSON_KNOWN_AS("template", MAP, JSON_MEMBERS(template_fields)),
    JSON_KNOWN("subject"),
    JSON_KNOWN("from"),
    JSON_KNOWN("reply_to"),
    JSON_KNOWN("topic_id"),
    JSON_KNOWN_AS("first_name", TEXT),
    JSON_KNOWN_AS("last_name", TEXT),
    JSON_KNOWN("unsubscribed"),
    JSON_KNOWN_AS("properties", MAP),
    JSON_KNOWN("segment_id"),
};

const struct json_field fcgi_resend_step_fields[RESEND_STEP_FIELDS] = {
    JSON_KNOWN("key"),
    JSON_KNOWN("type"),
    JSON_KNOWN_AS("config", MAP, JSON_MEMBERS(config_fields)),
};

guint
fcgi_resend_step_find(const char *name)
{
	guint i = 0;

	while (i < RESEND_STEPS && g_strcmp0(fcgi_resend_step_types[i].name, name) != 0)
		i++;
	return i;
}

guint
fcgi_resend_handle_find(const char *name)
{
	guint i = 0;

	while (i < RESEND_HANDLES && g_strcmp0(fcgi_resend_handles[i].name, name) != 0)
		i++;
	return i;
}

const char *
fcgi_resend_step_text(const struct json *object, const char *name)
{
	return json_string(json_member_get(object, name), NULL);
}

bool
fcgi_resend_step_is_scalar(const struct json *value)
{
	return value && json_kind(value) < JSON_ARRAY;
}

bool
fcgi_resend_step_fail(GError **error, const char *key, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "Invalid `steps` field. The step `%s` %s.", key, text);
}

bool
fcgi_resend_step_refuse(GError **error, const char *key, const char *member)
{
	return fcgi_resend_fail(error, RESEND_NOT_IMPLEMENTED,
	    "`%s` of the step `%s` is not implemented by this service.", member, key);
}

void
fcgi_resend_step_write(struct json_writer *writer, const char *key, const char *text)
{
	if (text && *text)
		json_writer_string(writer, key, text);
}
