/* SPDX-License-Identifier: MIT */
/* The people to whom a broadcast would go if it started now. */
#ifndef BROADCAST_AUDIENCE_COUNT_H
#define BROADCAST_AUDIENCE_COUNT_H

#include <glib.h>
#include <stdbool.h>

#include "broadcast/content.h"

struct base_id;
struct service;

/* A count that is asked for. */
struct broadcast_audience_count {
	const struct broadcast_content *content;
	gint64 deadline; /* by base_clock_boot_ns; 0: never */
	guint most;	 /* of sample */
	GArray *sample;	 /* of struct base_id: the first ones are added, in their order */
};

/* Counts them. Audiences and segments that are gone have nobody. *count_r: -1 if counting was not
   done by the deadline. */
bool broadcast_audience_count_count(struct service *service, const struct base_id *workspace,
    const struct broadcast_audience_count *count, gint64 *count_r, GError **error);

#endif
