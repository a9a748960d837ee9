/* SPDX-License-Identifier: MIT */
/* Reads dates and schedules of triggers, and finds their moments. */
#include "automation/calendar.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/workflow.h"
#include "json/fields.h"
#include "text/time_zone.h"
#include "text/wall_clock.h"

#define MINUTE_MS ((gint64)60000)
#define DAY_MS (24 * 60 * MINUTE_MS)
#define DATE_DAYS 366
#define DATE_AT "09:00"
#define LOCAL_SIZE 32

/* The members of data.date and data.schedule. */
struct calendar_data {
	const char *property, *at, *zone, *repeat, *cron, *audience, *segment;
	gint64 days;
};

#define DATA(name, type, member, ...)                                                              \
	JSON_FIELD(name, type, struct calendar_data, member, __VA_ARGS__)
static const struct json_field date_fields[] = {
    DATA("property", FIELD_STRING, property, .required = true, .min = 1,
	.max = LIMIT_PROPERTY_LENGTH),
    DATA("days", FIELD_INTEGER, days, .min = -DATE_DAYS, .max = DATE_DAYS),
    DATA("at", FIELD_STRING, at),
    DATA("zone", FIELD_STRING, zone),
    DATA("repeat", FIELD_STRING, repeat),
};
static const struct json_field schedule_fields[] = {
    DATA("cron", FIELD_STRING, cron, .required = true),
    DATA("zone", FIELD_STRING, zone),
    DATA("audienceId", FIELD_STRING, audience),
    DATA("segmentId", FIELD_STRING, segment),
};

/* Reads the fields of a member of data, which has no others. */
static bool
calendar_read(const struct json *given, const char *member, const struct json_field *fields,
    guint count, struct calendar_data *data, GError **error)
{
	struct json_iterator members = json_members(given);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		guint i = 0;

		while (i < count && strcmp(fields[i].name, name) != 0)
			i++;
		if (i == count)
			return base_invalid(
			    error, "data.%s.%s is not known here: remove it", member, name);
	}
	if (json_fields_read(given, fields, count, data, error))
		return true;
	g_autofree char *place = g_strdup_printf("data.%s.", member);
	g_prefix_error(error, "%s", place);
	return false;
}

static bool
calendar_check_zone(const char *zone, const char *member, GError **error)
{
	return !zone || text_time_zone_is_name(zone) ||
	       base_invalid(error, "data.%s.zone must be an IANA time zone", member);
}

bool
automation_date_read(const struct json *given, struct automation_date *date_r, GError **error)
{
	struct calendar_data data = {.at = DATE_AT};

	if (!given)
		return base_invalid(error, "data.date is required");
	if (!calendar_read(given, "date", date_fields, G_N_ELEMENTS(date_fields), &data, error))
		return false;
	*date_r = (struct automation_date){
	    .property = data.property,
	    .days = data.days,
	    .zone = data.zone,
	    .is_yearly = g_strcmp0(data.repeat, "yearly") == 0,
	};
	if (!text_wall_clock_minute(data.at, &date_r->minute))
		return base_invalid(error, "data.date.at must be a time such as 09:00");
	if (data.repeat && !date_r->is_yearly && strcmp(data.repeat, "once") != 0)
		return base_invalid(error, "data.date.repeat must be one of once, yearly");
	return calendar_check_zone(data.zone, "date", error);
}

/* A day of a property: of one year, or of each year (year 0). */
struct calendar_day {
	int year, month, day;
};

static bool
calendar_digits(const char *text, guint count, int *number_r)
{
	*number_r = 0;
	for (guint i = 0; i < count; i++) {
		if (!g_ascii_isdigit(text[i]))
			return false;
		*number_r = *number_r * 10 + g_ascii_digit_value(text[i]);
	}
	return true;
}

static bool
calendar_is_day(const struct calendar_day *day)
{
	return g_date_valid_dmy(
	    (GDateDay)day->day, (GDateMonth)day->month, (GDateYear)(day->year ? day->year : 2000));
}

static GTimeZone *
calendar_zone(const char *zone, const char *otherwise)
{
	GTimeZone *found = zone ? g_time_zone_new_identifier(zone) : NULL;

	if (!found && otherwise)
		found = g_time_zone_new_identifier(otherwise);
	return found ? found : g_time_zone_new_utc();
}

