/* SPDX-License-Identifier: MIT */
/* Changes the state of a broadcast. */
#ifndef BROADCAST_STATE_H
#define BROADCAST_STATE_H

#include <glib.h>
#include <stdbool.h>

#include "store/broadcast/broadcast.h"

struct base_id;
struct db;
struct service;

/* Changes a locked broadcast, in a transaction that may run several times. */
typedef bool broadcast_work(
    struct db *db, const struct store_broadcast *broadcast, void *context, GError **error);

/* A change of a broadcast that needs its row locked. */
struct broadcast_locking {
	const struct base_id *workspace, *id;
	unsigned allowed; /* BROADCAST_BIT of each */
	broadcast_work *body;
	void *context; /* of body */
};

/* Locks a broadcast whose status is one of allowed (BROADCAST_BIT of each), and runs the body.
   NOT_FOUND; CONFLICT "Broadcast is STATUS"; errors of the body. */
bool broadcast_lock(struct service *service, struct broadcast_locking *locking, GError **error);

/* The functions below give NOT_FOUND, and CONFLICT where the state does not allow them. */
bool broadcast_unschedule(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_pause(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_resume(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_remove(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);

/* Also INVALID "variant must be between 0 and N". */
bool broadcast_decide(struct service *service, const struct base_id *workspace,
    const struct base_id *id, gint64 variant, GError **error);

#endif
