#ifndef FCGI_SERVE_H
#define FCGI_SERVE_H

struct auth;
struct core;
struct io;

/* Serves the request that has been accepted, from its first check to its answer. */
void serve_request(struct core *core, struct auth *auth, struct io *io);

#endif
