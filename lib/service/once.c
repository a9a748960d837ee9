/* SPDX-License-Identifier: MIT */
/* Stores each request once, and replays the answers of those that had an Idempotency-Key. */
#include "service/once.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "service/once_turn.h"
#include "service/service.h"
#include "store/common/settle.h"

#define TRIES 3

/* Requests of one transaction. */
struct batch {
	struct service *service;
	struct service_once *const *requests;
	guint count;
	const struct service_once_also *also; /* NULL: nothing */
	bool is_careful;		      /* a run has failed */
};

bool
service_once_find(struct service *service, struct service_once *request, GError **error)
{
	if (!request->idempotency.key.name)
		return true;
	g_clear_pointer(&request->answer, g_free);
	if (!store_idempotency_find(
		service->db, &request->idempotency.key, base_clock_now(), &request->answer, error))
		return false;
	/* The COMMIT of the earlier request may still wait for the disk. */
	request->replayed = request->answer && store_settle(service->db, error);
	if (request->replayed || !request->answer)
		return true;
	g_clear_pointer(&request->answer, g_free);
	return false;
}

bool
service_once_wait(struct service *service, struct service_once *request, GError **error)
{
	if (!request->idempotency.key.name)
		return true;
	request->turn = service_once_turn_take(service, &request->idempotency.key);
	return service_once_find(service, request, error) &&
	       (request->turn || request->replayed ||
		   base_fail(error, PH_ERROR_CONFLICT, STORE_IDEMPOTENCY_BUSY));
}

/* A conflict does not say to which of several keys it belongs: each request is then stored by
   itself. */
static void
note_taken(struct service_once *const *requests, guint count, const GError *error)
{
	for (guint i = 0; i < count; i++)
		requests[i]->taken = requests[i]->idempotency.key.name &&
				     g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT);
}

