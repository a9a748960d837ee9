/* SPDX-License-Identifier: MIT */
/* The last time of each event of mailings at an address: sent, opened, clicked, bounced. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_PERSON_ACTIVITY_H
#define STORE_PERSON_ACTIVITY_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct base_id;
struct store_event;

/* Inside a transaction, for events that are being stored: keeps the times of those that are about
   mailings and were not made by programs. Deferred (db_defer). */
bool store_activity_note(
    struct db *db, const struct store_event *const *events, guint count, GError **error);

/* Inside a transaction: forgets what mailings did at an address. */
bool store_activity_remove(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* The same for a person who is there. */
bool store_activity_remove_of(
    struct db *db, const struct base_id *workspace, const struct base_id *person, GError **error);

#endif
