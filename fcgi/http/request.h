/* SPDX-License-Identifier: MIT */
/* One request: its method, path, query, headers, body and sender. */
#ifndef FCGI_HTTP_REQUEST_H
#define FCGI_HTTP_REQUEST_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/request.h"
#include "text/network.h"

struct config_settings;
struct fcgi_io;
struct service_large;

#define REQUEST_ID_SIZE (LIMIT_REQUEST_ID_LENGTH + 1)

enum fcgi_method {
	METHOD_GET,
	METHOD_POST,
	METHOD_PUT,
	METHOD_PATCH,
	METHOD_DELETE,
	METHOD_OPTIONS,
	METHOD_OTHER
};

/* One request, with the parts that routing and handlers need. */
struct fcgi_request {
	struct fcgi_io *io;
	struct service_large *large; /* grants memory for a large body; NULL: none is needed */
	bool skips_rest; /* nobody has shown a key: a body that is too large is not read on */
	enum fcgi_method method;
	bool head;     /* HEAD: a GET whose reply has no body */
	guint refusal; /* the status with which the web server refused it itself; 0: it did not */
	char *path; /* PATH_INFO, decoded once by the web server, without a final slash; that of the
		       client where the web server refused what it can ask for */
	const char *const *known; /* the parameters that a handler may ask for; NULL: any */
	const char *text;  /* the query string; borrowed; NULL: that of io, not asked for yet */
	GHashTable *query; /* the parameters, decoded; NULL until a handler asks for one */
	GPtrArray *names;  /* the keys of query in their order, then NULL */
};

/* The name of a method in the Allow header. */
const char *fcgi_request_method_name(enum fcgi_method method);

/* Reads method and path. False when no route can have the path: it contains control characters or
   invalid UTF-8, or is longer than LIMIT_PATH_BYTES. Clear the request in both cases. */
bool fcgi_request_read(struct fcgi_request *request_r, struct fcgi_io *io);
void fcgi_request_clear(struct fcgi_request *request);

/* A header's value by its CGI name ("HTTP_X_API_KEY"), or NULL. It lives as long as the request. */
const char *fcgi_request_header(const struct fcgi_request *request, const char *name);

/* Writes the id of the request into id_r: the header X-Request-Id when it is 1 to
   LIMIT_REQUEST_ID_LENGTH of A-Z a-z 0-9 . _ : -, else a new UUID. */
void fcgi_request_id(const struct fcgi_request *request, char id_r[REQUEST_ID_SIZE]);

/* A parameter of the query string, the last one when the name is repeated. *value_r is NULL when it
   is not there, "" when it has no value. INVALID when the query string is malformed: a wrong
   escape, invalid UTF-8, NUL, or more than LIMIT_QUERY_BYTES. */
bool fcgi_request_query(
    struct fcgi_request *request, const char *name, const char **value_r, GError **error);

/* Takes a query string, of a request of our own, in place of that of io. It must live as long as
   the request. INVALID as for fcgi_request_query. */
bool fcgi_request_use_query(struct fcgi_request *request, const char *text, GError **error);

/* All values of a parameter that may be repeated (name=a&name=b, name[]=a, name[0]=a), in their
   order with commas in between; NULL when none has a value. The caller owns it. INVALID as for
   fcgi_request_query. */
bool fcgi_request_query_list(
    struct fcgi_request *request, const char *name, char **list_r, GError **error);

/* The names of all parameters in the order of the query string, each once, then NULL. The request
   owns them. NULL with INVALID when the query string is malformed. */
const char *const *fcgi_request_parameters(struct fcgi_request *request, GError **error);

/* Reads the whole body: CONTENT_LENGTH bytes, or to the end when no length is announced. Each error
   but INVALID has read the rest of the body, so that the web server takes the reply; with
   skips_rest TOO_LARGE has not. TOO_LARGE when it is larger than limit bytes. TEMPORARY when it is
   large and no memory for it is granted (service/large.h). INVALID when the
   body ends before the announced length, or that length is not a number. The caller owns it. */
GBytes *fcgi_request_body(struct fcgi_request *request, gsize limit, GError **error);

/* The announced length of the body, a huge one where it is too long for a number. False when none
   is announced, or what is announced is not a number. */
bool fcgi_request_announces(const struct fcgi_request *request, gsize *size_r);

/* Reads the rest of the body, so that the web server takes the reply. */
void fcgi_request_discard(struct fcgi_request *request);

/* Writes the client's IP address into text_r; false when it is not known. It is the peer of the
   connection. When the peer is in [service] trust_proxy, it is the right-most address in
   X-Forwarded-For that is not in there, or else the left-most one. Entries that are not an address
   (with or without a port) are skipped. */
bool fcgi_request_address(const struct fcgi_request *request,
    const struct config_settings *settings, char text_r[ADDRESS_TEXT_SIZE]);

#endif
