/* SPDX-License-Identifier: MIT */
/* Serves requests one by one, parks those whose turn has not come, and notes how much processor
   time they take.

   A worker that waits for the turn of a request would be missing for others: a tenant with as many
   requests as there are workers would stop all. So the request is parked as soon as it is admitted,
   before its body is read, and the worker looks for its turn between other requests. The same holds
   for one that needs memory for a large body; one that needs both takes both together. Parked
   requests cost little memory: their bodies are still with the web server. */
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
#define END_MS 10000	 /* less than the service manager waits for the end of a process */

#define TOO_MANY "too many wait for their turn"
#define NO_TURN "its turn did not come in time ([limits] heavy_wait_ms)"
#define NO_MEMORY "other large ones are served ([limits] large_requests)"
#define ENDING "its turn did not come before the end of the process"

struct parked {
	struct fcgi_exchange *exchange;
	gint64 since; /* on base_clock_boot */
};

struct fcgi_alone {
	struct service *service;
	struct fcgi_auth *auth;
	struct fcgi_heavy *heavy;
	bool parks;
	struct parked parked[LIMIT_HEAVY_PARKED]; /* the oldest one first */
	guint count;
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
	if (!alone_is_public(workspace))
		fcgi_heavy_note(alone->heavy, workspace, phase, ns);
}

static void
alone_note_slow(struct fcgi_alone *alone, const struct base_id *workspace, gint64 ns)
{
	if (ns > SLOW_NS && !alone_is_public(workspace))
		fcgi_auth_note_slow(alone->auth, workspace);
}

bool
fcgi_alone_read(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	gint64 begun = base_clock_thread_ns();
	bool is_read = fcgi_exchange_read(exchange);

	alone_note(alone, alone_workspace(exchange), HEAVY_CHECK, base_clock_thread_ns() - begun);
	if (!is_read)
		fcgi_exchange_finish(exchange);
	return is_read;
}

bool
fcgi_alone_check(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	gint64 begun = base_clock_thread_ns();
	bool is_right = fcgi_exchange_check(exchange);
	gint64 ns = base_clock_thread_ns() - begun;

	alone_note(alone, alone_workspace(exchange), HEAVY_CHECK, ns);
	alone_note_slow(alone, alone_workspace(exchange), ns);
	return is_right;
}

/* Nobody knows which of several took long. If they did on an average, they are slow, so that they
   are stored alone the next time, and only a workspace whose requests are so much work becomes
   heavy. */
void
fcgi_alone_note_stored(
    struct fcgi_alone *alone, const struct base_id *workspaces, guint count, gint64 ns)
{
	if (count == 1)
		alone_note(alone, workspaces, HEAVY_STORE, ns);
	for (guint i = 0; i < count; i++)
		alone_note_slow(alone, &workspaces[i], ns / count);
}

/* Reads, checks and stores a request that has its turn. The turn ends with the check, so that
   others need not wait for the database, unless to store is much work, too. */
static void
alone_run(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	struct base_id workspace = *alone_workspace(exchange);

	if (!exchange->is_read && !fcgi_alone_read(alone, exchange)) {
		fcgi_heavy_leave(alone->heavy);
		return;
	}
	bool is_right = fcgi_alone_check(alone, exchange);
	if (!fcgi_heavy_is(alone->heavy, &workspace, HEAVY_STORE))
		fcgi_heavy_leave(alone->heavy);
	if (is_right) {
		gint64 begun = base_clock_thread_ns();

		fcgi_exchange_store(exchange);
		fcgi_exchange_audit(alone->service, &exchange, 1);
		fcgi_alone_note_stored(alone, &workspace, 1, base_clock_thread_ns() - begun);
	}
	fcgi_heavy_leave(alone->heavy);
	fcgi_exchange_finish(exchange);
}

/* Its body is not read, and its answer is not taken before. */
static void
alone_refuse(struct fcgi_exchange *exchange, const char *reason)
{
	base_fail(&exchange->error, PH_ERROR_TEMPORARY, "a request was refused: %s", reason);
	fcgi_request_discard(&exchange->request);
	fcgi_exchange_finish(exchange);
}

static bool
alone_is_heavy(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange)
{
	const struct base_id *workspace = alone_workspace(exchange);

	return !alone_is_public(workspace) &&
	       (exchange->match.route->counts_people ||
		   fcgi_heavy_is(alone->heavy, workspace, HEAVY_CHECK) ||
		   fcgi_heavy_is(alone->heavy, workspace, HEAVY_STORE));
}

bool
fcgi_alone_is_costly(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange)
{
	return alone_is_heavy(alone, exchange) || fcgi_exchange_is_large(exchange);
}

