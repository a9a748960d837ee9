/* SPDX-License-Identifier: MIT */
#ifndef FCGI_SERVE_H
#define FCGI_SERVE_H

struct fcgi_auth;
struct core;
struct fcgi_io;

/* Serves the request that io has accepted: checks it, runs its handler, writes the reply, and does
   the work that the handler left for after the reply. Failures are replied or logged. */
void fcgi_serve_request(struct core *core, struct fcgi_auth *auth, struct fcgi_io *io);

#endif
