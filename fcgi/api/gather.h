/* SPDX-License-Identifier: MIT */
/* Requests that wait at the same time, served together. gather.c explains how. */
#ifndef FCGI_API_GATHER_H
#define FCGI_API_GATHER_H

#include <glib.h>

struct service;
struct fcgi_alone;
struct fcgi_auth;
struct fcgi_io;
struct fcgi_source;

/* The means of a worker. */
struct fcgi_worker {
	struct service *service;
	struct fcgi_auth *auth;
	struct fcgi_alone *alone;
	struct fcgi_source *source;
};

/* Serves the request that its source has accepted. If others wait behind it, those that read one
   thing of the same kind are read by one statement, and those that store something are stored in
   one transaction for each kind. None of them waits for a request that is slow, large or still on
   its way. Returns the number of requests that it took: served, or parked by alone. */
guint fcgi_serve(const struct fcgi_worker *worker, struct fcgi_io *io);

#endif
