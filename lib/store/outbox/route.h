/* SPDX-License-Identifier: MIT */
/* Routes: the relays by which the mail of a domain or a workspace leaves, as an operator has set
   them (store_domain_set_relays). A route is the names of relays, separated by blanks; NULL is
   none: the relays of the settings that are default. Errors that a function does not name are those
   of db/statement.h. */
#ifndef STORE_OUTBOX_ROUTE_H
#define STORE_OUTBOX_ROUTE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email/stream.h"

struct db;

/* The routes by which mail of the workspace's domains leaves, each once, as an array of char *. A
   workspace without domains has one. The caller owns it. */
GPtrArray *store_route_list(struct db *db, const struct base_id *workspace, GError **error);

enum store_route_source { STORE_ROUTE_DEFAULT, STORE_ROUTE_WORKSPACE, STORE_ROUTE_DOMAIN };

struct store_route {
	char *relays; /* names, separated by blanks; NULL: none */
	enum store_route_source source;
};

/* The route of a stream of a domain. NOT_FOUND "Domain not found". The caller owns
   route_r->relays. */
bool store_route_of_domain(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, enum store_stream stream, struct store_route *route_r,
    GError **error);

#endif
