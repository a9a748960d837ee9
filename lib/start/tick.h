/* SPDX-License-Identifier: MIT */
/* Starts that schedules make. */
#ifndef START_TICK_H
#define START_TICK_H

#include <glib.h>
#include <stdbool.h>

struct service;

/* Makes the starts of schedules whose ticks have come. *count_r: the schedules. Any number of
   processes may run this at once: a tick makes one start. Errors of db/transaction.h. */
bool start_tick_run(struct service *service, guint *count_r, GError **error);

#endif
