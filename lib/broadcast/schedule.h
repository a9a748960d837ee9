/* SPDX-License-Identifier: MIT */
/* Schedules the draft of a broadcast. */
#ifndef BROADCAST_SCHEDULE_H
#define BROADCAST_SCHEDULE_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct service;

/* A time to leave, as a request gives it. */
struct broadcast_time {
	gint64 scheduled_at;		    /* epoch ms; 0: now. See broadcast_time_given */
	const char *local_time, *time_zone; /* in place of it, each on the person's own clock */
	gint64 spread;			    /* ms */
};

/* The scheduled_at of struct broadcast_time for a time that a request gives. 1970 is no "now", but
   as far past as any time that is refused. */
gint64 broadcast_time_given(gint64 time);

/* Schedules a draft. INVALID, naming the field, when it is not complete, or its time is more than 5
   minutes past; FORBIDDEN as email_draft_new; NOT_FOUND; CONFLICT. */
bool broadcast_send(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct broadcast_time *time, GError **error);

#endif
