/* SPDX-License-Identifier: MIT */
/* Serves requests one by one. Those of workspaces that take much processor time take turns, and
   those with large bodies wait for memory: meanwhile they are parked, and their process serves
   others. */
#ifndef FCGI_API_ALONE_H
#define FCGI_API_ALONE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct fcgi_auth;
struct fcgi_exchange;
struct fcgi_heavy;
struct service;

/* The requests that a process serves alone, with those that are parked. */
struct fcgi_alone;

/* service, auth and heavy must outlive it. parks: the process may serve others meanwhile; else it
   waits. The caller frees it. */
struct fcgi_alone *fcgi_alone_new(
    struct service *service, struct fcgi_auth *auth, struct fcgi_heavy *heavy, bool parks);

/* Serves what is parked, in its turn. is_stopped: what has had none after 10 s is refused with
   TEMPORARY. */
void fcgi_alone_end(struct fcgi_alone *alone, bool is_stopped);

/* Ends it, and frees it. */
void fcgi_alone_free(struct fcgi_alone *alone);
DEFINE_AUTO(fcgi_alone, fcgi_alone_free)

/* How often the turns of parked requests are looked for. */
#define ALONE_LOOK_MS 10

/* Whether a request that is admitted takes a turn, since its workspace is heavy or it counts
   people, or needs memory for a large body (service/large.h). Then it is not read yet. */
bool fcgi_alone_is_costly(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange);

/* Reads a request, as fcgi_exchange_read does, and notes whose it is if that takes long. False when
   it was finished. */
bool fcgi_alone_read(struct fcgi_alone *alone, struct fcgi_exchange *exchange);

/* Checks a request, as fcgi_exchange_check does, and notes whose it is if that takes long. */
bool fcgi_alone_check(struct fcgi_alone *alone, struct fcgi_exchange *exchange);

/* Notes that it took so long to store requests of these workspaces together. */
void fcgi_alone_note_stored(
    struct fcgi_alone *alone, const struct base_id *workspaces, guint count, gint64 ns);

/* Serves a request that is new, admitted or read, or parks it. If too many are parked
   (LIMIT_HEAVY_PARKED, half of them of its workspace), it is refused with TEMPORARY. */
void fcgi_alone_serve(struct fcgi_alone *alone, struct fcgi_exchange *exchange);

/* How many requests are parked. */
guint fcgi_alone_parked(const struct fcgi_alone *alone);

/* Serves the first request that is parked and has its turn and its memory. One that has waited for
   [limits] heavy_wait_ms for its turn, or for LIMIT_LARGE_WAIT_MS for memory alone, is refused.
   False when all that is parked has still to wait. */
bool fcgi_alone_resume(struct fcgi_alone *alone);

#endif
