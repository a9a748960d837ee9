/* SPDX-License-Identifier: MIT */
/* Idempotency keys with the answers to their requests; a unique index decides between two at
   once. */
#ifndef STORE_WORKSPACE_IDEMPOTENCY_H
#define STORE_WORKSPACE_IDEMPOTENCY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/secret.h"

struct db;

/* The messages of CONFLICT. */
#define STORE_IDEMPOTENCY_OTHER "This Idempotency-Key was used for another request"
#define STORE_IDEMPOTENCY_BUSY "A request with this Idempotency-Key is still in progress"

/* The Idempotency-Key of a request. */
struct store_idempotency {
	struct base_id workspace_id;
	const char *name;	     /* as the client gave it */
	guint8 request[SHA256_SIZE]; /* of route and body */
};

/* Sets the digest of a request: its route and its body, byte for byte. */
void store_idempotency_digest(
    struct store_idempotency *key, const char *route, const void *body, gsize size);

/* Looks up the answer stored under this key, if it is younger than a day at now: the body of the
   response. *answer_r is NULL when there is none; the caller frees it. CONFLICT when the key was
   used for another request. */
bool store_idempotency_find(struct db *db, const struct store_idempotency *key, gint64 now,
    char **answer_r, GError **error);

/* Inside a transaction: stores keys with the bodies of their responses, in one round trip. Waits
   for another transaction that is storing the same key (5 s at most). CONFLICT when a key is
   stored: read its answer with store_idempotency_find. Runs deferred statements (db_defer) first,
   so that their errors are known from its own: a wait for a lock of theirs is TEMPORARY, and the
   transaction is run again. All borrowed. */
struct store_idempotency_taking {
	const struct store_idempotency *key;
	const char *answer;
};
bool store_idempotency_take_all(struct db *db, const struct store_idempotency_taking *takings,
    guint count, gint64 now, GError **error);

/* Inside a transaction: stores keys that are nearly always new, deferred (db_defer). Where a key is
   stored, even one that is too old to count, the transaction fails with CONFLICT and
   DB_CAUSE_DUPLICATE. */
bool store_idempotency_take_new(struct db *db, const struct store_idempotency_taking *takings,
    guint count, gint64 now, GError **error);

#endif
