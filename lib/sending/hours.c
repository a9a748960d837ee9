/* SPDX-License-Identifier: MIT */
/* Reads hours, writes them, and finds their openings. */
#include "sending/hours.h"

#include <string.h>

#include "json/place.h"
#include "json/value.h"
#include "json/writer.h"
#include "text/time_zone.h"
#include "text/wall_clock.h"

#define DAY_MINUTES 1440U
#define DAYS 7
#define DAY_END "24:00"
#define ANY "any"
#define UTC "UTC"

/* A window that a skipped time keeps shut is tried on so many days. */
#define TRIES 8

static const char *const day_names[DAYS] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

static const struct json_field window_fields[] = {
    JSON_KNOWN("days"), JSON_KNOWN("from"), JSON_KNOWN("to")};
const struct json_field sending_hours_fields[2] = {
    {.name = "windows", .type = FIELD_KNOWN, JSON_MEMBERS(window_fields)}, JSON_KNOWN("zone")};

static bool
hours_read_time(const struct json *window, const char *name, const struct json_place *parent,
    guint *minute_r, GError **error)
{
	const struct json_place place = {parent, name, 0};
	const char *text = json_string(json_member_get(window, name), NULL);

	if (text && strcmp(name, "to") == 0 && strcmp(text, DAY_END) == 0) {
		*minute_r = DAY_MINUTES;
		return true;
	}
	return (text && text_wall_clock_minute(text, minute_r)) ||
	       json_place_fail(&place, error, "must be a time such as 09:00");
}

static bool
hours_read_days(
    const struct json *window, const struct json_place *parent, guint *days_r, GError **error)
{
	const struct json_place place = {parent, "days", 0};
	const struct json *days = json_member_get(window, "days");

	*days_r = days ? 0 : TEXT_WALL_CLOCK_EVERY_DAY;
	if (!days)
		return true;
	if (json_kind(days) != JSON_ARRAY)
		return json_place_fail(&place, error, "must be an array");
	for (gsize i = 0; i < json_array_length(days); i++) {
		const struct json_place at = {&place, NULL, i};
		const char *name = json_string(json_array_at(days, i), NULL);
		guint day = name ? text_wall_clock_day(name) : 0;

		if (day == 0)
			return json_place_fail(
			    &at, error, "must be one of mon, tue, wed, thu, fri, sat, sun");
		*days_r |= day;
	}
	return *days_r != 0 || json_place_fail(&place, error, "must not be empty");
}

static bool
hours_read_window(const struct json *given, const struct json_place *place,
    struct sending_window *window_r, GError **error)
{
	const struct json_place from = {place, "from and to", 0};

	if (json_kind(given) != JSON_OBJECT)
		return json_place_fail(place, error, "must be an object");
	return hours_read_days(given, place, &window_r->days, error) &&
	       hours_read_time(given, "from", place, &window_r->from, error) &&
	       hours_read_time(given, "to", place, &window_r->to, error) &&
	       (window_r->from != window_r->to || json_place_fail(&from, error, "must differ"));
}

static bool
hours_read_windows(const struct json *given, const struct json_place *parent,
    struct sending_hours *hours, GError **error)
{
	const struct json_place place = {parent, "windows", 0};
	const struct json *windows = json_member_get(given, "windows");

	if (!windows)
		return json_place_fail(&place, error, "is required");
	if (json_kind(windows) != JSON_ARRAY)
		return json_place_fail(&place, error, "must be an array");
	if (json_array_length(windows) == 0)
		return json_place_fail(&place, error, "must not be empty");
	if (json_array_length(windows) > LIMIT_HOURS_WINDOWS)
		return json_place_fail(
		    &place, error, "must have at most %d elements", LIMIT_HOURS_WINDOWS);
	for (guint i = 0; i < json_array_length(windows); i++) {
		const struct json_place at = {&place, NULL, i};

		if (!hours_read_window(
			json_array_at(windows, i), &at, &hours->windows[hours->count++], error))
			return false;
	}
	return true;
}

