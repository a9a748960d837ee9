/* SPDX-License-Identifier: MIT */
/* For this room: runs a transaction again that the server has rolled back. */
#ifndef DB_RETRY_H
#define DB_RETRY_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Calls run until it succeeds or fails for good: a whole transaction, or a statement that is one.
   If the server has rolled it back and allows another run (db_failure_passes), run is called again
   after a random pause, at most 10 times, and not begun again after 10 s. Returns what the last run
   returned, with its error. */
bool db_retry(struct db *db, bool (*run)(struct db *db, void *context, GError **error),
    void *context, GError **error);

#endif
