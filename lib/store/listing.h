/* SPDX-License-Identifier: MIT */
/* What the lists of all tables have in common. */
#ifndef STORE_LISTING_H
#define STORE_LISTING_H

#include <glib.h>
#include <stdbool.h>

#include "db/value.h"

struct db;
struct db_rows;
struct base_id;

/* The id that a list, newest first, goes on below. NULL: from the newest on. */
struct db_value store_listing_before(const struct base_id *before);

/* The rows of such a list of a workspace, at most limit, each made by read and freed by release.
   sql takes workspace, the id of store_listing_before, and limit. The caller owns the array. */
GPtrArray *store_listing_read(struct db *db, const char *sql, const struct base_id *workspace,
    const struct base_id *before, guint limit,
    void *(*read)(struct db_rows *rows, const struct base_id *workspace), GDestroyNotify release,
    GError **error);

/* The id of the only thing of this name. sql takes workspace and name, and gives ids. NOT_FOUND;
   INVALID when there are several; both name kind, "audience". */
bool store_listing_find(struct db *db, const char *sql, const struct base_id *workspace,
    const char *name, const char *kind, struct base_id *id_r, GError **error);

#endif
