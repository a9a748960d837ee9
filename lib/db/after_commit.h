/* SPDX-License-Identifier: MIT */
/* Work and counts that take effect only when the COMMIT of a transaction has answered. */
#ifndef DB_AFTER_COMMIT_H
#define DB_AFTER_COMMIT_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Work that follows a transaction that is stored. A run that is rolled back leaves nothing of it;
   so does a COMMIT without an answer. Outside a transaction all of this happens at once. */

/* Calls function with data after COMMIT, and then frees data with destroy. */
void db_after_commit(
    struct db *db, void (*function)(void *data), void *data, GDestroyNotify destroy);

/* Places of tallies; those who use them give them names. */
#define DB_TALLIES 4

/* Adds to a tally after COMMIT. */
void db_tally(struct db *db, guint place, gint64 more);

/* Gives what a tally has come to, and sets it to 0. */
gint64 db_tally_take(struct db *db, guint place);

/* Whether there is anything to take. */
bool db_tally_is_any(const struct db *db);

/* For this room: what struct db keeps. db_after_commit_free frees it. */
struct db_after_commit *db_after_commit_new(void);
void db_after_commit_free(struct db_after_commit *after);

/* For transaction.c: begins with nothing, and does what was left for after COMMIT. */
void db_after_commit_begin(struct db *db);
void db_after_commit_run(struct db *db);

#endif
