/* SPDX-License-Identifier: MIT */
/* Speaks FastCGI 1.0 to a responder. */
#ifndef TESTS_SUPPORT_FCGI_CLIENT_H
#define TESTS_SUPPORT_FCGI_CLIENT_H

#include <glib.h>
#include <stdbool.h>

/* A FastCGI client, which sends to a responder over a Unix socket piece by piece, like a web
   server. Errors that the functions do not return end the process with a message. */
struct fcgi_client;

/* A socket that listens at path, for the responder. */
int fcgi_client_listen(const char *path);

/* Connects; works as soon as the socket listens. */
struct fcgi_client *fcgi_client_connect(const char *path);

/* Closes the connection, if it is open, and frees the client. */
void fcgi_client_free(struct fcgi_client *client);

/* Begins a request. keep: ask the responder to keep the connection open. */
void fcgi_client_begin(struct fcgi_client *client, bool keep);

/* Sends all parameters, "NAME=value", NULL-terminated. */
void fcgi_client_params(struct fcgi_client *client, const char *const *params);

/* Sends a piece of the body; size 0 ends it. Returns false when the responder has closed the
   connection. */
bool fcgi_client_body(struct fcgi_client *client, const void *data, gsize size);

/* Sends any bytes. */
void fcgi_client_raw(struct fcgi_client *client, const void *data, gsize size);

/* Waits until the responder has read everything. */
void fcgi_client_wait_read(struct fcgi_client *client);

/* The response. */
struct fcgi_answer {
	guint status; /* the HTTP status; 0: there was no response */
	char *head;   /* header lines */
	char *body;
	gsize body_size;
	bool complete; /* the response has a proper end */
	bool closed;   /* the connection was closed after it */
};

/* Reads to the end of the request, for two minutes at most, and ends the connection. The caller
 * clears it. */
struct fcgi_answer fcgi_client_answer(struct fcgi_client *client);
void fcgi_answer_clear(struct fcgi_answer *answer);

/* Reads and drops at least size bytes of the response. */
void fcgi_client_skip(struct fcgi_client *client, gsize size);

/* A whole request: method, path, a further parameter or NULL, body or NULL. */
struct fcgi_answer fcgi_client_request(
    const char *socket, const char *method, const char *path, const char *param, const char *body);

#endif
