/* SPDX-License-Identifier: MIT */
/* Finds the moments at which clocks show a time. */
#include "text/wall_clock.h"

#include <string.h>

#include "base/clock.h"

#define DAY_S 86400
#define DAYS 7

static const char *const day_names[DAYS] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

GTimeZone *
text_wall_clock_zone(const char *name, const char *otherwise)
{
	GTimeZone *zone = name ? g_time_zone_new_identifier(name) : NULL;

	if (!zone && otherwise)
		zone = g_time_zone_new_identifier(otherwise);
	return zone ? zone : g_time_zone_new_utc();
}

gint64
text_wall_clock_ahead(GTimeZone *zone, gint64 time)
{
	int interval = g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, time);

	return g_time_zone_get_offset(zone, interval);
}

/* The moment, epoch ms, of a local time, which is given as if the clock showed UTC, in seconds. The
   offsets of a day before and of a day after are the candidates. If both are right, the clock has
   the time twice, and the first is sooner; if none is, it skips the time. */
gint64
text_wall_clock_at(GTimeZone *zone, gint64 local)
{
	gint64 before = text_wall_clock_ahead(zone, local - DAY_S),
	       after = text_wall_clock_ahead(zone, local + DAY_S);
	bool is_after = text_wall_clock_ahead(zone, local - before) != before &&
			text_wall_clock_ahead(zone, local - after) == after;

	return (local - (is_after ? after : before)) * 1000;
}

gint64
text_wall_clock_moment(const char *local_time, const char *zone_name, const char *otherwise)
{
	g_autoptr(GTimeZone) zone = text_wall_clock_zone(zone_name, otherwise);
	g_autofree char *utc = g_strconcat(local_time, "Z", NULL);
	gint64 ms;

	return base_clock_parse(utc, &ms) ? text_wall_clock_at(zone, ms / 1000) : 0;
}

bool
text_wall_clock_minute(const char *text, guint *minute_r)
{
	static const char form[] = "29:59"; /* the greatest digit in each place */

	if (strlen(text) != strlen(form))
		return false;
	for (gsize i = 0; form[i]; i++)
		if (form[i] == ':' ? text[i] != ':' : text[i] < '0' || text[i] > form[i])
			return false;
	guint hour = (guint)(text[0] - '0') * 10 + (guint)(text[1] - '0');
	*minute_r = hour * 60 + (guint)(text[3] - '0') * 10 + (guint)(text[4] - '0');
	return hour < 24;
}

guint
text_wall_clock_day(const char *name)
{
	for (guint i = 0; i < DAYS; i++)
		if (strcmp(day_names[i], name) == 0)
			return 1U << i;
	return 0;
}

/* The bit of the day of the week; day 0 is 1970-01-01, a Thursday. */
static guint
day_bit(gint64 day)
{
	return 1U << ((day % DAYS + DAYS + 3) % DAYS);
}

/* The day before counts too: a time that its clock skips may be on the next one. */
gint64
text_wall_clock_next(const struct text_wall_clock_time *time, const char *zone_name,
    const char *otherwise, gint64 from)
{
	g_autoptr(GTimeZone) zone = text_wall_clock_zone(zone_name, otherwise);
	gint64 local = from / 1000 + text_wall_clock_ahead(zone, from / 1000);
	gint64 day = local / DAY_S - (local % DAY_S < 0) - 1, moment = from;

	for (;; day++) {
		if (!(time->days & day_bit(day)))
			continue;
		moment = text_wall_clock_at(zone, day * DAY_S + (gint64)time->minute * 60);
		if (moment >= from)
			return moment;
	}
}

struct text_wall_clock_time
text_wall_clock_shown(const char *zone_name, const char *otherwise, gint64 moment)
{
	g_autoptr(GTimeZone) zone = text_wall_clock_zone(zone_name, otherwise);
	/* Times before 1970 count from the day before, too. */
	gint64 seconds = moment / 1000 - (moment % 1000 < 0);
	gint64 local = seconds + text_wall_clock_ahead(zone, seconds);
	gint64 day = local / DAY_S - (local % DAY_S < 0);

	return (struct text_wall_clock_time){(guint)((local - day * DAY_S) / 60), day_bit(day)};
}

void
text_wall_clock_describe(const struct text_wall_clock_time *time, GString *text)
{
	const char *separator = " on ";

	g_string_append_printf(text, "%02u:%02u", time->minute / 60, time->minute % 60);
	if (time->days == TEXT_WALL_CLOCK_EVERY_DAY)
		return;
	for (guint i = 0; i < DAYS; i++) {
		if (!(time->days & 1U << i))
			continue;
		g_string_append_printf(text, "%s%s", separator, day_names[i]);
		separator = ", ";
	}
}
