/* SPDX-License-Identifier: MIT */
/* Reads schedules, and finds their next ticks. */
#include "text/cron.h"

#include <string.h>

#include "text/wall_clock.h"

#define MINUTE_S 60
#define HOUR_S 3600
#define DAY_S 86400
#define FIELDS 5
#define DAYS_AHEAD (9 * 366) /* between two 29 February are eight years at most */

/* A field: its least and greatest number, and the names of its numbers from the least on. */
static const struct cron_field {
	guint least, most;
	const char *names;
} fields[FIELDS] = {
    {0, 59, ""},
    {0, 23, ""},
    {1, 31, ""},
    {1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"},
    {0, 7, "sun mon tue wed thu fri sat"},
};

#define NAME_STEP 4 /* of names, with the space behind each */

/* Reads a number or name, and moves text behind it. */
static bool
cron_read_number(const struct cron_field *field, const char **text, guint *number_r)
{
	const char *at = *text;

	if (g_ascii_isdigit(*at)) {
		for (*number_r = 0; g_ascii_isdigit(*at) && at < *text + 2; at++)
			*number_r = *number_r * 10 + (guint)(*at - '0');
		*text = at;
		return !g_ascii_isdigit(*at) && *number_r >= field->least &&
		       *number_r <= field->most;
	}
	for (guint i = 0; i < strlen(field->names); i += NAME_STEP)
		if (g_ascii_strncasecmp(at, field->names + i, NAME_STEP - 1) == 0) {
			*number_r = field->least + i / NAME_STEP;
			*text = at + NAME_STEP - 1;
			return true;
		}
	return false;
}

/* Reads what follows a slash, if there is one. */
static bool
cron_read_step(const struct cron_field *field, const char **text, guint *step_r)
{
	const struct cron_field any = {1, field->most, ""};

	*step_r = 1;
	if (**text != '/')
		return true;
	++*text;
	return cron_read_number(&any, text, step_r);
}

/* Reads one part of a list: *, a number, a range, each with a step. */
static bool
cron_read_part(const struct cron_field *field, const char **text, guint64 *bits)
{
	guint from = field->least, to = field->most, step;
	bool is_single = false;

	if (**text == '*') {
		++*text;
	} else {
		if (!cron_read_number(field, text, &from))
			return false;
		is_single = **text != '-';
		to = from;
		if (!is_single && (++*text, !cron_read_number(field, text, &to)))
			return false;
	}
	bool has_step = **text == '/';
	if (from > to || !cron_read_step(field, text, &step))
		return false;
	if (is_single && has_step)
		to = field->most;
	for (guint number = from; number <= to; number += step)
		*bits |= G_GUINT64_CONSTANT(1) << number;
	return true;
}

static bool
cron_read_field(const struct cron_field *field, const char *text, guint64 *bits_r)
{
	*bits_r = 0;
	for (;; text++) {
		if (!cron_read_part(field, &text, bits_r))
			return false;
		if (*text != ',')
			return *text == '\0';
	}
}

bool
text_cron_read(const char *text, struct text_cron *cron_r)
{
	g_auto(GStrv) parts = g_strsplit_set(text, " \t", -1);
	const char *given[FIELDS] = {NULL};
	guint64 bits[FIELDS];
	guint count = 0;

	for (guint i = 0; parts[i]; i++) {
		if (!*parts[i])
			continue;
		if (count == FIELDS)
			return false;
		given[count++] = parts[i];
	}
	if (count < FIELDS)
		return false;
	for (guint i = 0; i < FIELDS; i++)
		if (!cron_read_field(&fields[i], given[i], &bits[i]))
			return false;
	*cron_r = (struct text_cron){.minutes = bits[0],
	    .hours = (guint32)bits[1],
	    .days = (guint32)bits[2],
	    .months = (guint32)bits[3],
	    .weekdays = (guint32)((bits[4] & 0x7f) | bits[4] >> 7),
	    .any_hour = *given[1] == '*',
	    .any_day = *given[2] == '*',
	    .any_weekday = *given[4] == '*'};
	return true;
}

/* Whether there are ticks on a day, which is counted from 1970-01-01. */
static bool
cron_has_day(const struct text_cron *cron, gint64 day)
{
	g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(day * DAY_S);

	if (!date || !(cron->months & 1U << g_date_time_get_month(date)))
		return false;
	bool is_day = cron->days & 1U << g_date_time_get_day_of_month(date);
	bool is_weekday = cron->weekdays & 1U << g_date_time_get_day_of_week(date) % 7;
	return cron->any_day || cron->any_weekday ? is_day && is_weekday : is_day || is_weekday;
}

static gint64
cron_floor(gint64 value, gint64 unit)
{
	return value / unit - (value % unit < 0);
}

/* The first tick of a day behind a time, where hours are given; 0: none. */
static gint64
cron_given_hour(const struct text_cron *cron, GTimeZone *zone, gint64 day, gint64 after)
{
	gint64 first = 0;

	for (guint minute = 0; minute < DAY_S / MINUTE_S; minute++) {
		if (!(cron->hours & 1U << minute / 60) ||
		    !(cron->minutes & G_GUINT64_CONSTANT(1) << minute % 60))
			continue;
		gint64 moment = text_wall_clock_at(zone, day * DAY_S + (gint64)minute * MINUTE_S);
		if (moment > after && (first == 0 || moment < first))
			first = moment;
	}
	return first;
}

/* The same where each real hour counts: goes from minute to minute of the clock as it runs. */
static gint64
cron_real_hours(const struct text_cron *cron, GTimeZone *zone, gint64 after)
{
	gint64 now = cron_floor(after / 1000, MINUTE_S) * MINUTE_S + MINUTE_S;
	gint64 end = now + (gint64)DAYS_AHEAD * DAY_S, known = G_MININT64;
	bool is_day = false;

	while (now < end) {
		gint64 local = now + text_wall_clock_ahead(zone, now);
		gint64 day = cron_floor(local, DAY_S);
		guint minute = (guint)((local - day * DAY_S) / MINUTE_S);

		if (day != known)
			is_day = cron_has_day(cron, day);
		known = day;
		if (!is_day || !(cron->hours & 1U << minute / 60))
			now += (60 - minute % 60) * MINUTE_S;
		else if (!(cron->minutes & G_GUINT64_CONSTANT(1) << minute % 60))
			now += MINUTE_S;
		else
			return now * 1000;
	}
	return 0;
}

/* The day before counts too: a time that its clock skips may be on the next one. */
gint64
text_cron_next(const struct text_cron *cron, const char *zone_name, gint64 after)
{
	g_autoptr(GTimeZone) zone = text_wall_clock_zone(zone_name, NULL);
	gint64 local = after / 1000 + text_wall_clock_ahead(zone, after / 1000);
	gint64 day = cron_floor(local, DAY_S) - 1;

	if (cron->any_hour)
		return cron_real_hours(cron, zone, after);
	for (gint64 end = day + DAYS_AHEAD; day < end; day++) {
		gint64 moment =
		    cron_has_day(cron, day) ? cron_given_hour(cron, zone, day, after) : 0;

		if (moment > 0)
			return moment;
	}
	return 0;
}
