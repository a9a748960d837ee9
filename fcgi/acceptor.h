/* SPDX-License-Identifier: MIT */
#ifndef FCGI_ACCEPTOR_H
#define FCGI_ACCEPTOR_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* The web server's socket in a pool. lighttpd and spawn-fcgi start a new pool only when nobody can
   be connected to at the socket any more, and lighttpd looks once, the moment its child has ended.
   So the pool's first process alone keeps the socket: when it is killed, the kernel closes the
   socket before it tells the parent. It hands each connection to the worker that is free first. */
struct fcgi_acceptor;

/* In the pool's first process, before it starts workers. NULL with FAILED. */
struct fcgi_acceptor *fcgi_acceptor_open(GError **error);
void fcgi_acceptor_free(struct fcgi_acceptor *acceptor);
DEFINE_AUTO(fcgi_acceptor, fcgi_acceptor_free)

/* In that process: hands connections out from now on, in a thread of its own, to the end of the
   process. It begins when so many workers have joined, and after a second in any case. When
   the socket takes no connections any more, it logs that and sends the process SIGTERM. */
void fcgi_acceptor_start(struct fcgi_acceptor *acceptor, guint workers);
bool fcgi_acceptor_is_over(const struct fcgi_acceptor *acceptor);

/* In a worker, before anything else: gives up the web server's socket. When the first process ends
   otherwise than by ending the worker, the worker has a second for the request in hand; then it is
   ended too, since lighttpd starts no pool before that request has ended. Returns the file
   descriptor at which connections arrive, which stays the acceptor's. */
int fcgi_acceptor_join(struct fcgi_acceptor *acceptor);

/* Takes a connection. -1 with errno: EAGAIN when none is there yet, ECONNRESET when the first
   process is gone. */
int fcgi_acceptor_take(int source);

#endif
