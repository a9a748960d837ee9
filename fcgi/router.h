#ifndef FCGI_ROUTER_H
#define FCGI_ROUTER_H

#include <glib.h>

#include "fcgi/routes.h"

/* What a path and a method lead to. */
struct match {
	const struct route *route;	  /* NULL: see allowed */
	char *arguments[ROUTE_ARGUMENTS]; /* what the pattern's {names} took, then NULL */
	GString *allowed; /* without a route: the methods that the path knows, as in Allow; empty
			     when it knows none */
};

/* path as it is in a request, without a final slash. router_match_clear the result. */
struct match router_find(
    const struct route *table, guint count, const char *path, enum method method);
void router_match_clear(struct match *match);

#endif
