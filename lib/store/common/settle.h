/* SPDX-License-Identifier: MIT */
/* Waits until the database server has on its disk what we have read from it. */
#ifndef STORE_COMMON_SETTLE_H
#define STORE_COMMON_SETTLE_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* To be called outside a transaction, before somebody is told that rows are stored which another
   transaction has stored and this one has only read. A server shows the rows of a COMMIT before
   they are on its disk:
   1. The COMMIT of one process makes its rows visible, and waits for the disk.
   2. Another process reads the rows, and tells its client that they are stored.
   3. The server is killed, and starts again without the rows.
   A COMMIT waits for all that were visible before it, so this makes one, in one round trip, of a
   row that nobody sees. After a COMMIT that changed something this is not needed.

   TEMPORARY or UNCERTAIN: it is not known whether they are stored. */
bool store_settle(struct db *db, GError **error);

#endif
