/* SPDX-License-Identifier: MIT */
/* Whether no program of the version before runs any more, so that what these alone read need not be
   written. */
#ifndef STORE_COMMON_FINISHED_H
#define STORE_COMMON_FINISHED_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Steps of "posthouse schema migrate --finish" (late in schema.c) that programs ask for. */
#define FINISHED_SENT 490   /* the time at which an email was sent stands with its recipients */
#define FINISHED_OUTBOX 493 /* the primary key of the outbox is email and id */
#define FINISHED_STATUS 498 /* recipient_status is whole; the key listed goes next */

/* Inside or outside a transaction: whether the step was taken. Each connection asks the database,
   and remembers the answer: yes for good, and no for some seconds. So no may be out of date, and
   yes never is: a program writes for older ones too long, but not too short. Errors are those of
   db/statement.h. */
bool store_finished(struct db *db, int step, bool *finished_r, GError **error);

/* Forgets a no, so that the next call asks again: for a statement that failed, perhaps for what
   such a step has taken away. */
void store_finished_forget(struct db *db);

#endif
