/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FCGI_FAKE_IO_H
#define TESTS_FCGI_FAKE_IO_H

#include "fcgi/io.h"

/* A web server that is none: a request as a test writes it, and the answer as it came. It takes the
   place of fcgi/io.c. */

/* params: "NAME=value", NULL-terminated, and body outlive it. piece: how many bytes of the body one
   read gives at most; 0: as many as it asks for. */
struct fcgi_io *fake_io_new(
    const char *const *params, const void *body, gsize body_size, gsize piece);
void fake_io_free(struct fcgi_io *io);

/* How much of the body has been read. */
gsize fake_io_read(const struct fcgi_io *io);

/* True when it has been finished, once. */
bool fake_io_finished(const struct fcgi_io *io);

/* Of the answer: the number of "Status", 0 when there is none; a header's value, NULL when there is
   none, which the caller frees; the body, which belongs to io. */
guint fake_io_status(const struct fcgi_io *io);
char *fake_io_header(const struct fcgi_io *io, const char *name);
const char *fake_io_body(const struct fcgi_io *io);

#endif
