/* SPDX-License-Identifier: MIT */
/* Requests of clients that store something. Each is stored once, although its client repeats it
   with an Idempotency-Key, and although the answer to a COMMIT may be lost. A request takes steps,
   so that many of one kind can share a transaction: the kind checks each by itself,
   service_once_store_together stores them, and the caller answers each. service_once_follow and
   service_once_finish do what is left of a stored request. */
#ifndef SERVICE_ONCE_H
#define SERVICE_ONCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/workspace/idempotency.h"

struct service;
struct service_once;
struct service_once_turn;
struct db;

/* A kind of request. */
struct service_once_kind {
	/* The work: stores requests of this kind inside the current transaction, sets their
	   results, and calls service_once_take at its place in the lock order. It may run several
	   times, and then begins anew (db_body in db/transaction.h). */
	bool (*store)(struct service *service, struct service_once *const *requests, guint count,
	    GError **error);
	/* The check sets all ids. So a duplicate, after a COMMIT that had no answer, means that
	   this COMMIT has stored the request. Otherwise store looks itself, by maybe_stored. */
	bool fixed_ids;
	/* Stores one request by itself, in a transaction of its own, when store has failed or
	   cannot be used. NULL: store does that, too. */
	bool (*alone)(struct service *service, struct service_once *request, GError **error);
	/* Called when a request could not be stored; may replace its error. NULL: nothing to do. */
	void (*failed)(struct service *service, struct service_once *request);
	/* Go on with a stored request, just before and just after its client has the answer. False
	   with an error that is for the log alone. NULL: nothing to do. */
	bool (*follow)(struct service *service, struct service_once *request, GError **error);
	bool (*finish)(struct service *service, struct service_once *request, GError **error);
	void (*free)(struct service_once *request);
};

/* The Idempotency-Key of a request. */
struct service_idempotency {
	struct store_idempotency key; /* name is NULL when the request has none */
	/* Writes the response's body for a stored request. The caller owns it. */
	char *(*write)(const struct service_once *request);
	bool is_derived; /* made from the request: nearly always new, so it is looked up only
			    where the request is refused or its key is taken, and first stored
			    in the round trip of the rest */
};

/* A request; the first member of the kind's own struct. */
struct service_once {
	const struct service_once_kind *kind;
	struct service_idempotency idempotency; /* borrows the name */
	char *answer;	   /* the response's body, owned; NULL without an Idempotency-Key */
	bool replayed;	   /* answer is that of an earlier request; there is nothing to store */
	bool maybe_stored; /* a COMMIT of it had no answer */
	bool taken;	   /* another request has its Idempotency-Key */
	bool is_careful;   /* its key is stored by itself, since another may have it */
	struct service_once_turn *turn; /* until it is stored; NULL without service_once_wait */
	GError *error;			/* of service_once_store_one, while the kind looks at it */
};

/* For checks: looks for the answer to an earlier request with the same Idempotency-Key, and then
   sets answer and replayed. CONFLICT when that was a different request; errors of db/statement.h.
 */
bool service_once_find(struct service *service, struct service_once *request, GError **error);

/* The same for checks that take long, such as those that fetch: first waits for another request of
   this host with the same Idempotency-Key that does so and is not stored yet. CONFLICT also when
   that takes longer than LIMIT_IDEMPOTENCY_WAIT_S. */
bool service_once_wait(struct service *service, struct service_once *request, GError **error);

/* For the work of a kind: stores the Idempotency-Keys with their answers. Waits for other
   transactions that are storing the same keys. CONFLICT when there is one already. Keys that are
   all derived are deferred in the first run of the transaction: when there is one already, that run
   fails, and the next one says so here. */
bool service_once_take(
    struct service *service, struct service_once *const *requests, guint count, GError **error);

/* A db_body that the transaction runs after it has stored its requests. */
struct service_once_also {
	bool (*write)(struct db *db, void *context, GError **error);
	void *context;
};

/* Stores checked requests of one kind, none of which is replayed, in one transaction, and also what
   also writes (NULL: nothing). False when that fails, or may have failed: then store each by
   itself, so that none suffers from another. */
bool service_once_store_together(struct service *service, struct service_once *const *requests,
    guint count, const struct service_once_also *also);

/* Stores one checked request, unless it is replayed. If another request with the same key is being
   stored, this one waits for it and replays its answer. Errors: CONFLICT when that takes too long,
   or was a different request; those of the kind; UNCERTAIN when the request may or may not be
   stored. */
bool service_once_store_one(struct service *service, struct service_once *request, GError **error);

/* Goes on with a request that was stored, before its client has the answer; with one that is
   replayed there is nothing to do. False with an error that is for the log alone. */
bool service_once_follow(struct service *service, struct service_once *request, GError **error);

/* The same after its client has the answer, or of a request that was stored with the work of
   another: does all that is left, and frees the request. */
bool service_once_finish(struct service *service, struct service_once *request, GError **error);

/* Frees the kind's own struct with it. */
void service_once_free(struct service_once *request);
DEFINE_AUTO(service_once, service_once_free)

#endif
