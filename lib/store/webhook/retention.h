/* SPDX-License-Identifier: MIT */
/* Removes what webhooks leave behind. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_WEBHOOK_RETENTION_H
#define STORE_WEBHOOK_RETENTION_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Each call removes a small batch and tells the number of rows, like those of
   store/upkeep/retention.h.

   Deliveries that are done and were created before (epoch ms), with their attempts. */
bool store_webhook_remove_done(struct db *db, gint64 before, guint *count_r, GError **error);

/* Events created before, for which no delivery waits. */
bool store_webhook_remove_events(struct db *db, gint64 before, guint *count_r, GError **error);

/* Deliveries, batches and attempts of webhooks that are deleted; before is not used. */
bool store_webhook_remove_orphans(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
