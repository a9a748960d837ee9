/* SPDX-License-Identifier: MIT */
/* The origins of a broadcast's emails, for which the figures count its recipients as accepted.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_ORIGIN_H
#define STORE_BROADCAST_ORIGIN_H

#include "store/broadcast/recipient.h"
#include "store/figure/figure.h"

/* By variant; that of BROADCAST_REST has neither variant nor template. */
struct store_broadcast_origins {
	struct store_figure_origin of[BROADCAST_REST + 1];
};

/* Reads them. The caller clears *origins_r, also after an error. */
bool store_broadcast_origins_read(struct db *db, const struct store_broadcast *broadcast,
    struct store_broadcast_origins *origins_r, GError **error);
void store_broadcast_origins_clear(struct store_broadcast_origins *origins);

/* Inside a transaction: counts recipients as accepted who got their variant after the start. */
bool store_broadcast_count_rest(struct db *db, const struct store_broadcast *broadcast, int variant,
    guint count, GError **error);

#endif
