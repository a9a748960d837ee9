/* SPDX-License-Identifier: MIT */
#ifndef FCGI_ROUTES_H
#define FCGI_ROUTES_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/reply.h"
#include "fcgi/request.h"
#include "store/key.h"

struct fcgi_call;
struct json_table;

#define ROUTE_ARGUMENTS 2

/* Who may call an operation. */
#define ROUTE_PUBLIC ((enum store_key_scope)0)

/* One operation. Its handler takes the checked request from the call and fills the call's reply;
 * false sets error. */
struct fcgi_route {
	enum fcgi_method method;
	const char *pattern; /* {name} takes a segment, of at most ROUTE_ARGUMENTS; {email} takes
				all but what stands behind it, slashes included. Of several that
				fit a path the first is meant */
	enum store_key_scope scope;    /* that a key needs */
	const struct json_table *body; /* of the JSON object that it takes; NULL: none */
	bool (*handler)(struct fcgi_call *call, GError **error);
	const struct fcgi_failure *failure;
	const char *const *parameters; /* names in the query that it knows; NULL: none */
};

extern const struct fcgi_route fcgi_routes[];
extern const guint fcgi_route_count;

#endif
