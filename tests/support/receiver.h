/* SPDX-License-Identifier: MIT */
/* A receiver of webhooks on loopback: an HTTP server that keeps connections and all requests. */
#ifndef TESTS_SUPPORT_RECEIVER_H
#define TESTS_SUPPORT_RECEIVER_H

#include <glib.h>

#include "base/scope.h"

struct receiver;

/* A request, complete. */
struct receiver_request {
	guint connection; /* from 1 */
	gint64 at;	  /* g_get_monotonic_time */
	char *head;	  /* request line and headers */
	char *body;
	gsize size; /* of the body */
};

/* Gives the whole answer to a request, number from 0; NULL closes the connection. Called in a
   thread of the connection. */
typedef char *(*receiver_answer)(guint number, const struct receiver_request *request, void *data);

/* Listens on a free port of 127.0.0.1. answer NULL: 200 to all. */
struct receiver *receiver_start(receiver_answer answer, void *data);

/* Ends it, when the clients are gone. */
void receiver_stop(struct receiver *receiver);
DEFINE_AUTO(receiver, receiver_stop)

guint receiver_port(const struct receiver *receiver);

/* The requests so far, in the order in which they were complete. */
guint receiver_count(struct receiver *receiver);
const struct receiver_request *receiver_get(struct receiver *receiver, guint number);

/* The most requests that were between their end and their answer at once; the connections. */
guint receiver_most(struct receiver *receiver);
guint receiver_connections(struct receiver *receiver);

/* The value of a header, to be freed; NULL when there is none. */
char *receiver_header(const struct receiver_request *request, const char *name);

/* An answer with this status and body. */
char *receiver_say(guint status, const char *body);

#endif
