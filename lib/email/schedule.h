/* SPDX-License-Identifier: MIT */
/* The time of scheduled emails: checks it, moves it, and cancels the email. */
#ifndef EMAIL_SCHEDULE_H
#define EMAIL_SCHEDULE_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct service;

/* Checks a time (epoch ms) for which an email is to be scheduled; any time in the past is good.
   INVALID when it is more than LIMIT_SCHEDULE_MS ahead, or can only be meant in seconds. */
bool email_schedule_check(gint64 time, GError **error);

/* Moves an email that is scheduled and has not left. A time in the past means now; *moved_r is the
   new time. INVALID of email_schedule_check; NOT_FOUND; CONFLICT when the email is not scheduled,
   is cancelled already, or has left, be it to one recipient only. */
bool email_schedule_move(struct service *service, const struct base_id *workspace,
    const struct base_id *email, gint64 time, gint64 *moved_r, GError **error);

/* Cancels an email that is scheduled and has not been sent; of one that has left for some of its
   recipients, the rest. NOT_FOUND; CONFLICT when it was not scheduled, is cancelled already, or has
   been sent. */
bool email_schedule_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *email, GError **error);

#endif
