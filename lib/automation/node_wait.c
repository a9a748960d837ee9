/* SPDX-License-Identifier: MIT */
/* Reads and checks the data of nodes that wait for a time: wait and digest. */
#include "automation/node_wait.h"

#include <string.h>

#include "automation/duration.h"
#include "automation/node.h"
#include "automation/node_given.h"
#include "base/clock.h"
#include "base/limits/workflow.h"
#include "json/place.h"
#include "text/time_zone.h"

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
node_wait_read_shift(const struct automation_node_given *data, gint64 *shift_r, GError **error)
{
	const struct json_place before = {&automation_place_data, "before", 0},
				after = {&automation_place_data, "after", 0};

	if (data->before && data->after)
		return automation_node_fail(
		    error, "has both data.before and data.after: leave one of them out");
	if (data->after)
		return automation_duration_read(data->after, &after, shift_r, error);
	if (data->before && !automation_duration_read(data->before, &before, shift_r, error))
		return false;
	*shift_r = -*shift_r;
	return true;
}

static bool
node_wait_read_days(const char *const *names, guint *days_r, GError **error)
{
	*days_r = names ? 0 : TEXT_WALL_CLOCK_EVERY_DAY;
	for (guint i = 0; names && names[i]; i++) {
		guint day = text_wall_clock_day(names[i]);

		if (day == 0)
			return automation_node_fail(error,
			    "data.days[%u] must be one of mon, tue, wed, thu, fri, sat, sun", i);
		*days_r |= day;
	}
	return *days_r != 0 || automation_node_fail(error, "data.days must not be empty");
}

/* Reads time, days and zone. */
static bool
node_wait_read_clock(const struct automation_node_given *data, struct text_wall_clock_time *clock_r,
    const char **zone_r, GError **error)
{
	*zone_r = data->zone;
	if (!text_wall_clock_minute(data->time, &clock_r->minute))
		return automation_node_fail(error, "data.time must be a time such as 09:00");
	if (!node_wait_read_days((const char *const *)data->days, &clock_r->days, error))
		return false;
	return !data->zone || text_time_zone_is_name(data->zone) ||
	       automation_node_fail(error, "data.zone must be an IANA time zone");
}

/* Checks that members stand beside those that they belong to. */
static bool
node_wait_check_members(
    const struct automation_node_given *data, const struct json *until, GError **error)
{
	const char *first = data->duration ? "duration" : "time";

	if ((data->duration && (until || data->time)) || (data->time && until))
		return automation_node_fail(error,
		    "has both data.%s and data.%s: leave one of them out", first,
		    until ? "until" : "time");
	if (!until && (data->before || data->after))
		return automation_node_fail(
		    error, "data.%s goes with data.until alone", data->before ? "before" : "after");
	if (!data->time && (data->days || data->zone))
		return automation_node_fail(
		    error, "data.%s goes with data.time alone", data->days ? "days" : "zone");
	return true;
}

bool
automation_node_read_digest(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	struct automation_node_digest *digest = &node->digest;

	if (!automation_node_read_key(data->key, &digest->key, error) ||
	    !node_wait_check_members(data, NULL, error))
		return false;
	if (data->time)
		return node_wait_read_clock(data, &digest->clock, &digest->zone, error);
	if (!data->duration)
		return automation_node_fail(error,
		    "does not say how long: give data.duration and data.unit, or "
		    "data.time");
	return automation_duration_read(json, &automation_place_data, &digest->duration, error) &&
	       (digest->duration <= LIMIT_DIGEST_MS ||
		   automation_node_fail(error, "data.duration must be at most 31 days"));
}

bool
automation_node_read_wait(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	struct automation_node_wait *wait = &node->wait;
	const struct json *until = data->until;
	const char *text = json_string(until, NULL);

	if (text && !*text)
		until = NULL;
	if (!node_wait_check_members(data, until, error))
		return false;
	if (data->duration)
		return automation_duration_read(
		    json, &automation_place_data, &wait->duration, error);
	wait->by_clock = data->time != NULL;
	if (data->time)
		return node_wait_read_clock(data, &wait->clock, &wait->zone, error);
	if (!until)
		return automation_node_fail(error,
		    "does not say how long: give data.duration and data.unit, or "
		    "data.until");
	if (!node_wait_read_shift(data, &wait->shift, error))
		return false;
	if (text && g_utf8_strlen(text, -1) > LIMIT_PROPERTY_LENGTH)
		return automation_node_fail(
		    error, "data.until must be at most %d characters", LIMIT_PROPERTY_LENGTH);
	if (automation_node_data_time(until, &wait->until))
		return true;
	wait->property = text;
	return text || automation_node_fail(error,
			   "data.until must be an ISO 8601 time, epoch milliseconds or the "
			   "name of a property");
}
