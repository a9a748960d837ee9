/* SPDX-License-Identifier: MIT */
#ifndef FCGI_SERVE_H
#define FCGI_SERVE_H

#include <glib.h>

struct core;
struct fcgi_auth;
struct fcgi_io;
struct fcgi_source;

/* Serves the request that source has accepted. If it stores something and others wait behind it,
   those that store something too are stored with it: the ones of each kind in one transaction.
   None of them waits for a request that is slow, large or still on its way. Returns the number of
   requests served. */
guint fcgi_serve(
    struct core *core, struct fcgi_auth *auth, struct fcgi_source *source, struct fcgi_io *io);

#endif