static bool
hours_read_zone(const struct json *given, const struct json_place *parent,
    struct sending_hours *hours, GError **error)
{
	const struct json_place place = {parent, "zone", 0};
	const struct json *zone = json_member_get(given, "zone");
	const char *name = zone ? json_string(zone, NULL) : UTC;

	if (!name || strlen(name) > LIMIT_TIME_ZONE_LENGTH || !text_time_zone_is_name(name))
		return json_place_fail(&place, error, "must be an IANA time zone");
	g_strlcpy(hours->zone, name, sizeof(hours->zone));
	return true;
}

bool
sending_hours_read(const struct json *value, const struct json_place *place, bool takes_any,
    struct sending_hours *hours_r, GError **error)
{
	*hours_r = (struct sending_hours){.count = 0};
	if (!value)
		return true;
	hours_r->is_any = takes_any && g_strcmp0(json_string(value, NULL), ANY) == 0;
	if (hours_r->is_any)
		return true;
	if (json_kind(value) != JSON_OBJECT)
		return json_place_fail(
		    place, error, takes_any ? "must be an object or \"any\"" : "must be an object");
	return hours_read_windows(value, place, hours_r, error) &&
	       hours_read_zone(value, place, hours_r, error);
}

bool
sending_hours_are_set(const struct sending_hours *hours)
{
	return hours->is_any || hours->count > 0;
}

static void
hours_write_time(struct json_writer *writer, const char *key, guint minute)
{
	char text[sizeof("00:00") + 8];

	g_snprintf(text, sizeof(text), "%02u:%02u", minute / 60, minute % 60);
	json_writer_string(writer, key, text);
}

static void
hours_write_window(struct json_writer *writer, const struct sending_window *window)
{
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "days");
	for (guint i = 0; i < DAYS; i++)
		if (window->days & 1U << i)
			json_writer_string(writer, NULL, day_names[i]);
	json_writer_end_array(writer);
	hours_write_time(writer, "from", window->from);
	hours_write_time(writer, "to", window->to);
	json_writer_end_object(writer);
}

void
sending_hours_write(struct json_writer *writer, const char *key, const struct sending_hours *hours)
{
	if (hours->is_any || hours->count == 0) {
		json_writer_string(writer, key, hours->is_any ? ANY : NULL);
		return;
	}
	json_writer_begin_object(writer, key);
	json_writer_begin_array(writer, "windows");
	for (guint i = 0; i < hours->count; i++)
		hours_write_window(writer, &hours->windows[i]);
	json_writer_end_array(writer);
	json_writer_string(writer, "zone", hours->zone);
	json_writer_end_object(writer);
}

/* Whether the clock shows a time in a window on this moment. */
static bool
window_is_open(
    const struct sending_window *window, const struct text_wall_clock_time *shown, guint before)
{
	if (window->from < window->to)
		return window->days & shown->days && shown->minute >= window->from &&
		       shown->minute < window->to;
	return (window->days & shown->days && shown->minute >= window->from) ||
	       (window->days & before && shown->minute < window->to);
}

static bool
hours_are_open(const struct sending_hours *hours, const char *zone, gint64 moment)
{
	struct text_wall_clock_time shown = text_wall_clock_shown(zone, hours->zone, moment);
	/* The bit of the day before. */
	guint before = shown.days == 1 ? 1U << (DAYS - 1) : shown.days >> 1;

	for (guint i = 0; i < hours->count; i++)
		if (window_is_open(&hours->windows[i], &shown, before))
			return true;
	return false;
}

gint64
sending_hours_opening(const struct sending_hours *hours, const char *zone, gint64 now)
{
	gint64 first = G_MAXINT64;

	if (hours->is_any || hours->count == 0 || hours_are_open(hours, zone, now))
		return now;
	for (guint i = 0; i < hours->count; i++) {
		const struct text_wall_clock_time begin = {
		    hours->windows[i].from, hours->windows[i].days};
		gint64 moment = text_wall_clock_next(&begin, zone, hours->zone, now);

		/* The clock may skip all of a short window. */
		for (guint t = 0; t < TRIES && !hours_are_open(hours, zone, moment); t++)
			moment = text_wall_clock_next(&begin, zone, hours->zone, moment + 1);
		first = MIN(first, moment);
	}
	return first;
}
