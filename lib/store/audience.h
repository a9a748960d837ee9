/* SPDX-License-Identifier: MIT */
#ifndef STORE_AUDIENCE_H
#define STORE_AUDIENCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/creator.h"

struct db;

struct store_audience {
	struct base_id id;
	struct base_id workspace_id;
	char *name;
	struct store_creator creator;
	gint64 created, updated;	/* epoch ms */
	gint64 contacts, unsubscribers; /* how many, the latter among the former */
};

void store_audience_free(struct store_audience *audience);
DEFINE_AUTO(store_audience, store_audience_free)

/* Stores a new one of this name; *id_r is set. user: who makes it, NULL for an operator. CONFLICT
   when the workspace has as many as it may. */
bool store_audience_create(struct db *db, const struct base_id *workspace,
    const struct base_id *user, const char *name, struct base_id *id_r, GError **error);

/* NOT_FOUND "Audience not found". The caller frees it. */
struct store_audience *store_audience_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Newest first, at most limit, older than before (NULL: from the newest on), as an array of struct
   store_audience. The caller owns it. */
GPtrArray *store_audience_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The only one of this name. NOT_FOUND; INVALID when there are several. */
bool store_audience_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error);

/* It is gone when this returns, with its contacts, as far as anybody can see; what they take up is
   freed by store_audience_sweep. NOT_FOUND. */
bool store_audience_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Removes a batch of what is left of removed audiences; *more_r tells whether there may be more.
   Any number of processes may do it at once. */
bool store_audience_sweep(struct db *db, bool *more_r, GError **error);

/* NOT_FOUND, as all calls here set it; returns false. */
bool store_audience_missing(GError **error);

/* The row of the counters that is this connection's. */
gint64 store_audience_stripe(const struct db *db);

/* Inside a transaction, as the last thing in it, since writers that share a row wait here for each
   other: adds to the counters of an audience. */
bool store_audience_count(struct db *db, const struct base_id *audience, gint64 contacts,
    gint64 unsubscribers, GError **error);

#endif
