/* SPDX-License-Identifier: MIT */
/* Implements fcgi/http/io.h for tests: requests come from the test, and replies go to it. */
#ifndef TESTS_FCGI_FAKE_IO_H
#define TESTS_FCGI_FAKE_IO_H

#include "fcgi/http/io.h"

/* A fake web server: it takes a request from the test and keeps the reply. It replaces
   fcgi/http/io.c. */

/* Makes a request. params ("NAME=value", NULL-terminated) and body must outlive it. piece is the
   most bytes of the body that one read returns; 0 for no such limit. */
struct fcgi_io *fake_io_new(
    const char *const *params, const void *body, gsize body_size, gsize piece);
void fake_io_free(struct fcgi_io *io);

/* Requests that wait behind another one, for fcgi_serve; they are served in the order in which they
   are added. */
struct fcgi_source *fake_source_new(void);
void fake_source_add(struct fcgi_source *source, struct fcgi_io *io);
void fake_source_free(struct fcgi_source *source);

/* How much of the body has been read. */
gsize fake_io_read(const struct fcgi_io *io);

/* True when the reply was finished exactly once. */
bool fake_io_finished(const struct fcgi_io *io);

/* Parts of the reply: the number in "Status", 0 without one; a header's value, NULL without one
   (the caller owns it); the body (io owns it). */
guint fake_io_status(const struct fcgi_io *io);
char *fake_io_header(const struct fcgi_io *io, const char *name);
const char *fake_io_body(const struct fcgi_io *io);

#endif
