/* SPDX-License-Identifier: MIT */
/* Lists of rows, newest first, in pages; shared by all tables. */
#ifndef STORE_LISTING_H
#define STORE_LISTING_H

#include <glib.h>
#include <stdbool.h>

#include "db/value.h"

struct db;
struct db_rows;
struct base_id;

/* The id below which the page begins. before NULL: the first page. */
struct db_value store_listing_before(const struct base_id *before);

/* Reads a page of a list of a workspace, at most limit rows, each made by read and freed by
   release. sql takes the workspace, the id of store_listing_before, and limit. The caller owns
   the array. */
GPtrArray *store_listing_read(struct db *db, const char *sql, const struct base_id *workspace,
    const struct base_id *before, guint limit,
    void *(*read)(struct db_rows *rows, const struct base_id *workspace), GDestroyNotify release,
    GError **error);

/* Finds the id of the row with this name. sql takes the workspace and the name, and gives ids.
   NOT_FOUND; INVALID when several have the name; kind names the row in both errors ("audience"). */
bool store_listing_find(struct db *db, const char *sql, const struct base_id *workspace,
    const char *name, const char *kind, struct base_id *id_r, GError **error);

#endif
