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

/* A step: the room for entries of the outbox, and what was done. */
struct broadcast_step {
	struct store_outbox_entry *entries;
	guint limit; /* of entries */
	guint count; /* of those that are to be delivered at once */
	bool worked; /* there was something to do */
};

/* Does one step of the broadcast that has waited longest: starts it, makes rows of its recipients,
   ends it, or makes a part of at most limit recipients, whose outbox entries are claimed already.
   Errors of db/transaction.h. */
bool broadcast_send_step(struct service *service, const struct store_outbox_claim *claim,
    struct broadcast_step *step, GError **error);

/* Whether a broadcast is due, though another process may be at it. */
bool broadcast_is_due(struct service *service);

#endif
