/* SPDX-License-Identifier: MIT */
/* Moments as people write them, such as "tomorrow at 9am" and "in 1 hour". */
#ifndef EMAIL_MOMENT_H
#define EMAIL_MOMENT_H

#include <glib.h>
#include <stdbool.h>

/* Reads a moment as people write it, whatever the case and the number of blanks:

	2026-11-20T08:00:00.000Z  2026-11-20T08:00+02:00  2026-11-20 08:00
	2026-11-20  August 5  5 Aug 2027 at 9am	     at 12:00 without a time
	in 1 min  in an hour  half an hour from now  2 weeks from now
	now  today  tonight  tomorrow at 9:30 pm      tonight is at 20:00
	Friday  on Fri at noon  next Friday at 15:00

   A time zone may stand at the end (text/time_zone.h); zone is that of texts without one. A day
   without a year, or of the week, is the next one whose time is after now; "next Friday" is not
   today. Today and tomorrow without a time are at the time of now. The moment may be in the past.
   now and *moment_r are epoch milliseconds. False for any other text. */
bool email_moment_read(const char *text, gint64 now, GTimeZone *zone, gint64 *moment_r);

#endif
