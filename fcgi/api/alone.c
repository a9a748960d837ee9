/* SPDX-License-Identifier: MIT */
/* Serves requests one by one, parks those whose turn has not come, and notes how much processor
   time they take.

   A worker that waits for the turn of a request would be missing for others: a tenant with as many
   requests as there are workers would stop all. So the request is parked as soon as it is read,
   before its first statement, and the worker looks for its turn between other requests. The same
   holds for a large body that is not read yet. */
#include "fcgi/api/alone.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "fcgi/api/auth.h"
#include "fcgi/api/heavy.h"
#include "fcgi/api/transaction.h"
#include "service/service.h"

#define SLOW_NS 20000000 /* of processor time; one that takes longer is slow */
#define LOOK_MS 10

struct parked {
	struct fcgi_exchange *exchange;
	bool is_read; /* else it waits for memory */
	gint64 since; /* on base_clock_boot */
};

struct fcgi_alone {
	struct service *service;
	struct fcgi_auth *auth;
	struct fcgi_heavy *heavy;
	bool parks;
	struct parked parked[LIMIT_HEAVY_PARKED]; /* the oldest one first */
	guint count;
	gsize bytes; /* of their bodies */
	gint64 lap;  /* by base_clock_thread_ns */
};

struct fcgi_alone *
fcgi_alone_new(
    struct service *service, struct fcgi_auth *auth, struct fcgi_heavy *heavy, bool parks)
{
	struct fcgi_alone *alone = g_new0(struct fcgi_alone, 1);

	alone->service = service;
	alone->auth = auth;
	alone->heavy = heavy;
	alone->parks = parks;
	return alone;
}

gint64
fcgi_alone_lap(struct fcgi_alone *alone)
{
	gint64 before = alone->lap;

	alone->lap = base_clock_thread_ns();
	return alone->lap - before;
}

static bool
alone_is_public(const struct base_id *workspace)
{
	static const struct base_id none;

	return base_id_equal(workspace, &none);
}

static const struct base_id *
alone_workspace(const struct fcgi_exchange *exchange)
{
	return &exchange->call.key.workspace_id;
}

static void
alone_note(struct fcgi_alone *alone, const struct base_id *workspace, enum fcgi_heavy_phase phase,
    gint64 ns)
{
	if (alone_is_public(workspace))
		return;
	if (ns > SLOW_NS)
		fcgi_auth_note_slow(alone->auth, workspace);
	fcgi_heavy_note(alone->heavy, workspace, phase, ns);
}

bool
fcgi_alone_check(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	bool is_right = fcgi_exchange_check(exchange);

	alone_note(alone, alone_workspace(exchange), HEAVY_CHECK, fcgi_alone_lap(alone));
	return is_right;
}

/* Nobody knows which of several took long. They are slow, so that they are stored alone the next
   time, and only a workspace whose requests are so much work becomes heavy. */
void
fcgi_alone_note_stored(
    struct fcgi_alone *alone, const struct base_id *workspaces, guint count, gint64 ns)
{
	if (count == 1)
		alone_note(alone, workspaces, HEAVY_STORE, ns);
	for (guint i = 0; count > 1 && ns > SLOW_NS && i < count; i++)
		fcgi_auth_note_slow(alone->auth, &workspaces[i]);
}

/* The turn ends with the check, so that others need not wait for the database, unless to store is
   much work, too. */
static void
alone_run(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	struct base_id workspace = *alone_workspace(exchange);

	fcgi_alone_lap(alone);
	bool is_right = fcgi_alone_check(alone, exchange);
	if (!fcgi_heavy_is(alone->heavy, &workspace, HEAVY_STORE))
		fcgi_heavy_leave(alone->heavy);
	if (is_right) {
		fcgi_exchange_store(exchange);
		fcgi_exchange_audit(alone->service, &exchange, 1);
		fcgi_alone_note_stored(alone, &workspace, 1, fcgi_alone_lap(alone));
	}
	fcgi_heavy_leave(alone->heavy);
	fcgi_exchange_finish(exchange);
}

static void
alone_refuse(struct fcgi_exchange *exchange)
{
	base_fail(&exchange->error, PH_ERROR_TEMPORARY,
	    "a request was refused: too many of its workspace are much work ([limits] "
	    "heavy_wait_ms)");
	fcgi_exchange_finish(exchange);
}

static bool
alone_may_wait(const struct fcgi_alone *alone, gint64 waited_ms)
{
	return waited_ms <
	       config_settings_number(alone->service->settings, SETTING_LIMITS_HEAVY_WAIT_MS);
}

/* A process that cannot serve others meanwhile. */
static void
alone_wait(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	gint64 begun = base_clock_boot(), waited = 0;

	while (!fcgi_heavy_enter(alone->heavy, alone_workspace(exchange), waited)) {
		if (!alone_may_wait(alone, waited)) {
			alone_refuse(exchange);
			return;
		}
		g_usleep(LOOK_MS * 1000);
		waited = base_clock_boot() - begun;
	}
	alone_run(alone, exchange);
}

