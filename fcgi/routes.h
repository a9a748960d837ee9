/* SPDX-License-Identifier: MIT */
/* The table of operations, and the search for the one that a path and a method mean. */
#ifndef FCGI_ROUTES_H
#define FCGI_ROUTES_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/reply.h"
#include "fcgi/request.h"
#include "store/key.h"

struct fcgi_call;
struct fcgi_storing;
struct json_table;

#define ROUTE_ARGUMENTS 2

/* The scope of an operation that needs no key. */
#define ROUTE_PUBLIC ((enum store_key_scope)0)

/* One operation: a handler, or the steps of one that stores a request. Its handler takes the
   checked request from the call and fills the call's reply; false sets error. */
struct fcgi_route {
	enum fcgi_method method;
	const char *pattern; /* a path in which {name} stands for a segment, at most ROUTE_ARGUMENTS
				of them. {email} also takes slashes: all text up to the rest of the
				pattern. The first pattern of the table that fits a path wins */
	enum store_key_scope scope;    /* that the key must have */
	const struct json_table *body; /* the fields of the JSON object that it takes, or NULL */
	bool (*handler)(struct fcgi_call *call, GError **error);
	const struct fcgi_failure *failure;
	const char *const *parameters;	    /* names of the query's parameters, or NULL for none */
	const struct fcgi_storing *storing; /* instead of a handler, or NULL */
};

extern const struct fcgi_route fcgi_routes[];
extern const guint fcgi_route_count;

/* The result of a search. */
struct fcgi_route_match {
	const struct fcgi_route *route;	  /* NULL when no operation has this path and method */
	char *arguments[ROUTE_ARGUMENTS]; /* the path's text for the pattern's {names}, then NULL */
	GString *allowed; /* without a route: the methods of the path as the Allow header lists
			     them; empty when no pattern fits the path */
};

/* Finds the row of table for a path (decoded, without a final slash) and a method. Clear the result
   with fcgi_route_match_clear. */
struct fcgi_route_match fcgi_route_find(
    const struct fcgi_route *table, guint count, const char *path, enum fcgi_method method);
void fcgi_route_match_clear(struct fcgi_route_match *match);

#endif
