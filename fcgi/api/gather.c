/* SPDX-License-Identifier: MIT */
/* Gathers requests that wait at the same time, reads or stores those of one kind together, answers
   each.

   A COMMIT that reaches the disk, and each round trip to the database, cost more than the work of a
   small request. Under load requests queue up at the socket, so several can share these costs
   without waiting for each other. fcgi_serve does it in four phases:
   1. gather_gather takes requests from the socket, IO_REQUESTS at most, as long as each has arrived
      as a whole. The first one that is not read or stored with others (gather_take), or may be slow
      (is_quick), ends the phase.
   2. gather_check prefetches what several of them will read, by one statement for each kind of
      request, which confirms their API keys too. Then it checks each request. A handler whose row
      was prefetched makes no round trip (db/prefetch.h). A request that reads, or fails, has its
      answer here.
   3. gather_store stores those that remain, in one transaction for each kind, and answers them
      after its COMMIT.
   4. fcgi_alone_serve serves the request that ended phase 1, alone (fcgi/api/alone.h).

   A transaction costs much, and a row more in it little, so few full ones are better than many
   small ones. In a pool, a worker whose first request stores something therefore waits for a turn
   (process/turns.h), of which there are few, before it takes further requests: they come meanwhile.
   It waits while turns are given back, TURN_MS at most for each. A transaction that waits for a
   lock or for the disk thus holds up others once, and a little only. The worker gives the turn back
   when it has answered. Where another worker rests, it does not wait: that one takes what comes, so
   that a wait gathers nothing, and two transactions that end at the same time share a write to the
   disk.

   One request must not harm another. When a shared statement fails, for example because one of the
   keys has ended, its results are dropped, and each request reads or is stored by itself. The
   failure then belongs to the request that causes it. A process that dies has given no answer to a
   request that is not committed; a client that repeats a request is safe with an Idempotency-Key
   (service/once.h). */
#include "fcgi/api/gather.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "db/precondition.h"
#include "db/prefetch.h"
#include "db/statement.h"
#include "email/prefetch.h"
#include "fcgi/api/alone.h"
#include "fcgi/api/auth.h"
#include "fcgi/api/transaction.h"
#include "fcgi/http/io.h"
#include "process/turns.h"
#include "service/once.h"
#include "service/service.h"

#define SMALL_BYTES (64 * 1024) /* requests with a larger body are stored alone */
#define TURN_MS 20		/* the longest wait for another one to give its turn back */

/* Requests that are read or stored together. */
struct gathering {
	struct service *service;
	struct fcgi_auth *auth;
	struct fcgi_alone *alone;
	struct fcgi_exchange *read[IO_REQUESTS], *checked[IO_REQUESTS];
	guint reads, count;
	struct fcgi_exchange *last; /* is served alone, after them; NULL: none */
	guint served;
	struct process_turns *turns; /* to store; NULL: it takes none */
	int turn;
	GPtrArray *prefetched; /* struct db_prefetch, for the checks */
};

/* Whether others may be gathered with this one: none of them waits long for it. */
static bool
is_quick(const struct gathering *gathering, const struct fcgi_exchange *exchange)
{
	const struct fcgi_storing *storing = fcgi_exchange_storing(exchange);

	return exchange->call.body_size <= SMALL_BYTES &&
	       !fcgi_auth_is_slow(gathering->auth, &exchange->call.key.workspace_id) &&
	       (!storing || !storing->gathering || !storing->gathering->waits(&exchange->call));
}

/* The statement by which the request is read with others; NULL: it is not. */
static const struct db_prefetch_form *
gather_form_of(const struct fcgi_exchange *exchange)
{
	return exchange->match.route ? exchange->match.route->ahead : NULL;
}

/* Takes a request. False when it is not to be read or stored together with others. */
static bool
gather_take(struct gathering *gathering, struct fcgi_io *io)
{
	struct fcgi_exchange *exchange = fcgi_exchange_new(gathering->service, gathering->auth, io);

	gathering->served++;
	if (!fcgi_exchange_storing(exchange) && !gather_form_of(exchange)) {
		gathering->last = exchange;
		return false;
	}
	if (!fcgi_exchange_admit(exchange)) {
		fcgi_exchange_finish(exchange);
		return true;
	}
	bool is_costly = fcgi_alone_is_costly(gathering->alone, exchange);
	if (!is_costly && !fcgi_alone_read(gathering->alone, exchange))
		return true;
	if (is_costly || !is_quick(gathering, exchange)) {
		gathering->last = exchange;
		return false;
	}
	gathering->read[gathering->reads++] = exchange;
	return true;
}

