/* SPDX-License-Identifier: MIT */
/* Snoozes: until a time, an address gets no mailings. They are kept by address, like the choices of
   people, and end by themselves. Addresses are in the form in which they are compared. Errors that
   a function does not name are those of db/statement.h. */
#ifndef STORE_CONSENT_SNOOZE_H
#define STORE_CONSENT_SNOOZE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/consent/consent.h"

struct db;

struct store_snooze {
	gint64 until;			  /* epoch ms; 0: there is none, or it is over */
	enum store_consent_author author; /* 0: there is none */
};

/* Sets CONFLICT "This person has snoozed; override is required", and returns false. */
bool store_snooze_refuse(GError **error);

/* The sentence that tells of a snooze: "snoozed until 2026-12-01T08:00:00.000Z". The caller owns
   it. */
char *store_snooze_text(gint64 until);

/* Reads the snooze of an address as it is now. lock: inside a transaction, until
   which ends it is locked. */
bool store_snooze_get(struct db *db, const struct base_id *workspace, const char *address,
    bool lock, struct store_snooze *snooze_r, GError **error);

/* The functions below run inside a transaction, and are deferred. */

/* Stores the snooze of an address, in place of the one before. */
bool store_snooze_put(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_snooze *snooze, GError **error);

/* Ends the snooze of an address, if there is one. */
bool store_snooze_end(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Copies the snooze of an address to another one, whose person is the same now; of two the longer
   one stands. */
bool store_snooze_copy(struct db *db, const struct base_id *workspace, const char *from,
    const char *to, GError **error);

/* Removes a batch of snoozes that were over before a time (epoch ms). Needs no transaction. */
bool store_snooze_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
