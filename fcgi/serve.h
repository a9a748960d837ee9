/* SPDX-License-Identifier: MIT */
#ifndef FCGI_SERVE_H
#define FCGI_SERVE_H

struct fcgi_auth;
struct core;
struct fcgi_io;

/* Serves the request that has been accepted, from its first check to its answer. */
void fcgi_serve_request(struct core *core, struct fcgi_auth *auth, struct fcgi_io *io);

#endif
