#ifndef FCGI_REQUEST_H
#define FCGI_REQUEST_H

#include <glib.h>
#include <stdbool.h>

struct io;
struct large;

enum method { METHOD_GET, METHOD_POST, METHOD_PATCH, METHOD_DELETE, METHOD_OTHER };

/* One request, as far as routing needs it. */
struct request {
	struct io *io;
	struct large *large; /* where a large body asks for leave; NULL: it needs none */
	enum method method;
	bool head;  /* HEAD: a GET whose answer has no body */
	char *path; /* PATH_INFO, decoded once by the web server, without a final slash */
	const char *const *known; /* parameters that may be asked for; NULL: any */
	GHashTable *query;	  /* decoded; NULL until it is asked for, */
	GPtrArray *names;	  /* and its keys in their order, with NULL behind them */
};

/* The name in the Allow header. */
const char *request_method_name(enum method method);

/* False when the path can be nobody's: control characters, invalid UTF-8, too long. */
bool request_read(struct request *request_r, struct io *io);
void request_clear(struct request *request);

/* A header's value by its CGI name ("HTTP_X_API_KEY"); NULL when there is none. */
const char *request_header(const struct request *request, const char *name);

/* A parameter of the query string, the last where there are several; *value_r is NULL when it is
   not there, "" when it has no value. INVALID when the query string is malformed: escapes that are
   none, invalid UTF-8, NUL, more than LIMIT_QUERY_BYTES. */
bool request_query(struct request *request, const char *name, const char **value_r, GError **error);

/* The names of all parameters in the order of the query string, each once, NULL-terminated; they
   belong to request. NULL with INVALID as above. */
const char *const *request_parameters(struct request *request, GError **error);

/* The whole body: as much as CONTENT_LENGTH announces, or else to its end. TOO_LARGE past limit
   bytes, and TEMPORARY where it is large and gets no leave (fcgi/large.h); then the rest has been
   read and forgotten. INVALID when it is shorter than announced
   (the client has gone, or lies), or what announces it is no number. The caller owns it. */
GBytes *request_body(struct request *request, gsize limit, GError **error);

#endif
