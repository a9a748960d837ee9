/* SPDX-License-Identifier: MIT */
/* Requests of clients that store something. Each is stored once, although its client repeats it
   with an Idempotency-Key, and although the answer to a COMMIT may be lost. A request takes three
   steps, so that many of one kind can share a transaction: the kind checks each by itself,
   core_request_store_together stores them, and the caller answers each. */
#ifndef CORE_REQUEST_H
#define CORE_REQUEST_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/idempotency.h"

struct core;
struct core_request;
struct core_idempotency_turn;
struct db;

/* A kind of request. */
struct core_request_kind {
	/* The work: stores requests of this kind inside the current transaction, sets their
	   results, and calls core_request_take at its place in the lock order. It may run several
	   times, and then begins anew (db_body in db/transaction.h). */
	bool (*store)(
	    struct core *core, struct core_request *const *requests, guint count, GError **error);
	/* The check sets all ids. So a duplicate, after a COMMIT that had no answer, means that
	   this COMMIT has stored the request. Otherwise store looks itself, by maybe_stored. */
	bool fixed_ids;
	/* Stores one request by itself, in a transaction of its own, when store has failed or
	   cannot be used. NULL: store does that, too. */
	bool (*alone)(struct core *core, struct core_request *request, GError **error);
	/* Called when a request could not be stored; may replace its error. NULL: nothing to do. */
	void (*failed)(struct core *core, struct core_request *request);
	void (*free)(struct core_request *request);
};

/* The Idempotency-Key of a request. */
struct core_idempotency {
	struct store_idempotency key; /* name is NULL when the request has none */
	/* Writes the response's body for a stored request. The caller owns it. */
	char *(*write)(const struct core_request *request);
};

/* A request; the first member of the kind's own struct. */
struct core_request {
	const struct core_request_kind *kind;
	struct core_idempotency idempotency; /* borrows the name */
	char *answer;	   /* the response's body, owned; NULL without an Idempotency-Key */
	bool replayed;	   /* answer is that of an earlier request; there is nothing to store */
	bool maybe_stored; /* a COMMIT of it had no answer */
	bool taken;	   /* another request has its Idempotency-Key */
	struct core_idempotency_turn *turn; /* until it is stored; NULL without core_request_wait */
	GError *error; /* of core_request_store_one, while the kind looks at it */
};

/* For checks: looks for the answer to an earlier request with the same Idempotency-Key, and then
   sets answer and replayed. CONFLICT when that was a different request; errors of db/statement.h.
 */
bool core_request_find(struct core *core, struct core_request *request, GError **error);

/* The same for checks that take long, such as those that fetch: first waits for another request of
   this host with the same Idempotency-Key that does so and is not stored yet. CONFLICT also when
   that takes longer than LIMIT_IDEMPOTENCY_WAIT_S. */
bool core_request_wait(struct core *core, struct core_request *request, GError **error);

/* For the work of a kind: stores the Idempotency-Keys with their answers. Waits for other
   transactions that are storing the same keys. CONFLICT when there is one already. */
bool core_request_take(
    struct core *core, struct core_request *const *requests, guint count, GError **error);

/* What a transaction writes besides its requests, after them; a db_body. */
struct core_request_also {
	bool (*write)(struct db *db, void *context, GError **error);
	void *context;
};

/* Stores checked requests of one kind, none of which is replayed, in one transaction, and also what
   also writes (NULL: nothing). False when that fails, or may have failed: then store each by
   itself, so that none suffers from another. */
bool core_request_store_together(struct core *core, struct core_request *const *requests,
    guint count, const struct core_request_also *also);

/* Stores one checked request, unless it is replayed. If another request with the same key is being
   stored, this one waits for it and replays its answer. Errors: CONFLICT when that takes too long,
   or was a different request; those of the kind; UNCERTAIN when the request may or may not be
   stored. */
bool core_request_store_one(struct core *core, struct core_request *request, GError **error);

/* Frees the kind's own struct with it. */
void core_request_free(struct core_request *request);
DEFINE_AUTO(core_request, core_request_free)

#endif
