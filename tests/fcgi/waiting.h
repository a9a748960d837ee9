/* SPDX-License-Identifier: MIT */
/* Requests that wait at the same time. */
#ifndef TESTS_FCGI_WAITING_H
#define TESTS_FCGI_WAITING_H

#include <glib.h>

struct service;
struct fcgi_auth;
struct fcgi_io;
struct fcgi_source;

/* A request, and the letter that stands for it in a case. key and header: "NAME=value"; NULL: none.
 */
struct waiting_request {
	char letter;
	const char *method, *path, *key, *header, *body;
};

/* Serves a request, and those that wait behind it in source (NULL: none), by fcgi_serve. No request
   waits for its turn. Returns how many there were. */
guint waiting_serve_next(struct service *service, struct fcgi_auth *auth,
    struct fcgi_source *source, struct fcgi_io *io);

/* Serves the requests of these letters, all of which wait when the first is served. The caller
   frees the result: struct fcgi_io with their replies (tests/fcgi/fake_io.h). */
GPtrArray *waiting_serve(struct service *service, struct fcgi_auth *auth,
    const struct waiting_request *requests, const char *letters);

/* The statuses of replies as text. The caller owns it. */
char *waiting_statuses(const GPtrArray *ios);

/* How many statements the connection has executed, with this one. */
gint64 waiting_executed(struct service *service);

#endif
