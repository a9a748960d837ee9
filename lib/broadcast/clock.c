/* SPDX-License-Identifier: MIT */
/* Finds the moments at which clocks show a time. */
#include "broadcast/clock.h"

#include "base/clock.h"

#define DAY_S 86400

static GTimeZone *
clock_find_zone(const char *name, const char *otherwise)
{
	GTimeZone *zone = name ? g_time_zone_new_identifier(name) : NULL;

	if (!zone && otherwise)
		zone = g_time_zone_new_identifier(otherwise);
	return zone ? zone : g_time_zone_new_utc();
}

/* Seconds that the clock is ahead of UTC at a time, in epoch seconds. */
static gint64
ahead_at(GTimeZone *zone, gint64 time)
{
	int interval = g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, time);

	return g_time_zone_get_offset(zone, interval);
}

/* The offsets of a day before and of a day after are the candidates. If both are right, the clock
   has the time twice, and the first is sooner; if none is, it skips the time. */
gint64
broadcast_clock_moment(const char *local_time, const char *zone_name, const char *otherwise)
{
	g_autoptr(GTimeZone) zone = clock_find_zone(zone_name, otherwise);
	g_autofree char *utc = g_strconcat(local_time, "Z", NULL);
	gint64 ms;

	if (!base_clock_parse(utc, &ms))
		return 0;
	gint64 local = ms / 1000, before = ahead_at(zone, local - DAY_S),
	       after = ahead_at(zone, local + DAY_S);
	bool is_after =
	    ahead_at(zone, local - before) != before && ahead_at(zone, local - after) == after;
	return (local - (is_after ? after : before)) * 1000;
}