static void
gather_gather(struct gathering *gathering, struct fcgi_source *source, struct fcgi_io *io)
{
	while (io && gather_take(gathering, io) && gathering->reads > 0 &&
	       gathering->served < IO_REQUESTS) {
		if (gathering->served == 1 && fcgi_exchange_storing(gathering->read[0]))
			gathering->turn = process_turns_take(gathering->turns, TURN_MS);
		io = fcgi_source_more(source);
	}
}

/* The same service, whose statements fail unless all keys are still valid. NULL: none of them is to
   be confirmed any more. */
static struct service *
gather_guard(const struct service *service, struct fcgi_exchange *const *group, guint count)
{
	guint8 hashes[IO_REQUESTS][SHA256_SIZE];
	guint keys = 0;

	for (guint i = 0; i < count; i++) {
		bool known = !fcgi_exchange_is_unconfirmed(group[i]);

		for (guint k = 0; k < keys && !known; k++)
			known = memcmp(hashes[k], group[i]->call.key_hash, SHA256_SIZE) == 0;
		if (!known)
			memcpy(hashes[keys++], group[i]->call.key_hash, SHA256_SIZE);
	}
	if (keys == 0)
		return NULL;
	return service_guarded(
	    service, store_key_guard(service->db, hashes[0], keys, base_clock_now()));
}

/* Notes that the keys of all are valid. False when one is not, or is not known to be. */
static bool
gather_confirm(const struct service *guarded, struct fcgi_exchange *const *group, guint count)
{
	if (guarded &&
	    (db_precondition_waits(guarded->db) || !store_key_confirm(guarded->db, NULL)))
		return false;
	for (guint i = 0; i < count; i++)
		fcgi_exchange_note_confirmed(group[i]);
	return true;
}

/* Looks up together what the checks will look up; NULL when that is nothing. The statement confirms
   the keys, too, unless it fails: then each request confirms its key by itself. */
static struct email_prefetch *
look_ahead(const struct gathering *gathering)
{
	AUTO(email_prefetch) ahead = email_prefetch_new();
	struct service *service = gathering->service;

	for (guint i = 0; i < gathering->reads; i++) {
		const struct fcgi_exchange *exchange = gathering->read[i];
		const struct fcgi_storing *storing = fcgi_exchange_storing(exchange);

		if (storing && storing->gathering && storing->gathering->foresee)
			storing->gathering->foresee(&exchange->call, ahead);
	}
	if (email_prefetch_count(ahead) < 2)
		return NULL;
	AUTO(service) guarded = gather_guard(service, gathering->read, gathering->reads);
	email_prefetch_look(guarded ? guarded : service, ahead);
	if (!gather_confirm(guarded, gathering->read, gathering->reads))
		service_ensure(service, NULL);
	return g_steal_pointer(&ahead);
}

/* The values of the statement by which the request reads. False when its path has something else
   than ids. */
static bool
gather_read_values(const struct fcgi_call *call, const struct db_prefetch_form *form,
    struct base_id ids[ROUTE_ARGUMENTS], struct db_value *values)
{
	guint count = form->count - 1;

	for (guint i = 0; i < count; i++)
		if (!base_id_parse(call->arguments[i], &ids[i]))
			return false;
	*values++ = db_id(&ids[count - 1]);
	*values++ = db_id(&call->key.workspace_id);
	for (guint i = 0; i + 1 < count; i++)
		*values++ = db_id(&ids[i]);
	return true;
}

/* Reads what the handlers of a group will read, and confirms their keys. If it fails, each of them
   reads by itself. */
static void
read_together(const struct gathering *gathering, const struct db_prefetch_form *form,
    struct fcgi_exchange *const *group, guint count)
{
	struct service *service = gathering->service;
	struct base_id ids[IO_REQUESTS][ROUTE_ARGUMENTS];
	struct db_value values[IO_REQUESTS * (ROUTE_ARGUMENTS + 1)];
	guint places = 0;

	for (guint i = 0; i < count; i++)
		places += gather_read_values(
		    &group[i]->call, form, ids[places], &values[places * form->count]);
	if (places < 2)
		return;
	AUTO(service) guarded = gather_guard(service, group, count);
	AUTO(db_prefetch)
	ahead = db_select_ahead((guarded ? guarded : service)->db, form, values, places, NULL);
	if (!ahead || !gather_confirm(guarded, group, count)) {
		service_ensure(service, NULL);
		return;
	}
	for (guint i = 0; i < count; i++)
		group[i]->call.ahead = ahead;
	g_ptr_array_add(gathering->prefetched, g_steal_pointer(&ahead));
}

