/* SPDX-License-Identifier: MIT */
/* The first process of a pool accepts the web server's connections and hands them to workers. */
#ifndef FCGI_HTTP_ACCEPTOR_H
#define FCGI_HTTP_ACCEPTOR_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* The web server's socket in a pool. lighttpd and spawn-fcgi start a new pool only when connections
   to the socket are refused, and lighttpd tries once, at the moment its child has ended. Therefore
   only the pool's first process keeps the socket: when it is killed, the kernel closes the socket
   before it tells the parent. It hands each connection to a worker that is free.

   Requests that store something come to few workers, the storers: many share a transaction then,
   and the database has what such a transaction needs in its caches for few connections. So there
   are two queues: one for small requests with a body, of which storers take, and one for all
   others, of which all workers take. While a storer has been busy for ACCEPTOR_STUCK_MS, with a
   lock, a slow disk, a relay or parked requests (fcgi/api/alone.h), or storers take nothing because
   they were killed, all workers get what waits for them. */
struct fcgi_acceptor;

#define ACCEPTOR_STUCK_MS 20

/* A worker takes connections from these, by fcgi_acceptor_take. */
struct fcgi_queues {
	int common;
	int stores;	   /* -1: it is no storer */
	const int *ending; /* atomic: whether the acceptor has ended, and gives nothing more */
};

/* Opens the acceptor in the pool's first process, before it starts workers. NULL with FAILED when
   there is no memory or no socket pair for it. The caller frees it. */
struct fcgi_acceptor *fcgi_acceptor_open(GError **error);
void fcgi_acceptor_free(struct fcgi_acceptor *acceptor);
DEFINE_AUTO(fcgi_acceptor, fcgi_acceptor_free)

/* Starts a thread in the first process that hands out connections until the process ends. It begins
   when this number of workers has joined, at the latest after a second. When the socket cannot take
   connections any more, it logs that and sends the process SIGTERM; fcgi_acceptor_is_over is true
   from then on. */
void fcgi_acceptor_start(struct fcgi_acceptor *acceptor, guint workers);
/* Accepts no more connections, and returns when all that were accepted are in a queue, or after a
   second. Workers take what is there before they end (fcgi/http/io.h). */
void fcgi_acceptor_end(struct fcgi_acceptor *acceptor);
/* Whether the web server's socket takes no connections any more. */
bool fcgi_acceptor_is_over(const struct fcgi_acceptor *acceptor);

/* Gives up the web server's socket; a worker calls this before anything else. If the first process
   dies without ending its workers, the worker has one second to finish its request and is then
   killed, because lighttpd starts no new pool before that request has ended. number: which worker
   it is, from 0 on. The acceptor owns the queues. */
struct fcgi_queues fcgi_acceptor_join(struct fcgi_acceptor *acceptor, guint number);

/* A worker says that it has requests to serve, or none. It may say so again. */
void fcgi_acceptor_note(struct fcgi_acceptor *acceptor, guint number, bool has);

/* Takes a connection, without waiting; the caller owns the descriptor. -1 with errno: EAGAIN when
   none has arrived, ECONNRESET when the first process is gone. */
int fcgi_acceptor_take(int queue);

#endif
