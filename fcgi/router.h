/* SPDX-License-Identifier: MIT */
#ifndef FCGI_ROUTER_H
#define FCGI_ROUTER_H

#include <glib.h>

#include "fcgi/routes.h"

/* What a path and a method lead to. */
struct fcgi_match {
	const struct fcgi_route *route;	  /* NULL: see allowed */
	char *arguments[ROUTE_ARGUMENTS]; /* what the pattern's {names} took, then NULL */
	GString *allowed; /* without a route: the methods that the path knows, as in Allow; empty
			     when it knows none */
};

/* path as it is in a request, without a final slash. fcgi_router_match_clear the result. */
struct fcgi_match fcgi_router_find(
    const struct fcgi_route *table, guint count, const char *path, enum fcgi_method method);
void fcgi_router_match_clear(struct fcgi_match *match);

#endif
