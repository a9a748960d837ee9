#ifndef FCGI_ROUTES_H
#define FCGI_ROUTES_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/reply.h"
#include "fcgi/request.h"
#include "store/key.h"

struct call;
struct json_table;

#define ROUTE_ARGUMENTS 2

/* Who may call an operation. */
#define ROUTE_PUBLIC ((enum key_scope)0)

/* One operation. Its handler takes the checked request from the call and fills the call's reply;
 * false sets error. */
struct route {
	enum method method;
	const char *pattern;  /* {name} takes a segment, of at most ROUTE_ARGUMENTS; {email} takes
				 all but what stands behind it, slashes included. Of several that
				 fit a path the first is meant */
	enum key_scope scope; /* that a key needs */
	const struct json_table *body; /* of the JSON object that it takes; NULL: none */
	bool (*handler)(struct call *call, GError **error);
	const struct failure *failure;
	const char *const *parameters; /* names in the query that it knows; NULL: none */
};

extern const struct route routes[];
extern const guint route_count;

#endif
