/* SPDX-License-Identifier: MIT */
/* The events of received mail for workflows, and the replies that are recorded. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_RECEIVED_EVENT_H
#define STORE_RECEIVED_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Inside a transaction: queues the event email.received of a contact. address: as it is compared.
   timestamp: epoch ms. */
bool store_received_event_add(struct db *db, const struct base_id *workspace, const char *address,
    gint64 timestamp, const char *properties, GError **error);

/* An event that waits. */
struct store_received_event {
	struct base_id id, workspace_id;
	char *address, *properties;
	gint64 timestamp;
};

void store_received_event_free(struct store_received_event *event);
DEFINE_AUTO(store_received_event, store_received_event_free)

/* The oldest events that are due at now (epoch ms), at most limit, as an array of struct
   store_received_event, of any workspace. The caller owns it. */
GPtrArray *store_received_event_list(struct db *db, gint64 now, guint limit, GError **error);

/* Removes an event that is recorded; claims one that is due at now: it is due again at until (epoch
   ms). *claimed_r: no other process has claimed it. */
bool store_received_event_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);
bool store_received_event_claim(struct db *db, const struct store_received_event *event, gint64 now,
    gint64 until, bool *claimed_r, GError **error);

/* Removes those of a person who is erased. */
bool store_received_event_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Inside a transaction: counts a reply of a recipient of an email, unless it has most (at most 255)
   already. *before_r: its replies before this one; most where the recipient is gone. Two replies at
   once are counted one after the other. */
bool store_received_reply_add(struct db *db, const struct base_id *email, guint recipient,
    guint most, guint *before_r, GError **error);

#endif
