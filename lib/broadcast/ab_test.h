/* SPDX-License-Identifier: MIT */
/* The test of a broadcast's variants: a share of the people gets them, and the rest the winner. */
#ifndef BROADCAST_AB_TEST_H
#define BROADCAST_AB_TEST_H

#include "store/broadcast/broadcast.h"

struct service;

/* The functions below run inside a transaction that has locked the broadcast. */

/* Begins to wait for the winner when the test share has left and others wait for it. Nobody's turn
   has come. *begun_r: it was so. */
bool broadcast_ab_test_begin(struct service *service, const struct store_broadcast *broadcast,
    gint64 now, bool *begun_r, GError **error);

/* Decides on the winner of a broadcast that is testing, or waits until it is time. *decided_r: it
   is known now. */
bool broadcast_ab_test_end(struct service *service, const struct store_broadcast *broadcast,
    gint64 now, bool *decided_r, GError **error);

#endif