static GDateTime *
calendar_local(gint64 time, GTimeZone *zone)
{
	g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(time / 1000);

	return g_date_time_to_timezone(utc, zone);
}

/* Reads the day of a value: an ISO date; an ISO time, whose day is that of the person's clock; each
   year --MM-DD too. */
static bool
calendar_read_day(const struct automation_date *date, const char *text, const char *person_zone,
    struct calendar_day *day_r)
{
	gsize length = strlen(text);
	gint64 time;

	*day_r = (struct calendar_day){0};
	if (date->is_yearly && length == 7 && g_str_has_prefix(text, "--") && text[4] == '-')
		return calendar_digits(text + 2, 2, &day_r->month) &&
		       calendar_digits(text + 5, 2, &day_r->day) && calendar_is_day(day_r);
	if (length == 10 && text[4] == '-' && text[7] == '-')
		return calendar_digits(text, 4, &day_r->year) &&
		       calendar_digits(text + 5, 2, &day_r->month) &&
		       calendar_digits(text + 8, 2, &day_r->day) && day_r->year > 0 &&
		       calendar_is_day(day_r);
	if (length <= 10 || !base_clock_parse(text, &time))
		return false;
	g_autoptr(GTimeZone) zone = calendar_zone(person_zone, date->zone);
	g_autoptr(GDateTime) local = calendar_local(time, zone);
	g_date_time_get_ymd(local, &day_r->year, &day_r->month, &day_r->day);
	return true;
}

/* Adds the moment of a day, if it is in the range. */
static void
calendar_add_moment(const struct automation_date *date, const struct calendar_day *day, int year,
    const char *zone, gint64 after, gint64 until, GArray *moments)
{
	struct automation_moment moment;
	char local[LOCAL_SIZE];
	bool leaps = day->month == 2 && day->day == 29 && !g_date_is_leap_year((GDateYear)year);
	g_autoptr(GDate) on = g_date_new_dmy(
	    (GDateDay)(leaps ? 28 : day->day), (GDateMonth)day->month, (GDateYear)year);

	if (date->days < 0)
		g_date_subtract_days(on, (guint)-date->days);
	else
		g_date_add_days(on, (guint)date->days);
	g_snprintf(moment.day, sizeof(moment.day), "%04u-%02u-%02u", g_date_get_year(on) % 10000,
	    (guint)g_date_get_month(on) % 100, g_date_get_day(on) % 100U);
	g_snprintf(
	    local, sizeof(local), "%sT%02u:%02u", moment.day, date->minute / 60, date->minute % 60);
	moment.time = text_wall_clock_moment(local, zone, date->zone);
	if (moment.time > after && moment.time <= until)
		g_array_append_val(moments, moment);
}

static int
calendar_year(gint64 time)
{
	g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(time / 1000);

	return g_date_time_get_year(utc);
}

GArray *
automation_date_moments(const struct automation_date *date, const struct json *value,
    const char *zone, gint64 after, gint64 until, guint limit)
{
	GArray *moments = g_array_new(FALSE, FALSE, sizeof(struct automation_moment));
	const char *text = json_string(value, NULL);
	struct calendar_day day;

	if (!text || !calendar_read_day(date, text, zone, &day))
		return moments;
	if (!date->is_yearly) {
		calendar_add_moment(date, &day, day.year, zone, after, until, moments);
		return moments;
	}
	/* days may lead into the next year or that before, and so may the clock. */
	int first = MAX(day.year, calendar_year(after) - 2), last = calendar_year(until) + 2;
	for (int year = MAX(first, 1); year <= MIN(last, 9998) && moments->len < limit; year++)
		calendar_add_moment(date, &day, year, zone, after, until, moments);
	return moments;
}

/* A field of a schedule. */
struct calendar_field {
	guint least, most;
	const char *names; /* of three letters each, from least on; NULL: none */
};

static const struct calendar_field cron_fields[] = {{0, 59, NULL}, {0, 23, NULL}, {1, 31, NULL},
    {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}, {0, 7, "sunmontuewedthufrisat"}};

