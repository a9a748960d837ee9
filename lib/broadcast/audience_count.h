/* SPDX-License-Identifier: MIT */
/* The people to whom a broadcast would go if it started now. */
#ifndef BROADCAST_AUDIENCE_COUNT_H
#define BROADCAST_AUDIENCE_COUNT_H

#include <glib.h>
#include <stdbool.h>

#include "broadcast/content.h"

struct base_id;
struct service;

/* Counts them, and adds the ids of the first ones, in their order, to sample (of struct base_id),
   at most most. Audiences and segments that are gone have nobody. deadline: by base_clock_boot_ns;
   0: never. *count_r: -1 if counting was not done by then. */
bool broadcast_audience_count_count(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, gint64 deadline, guint most, GArray *sample,
    gint64 *count_r, GError **error);

#endif
