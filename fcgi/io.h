#ifndef FCGI_IO_H
#define FCGI_IO_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* Requests from the web server, over FastCGI or as plain CGI. */
struct io;

/* Whether this process was given a FastCGI socket; without one it serves a single request as CGI.
 */
bool io_is_fastcgi(void);

struct io *io_open(void);
void io_close(struct io *io);
DEFINE_AUTO(io, io_close)

/* Waits for the next request. False when there is none any more: *stop became true (a signal
   handler sets it and calls io_stop_waiting), the socket is gone, or CGI had its one. */
bool io_accept(struct io *io, volatile int *stop);

/* From a signal handler: ends the wait. */
void io_stop_waiting(void);

/* A CGI variable of the request, which lives until io_finish; NULL when it has none. */
const char *io_param(const struct io *io, const char *name);

/* Reads at most size bytes of the body; 0 at its end. */
gsize io_read(struct io *io, void *buffer, gsize size);

/* Adds to the answer. Whether the client is still there is nobody's business here. */
void io_write(struct io *io, const void *data, gsize size);

/* The answer is complete: the web server has it after this. */
void io_finish(struct io *io);

#endif
