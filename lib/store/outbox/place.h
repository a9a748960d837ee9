/* SPDX-License-Identifier: MIT */
/* Places: the mailings of a person that count for a cap. place.c explains them. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_OUTBOX_PLACE_H
#define STORE_OUTBOX_PLACE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* A place that is taken. Times are epoch ms. */
struct store_place {
	char *address;		 /* as suppressions compare it */
	struct base_id email_id; /* of the entry; not read by store_place_list */
	struct base_id entry_id;
	bool has_topic;
	struct base_id topic_id;
	gint64 taken; /* when it was */
	gint64 sent;  /* when the mailing was sent; 0: it is being sent */
};

/* The functions below run inside a transaction. What they write is deferred, unless it is much. */

/* Locks the places of people until the transaction ends. The addresses are sorted, each once. */
bool store_place_lock(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, gint64 now, GError **error);

/* Reads the places of the people that were sent since a time, or are being sent now: as an array of
   struct store_place with addresses of its own. The caller owns it. */
GPtrArray *store_place_list(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, gint64 since, GError **error);

/* Takes places for entries, those of one entry in a row. TEMPORARY: a claim has another token. */
bool store_place_take(struct db *db, const struct base_id *workspace, gint64 token,
    const struct store_place *places, guint count, GError **error);

/* A recipient whose mailing was sent. */
struct store_place_sent {
	struct base_id workspace_id, entry_id;
	char *address;
	gint64 sent;
};

/* Makes the places that those hold lasting. */
bool store_place_keep(
    struct db *db, const struct store_place_sent *sent, guint count, GError **error);

/* Removes a batch of places that no cap counts any more at a time. *count_r: so many. */
bool store_place_sweep(struct db *db, gint64 now, guint *count_r, GError **error);

#endif
