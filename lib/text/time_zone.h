/* SPDX-License-Identifier: MIT */
/* Time zones by the names that people write. */
#ifndef TEXT_TIME_ZONE_H
#define TEXT_TIME_ZONE_H

#include <glib.h>
#include <stdbool.h>

/* The time zone of a name, in any case: UTC, GMT; ET, CT, MT and PT, which follow summer time, and
   EST, EDT and so on, which do not; BST, CET, CEST; +02:00 or +0200; a name of the system's list,
   Europe/Berlin. NULL for any other name. The caller frees it with g_time_zone_unref. */
GTimeZone *text_time_zone(const char *name);

/* Whether a text is an IANA name that the system's zone data has: Europe/Berlin, UTC. Case counts,
   and no path leads out of the data. */
bool text_time_zone_is_name(const char *name);

#endif
