/* SPDX-License-Identifier: MIT */
/* The moments at which a date of a person starts a workflow. */
#ifndef AUTOMATION_MOMENT_H
#define AUTOMATION_MOMENT_H

#include <glib.h>
#include <stdbool.h>

struct automation_node_date;

struct automation_moment {
	gint64 time; /* epoch ms */
	gint32 day;  /* on which it falls, as of g_date_get_julian */
};

/* The moments of a date in (from, to], epoch ms, as an array of struct automation_moment. value:
   that of the property: an ISO date, an ISO time, which stands for its day on the person's clock,
   or, of a yearly date, --MM-DD; there are none of any other text. zone: the person's; NULL: none.
   The caller owns the array. */
GArray *automation_moments(const struct automation_node_date *date, const char *value,
    const char *zone, gint64 from, gint64 to);

#endif
