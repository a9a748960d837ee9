#ifndef STORE_EXECUTION_NEWEST_H
#define STORE_EXECUTION_NEWEST_H

#include <glib.h>

struct db;
struct execution_filter;
struct id;

/* The ids of executions of all workflows of a workspace, newest first, at most limit, as an array
   of struct id. Of the filter status and before count. The caller owns it. */
GArray *store_execution_newest(struct db *db, const struct id *workspace,
    const struct execution_filter *filter, guint limit, GError **error);

#endif
