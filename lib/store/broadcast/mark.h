/* SPDX-License-Identifier: MIT */
/* Marks the recipients of broadcasts by what their emails came to, for segments, and counts those
   by which a broadcast pauses. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_MARK_H
#define STORE_BROADCAST_MARK_H

#include "store/broadcast/recipient.h"

struct store_event;

/* The functions below run inside a transaction. */

/* Marks those who bounced and complained, for events that are being stored. */
bool store_broadcast_mark_events(
    struct db *db, const struct store_event *const *events, guint count, GError **error);

/* When a person first opened an email and clicked in it, as far as is known now. */
struct store_broadcast_reading {
	const struct base_id *email;
	guint number;		/* of the recipient */
	gint64 opened, clicked; /* epoch ms; 0: never */
};

/* Marks that recipient. Deferred. */
bool store_broadcast_mark_reader(struct db *db, const struct base_id *workspace,
    const struct store_broadcast_reading *reading, GError **error);

/* The results of a broadcast that is being sent, since it started, or was resumed. */
struct store_broadcast_health {
	struct base_id id;
	char *name;
	gint64 tried, bounced, complained;
};

void store_broadcast_health_free(struct store_broadcast_health *health);
DEFINE_AUTO(store_broadcast_health, store_broadcast_health_free)

/* Reads the health of the broadcast that an email is a part of; lock: and locks it until the
   transaction ends. *health_r is NULL when there is none that is being sent or tests. The caller
   frees it. */
bool store_broadcast_health(struct db *db, const struct base_id *workspace,
    const struct base_id *email, bool lock, struct store_broadcast_health **health_r,
    GError **error);

#endif
