/* SPDX-License-Identifier: MIT */
/* Operations: who may use each, and the search for the one that a path and a method mean. Each
   front has a table of its own (fcgi/v1/routes.c, fcgi/resend/front.c). */
#ifndef FCGI_API_ROUTES_H
#define FCGI_API_ROUTES_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/http/reply.h"
#include "fcgi/http/request.h"
#include "store/workspace/key.h"
#include "store/workspace/user.h"

struct service;
struct db_prefetch_form;
struct fcgi_call;
struct fcgi_storing;
struct json_table;

#define ROUTE_ARGUMENTS 3

/* The scope of an operation that needs no key. */
#define ROUTE_PUBLIC ((enum store_key_scope)0)

/* The scope of an operation that every key may use but one for the metrics. */
#define ROUTE_ANY ((enum store_key_scope) - 1)

/* The callers that may use an operation, where the scope does not tell. */
enum fcgi_right {
	RIGHT_OF_SCOPE,
	RIGHT_OWNER,   /* owners alone; keys by their scope */
	RIGHT_SESSION, /* every role, and no key: it is about the session, or begins one */
};

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
	enum fcgi_right right;
	bool yields;	    /* other methods of its path are those of a later pattern that fits */
	const char *audit;  /* the action that the audit has of a success: "domain.created"; NULL:
			       none */
	bool audits;	    /* the handler stores it itself */
	guint target;	    /* the argument of the path that names what is changed, from 1; 0: the
			       last. Of what is created, the answer has the name */
	bool has_downloads; /* the answer has URLs to download; any other has no such token (see
			       link/token_cut.h) */
	bool counts_people; /* it looks at everybody, so it takes turns as one of a heavy workspace
			       (see fcgi/api/heavy.h) */
	/* The statement by which the handler reads what the path names: it has the values id,
	   workspace and the path's other ids, in their order. Requests that wait at the same time
	   are then read together (fcgi/api/gather.c). NULL: each reads by itself. */
	const struct db_prefetch_form *ahead;
};

extern const struct fcgi_route fcgi_routes[];

/* The scope that a session has by its role: read for a viewer, else full. */
enum store_key_scope fcgi_route_scope_of(enum store_role role);

/* The one question of who may do what, for both fronts: whether a key, or a session with this role,
   may use an operation. If not, *denial_r says why. */
bool fcgi_route_allows(const struct fcgi_route *route, const struct store_key *key,
    enum store_role role, enum fcgi_denial *denial_r);

/* Whether an answer may have secrets, such as what signs a webhook's requests: they are for keys
   and sessions that may write. */
bool fcgi_route_shows_secrets(const struct store_key *key);

/* A front: the operations below one prefix of the path, and the form of their replies. The handlers
   of a front know nothing of another front. */
struct fcgi_front {
	const char *prefix;		 /* "/resend", which the patterns leave out, or "" */
	const struct fcgi_route *routes; /* each the first member of a row of the front's own */
	gsize row_size;
	guint count;
	const struct fcgi_form *form;
	/* Reads the body, where the route takes one, and checks its names. NULL:
	   fcgi/api/transaction.c does, as posthouse-api(7) says. */
	bool (*read)(struct fcgi_call *call, GError **error);
	bool has_uuids; /* each reply has an X-Request-Id */
	/* Makes the entry of the front's log, when the reply is complete, and stores it, when the
	   reply was sent. note gives NULL where there is none. NULL, NULL: the front has no log. */
	void *(*note)(struct fcgi_call *call);
	void (*store_note)(struct service *service, void *note);
	/* A first word of paths, with its slash, that means another one. NULL, NULL: none. */
	const char *old_word, *word;
};

/* The operations of posthouse-api(7), in fcgi_routes, which are made from api/. */
extern const struct fcgi_front fcgi_front_main;

/* The result of a search. */
struct fcgi_route_match {
	const struct fcgi_route *route;	  /* NULL when no operation has this path and method */
	char *arguments[ROUTE_ARGUMENTS]; /* the path's text for the pattern's {names}, then NULL */
	GString *allowed; /* without a route: the methods of the path as the Allow header lists
			     them; empty when no pattern fits the path */
};

/* Finds the row of a front for a path (decoded, without a final slash) and a method. NULL as path
   fits nothing. Clear the result with fcgi_route_match_clear. */
struct fcgi_route_match fcgi_route_find(
    const struct fcgi_front *front, const char *path, enum fcgi_method method);
void fcgi_route_match_clear(struct fcgi_route_match *match);

#endif
