/* SPDX-License-Identifier: MIT */
/* Times of day on people's clocks. A time that a clock skips is as much later; of one that it has
   twice, the first counts. */
#ifndef TEXT_WALL_CLOCK_H
#define TEXT_WALL_CLOCK_H

#include <glib.h>
#include <stdbool.h>

/* When the clock of a zone shows a local time, YYYY-MM-DDTHH:MM, in epoch ms. otherwise: in place
   of a zone that is not known; UTC if that is none either. 0 for a text that is no time. */
gint64 text_wall_clock_moment(const char *local_time, const char *zone, const char *otherwise);

/* The zone of a name, as above. The caller frees it with g_time_zone_unref. */
GTimeZone *text_wall_clock_zone(const char *name, const char *otherwise);

/* Seconds that the clock is ahead of UTC at a time, in epoch seconds. */
gint64 text_wall_clock_ahead(GTimeZone *zone, gint64 time);

/* The moment, epoch ms, of a local time, in seconds as if the clock showed UTC. */
gint64 text_wall_clock_at(GTimeZone *zone, gint64 local);

/* A time of day on some days of the week. */
struct text_wall_clock_time {
	guint minute; /* of the day, 0 to 1439 */
	guint days;   /* bit 0 is Monday, bit 6 Sunday; at least one is set */
};

#define TEXT_WALL_CLOCK_EVERY_DAY 0x7FU

/* Reads a time of day, HH:MM from 00:00 to 23:59. Returns whether text is one. */
bool text_wall_clock_minute(const char *text, guint *minute_r);

/* The bit of a day: mon, tue, wed, thu, fri, sat, sun. 0 for any other text. */
guint text_wall_clock_day(const char *name);

/* The first moment, epoch ms, not before from, at which the clock of a zone shows time; zones as
   above. */
gint64 text_wall_clock_next(
    const struct text_wall_clock_time *time, const char *zone, const char *otherwise, gint64 from);

/* The clock of a zone at a moment, epoch ms: the minute, and the bit of the day; zones
   as above. */
struct text_wall_clock_time text_wall_clock_shown(
    const char *zone, const char *otherwise, gint64 moment);

/* Appends "09:00", and " on mon, tue" unless it is every day. */
void text_wall_clock_describe(const struct text_wall_clock_time *time, GString *text);

#endif
