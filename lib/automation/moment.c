/* SPDX-License-Identifier: MIT */
/* Finds the moments of dates. */
#include "automation/moment.h"

#include <string.h>

#include "automation/node.h"
#include "base/clock.h"
#include "text/wall_clock.h"

#define DAY_S 86400
#define DAY_MS ((gint64)DAY_S * 1000)
#define EPOCH_JULIAN 719163 /* 1970-01-01 */

/* The day that a value names. */
struct moment_value {
	gint32 year; /* 0: it names none */
	guint month, day;
};

static bool
moment_digits(const char *text, guint count, guint *number_r)
{
	*number_r = 0;
	for (guint i = 0; i < count; i++) {
		if (!g_ascii_isdigit(text[i]))
			return false;
		*number_r = *number_r * 10 + (guint)(text[i] - '0');
	}
	return true;
}

/* Reads MM-DD. */
static bool
moment_read_day(const char *text, struct moment_value *value)
{
	return strlen(text) == 5 && text[2] == '-' && moment_digits(text, 2, &value->month) &&
	       moment_digits(text + 3, 2, &value->day) && value->month >= 1 && value->month <= 12 &&
	       value->day >= 1 &&
	       value->day <= g_date_get_days_in_month((GDateMonth)value->month, 2000);
}

/* Reads YYYY-MM-DD. */
static bool
moment_read_date(const char *text, struct moment_value *value)
{
	guint year;

	if (strlen(text) != 10 || text[4] != '-' || !moment_digits(text, 4, &year) || year == 0 ||
	    !moment_read_day(text + 5, value))
		return false;
	value->year = (gint32)year;
	return g_date_valid_dmy(
	    (GDateDay)value->day, (GDateMonth)value->month, (GDateYear)value->year);
}

/* Reads an ISO time. */
static bool
moment_read_time(const char *text, GTimeZone *zone, struct moment_value *value)
{
	gint64 ms;

	if (!strchr(text, 'T') || !base_clock_parse(text, &ms))
		return false;
	gint64 second = ms / 1000 - (ms % 1000 < 0);
	g_autoptr(GDateTime) local =
	    g_date_time_new_from_unix_utc(second + text_wall_clock_ahead(zone, second));
	if (!local)
		return false;
	g_date_time_get_ymd(local, &value->year, (gint *)&value->month, (gint *)&value->day);
	return true;
}

/* The day of a value in a year; 29 February is the 28th where there is none. */
static gint32
moment_day_in(const struct moment_value *value, gint32 year)
{
	guint last = g_date_get_days_in_month((GDateMonth)value->month, (GDateYear)year);
	GDate date;

	g_date_clear(&date, 1);
	g_date_set_dmy(
	    &date, (GDateDay)MIN(value->day, last), (GDateMonth)value->month, (GDateYear)year);
	return (gint32)g_date_get_julian(&date);
}

static gint32
moment_year_of(gint64 ms)
{
	g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(ms / 1000);

	return date ? g_date_time_get_year(date) : 1970;
}

/* Adds the moment of a day, if it is in the span. */
static void
moment_add(GArray *moments, const struct automation_node_date *date, GTimeZone *zone, gint32 day,
    gint64 from, gint64 to)
{
	struct automation_moment moment = {.day = day + date->days};

	moment.time = text_wall_clock_at(
	    zone, (moment.day - EPOCH_JULIAN) * (gint64)DAY_S + (gint64)date->minute * 60);
	if (moment.time > from && moment.time <= to)
		g_array_append_val(moments, moment);
}

GArray *
automation_moments(const struct automation_node_date *date, const char *text, const char *zone_name,
    gint64 from, gint64 to)
{
	GArray *moments = g_array_new(FALSE, FALSE, sizeof(struct automation_moment));
	g_autoptr(GTimeZone) zone = text_wall_clock_zone(zone_name, date->zone);
	struct moment_value value = {0};
	bool is_known =
	    moment_read_date(text, &value) || moment_read_time(text, zone, &value) ||
	    (date->yearly && strncmp(text, "--", 2) == 0 && moment_read_day(text + 2, &value));

	if (!is_known || (!date->yearly && value.year == 0))
		return moments;
	if (!date->yearly) {
		moment_add(moments, date, zone, moment_day_in(&value, value.year), from, to);
		return moments;
	}
	gint64 shift = (ABS(date->days) + 2) * DAY_MS;
	gint32 first = MAX(moment_year_of(from - shift), value.year);
	for (gint32 year = first; year <= moment_year_of(to + shift); year++)
		moment_add(moments, date, zone, moment_day_in(&value, year), from, to);
	return moments;
}