static bool
cron_read_number(const struct calendar_field *field, const char *text, guint *number_r)
{
	guint64 number;

	for (guint i = 0; field->names && field->names[3 * i]; i++)
		if (strlen(text) == 3 && g_ascii_strncasecmp(text, field->names + 3 * i, 3) == 0) {
			*number_r = field->least + i;
			return true;
		}
	if (!g_ascii_string_to_unsigned(text, 10, field->least, field->most, &number, NULL))
		return false;
	*number_r = (guint)number;
	return true;
}

/* Adds an element of a list: a number, a range or *, and a step. */
static bool
cron_read_element(const struct calendar_field *field, const char *text, guint64 *bits)
{
	g_auto(GStrv) parts = g_strsplit(text, "/", 2);
	g_auto(GStrv) ends = g_strsplit(parts[0] ? parts[0] : "", "-", 2);
	guint first = field->least, last = field->most;
	guint64 step = 1;

	if (!parts[0] || !ends[0])
		return false;
	if (parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 1, 60, &step, NULL))
		return false;
	if (strcmp(parts[0], "*") != 0) {
		if (!cron_read_number(field, ends[0], &first))
			return false;
		if (ends[1] && !cron_read_number(field, ends[1], &last))
			return false;
		if (!ends[1] && !parts[1])
			last = first;
	}
	for (guint64 i = first; i <= last; i += step)
		*bits |= (guint64)1 << i;
	return first <= last;
}

static bool
cron_read_field(const struct calendar_field *field, const char *text, guint64 *bits_r)
{
	g_auto(GStrv) elements = g_strsplit(text, ",", -1);

	*bits_r = 0;
	for (char **element = elements; *element; element++)
		if (!cron_read_element(field, *element, bits_r))
			return false;
	return *bits_r != 0;
}

/* Whether some month has one of the days. */
static bool
cron_comes(const struct automation_schedule *schedule)
{
	if (!schedule->any_week_day)
		return true;
	for (guint month = 1; month <= 12; month++)
		for (guint day = 1; day <= 31; day++)
			if (schedule->months & 1U << month && schedule->month_days & 1U << day &&
			    g_date_valid_dmy((GDateDay)day, (GDateMonth)month, 2000))
				return true;
	return false;
}

static bool
cron_read(const char *text, struct automation_schedule *schedule)
{
	g_auto(GStrv) given = g_strsplit_set(text, " \t", -1);
	const char *fields[G_N_ELEMENTS(cron_fields)];
	guint64 bits[G_N_ELEMENTS(cron_fields)];
	guint count = 0;

	for (char **field = given; *field; field++) {
		if (!**field)
			continue;
		if (count == G_N_ELEMENTS(fields))
			return false;
		fields[count++] = *field;
	}
	if (count < G_N_ELEMENTS(fields))
		return false;
	for (guint i = 0; i < count; i++)
		if (!cron_read_field(&cron_fields[i], fields[i], &bits[i]))
			return false;
	schedule->minutes = bits[0];
	schedule->hours = (guint32)bits[1];
	schedule->month_days = (guint32)bits[2];
	schedule->months = (guint32)bits[3];
	schedule->week_days = (guint)((bits[4] | bits[4] >> 7) & 0x7F);
	schedule->each_hour = *fields[1] == '*';
	schedule->any_month_day = *fields[2] == '*';
	schedule->any_week_day = *fields[4] == '*';
	return true;
}

bool
automation_schedule_read(
    const struct json *given, struct automation_schedule *schedule_r, GError **error)
{
	struct calendar_data data = {NULL};
	struct base_id id;

	if (!given)
		return base_invalid(error, "data.schedule is required");
	if (!calendar_read(
		given, "schedule", schedule_fields, G_N_ELEMENTS(schedule_fields), &data, error))
		return false;
	*schedule_r = (struct automation_schedule){
	    .cron = data.cron,
	    .zone = data.zone,
	    .audience = data.audience,
	    .segment = data.segment,
	};
	if (!cron_read(data.cron, schedule_r))
		return base_invalid(
		    error, "data.schedule.cron must have five fields, such as 0 9 * * 1");
	if (!cron_comes(schedule_r))
		return base_invalid(error, "data.schedule.cron never comes");
	if (!calendar_check_zone(data.zone, "schedule", error))
		return false;
	if (!data.audience == !data.segment)
		return base_invalid(error, "data.schedule must have one of audienceId, segmentId");
	if (data.audience && !base_id_parse(data.audience, &id))
		return base_invalid(error, "data.schedule.audienceId is not an audience");
	return !data.segment || base_id_parse(data.segment, &id) ||
	       base_invalid(error, "data.schedule.segmentId is not a segment");
}

