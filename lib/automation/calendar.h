/* SPDX-License-Identifier: MIT */
/* The dates and schedules of triggers: when a date in a property falls due, and when a schedule
   ticks. Uses no clock. Times that a clock skips or has twice are those of text/wall_clock.h. */
#ifndef AUTOMATION_CALENDAR_H
#define AUTOMATION_CALENDAR_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* Data of a trigger of date.reached. Borrows from the design. */
struct automation_date {
	const char *property; /* a path, as in rules */
	gint64 days;	      /* added to the day */
	guint minute;	      /* of the day */
	const char *zone;     /* that of a person without one; NULL: UTC */
	bool is_yearly;
};

/* Reads data.date. INVALID "data.date. ...". */
bool automation_date_read(const struct json *given, struct automation_date *date_r, GError **error);

#define AUTOMATION_DAY_SIZE 11 /* YYYY-MM-DD and the NUL */

struct automation_moment {
	gint64 time; /* epoch ms */
	char day[AUTOMATION_DAY_SIZE];
};

/* The moments of a property's value (NULL: none) in (after, until], oldest first, at most limit, as
   an array of struct automation_moment, which the caller owns. zone: the person's; NULL: none. A
   value that is no date has none. */
GArray *automation_date_moments(const struct automation_date *date, const struct json *value,
    const char *zone, gint64 after, gint64 until, guint limit);

/* Data of a trigger of schedule.due. Texts borrow from the design. */
struct automation_schedule {
	guint64 minutes; /* bits */
	guint32 hours, month_days, months;
	guint week_days; /* bit 0 is Sunday */
	bool each_hour;	 /* the hour begins with *: each real hour counts */
	bool any_month_day, any_week_day;
	const char *cron, *zone;	/* zone NULL: UTC */
	const char *audience, *segment; /* ids, one of which is there */
};

/* Reads data.schedule. INVALID "data.schedule. ...". */
bool automation_schedule_read(
    const struct json *given, struct automation_schedule *schedule_r, GError **error);

/* The ticks in (after, until], oldest first, at most limit, as an array of gint64, epoch ms, which
   the caller owns. */
GArray *automation_schedule_ticks(
    const struct automation_schedule *schedule, gint64 after, gint64 until, guint limit);

#endif
