/* SPDX-License-Identifier: MIT */
/* For template_filter.c: dates in the words of a language. */
#ifndef TEMPLATE_DATE_H
#define TEMPLATE_DATE_H

#include <glib.h>
#include <stdbool.h>

enum template_language { LANGUAGE_EN, LANGUAGE_DE, LANGUAGE_FR, LANGUAGE_ES, LANGUAGE_PT };

/* Whether a format has only those of %Y %m %d %e %H %M %S %B %b %A %a %%. */
bool template_date_format_known(const char *format, gsize size);

/* Whether a name can be that of a time zone. */
bool template_date_is_zone(const char *zone);

/* The time zones that have been read: name → GTimeZone, NULL where there is none. The caller owns
   the table. */
GHashTable *template_date_zones_new(void);

/* The zone with this name, "" for UTC; zones keeps it. NULL when there is none. */
GTimeZone *template_date_zone(GHashTable *zones, const char *name);

/* Appends a time in this format. Returns false for a time that is not in the years 1 to 9999. */
bool template_date_append(const char *format, gsize size, enum template_language language,
    GTimeZone *zone, gint64 epoch_ms, GString *out);

#endif
