/* SPDX-License-Identifier: MIT */
/* A step of the schema that works in batches: notes with the recipients of broadcasts when they
   were sent it, opened it and clicked in it, where an earlier version has not. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_JOIN_H
#define STORE_BROADCAST_JOIN_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* The service may work meanwhile. A step that was interrupted begins anew, and finds nothing to do
   for the recipients that are done. */
bool store_broadcast_join(struct db *db, GError **error);

#endif
