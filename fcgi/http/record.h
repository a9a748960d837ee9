/* SPDX-License-Identifier: MIT */
/* FastCGI records: a reply, sent with one system call, and the parameters of a request. */
#ifndef FCGI_HTTP_RECORD_H
#define FCGI_HTTP_RECORD_H

#include <glib.h>
#include <stdbool.h>

struct iovec;

#define RECORD_CONTENT 65528 /* bytes that a record of a reply holds at most, a multiple of 8 */
#define RECORD_PARTS 16

/* Sends the whole reply to a request as FastCGI records (FastCGI 1.0, sections 3.3, 5.3 and 5.5):
   the parts in their order as STDOUT, the end of STDOUT, and END_REQUEST. All of it goes with one
   system call, unless it is longer than 1 MiB or the socket, a blocking one, takes less at once.
   There are at most RECORD_PARTS parts, which are not copied. False when the web server takes no
   more of it; the rest is lost then. */
bool fcgi_record_send(int socket, guint16 request, const struct iovec *parts, guint count);

/* A parameter in the first bytes of a request (FastCGI 1.0, sections 3.3, 3.4 and 5.2), which may
   come from anybody. Looks at the first record of parameters alone. NULL when that has no such
   parameter among the bytes. *size_r: the length of its value. */
const char *fcgi_record_param(const guint8 *bytes, gsize size, const char *name, gsize *size_r);

/* Whether the request that arrives on a connection may be stored together with others: by its
   method, and by the size of its body, which is 64 KiB at most. Waits for its head for a moment,
   and leaves it there; false when it does not come. */
bool fcgi_record_may_store(int connection);

#endif
