/* SPDX-License-Identifier: MIT */
#ifndef BASE_TIME_ZONE_H
#define BASE_TIME_ZONE_H

#include <glib.h>

/* The time zone of a name, in any case: UTC, GMT; ET, CT, MT and PT, which follow summer time, and
   EST, EDT and so on, which do not; BST, CET, CEST; +02:00 or +0200; a name of the system's list,
   Europe/Berlin. NULL for any other name. The caller frees it with g_time_zone_unref. */
GTimeZone *base_time_zone(const char *name);

#endif
