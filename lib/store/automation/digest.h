/* SPDX-License-Identifier: MIT */
/* Open digests: an execution gathers the events of others that reach the same node. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_DIGEST_H
#define STORE_AUTOMATION_DIGEST_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_execution;

#define DIGEST_HASH_SIZE 16

/* The place at which a digest is open, and its window as an execution opens it. All borrowed;
   times are epoch ms. */
struct store_digest_place {
	const struct base_id *workspace, *workflow, *contact;
	const char *step_id;
	guint8 hash[DIGEST_HASH_SIZE]; /* of the value of its key (rule/operator.h) */
	gint64 ends;
};

/* An event of a digest. */
struct store_digest_event {
	struct base_id event_id;
	gint64 timestamp; /* epoch ms */
	char *properties; /* a JSON object */
};

void store_digest_event_free(struct store_digest_event *event);
DEFINE_AUTO(store_digest_event, store_digest_event_free)

/* Inside a transaction that has locked the person: finds and locks the digest that is open at the
   step_time of an execution, other than its own; one that opened later too, if that was before
   place->ends: the engine may be late, and has stepped the later execution first. *found_r: there
   is one; *execution_r has opened it. */
bool store_digest_find(struct db *db, const struct store_digest_place *place,
    const struct store_execution *other, bool *found_r, struct base_id *execution_r,
    GError **error);

/* Likewise: opens the digest of an execution, from its step_time until place->ends. */
bool store_digest_open(struct db *db, const struct store_digest_place *place,
    const struct store_execution *execution, GError **error);

/* Likewise: adds an event to the digest of an execution. The oldest ones above most are counted
   alone. */
bool store_digest_add(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, const struct store_digest_event *event, guint most,
    GError **error);

/* Likewise: takes the digest of an execution, which is closed then. Returns its events, oldest
   first, as an array of struct store_digest_event; the caller owns it. *count_r: all events, with
   those that were counted alone. */
GPtrArray *store_digest_take(
    struct db *db, const struct base_id *execution, guint *count_r, GError **error);

/* Inside a transaction: removes the digest of an execution, if it has one; those of a person.
   Deferred (db_defer). */
bool store_digest_remove(struct db *db, const struct base_id *execution, GError **error);
bool store_digest_forget(struct db *db, const struct base_id *contact, GError **error);

#endif
