/* SPDX-License-Identifier: MIT */
/* Routes: what becomes of mail for a local part of a receiving domain. Errors that a function does
   not name are those of db/statement.h. */
#ifndef STORE_RECEIVED_ROUTE_H
#define STORE_RECEIVED_ROUTE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum store_receiving_action {
	RECEIVING_STORE = 1,
	RECEIVING_FORWARD = 2, /* and store */
	RECEIVING_DROP = 3,
	RECEIVING_REFUSE = 4,
};

/* The word of the API; 0 for an unknown one. */
const char *store_receiving_action_name(enum store_receiving_action action);
enum store_receiving_action store_receiving_action(const char *name);

struct store_receiving_route {
	struct base_id id, workspace_id, domain_id;
	char *pattern; /* in lower case: *, a local part, or the start of one and * */
	enum store_receiving_action action;
	char *forward_to; /* a JSON array of addresses; NULL: none */
	char *reason;	  /* NULL: none */
	gint64 created;
};

void store_receiving_route_free(struct store_receiving_route *route);
DEFINE_AUTO(store_receiving_route, store_receiving_route_free)

/* The routes of a domain, oldest first, as an array of struct store_receiving_route. NOT_FOUND for
   the domain. The caller owns it. */
GPtrArray *store_receiving_route_list(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error);

/* NOT_FOUND "Route not found". The caller frees it. */
struct store_receiving_route *store_receiving_route_get(struct db *db,
    const struct base_id *workspace, const struct base_id *domain, const struct base_id *id,
    GError **error);

/* Stores a new route with id and created. NOT_FOUND for the domain; CONFLICT "Route already exists"
   and "Limit reached: at most 100 routes". */
bool store_receiving_route_add(
    struct db *db, const struct store_receiving_route *route, GError **error);

/* Stores a changed route. NOT_FOUND; CONFLICT "Route already exists". */
bool store_receiving_route_change(
    struct db *db, const struct store_receiving_route *route, GError **error);

/* NOT_FOUND. */
bool store_receiving_route_remove(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, const struct base_id *id, GError **error);

/* Inside a transaction that has made a domain receive: the first time it gets the route that stores
   all. */
bool store_receiving_route_begin(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error);

/* Inside a transaction: removes the routes of a domain. */
bool store_receiving_route_forget(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error);

/* How much a workspace receives at most; 0: no limit. */
struct store_receiving_quota {
	gint64 messages; /* a day */
	gint64 bytes;	 /* stored */
};

/* A receiving domain of any workspace, with its routes. */
struct store_receiving_domain {
	struct base_id id, workspace_id;
	char *name;
	bool verified;
	struct store_receiving_quota quota;
	GPtrArray *routes; /* of struct store_receiving_route */
};

void store_receiving_domain_free(struct store_receiving_domain *domain);
DEFINE_AUTO(store_receiving_domain, store_receiving_domain_free)

/* The domains of this name that receive, each of another workspace, as an array of struct
   store_receiving_domain; empty where there is none. The caller owns it. */
GPtrArray *store_receiving_domain_find(struct db *db, const char *name, GError **error);

#endif
