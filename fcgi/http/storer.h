/* SPDX-License-Identifier: MIT */
/* Processes that serve alone give connections of requests that store something to one of them. */
#ifndef FCGI_HTTP_STORER_H
#define FCGI_HTTP_STORER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* A web server like mod_fcgid gives each of its processes one request at a time, so none of them
   has others to gather. One of them is the storer: it holds a lock in the spool folder, listens at
   a socket beside it, and takes connections of small requests with a body from the others, which
   have accepted them. storer.c tells how none is served twice, or by nobody. */
struct fcgi_storer;

/* spool: a folder of this user to which nobody else can write. settings: the path of a file;
   processes that have another one, or another version of it or of their program, have another
   storer. The first process that has something to give to it, and finds none, becomes the storer.
   NULL when the folder, the file or the program cannot be looked at. The caller frees it. */
struct fcgi_storer *fcgi_storer_open(const char *spool, const char *settings);

/* Resigns, and frees it. */
void fcgi_storer_free(struct fcgi_storer *storer);
DEFINE_AUTO(fcgi_storer, fcgi_storer_free)

/* Gives the storer a connection, and waits until it takes it. Then the connection is closed here.
   False when this process has to serve it: the request may not be stored with others
   (fcgi_record_may_store), this process is the storer, none can be reached, or it has taken nothing
   at all for STORER_STUCK_MS. In the last case this process gives it nothing for a while, which
   grows to a second. */
bool fcgi_storer_give(struct fcgi_storer *storer, int connection);

#define STORER_STUCK_MS 100 /* more than in a pool: without the storer nothing is gathered */

/* A descriptor that poll(2) finds readable when there may be something to take. The storer owns it.
 */
int fcgi_storer_events(const struct fcgi_storer *storer);

/* Takes a connection that another process gives, without waiting. This process has to serve it, and
   owns the descriptor. -1 with EAGAIN when there is none. */
int fcgi_storer_take(struct fcgi_storer *storer);

/* This process takes nothing any more, and never becomes the storer again. The others serve what it
   has not taken. */
void fcgi_storer_resign(struct fcgi_storer *storer);

#endif
