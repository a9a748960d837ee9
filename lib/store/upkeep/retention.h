/* SPDX-License-Identifier: MIT */
/* The removal of old rows in small batches, one function for each kind. Errors that a function does
   not name are those of db/statement.h. */
#ifndef STORE_UPKEEP_RETENTION_H
#define STORE_UPKEEP_RETENTION_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Removal of old rows. Each call removes a small batch of rows older than before (epoch ms), in
   a transaction that holds no lock for long, and tells their number. Emails that have still to
   leave are not touched. Any number of processes may call them at once. */

/* Contents of older emails; a content that other emails use stays. */
bool store_retention_bodies(struct db *db, gint64 before, guint *count_r, GError **error);
/* Emails with their recipients, events and contents. */
bool store_retention_emails(struct db *db, gint64 before, guint *count_r, GError **error);

/* The same for mail of the service itself (store/workspace/workspace.h), which nobody can look at.
 */
bool store_retention_service(struct db *db, gint64 before, guint *count_r, GError **error);
/* Events of older emails. */
bool store_retention_events(struct db *db, gint64 before, guint *count_r, GError **error);
/* Events of automation contacts, except events that an execution needs. */
bool store_retention_automation_events(
    struct db *db, gint64 before, guint *count_r, GError **error);
/* Finished executions with their queued feedback; their emails stay. */
bool store_retention_executions(struct db *db, gint64 before, guint *count_r, GError **error);
/* Feedback that no workflow can receive: its contact, email or execution is gone. */
bool store_retention_feedback(struct db *db, gint64 before, guint *count_r, GError **error);
/* Unproven statements of reports. */
bool store_retention_hearsay(struct db *db, gint64 before, guint *count_r, GError **error);
/* Idempotency keys. */
bool store_retention_idempotency(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
