/* SPDX-License-Identifier: MIT */
#ifndef FCGI_IO_H
#define FCGI_IO_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

#include "base/scope.h"

/* Requests from the web server, over FastCGI or as plain CGI. */
struct fcgi_io;

/* Whether this process was given a FastCGI socket; and if not, whether it was started for a single
   request, as CGI. */
bool fcgi_io_is_fastcgi(void);
bool fcgi_io_is_cgi(void);

#define IO_LISTENER 0 /* the web server's socket, by FastCGI's rule (section 2.2) */

/* stop: the signals, which the caller has blocked, that end fcgi_io_accept. source: IO_LISTENER, or
   in a pool what fcgi_acceptor_join gave. In the process that serves: a child opens its own. Ends
   the process when it cannot be had. */
struct fcgi_io *fcgi_io_open(const sigset_t *stop, int source);
void fcgi_io_close(struct fcgi_io *io);
DEFINE_AUTO(fcgi_io, fcgi_io_close)

/* Waits for the next request. False when there is none any more: one of the signals has come, be it
   while the last request was served, the pool's first process is gone, or CGI had its one. False
   with FAILED when the socket is of no use. */
bool fcgi_io_accept(struct fcgi_io *io, GError **error);

/* A CGI variable of the request, which lives until fcgi_io_finish; NULL when it has none. */
const char *fcgi_io_param(const struct fcgi_io *io, const char *name);

/* Reads at most size bytes of the body; 0 at its end. */
gsize fcgi_io_read(struct fcgi_io *io, void *buffer, gsize size);

/* Adds to the answer. Whether the client is still there is nobody's business here. */
void fcgi_io_write(struct fcgi_io *io, const void *data, gsize size);

/* The answer is complete: the web server has it after this. */
void fcgi_io_finish(struct fcgi_io *io);

#endif
