/* SPDX-License-Identifier: MIT */
/* Audiences and their counts of contacts, as stored. Errors that a function does not name are those
   of db/statement.h. */
#ifndef STORE_PERSON_AUDIENCE_H
#define STORE_PERSON_AUDIENCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/workspace/creator.h"

struct db;
struct store_page;

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

/* Stores a new audience and sets *id_r. user is its creator, NULL for an operator. CONFLICT when
   the workspace has reached its limit of audiences. */
bool store_audience_create(struct db *db, const struct base_id *workspace,
    const struct base_id *user, const char *name, struct base_id *id_r, GError **error);

/* NOT_FOUND "Audience not found". The caller frees it. */
struct store_audience *store_audience_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of audiences, newest first, at most limit, older than before (NULL: from the newest
   on), as an array of struct store_audience. The caller owns it. */
GPtrArray *store_audience_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* A page of audiences, newest first, each without creator and counts. The caller owns the array, as
   above. */
GPtrArray *store_audience_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* Gives an audience another name. NOT_FOUND. */
bool store_audience_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, GError **error);

/* The audience with this name. NOT_FOUND; INVALID when several have it. */
bool store_audience_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error);

/* Removes an audience and its contacts from view at once; store_audience_sweep frees their rows
   later. NOT_FOUND. */
bool store_audience_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Frees a batch of the rows of removed audiences; *more_r tells whether there may be more. Any
   number of processes may call it at once. */
bool store_audience_sweep(struct db *db, bool *more_r, GError **error);

/* Whether the workspace has the audience; else NOT_FOUND "Audience not found". */
bool store_audience_check(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Sets NOT_FOUND "Audience not found" and returns false. */
bool store_audience_missing(GError **error);

/* The number of the counter row that this connection writes to. */
gint64 store_audience_stripe(const struct db *db);

/* Inside a transaction, as its last statement: adds to the counters of an audience. Writers that
   share a counter row wait here for each other. */
bool store_audience_count(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, gint64 contacts, gint64 unsubscribers, GError **error);

#endif
