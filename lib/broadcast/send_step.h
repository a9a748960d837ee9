/* SPDX-License-Identifier: MIT */
/* The sending of broadcasts: the spool starts them, takes recipients whose turn has come, and ends
   them. */
#ifndef BROADCAST_SEND_STEP_H
#define BROADCAST_SEND_STEP_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_outbox_claim;
struct store_outbox_entry;

/* Does one step of the broadcast that has waited longest: starts it, makes rows of its recipients,
   ends it, or makes a part of at most limit recipients, whose outbox entries are claimed already:
   *count_r of them in entries_r, to be delivered at once. *worked_r: there was something to do.
   Errors of db/transaction.h. */
bool broadcast_send_step(struct service *service, const struct store_outbox_claim *claim,
    struct store_outbox_entry *entries_r, guint limit, guint *count_r, bool *worked_r,
    GError **error);

/* Whether a broadcast is due, though another process may be at it. */
bool broadcast_is_due(struct service *service);

#endif
