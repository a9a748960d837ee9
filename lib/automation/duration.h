/* SPDX-License-Identifier: MIT */
/* Durations of waits and time windows, as designs write them and as people read them. */
#ifndef AUTOMATION_DURATION_H
#define AUTOMATION_DURATION_H

#include <glib.h>
#include <stdbool.h>

struct json;
struct json_place;

/* Reads the members duration (a whole number from 1) and unit (minutes, hours, days, weeks) of an
   object at place. *ms_r: milliseconds, at most LIMIT_WAIT_MS. INVALID, naming the member. */
bool automation_duration_read(
    const struct json *object, const struct json_place *place, gint64 *ms_r, GError **error);

/* Writes milliseconds in the largest unit that divides them: "3 days", "1 hour", "90 minutes",
   "1.500 seconds". The caller owns the text. */
char *automation_duration_format(gint64 ms);

#endif
