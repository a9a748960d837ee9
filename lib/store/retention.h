/* SPDX-License-Identifier: MIT */
#ifndef STORE_RETENTION_H
#define STORE_RETENTION_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* What goes when it has become old enough. Each call removes a small batch, in a transaction that
   holds no lock for long, of what is older than before (epoch ms), and tells how much it was;
   nothing that still has to leave is touched. Any number of processes may do it at once. */

/* Contents that emails of before were made of; a content that others use stays. */
bool store_retention_bodies(struct db *db, gint64 before, guint *count_r, GError **error);
/* Emails with their recipients, events and contents. */
bool store_retention_emails(struct db *db, gint64 before, guint *count_r, GError **error);
/* Events, of emails of before. */
bool store_retention_events(struct db *db, gint64 before, guint *count_r, GError **error);
/* Events of automation contacts, but for those by which an execution runs. */
bool store_retention_automation_events(
    struct db *db, gint64 before, guint *count_r, GError **error);
/* Executions that have finished, with what waits of their emails; the emails stay. */
bool store_retention_executions(struct db *db, gint64 before, guint *count_r, GError **error);
/* Events of emails that no workflow will take in any more: their contact, email or execution is
   gone. */
bool store_retention_feedback(struct db *db, gint64 before, guint *count_r, GError **error);
/* Reports that proved too little. */
bool store_retention_hearsay(struct db *db, gint64 before, guint *count_r, GError **error);
/* Idempotency keys. */
bool store_retention_idempotency(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