bool
fcgi_alone_is_heavy(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange)
{
	const struct base_id *workspace = alone_workspace(exchange);

	return !alone_is_public(workspace) &&
	       (exchange->match.route->counts_people ||
		   fcgi_heavy_is(alone->heavy, workspace, HEAVY_CHECK) ||
		   fcgi_heavy_is(alone->heavy, workspace, HEAVY_STORE));
}

/* Whether an older request of the same workspace waits. */
static bool
alone_has_older(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange, guint count)
{
	for (guint i = 0; i < count; i++)
		if (alone->parked[i].is_read &&
		    base_id_equal(
			alone_workspace(alone->parked[i].exchange), alone_workspace(exchange)))
			return true;
	return false;
}

/* A large body is not counted: it has a slot of its own (service/large.h). */
static gsize
alone_bytes(const struct fcgi_exchange *exchange)
{
	return exchange->call.body_size > LARGE_BYTES ? 0 : exchange->call.body_size;
}

static bool
alone_park(struct fcgi_alone *alone, struct fcgi_exchange *exchange, bool is_read)
{
	gsize bytes = alone->bytes + alone_bytes(exchange);

	if (alone->count == LIMIT_HEAVY_PARKED || bytes > LIMIT_HEAVY_PARKED_BYTES)
		return false;
	alone->parked[alone->count++] = (struct parked){exchange, is_read, base_clock_boot()};
	alone->bytes = bytes;
	return true;
}

/* Its body is not read, and its answer is not taken before. */
static void
alone_refuse_unread(struct fcgi_exchange *exchange)
{
	fcgi_request_discard(&exchange->request);
	fcgi_exchange_finish(exchange);
}

bool
fcgi_alone_read(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	exchange->large.at_once = alone->parks;
	bool is_read = fcgi_exchange_read(exchange);
	exchange->large.at_once = false;
	if (is_read)
		return true;
	if (!exchange->large.is_missing)
		fcgi_exchange_finish(exchange);
	else if (!alone_park(alone, exchange, false))
		alone_refuse_unread(exchange);
	return false;
}

void
fcgi_alone_serve(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	if (!fcgi_alone_is_heavy(alone, exchange)) {
		alone_run(alone, exchange);
		return;
	}
	if (!alone->parks)
		alone_wait(alone, exchange);
	else if (!alone_has_older(alone, exchange, alone->count) &&
		 fcgi_heavy_enter(alone->heavy, alone_workspace(exchange), 0))
		alone_run(alone, exchange);
	else if (!alone_park(alone, exchange, true))
		alone_refuse(exchange);
}

guint
fcgi_alone_parked(const struct fcgi_alone *alone)
{
	return alone->count;
}

static struct fcgi_exchange *
alone_take(struct fcgi_alone *alone, guint number)
{
	struct fcgi_exchange *exchange = alone->parked[number].exchange;

	alone->bytes -= alone_bytes(exchange);
	alone->count--;
	memmove(&alone->parked[number], &alone->parked[number + 1],
	    (alone->count - number) * sizeof(*alone->parked));
	return exchange;
}

/* Reads a request that has its memory, and serves it. */
static void
alone_read_again(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	g_clear_error(&exchange->error);
	if (fcgi_exchange_read(exchange))
		fcgi_alone_serve(alone, exchange);
	else
		fcgi_exchange_finish(exchange);
}

static bool
alone_resume_unread(struct fcgi_alone *alone, guint number, gint64 waited)
{
	struct service_large *large = &alone->parked[number].exchange->large;

	large->at_once = true;
	bool has_memory = service_large_enter(large, NULL);
	large->at_once = false;
	if (has_memory)
		alone_read_again(alone, alone_take(alone, number));
	else if (waited >= LIMIT_LARGE_WAIT_MS)
		alone_refuse_unread(alone_take(alone, number));
	return has_memory || waited >= LIMIT_LARGE_WAIT_MS;
}

bool
fcgi_alone_resume(struct fcgi_alone *alone)
{
	gint64 now = base_clock_boot();
	bool is_full = false;

	for (guint i = 0; i < alone->count; i++) {
		struct fcgi_exchange *exchange = alone->parked[i].exchange;
		gint64 waited = now - alone->parked[i].since;

		if (!alone->parked[i].is_read) {
			if (!is_full && alone_resume_unread(alone, i, waited))
				return true;
			is_full = true;
			continue;
		}
		if (!alone_has_older(alone, exchange, i) &&
		    fcgi_heavy_enter(alone->heavy, alone_workspace(exchange), waited)) {
			alone_run(alone, alone_take(alone, i));
			return true;
		}
		if (!alone_may_wait(alone, waited)) {
			alone_refuse(alone_take(alone, i));
			return true;
		}
	}
	return false;
}

void
fcgi_alone_end(struct fcgi_alone *alone)
{
	alone->parks = false;
	while (alone->count > 0) {
		bool is_read = alone->parked[0].is_read;
		struct fcgi_exchange *exchange = alone_take(alone, 0);

		if (is_read)
			alone_run(alone, exchange);
		else
			alone_read_again(alone, exchange);
	}
}

void
fcgi_alone_free(struct fcgi_alone *alone)
{
	fcgi_alone_end(alone);
	g_free(alone);
}
