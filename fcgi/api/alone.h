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

/* Serves what is parked, without a turn. */
void fcgi_alone_end(struct fcgi_alone *alone);

/* Ends it, and frees it. */
void fcgi_alone_free(struct fcgi_alone *alone);
DEFINE_AUTO(fcgi_alone, fcgi_alone_free)

/* The processor time since the last call, in ns. */
gint64 fcgi_alone_lap(struct fcgi_alone *alone);

/* Checks a request, as fcgi_exchange_check does, and notes whose it is if that takes long. The time
   counts from the last lap. */
bool fcgi_alone_check(struct fcgi_alone *alone, struct fcgi_exchange *exchange);

/* Notes that it took so long to store requests of these workspaces together. */
void fcgi_alone_note_stored(
    struct fcgi_alone *alone, const struct base_id *workspaces, guint count, gint64 ns);

/* Whether a request that has been read takes turns: its workspace is heavy, or it counts people. */
bool fcgi_alone_is_heavy(const struct fcgi_alone *alone, const struct fcgi_exchange *exchange);

/* Reads a request. False when it was finished, or parked until there is memory for its large body
   (service/large.h). */
bool fcgi_alone_read(struct fcgi_alone *alone, struct fcgi_exchange *exchange);

/* Serves a request that has been read, or parks it. If too many are parked (LIMIT_HEAVY_PARKED,
   LIMIT_HEAVY_PARKED_BYTES), it is refused with TEMPORARY. */
void fcgi_alone_serve(struct fcgi_alone *alone, struct fcgi_exchange *exchange);

/* How many requests are parked. */
guint fcgi_alone_parked(const struct fcgi_alone *alone);

/* Serves the first request that is parked and whose turn has come, or its memory. Requests that
   have waited for [limits] heavy_wait_ms, or for LIMIT_LARGE_WAIT_MS, are refused. False when all
   that is parked has still to wait. */
bool fcgi_alone_resume(struct fcgi_alone *alone);

#endif
