/* SPDX-License-Identifier: MIT */
#ifndef STORE_EXECUTION_NEWEST_H
#define STORE_EXECUTION_NEWEST_H

#include <glib.h>

struct db;
struct store_execution_filter;
struct base_id;

/* The ids of executions of all workflows of a workspace, newest first, at most limit, as an array
   of struct base_id. Of the filter status and before count. The caller owns it. */
GArray *store_execution_newest(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error);

#endif
