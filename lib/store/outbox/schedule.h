/* SPDX-License-Identifier: MIT */
/* Moves and cancels scheduled emails. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_OUTBOX_SCHEDULE_H
#define STORE_OUTBOX_SCHEDULE_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct base_id;

/* A scheduled email with its outbox entries. Times are epoch ms. */
struct store_schedule {
	gint64 scheduled_at; /* 0: it is not scheduled */
	gint64 cancelled;    /* 0: it is not cancelled */
	guint waiting;	     /* entries that are neither claimed nor attempted */
	bool has_begun;	     /* another entry is claimed, was attempted, or is done */
};

/* Inside a transaction: reads an email and its outbox entries, and locks both until the transaction
   ends. A worker that claims an entry at this moment has either claimed it already, and it is not
   waiting; or passes it over. NOT_FOUND. */
bool store_schedule_lock(struct db *db, const struct base_id *workspace, const struct base_id *id,
    struct store_schedule *schedule_r, GError **error);

/* After store_schedule_lock: moves an email, all of whose entries wait, to another time. Held
   entries stay held. Deferred (db_defer). */
bool store_schedule_move(struct db *db, const struct base_id *workspace, const struct base_id *id,
    gint64 scheduled_at, GError **error);

/* After store_schedule_lock: removes the waiting entries and marks the email as cancelled. Deferred
   (db_defer). */
bool store_schedule_cancel(struct db *db, const struct base_id *workspace, const struct base_id *id,
    gint64 now, GError **error);

#endif
