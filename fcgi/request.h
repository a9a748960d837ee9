/* SPDX-License-Identifier: MIT */
#ifndef FCGI_REQUEST_H
#define FCGI_REQUEST_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_io;
struct fcgi_large;

enum fcgi_method { METHOD_GET, METHOD_POST, METHOD_PATCH, METHOD_DELETE, METHOD_OTHER };

/* One request, as far as routing needs it. */
struct fcgi_request {
	struct fcgi_io *io;
	struct fcgi_large *large; /* where a large body asks for leave; NULL: it needs none */
	enum fcgi_method method;
	bool head;  /* HEAD: a GET whose answer has no body */
	char *path; /* PATH_INFO, decoded once by the web server, without a final slash */
	const char *const *known; /* parameters that may be asked for; NULL: any */
	GHashTable *query;	  /* decoded; NULL until it is asked for, */
	GPtrArray *names;	  /* and its keys in their order, with NULL behind them */
};

/* The name in the Allow header. */
const char *fcgi_request_method_name(enum fcgi_method method);

/* False when the path can be nobody's: control characters, invalid UTF-8, too long. */
bool fcgi_request_read(struct fcgi_request *request_r, struct fcgi_io *io);
void fcgi_request_clear(struct fcgi_request *request);

/* A header's value by its CGI name ("HTTP_X_API_KEY"); NULL when there is none. */
const char *fcgi_request_header(const struct fcgi_request *request, const char *name);

/* A parameter of the query string, the last where there are several; *value_r is NULL when it is
   not there, "" when it has no value. INVALID when the query string is malformed: escapes that are
   none, invalid UTF-8, NUL, more than LIMIT_QUERY_BYTES. */
bool fcgi_request_query(
    struct fcgi_request *request, const char *name, const char **value_r, GError **error);

/* The names of all parameters in the order of the query string, each once, NULL-terminated; they
   belong to request. NULL with INVALID as above. */
const char *const *fcgi_request_parameters(struct fcgi_request *request, GError **error);

/* The whole body: as much as CONTENT_LENGTH announces, or else to its end. TOO_LARGE past limit
   bytes, and TEMPORARY where it is large and gets no leave (fcgi/large.h); then the rest has been
   read and forgotten. INVALID when it is shorter than announced
   (the client has gone, or lies), or what announces it is no number. The caller owns it. */
GBytes *fcgi_request_body(struct fcgi_request *request, gsize limit, GError **error);

#endif
