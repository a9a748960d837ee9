/* SPDX-License-Identifier: MIT */
/* The start of a broadcast: decides who gets it, and makes a row for each. */
#ifndef BROADCAST_START_H
#define BROADCAST_START_H

#include "store/broadcast/broadcast.h"

struct service;

/* People that one step looks at. */
#define BROADCAST_PAGE 25000

/* Inside a transaction that has locked the broadcast: begins a scheduled one, which fails when
   something that it needs is gone; or goes on with the next BROADCAST_PAGE people. */
bool broadcast_start_begin(
    struct service *service, const struct store_broadcast *broadcast, GError **error);
bool broadcast_start_step(
    struct service *service, const struct store_broadcast *broadcast, GError **error);

#endif
