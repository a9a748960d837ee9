/* SPDX-License-Identifier: MIT */
/* Reads the segments, dates and schedules of triggers. */
#include "automation/trigger.h"

#include <string.h>

#include "automation/node.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "json/fields.h"
#include "rule/event_name.h"
#include "text/time_zone.h"

#define DAYS 366 /* between a date and its moment at most */

static bool
trigger_is_segment(const char *name)
{
	return strcmp(name, EVENT_NAME_ENTERED) == 0 || strcmp(name, EVENT_NAME_LEFT) == 0;
}

/* Refuses a member that does not go with the event. */
static bool
trigger_refuse(bool is_given, const char *member, const char *name, GError **error)
{
	return !is_given ||
	       base_invalid(error, "data.%s does not go with data.eventName %s", member, name);
}

static bool
trigger_read_id(
    const char *member, const char *noun, const char *text, struct base_id *id_r, GError **error)
{
	return base_id_parse(text, id_r) || base_invalid(error, "data.%s is not %s", member, noun);
}

bool
automation_trigger_segment(
    const char *event_name, const char *given, struct base_id *segment_r, GError **error)
{
	*segment_r = (struct base_id){{0}};
	if (!trigger_is_segment(event_name))
		return trigger_refuse(given, "segmentId", event_name, error);
	if (!given || !*given)
		return base_invalid(error, "data.segmentId is required");
	return trigger_read_id("segmentId", "a segment", given, segment_r, error);
}

static bool
trigger_read_include(struct automation_node_trigger *trigger, const char *given, GError **error)
{
	trigger->includes_all = g_strcmp0(given, "all") == 0;
	return !given || trigger->includes_all || strcmp(given, "new") == 0 ||
	       base_invalid(error, "data.include must be new or all");
}

static bool
trigger_check_zone(const char *member, const char *zone, GError **error)
{
	return !zone || text_time_zone_is_name(zone) ||
	       base_invalid(error, "data.%s.zone must be an IANA time zone", member);
}

struct trigger_date {
	const char *property, *at, *zone, *repeat;
	gint64 days;
};

static const struct json_field date_fields[] = {
    JSON_FIELD("property", FIELD_STRING, struct trigger_date, property, .required = true, .min = 1,
	.max = LIMIT_PROPERTY_LENGTH),
    JSON_FIELD("days", FIELD_INTEGER, struct trigger_date, days, .min = -DAYS, .max = DAYS),
    JSON_FIELD("at", FIELD_STRING, struct trigger_date, at),
    JSON_FIELD("zone", FIELD_STRING, struct trigger_date, zone),
    JSON_FIELD("repeat", FIELD_STRING, struct trigger_date, repeat),
};

static bool
trigger_read_date(struct automation_node_date *date, const struct json *given, GError **error)
{
	struct trigger_date read = {.at = "09:00", .repeat = "once"};

	if (!given)
		return base_invalid(error, "data.date is required");
	if (!json_fields_read(given, date_fields, G_N_ELEMENTS(date_fields), &read, error)) {
		g_prefix_error(error, "data.date.");
		return false;
	}
	if (!text_wall_clock_minute(read.at, &date->minute))
		return base_invalid(error, "data.date.at must be a time such as 09:00");
	date->yearly = strcmp(read.repeat, "yearly") == 0;
	if (!date->yearly && strcmp(read.repeat, "once") != 0)
		return base_invalid(error, "data.date.repeat must be once or yearly");
	date->property = read.property;
	date->days = (gint32)read.days;
	date->zone = read.zone;
	return trigger_check_zone("date", read.zone, error);
}

struct trigger_schedule {
	const char *cron, *zone;
};

static const struct json_field schedule_fields[] = {
    JSON_FIELD("cron", FIELD_STRING, struct trigger_schedule, cron, .required = true),
    JSON_FIELD("zone", FIELD_STRING, struct trigger_schedule, zone),
};

static bool
trigger_read_schedule(struct automation_node_schedule *schedule,
    const struct automation_trigger_given *given, GError **error)
{
	struct trigger_schedule read = {NULL, NULL};

	if (!given->schedule)
		return base_invalid(error, "data.schedule is required");
	if (!json_fields_read(
		given->schedule, schedule_fields, G_N_ELEMENTS(schedule_fields), &read, error)) {
		g_prefix_error(error, "data.schedule.");
		return false;
	}
	if (!text_cron_read(read.cron, &schedule->cron))
		return base_invalid(
		    error, "data.schedule.cron must have five fields, such as 0 9 * * 1");
	if (!trigger_check_zone("schedule", read.zone, error))
		return false;
	schedule->zone = read.zone;
	if (text_cron_next(&schedule->cron, read.zone, base_clock_now()) == 0)
		return base_invalid(error, "data.schedule.cron never comes");
	schedule->has_segment = given->segment && *given->segment;
	if (schedule->has_segment == (given->audience && *given->audience))
		return base_invalid(
		    error, "exactly one of data.audienceId, data.segmentId is required");
	return schedule->has_segment ? trigger_read_id("segmentId", "a segment", given->segment,
					   &schedule->target, error)
				     : trigger_read_id("audienceId", "an audience", given->audience,
					   &schedule->target, error);
}

bool
automation_trigger_read(struct automation_node_trigger *trigger,
    const struct automation_trigger_given *given, GError **error)
{
	const char *name = trigger->event_name;
	bool is_date = strcmp(name, EVENT_NAME_DATE) == 0;
	bool is_schedule = strcmp(name, EVENT_NAME_SCHEDULE) == 0;

	if (!trigger_refuse(
		given->include && strcmp(name, EVENT_NAME_ENTERED) != 0, "include", name, error) ||
	    !trigger_refuse(given->date && !is_date, "date", name, error) ||
	    !trigger_refuse(given->schedule && !is_schedule, "schedule", name, error) ||
	    !trigger_refuse(given->audience && !is_schedule, "audienceId", name, error) ||
	    !trigger_read_include(trigger, given->include, error))
		return false;
	if (is_schedule)
		return trigger_read_schedule(&trigger->schedule, given, error);
	return automation_trigger_segment(name, given->segment, &trigger->segment_id, error) &&
	       (!is_date || trigger_read_date(&trigger->date, given->date, error));
}

bool
automation_trigger_is_about(
    const struct base_id *segment, const struct automation_rules_scope *scope)
{
	static const struct base_id none = {{0}};
	const char *given = json_string(json_member_get(scope->event, "segment_id"), NULL);
	struct base_id id;

	return base_id_equal(segment, &none) ||
	       (given && base_id_parse(given, &id) && base_id_equal(&id, segment));
}
