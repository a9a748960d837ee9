/* SPDX-License-Identifier: MIT */
/* Lengths of time, as designs give them. */
#ifndef AUTOMATION_DURATION_H
#define AUTOMATION_DURATION_H

#include <glib.h>
#include <stdbool.h>

struct json;
struct json_place;

/* Reads members duration (a whole number from 1) and unit (minutes, hours, days, weeks) of an
   object that stands at place, as milliseconds, at most LIMIT_WAIT_MS. INVALID, naming the member.
 */
bool automation_duration_read(
    const struct json *object, const struct json_place *place, gint64 *ms_r, GError **error);

/* For people: "3 days", "1 hour", "90 minutes", "1.500 seconds": the largest unit that fits whole.
   The caller owns it. */
char *automation_duration_format(gint64 ms);

#endif
