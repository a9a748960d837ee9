/* SPDX-License-Identifier: MIT */
/* The web server's side of a request: libfcgi, or the environment and streams of plain CGI. */
#ifndef FCGI_HTTP_IO_H
#define FCGI_HTTP_IO_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

#include "base/scope.h"

/* Requests from the web server, over FastCGI or as plain CGI. */
struct fcgi_source;

/* One request and its reply. Its source owns it. */
struct fcgi_io;

struct fcgi_queues;
struct fcgi_storer;

/* Whether the web server gave this process a FastCGI socket. */
bool fcgi_io_is_fastcgi(void);

/* Whether it started this process for a single request, as CGI. */
bool fcgi_io_is_cgi(void);

#define IO_LISTENER 0 /* the web server's socket, by FastCGI's rule (section 2.2) */
#define IO_REQUESTS 8 /* that are taken at once, besides LIMIT_HEAVY_PARKED that are parked */

/* Opens the source of requests, in the process that serves them; a child opens its own. stop is the
   set of signals that end fcgi_source_accept, which the caller has blocked. pool is the result of
   fcgi_acceptor_join; NULL: the process has the web server's socket. storer gives and takes
   connections then, and outlives the source; NULL: the process serves all of its own, and no
   others. Ends the process when the source cannot be opened. */
struct fcgi_source *fcgi_source_open(
    const sigset_t *stop, const struct fcgi_queues *pool, struct fcgi_storer *storer);
void fcgi_source_close(struct fcgi_source *source);
DEFINE_AUTO(fcgi_source, fcgi_source_close)

/* The result of fcgi_source_accept. */
enum fcgi_arrival {
	ARRIVAL_REQUEST,
	ARRIVAL_OTHERS, /* a request that another process has given (fcgi/http/storer.h) */
	ARRIVAL_GIVEN,	/* one, to the process that stores */
	ARRIVAL_NONE,	/* in time */
	ARRIVAL_END,	/* no more come: a stop signal arrived (now or during the last request) and
			   nothing waits in the pool's queues, the pool's first process is gone, or
			   CGI had its one request */
	ARRIVAL_FAILED,
};

/* Waits for the next request, for patience ms, or without limit when patience is -1.
   ARRIVAL_FAILED with FAILED when the web server's socket takes no requests any more. */
enum fcgi_arrival fcgi_source_accept(
    struct fcgi_source *source, gint64 patience, struct fcgi_io **io_r, GError **error);

/* Takes one more request from the queue of the last one, without waiting. All of it has arrived,
   and it is at most 64 KiB long. NULL when there is none. A connection whose request is not like
   that is kept for the next fcgi_source_accept. Takes none where this process shares the web
   server's socket with others, or has it for itself. The source owns it. */
struct fcgi_io *fcgi_source_more(struct fcgi_source *source);

/* While it rests, it takes no connections that other processes give. */
void fcgi_source_rest(struct fcgi_source *source, bool rests);

/* Whether a connection is kept, which fcgi_source_accept takes even after a stop signal. */
bool fcgi_source_keeps(const struct fcgi_source *source);

/* A CGI variable of the request, which lives until fcgi_io_finish; NULL when it has none. */
const char *fcgi_io_param(const struct fcgi_io *io, const char *name);

/* Reads at most size bytes of the body; 0 at its end. */
gsize fcgi_io_read(struct fcgi_io *io, void *buffer, gsize size);

#define IO_PARTS 2 /* of a reply: its header and its body */

/* Adds a part to the reply, of which there are at most IO_PARTS. data must live until
   fcgi_io_finish. */
void fcgi_io_write(struct fcgi_io *io, const void *data, gsize size);

/* Hands the reply to the web server and ends it. If the client is gone, it is lost without an
   error. io must not be used any more. */
void fcgi_io_finish(struct fcgi_io *io);

#endif
