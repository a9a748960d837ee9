/* SPDX-License-Identifier: MIT */
/* The starts of many people, which the spool begins. */
#ifndef START_RUN_H
#define START_RUN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;

/* Begins the next people, at most LIMIT_START_BATCH, of the start whose turn it is. *last: that
   start, zero at first. waits: for another process that is at it, instead of leaving it to that
   one. *worked_r: there was one. Any number of processes may run this at once. Errors of
   db/transaction.h. */
bool start_run(
    struct service *service, struct base_id *last, bool waits, bool *worked_r, GError **error);

#endif
