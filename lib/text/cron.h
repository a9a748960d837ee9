/* SPDX-License-Identifier: MIT */
/* Schedules as cron writes them: five fields for minute, hour, day of the month, month and day of
   the week. A field has numbers, *, ranges, lists and steps, and names (mon, jan); 7 is Sunday,
   too. Where both days are restricted, either will do. */
#ifndef TEXT_CRON_H
#define TEXT_CRON_H

#include <glib.h>
#include <stdbool.h>

struct text_cron {
	guint64 minutes;
	guint32 hours, days, months; /* a bit for each number */
	guint32 weekdays;	     /* bit 0 is Sunday */
	bool any_hour;		     /* the field begins with *: each real hour counts */
	bool any_day, any_weekday;   /* the field begins with * */
};

/* Returns whether text is a schedule. */
bool text_cron_read(const char *text, struct text_cron *cron_r);

/* The first tick behind a time, epoch ms, on the clock of a zone (NULL: UTC). A tick at a given
   hour that the clock skips is as much later; of one that it has twice, the first counts. 0: it
   never comes. */
gint64 text_cron_next(const struct text_cron *cron, const char *zone, gint64 after);

#endif