static void
read_ahead(const struct gathering *gathering)
{
	struct fcgi_exchange *group[IO_REQUESTS];

	for (guint first = 0; first < gathering->reads; first++) {
		const struct db_prefetch_form *form = gather_form_of(gathering->read[first]);
		guint count = 0;

		for (guint i = 0; form && i < gathering->reads; i++) {
			if (gather_form_of(gathering->read[i]) != form)
				continue;
			if (i < first)
				break; /* it was read with an earlier one */
			group[count++] = gathering->read[i];
		}
		if (count > 1)
			read_together(gathering, form, group, count);
	}
}

/* prefetch: what was looked up for several requests; NULL: nothing. */
static bool
check_one(const struct gathering *gathering, struct fcgi_exchange *exchange,
    const struct email_prefetch *prefetch)
{
	exchange->call.prefetch = prefetch;
	bool is_right = fcgi_alone_check(gathering->alone, exchange);
	exchange->call.prefetch = NULL;
	exchange->call.ahead = NULL;
	return is_right;
}

static void
gather_check(struct gathering *gathering)
{
	AUTO(email_prefetch) ahead = gathering->reads > 1 ? look_ahead(gathering) : NULL;

	if (gathering->reads > 1) {
		gathering->prefetched = g_ptr_array_new_with_free_func(db_prefetch_destroy);
		read_ahead(gathering);
	}
	for (guint i = 0; i < gathering->reads; i++)
		if (check_one(gathering, gathering->read[i], ahead))
			gathering->checked[gathering->count++] = gathering->read[i];
		else
			fcgi_exchange_finish(gathering->read[i]);
	g_clear_pointer(&gathering->prefetched, g_ptr_array_unref);
}

/* Takes the exchanges of the same kind as the first one out of those that are checked. */
static guint
take_kind(struct gathering *gathering, struct fcgi_exchange **group)
{
	const struct fcgi_storing *storing = fcgi_exchange_storing(gathering->checked[0]);
	guint count = 0, rest = 0;

	for (guint i = 0; i < gathering->count; i++) {
		struct fcgi_exchange *exchange = gathering->checked[i];

		if (fcgi_exchange_storing(exchange) == storing)
			group[count++] = exchange;
		else
			gathering->checked[rest++] = exchange;
	}
	gathering->count = rest;
	return count;
}

struct group {
	struct fcgi_exchange *const *exchanges;
	guint count;
};

static bool
gather_audit(struct db *db, void *context, GError **error)
{
	const struct group *group = context;

	for (guint i = 0; i < group->count; i++)
		if (!fcgi_exchange_audit_within(db, group->exchanges[i], error))
			return false;
	return true;
}

static bool
gather_store_together(struct service *service, struct fcgi_exchange *const *group, guint count)
{
	struct service_once *requests[IO_REQUESTS];
	struct group all = {group, count};
	const struct service_once_also also = {gather_audit, &all};

	for (guint i = 0; i < count; i++)
		requests[i] = group[i]->stored;
	AUTO(service) guarded = gather_guard(service, group, count);
	if (service_once_store_together(guarded ? guarded : service, requests, count, &also)) {
		gather_confirm(guarded, group, count);
		return true;
	}
	service_ensure(service, NULL);
	return false;
}

/* If the shared transaction fails, each request is stored by itself, so that none suffers from
   another. One whose kind stores it by itself in another way goes the same way first: that takes
   one round trip with its row of the audit. */
static void
gather_store(const struct gathering *gathering, struct fcgi_exchange *const *group, guint count)
{
	struct service *service = gathering->service;
	struct base_id workspaces[IO_REQUESTS];
	gint64 begun = base_clock_thread_ns();
	bool may_share = count > 1 || group[0]->stored->kind->alone;
	bool together = may_share && gather_store_together(service, group, count);

	for (guint i = 0; i < count; i++)
		if (together)
			fcgi_exchange_answer(group[i]);
		else
			fcgi_exchange_store(group[i]);
	if (!together)
		fcgi_exchange_audit(service, group, count);
	for (guint i = 0; i < count; i++) {
		workspaces[i] = group[i]->call.key.workspace_id;
		fcgi_exchange_finish(group[i]);
	}
	fcgi_alone_note_stored(gathering->alone, workspaces, count, base_clock_thread_ns() - begun);
}

guint
fcgi_serve(const struct fcgi_worker *worker, struct fcgi_io *io)
{
	struct gathering gathering = {.service = worker->service,
	    .auth = worker->auth,
	    .alone = worker->alone,
	    .turns = worker->turns,
	    .turn = PROCESS_TURNS_NONE};
	struct fcgi_exchange *group[IO_REQUESTS];

	gather_gather(&gathering, worker->source, io);
	gather_check(&gathering);
	while (gathering.count > 0)
		gather_store(&gathering, group, take_kind(&gathering, group));
	process_turns_end(gathering.turns, gathering.turn);
	if (gathering.last)
		fcgi_alone_serve(gathering.alone, gathering.last);
	return gathering.served;
}
