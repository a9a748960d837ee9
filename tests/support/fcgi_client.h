/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_FCGI_CLIENT_H
#define TESTS_SUPPORT_FCGI_CLIENT_H

#include <glib.h>
#include <stdbool.h>

/* What a web server says to a FastCGI responder, piece by piece, over a Unix socket. What goes
   wrong on the way there ends the process with a message, but for what the functions return. */
struct fcgi_client;

/* A socket that listens at path, for the responder. */
int fcgi_client_listen(const char *path);

/* Connects, which works as long as the socket listens, whether anybody accepts or not. */
struct fcgi_client *fcgi_client_connect(const char *path);

/* Closes the connection, if need be, and frees. */
void fcgi_client_free(struct fcgi_client *client);

/* Begins a request. keep: the responder is asked to keep the connection. */
void fcgi_client_begin(struct fcgi_client *client, bool keep);

/* All parameters, "NAME=value", NULL-terminated. */
void fcgi_client_params(struct fcgi_client *client, const char *const *params);

/* A piece of the body; size 0 is its end. False when the responder has closed the connection. */
bool fcgi_client_body(struct fcgi_client *client, const void *data, gsize size);

/* Whatever bytes. */
void fcgi_client_raw(struct fcgi_client *client, const void *data, gsize size);

/* Waits until the responder has read all that was sent. */
void fcgi_client_wait_read(struct fcgi_client *client);

/* What came back. */
struct fcgi_answer {
	guint status; /* of HTTP; 0: none came */
	char *head;   /* header lines */
	char *body;
	gsize body_size;
	bool complete; /* it was ended as it should be */
	bool closed;   /* and then the connection was closed */
};

/* Reads to the end of the request, for a minute at most, and ends the connection. The caller clears
 * it. */
struct fcgi_answer fcgi_client_answer(struct fcgi_client *client);
void fcgi_answer_clear(struct fcgi_answer *answer);

/* Reads at least size bytes of what comes back, and forgets them. */
void fcgi_client_skip(struct fcgi_client *client, gsize size);

/* A whole request: method, path, a further parameter or NULL, body or NULL. */
struct fcgi_answer fcgi_client_request(
    const char *socket, const char *method, const char *path, const char *param, const char *body);

#endif