static bool
once_take(struct service *service, struct service_once *const *requests, guint count,
    const struct store_idempotency_taking *takings, guint keys, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (store_idempotency_take_all(service->db, takings, keys, base_clock_now(), &local))
		return true;
	note_taken(requests, count, local);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
service_once_take(
    struct service *service, struct service_once *const *requests, guint count, GError **error)
{
	g_autofree struct store_idempotency_taking *takings =
	    g_new(struct store_idempotency_taking, count);
	bool are_new = true;
	guint keys = 0;

	for (guint i = 0; i < count; i++) {
		struct service_once *request = requests[i];
		const struct service_idempotency *idempotency = &request->idempotency;

		if (!idempotency->key.name)
			continue;
		g_free(request->answer);
		request->answer = idempotency->write(request);
		are_new = are_new && idempotency->is_derived && !request->is_careful;
		takings[keys++] =
		    (struct store_idempotency_taking){&idempotency->key, request->answer};
	}
	if (are_new)
		return store_idempotency_take_new(
		    service->db, takings, keys, base_clock_now(), error);
	/* A conflict of a deferred statement says nothing about the keys. */
	return keys == 0 || (db_run_deferred(service->db, error) &&
				once_take(service, requests, count, takings, keys, error));
}

static bool
once_store(struct db *db, void *context, GError **error)
{
	struct batch *batch = context;

	for (guint i = 0; i < batch->count; i++) {
		batch->requests[i]->taken = false;
		/* One that may be stored has to know whether its key is its own. */
		batch->requests[i]->is_careful =
		    batch->is_careful || batch->requests[i]->maybe_stored;
	}
	batch->is_careful = true;
	return batch->requests[0]->kind->store(
		   batch->service, batch->requests, batch->count, error) &&
	       (!batch->also || batch->also->write(db, batch->also->context, error));
}

static bool
has_taken_key(const struct batch *batch)
{
	for (guint i = 0; i < batch->count; i++)
		if (batch->requests[i]->taken)
			return true;
	return false;
}

/* After a COMMIT without an answer, another run that is done may have stored nothing itself. */
static bool
once_settle(const struct batch *batch, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (!batch->requests[0]->maybe_stored || store_settle(batch->service->db, &local))
		return true;
	return base_fail(
	    error, PH_ERROR_UNCERTAIN, "The requests may be stored: %s", local->message);
}

/* Runs a transaction until it is stored, although the answer to a COMMIT may be lost:
   1. The COMMIT's answer is lost: the transaction may be stored, or may still be on its way.
   2. The same transaction runs again. A query instead could miss a transaction that is still on its
   way.
   3. If the first one was stored, the second one finds its own rows: its Idempotency-Key, a
   duplicate of its ids, or what the kind looks for. Else the second one stores the requests.
   4. The first one may be found before it is on the disk. The second one then changes nothing, so
   its COMMIT waits for nothing, and store_settle waits.
   The transaction also runs again when another one has stored a row with the same unique key, or
   has removed a row that this one refers to. */
static bool
once_store_batch(struct batch *batch, GError **error)
{
	const struct service_once *first = batch->requests[0];
	struct db *db = batch->service->db;

	for (guint tries = 1;; tries++) {
		g_autoptr(GError) local = NULL;

		if (db_transact(db, once_store, batch, &local))
			return once_settle(batch, error);
		bool lost = g_error_matches(local, PH_ERROR, PH_ERROR_UNCERTAIN);
		bool conflict = g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT);
		bool raced = conflict && !has_taken_key(batch);
		bool duplicate = raced && db_cause(db) == DB_CAUSE_DUPLICATE;
		bool missing = raced && db_cause(db) == DB_CAUSE_MISSING;
		if (duplicate && first->kind->fixed_ids && first->maybe_stored)
			return once_settle(batch, error);
		for (guint i = 0; i < batch->count; i++)
			batch->requests[i]->maybe_stored |= lost;
		if (tries < TRIES && !first->kind->alone &&
		    (duplicate || missing || (lost && service_ensure(batch->service, NULL))))
			continue;
		if (first->maybe_stored && !conflict)
			local->code = PH_ERROR_UNCERTAIN;
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
}

/* Replays the answer of the request that has stored this key: another one, or this one if the
   answer to its COMMIT was lost. */
static bool
once_replay(struct service *service, struct service_once *request, GError **error)
{
	g_autofree char *own = g_steal_pointer(&request->answer);

	if (!service_once_find(service, request, error))
		return false;
	if (!request->answer)
		return base_fail(error, PH_ERROR_CONFLICT, STORE_IDEMPOTENCY_BUSY);
	request->replayed = strcmp(request->answer, own) != 0;
	return true;
}

bool
service_once_store_together(struct service *service, struct service_once *const *requests,
    guint count, const struct service_once_also *also)
{
	struct batch batch = {service, requests, count, also};

	return once_store_batch(&batch, NULL);
}

static bool
once_store_alone(struct service *service, struct service_once *request)
{
	if (!request->maybe_stored)
		return request->kind->alone(service, request, &request->error);
	return base_fail(&request->error, PH_ERROR_UNCERTAIN,
	    "The database gave no clear answer to the COMMIT of several requests");
}

static bool
once_store_one(struct service *service, struct service_once *request)
{
	struct batch batch = {service, &request, 1, NULL};

	if (request->kind->alone)
		return once_store_alone(service, request);
	if (once_store_batch(&batch, &request->error))
		return true;
	if (request->taken && g_error_matches(request->error, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_clear_error(&request->error);
		if (once_replay(service, request, &request->error))
			return true;
	}
	if (request->kind->failed)
		request->kind->failed(service, request);
	return false;
}

bool
service_once_store_one(struct service *service, struct service_once *request, GError **error)
{
	bool done = request->replayed || once_store_one(service, request);

	g_clear_pointer(&request->turn, service_once_turn_end);
	if (done)
		return true;
	g_propagate_error(error, g_steal_pointer(&request->error));
	return false;
}

bool
service_once_follow(struct service *service, struct service_once *request, GError **error)
{
	return request->replayed || !request->kind->follow ||
	       request->kind->follow(service, request, error);
}

bool
service_once_finish(struct service *service, struct service_once *request, GError **error)
{
	bool done = request->replayed || !request->kind->finish ||
		    request->kind->finish(service, request, error);

	service_once_free(request);
	return done;
}

void
service_once_free(struct service_once *request)
{
	if (!request)
		return;
	g_free(request->answer);
	g_clear_error(&request->error);
	g_clear_pointer(&request->turn, service_once_turn_end);
	request->kind->free(request);
}
