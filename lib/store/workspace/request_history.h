/* SPDX-License-Identifier: MIT */
/* The newest requests of a workspace, as [log] requests of the settings has them kept. Errors that
   a function does not name are those of db/statement.h. */
#ifndef STORE_REQUEST_HISTORY_H
#define STORE_REQUEST_HISTORY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/workspace/audit.h"

struct db;

struct store_request_history {
	struct base_id id; /* begins with the time */
	struct base_id workspace_id;
	enum store_audit_actor actor; /* a user or a key, */
	struct base_id actor_id;
	char *actor_name;     /* and its name; read by lists, NULL when it is gone */
	char *method, *route; /* as the log has them */
	guint status;
	gint64 ms;     /* that it took */
	char *address; /* of the client; NULL: not known */
	char *request_id;
	char *message; /* of a failure, at most LIMIT_CALL_MESSAGE characters; NULL: none */
};

void store_request_history_free(struct store_request_history *call);
DEFINE_AUTO(store_request_history, store_request_history_free)

/* Stores requests with their ids. */
bool store_request_history_add(
    struct db *db, struct store_request_history *const *calls, guint count, GError **error);

/* Which requests a list has. */
struct store_request_history_filter {
	guint from, to;		     /* statuses */
	const struct base_id *actor; /* NULL: any */
	const char *method;	     /* NULL: any */
	const char *route;	     /* a part of the route, ASCII; NULL: any */
	const gint64 *since, *until; /* epoch ms, answered then or later, and before; NULL: none */
};

/* A page of requests below before (NULL: the first one), newest first, as an array of struct
   store_request_history. The caller owns it. */
GPtrArray *store_request_history_page(struct db *db, const struct base_id *workspace,
    const struct store_request_history_filter *filter, const struct base_id *before, guint limit,
    GError **error);

/* Removes some of the requests of a workspace that are not among the newest LIMIT_CALLS. */
bool store_request_history_trim(
    struct db *db, const struct base_id *workspace, guint *count_r, GError **error);

/* Removes some of the requests before a time (store/upkeep/retention.h). */
bool store_request_history_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

/* Removes the workspace's requests whose message names an address. */
bool store_request_history_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

#endif
