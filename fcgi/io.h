/* SPDX-License-Identifier: MIT */
#ifndef FCGI_IO_H
#define FCGI_IO_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

#include "base/scope.h"

/* Requests from the web server, over FastCGI or as plain CGI. */
struct fcgi_io;

/* Whether the web server gave this process a FastCGI socket. */
bool fcgi_io_is_fastcgi(void);

/* Whether it started this process for a single request, as CGI. */
bool fcgi_io_is_cgi(void);

#define IO_LISTENER 0 /* the web server's socket, by FastCGI's rule (section 2.2) */

/* Opens the source of requests, in the process that serves them; a child opens its own. stop is the
   set of signals that end fcgi_io_accept, which the caller has blocked. source is IO_LISTENER, or
   in a pool the result of fcgi_acceptor_join. Ends the process when the source cannot be opened. */
struct fcgi_io *fcgi_io_open(const sigset_t *stop, int source);
void fcgi_io_close(struct fcgi_io *io);
DEFINE_AUTO(fcgi_io, fcgi_io_close)

/* The result of fcgi_io_accept. */
enum fcgi_io_arrival {
	IO_REQUEST,
	IO_IDLE, /* none came in time */
	IO_END,	 /* no more come: a stop signal arrived (now or during the last request), the pool's
		    first process is gone, or CGI had its one request */
	IO_FAILED,
};

/* Waits for the next request, for patience ms, or without limit when patience is -1. IO_FAILED with
   FAILED when the web server's socket takes no requests any more. */
enum fcgi_io_arrival fcgi_io_accept(struct fcgi_io *io, gint64 patience, GError **error);

/* A CGI variable of the request, which lives until fcgi_io_finish; NULL when it has none. */
const char *fcgi_io_param(const struct fcgi_io *io, const char *name);

/* Reads at most size bytes of the body; 0 at its end. */
gsize fcgi_io_read(struct fcgi_io *io, void *buffer, gsize size);

/* Adds to the reply. If the client is gone, the bytes are lost without an error. */
void fcgi_io_write(struct fcgi_io *io, const void *data, gsize size);

/* Ends the reply and hands it to the web server. */
void fcgi_io_finish(struct fcgi_io *io);

#endif