/* Takes what the request needs, or nothing of it. */
static bool
alone_enter(struct fcgi_alone *alone, struct fcgi_exchange *exchange, gint64 waited_ms)
{
	if (alone_is_heavy(alone, exchange) &&
	    !fcgi_heavy_enter(alone->heavy, alone_workspace(exchange),
		exchange->match.route->counts_people, waited_ms))
		return false;
	if (!fcgi_exchange_is_large(exchange) || service_large_try(&exchange->large))
		return true;
	fcgi_heavy_leave(alone->heavy);
	return false;
}

static bool
alone_is_of(const struct fcgi_exchange *exchange, const struct fcgi_exchange *other)
{
	return base_id_equal(alone_workspace(exchange), alone_workspace(other));
}

/* Whether an older request of the same workspace waits for the same. */
static bool
alone_has_older(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange, guint count)
{
	for (guint i = 0; i < count; i++) {
		const struct fcgi_exchange *older = alone->parked[i].exchange;

		if (alone_is_of(older, exchange) &&
		    fcgi_exchange_is_large(older) == fcgi_exchange_is_large(exchange) &&
		    older->match.route->counts_people == exchange->match.route->counts_people)
			return true;
	}
	return false;
}

static bool
alone_park(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	guint own = 0;

	for (guint i = 0; i < alone->count; i++)
		own += alone_is_of(alone->parked[i].exchange, exchange);
	if (alone->count == LIMIT_HEAVY_PARKED || own == LIMIT_HEAVY_PARKED / 2)
		return false;
	exchange->has_waited = true;
	alone->parked[alone->count++] = (struct parked){exchange, base_clock_boot()};
	return true;
}

static struct fcgi_exchange *
alone_take(struct fcgi_alone *alone, guint number)
{
	struct fcgi_exchange *exchange = alone->parked[number].exchange;

	alone->count--;
	memmove(&alone->parked[number], &alone->parked[number + 1],
	    (alone->count - number) * sizeof(*alone->parked));
	return exchange;
}

/* Serves all that is parked, and refuses what has had no turn after some time. */
static void
alone_drain(struct fcgi_alone *alone, gint64 most_ms)
{
	gint64 begun = base_clock_boot();

	while (alone->count > 0 && base_clock_boot() - begun < most_ms)
		if (!fcgi_alone_resume(alone))
			g_usleep(ALONE_LOOK_MS * 1000);
	while (alone->count > 0)
		alone_refuse(alone_take(alone, 0), ENDING);
}

void
fcgi_alone_serve(struct fcgi_alone *alone, struct fcgi_exchange *exchange)
{
	if (!exchange->is_admitted && !fcgi_exchange_admit(exchange))
		fcgi_exchange_finish(exchange);
	else if (exchange->is_read || !fcgi_alone_is_costly(alone, exchange) ||
		 (!alone_has_older(alone, exchange, alone->count) &&
		     alone_enter(alone, exchange, 0)))
		alone_run(alone, exchange);
	else if (!alone_park(alone, exchange))
		alone_refuse(exchange, TOO_MANY);
	else if (!alone->parks)
		alone_drain(alone, G_MAXINT64);
}

guint
fcgi_alone_parked(const struct fcgi_alone *alone)
{
	return alone->count;
}

/* Refuses a request that has waited for too long. False when it may still wait. */
static bool
alone_refuse_late(struct fcgi_alone *alone, guint number, gint64 waited)
{
	bool is_heavy = alone_is_heavy(alone, alone->parked[number].exchange);
	gint64 most = is_heavy ? config_settings_number(
				     alone->service->settings, SETTING_LIMITS_HEAVY_WAIT_MS)
			       : LIMIT_LARGE_WAIT_MS;

	if (waited < most)
		return false;
	alone_refuse(alone_take(alone, number), is_heavy ? NO_TURN : NO_MEMORY);
	return true;
}

bool
fcgi_alone_resume(struct fcgi_alone *alone)
{
	gint64 now = base_clock_boot();

	for (guint i = 0; i < alone->count; i++) {
		struct fcgi_exchange *exchange = alone->parked[i].exchange;
		gint64 waited = now - alone->parked[i].since;

		if (!alone_has_older(alone, exchange, i) && alone_enter(alone, exchange, waited)) {
			alone_run(alone, alone_take(alone, i));
			return true;
		}
		if (alone_refuse_late(alone, i, waited))
			return true;
	}
	return false;
}

void
fcgi_alone_end(struct fcgi_alone *alone, bool is_stopped)
{
	alone_drain(alone, is_stopped ? END_MS : G_MAXINT64);
}

void
fcgi_alone_free(struct fcgi_alone *alone)
{
	fcgi_alone_end(alone, true);
	g_free(alone);
}