/* Whether a schedule ticks on this day. Where both days are restricted, either will do. */
static bool
cron_is_day(const struct automation_schedule *schedule, GDateTime *day)
{
	bool month_day = schedule->month_days & 1U << g_date_time_get_day_of_month(day);
	bool week_day = schedule->week_days & 1U << g_date_time_get_day_of_week(day) % 7;

	if (!(schedule->months & 1U << g_date_time_get_month(day)))
		return false;
	return !schedule->any_month_day && !schedule->any_week_day ? month_day || week_day
								   : month_day && week_day;
}

static int
cron_compare(const void *a, const void *b)
{
	const gint64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Adds the ticks of a day with given hours. */
static void
cron_add_day(const struct automation_schedule *schedule, GDateTime *day, GArray *ticks)
{
	g_autofree char *date = g_date_time_format(day, "%Y-%m-%d");

	for (guint hour = 0; hour < 24; hour++) {
		if (!(schedule->hours & 1U << hour))
			continue;
		for (guint minute = 0; minute < 60; minute++) {
			char local[LOCAL_SIZE];

			if (!(schedule->minutes & (guint64)1 << minute))
				continue;
			g_snprintf(local, sizeof(local), "%sT%02u:%02u", date, hour, minute);
			gint64 tick = text_wall_clock_moment(local, schedule->zone, NULL);
			g_array_append_val(ticks, tick);
		}
	}
}

/* Adds the ticks of a day whose each real hour counts. */
static void
cron_add_hours(
    const struct automation_schedule *schedule, GDateTime *day, GTimeZone *zone, GArray *ticks)
{
	gint64 noon = g_date_time_to_unix(day) * 1000;
	int own = g_date_time_get_day_of_month(day);

	for (gint64 time = noon - DAY_MS; time <= noon + DAY_MS; time += MINUTE_MS) {
		g_autoptr(GDateTime) local = calendar_local(time, zone);

		if (g_date_time_get_day_of_month(local) == own &&
		    schedule->hours & 1U << g_date_time_get_hour(local) &&
		    schedule->minutes & (guint64)1 << g_date_time_get_minute(local))
			g_array_append_val(ticks, time);
	}
}

/* Takes the ticks of a day that are in the range, each once. */
static void
cron_take_day(GArray *day, gint64 after, gint64 until, guint limit, GArray *ticks)
{
	g_array_sort(day, cron_compare);
	for (guint i = 0; i < day->len && ticks->len < limit; i++) {
		gint64 tick = g_array_index(day, gint64, i);
		gint64 last = ticks->len > 0 ? g_array_index(ticks, gint64, ticks->len - 1) : after;

		if (tick > last && tick <= until)
			g_array_append_val(ticks, tick);
	}
}

GArray *
automation_schedule_ticks(
    const struct automation_schedule *schedule, gint64 after, gint64 until, guint limit)
{
	GArray *ticks = g_array_new(FALSE, FALSE, sizeof(gint64));
	g_autoptr(GTimeZone) zone = calendar_zone(schedule->zone, NULL);
	g_autoptr(GDateTime) begin = calendar_local(after, zone);
	/* Noon is on every clock, once. */
	g_autoptr(GDateTime) day = g_date_time_new(zone, g_date_time_get_year(begin),
	    g_date_time_get_month(begin), g_date_time_get_day_of_month(begin), 12, 0, 0);

	while (ticks->len < limit && g_date_time_to_unix(day) * 1000 <= until + DAY_MS) {
		g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(gint64));

		if (cron_is_day(schedule, day) && schedule->each_hour)
			cron_add_hours(schedule, day, zone, found);
		else if (cron_is_day(schedule, day))
			cron_add_day(schedule, day, found);
		cron_take_day(found, after, until, limit, ticks);
		GDateTime *next = g_date_time_add_days(day, 1);
		g_date_time_unref(day);
		day = next;
	}
	return ticks;
}
