/* SPDX-License-Identifier: MIT */
/* A step of the schema that works in batches: gives entries of the outbox the time of their turn,
   where an earlier version has stored them. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_OUTBOX_JOIN_H
#define STORE_OUTBOX_JOIN_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* The service may work meanwhile. A step that was interrupted begins anew, and finds nothing to do
   for the entries that are done. */
bool store_outbox_join(struct db *db, GError **error);

#endif
