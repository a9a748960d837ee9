/* SPDX-License-Identifier: MIT */
/* Requests of the compatible front with their answers, as its log shows them. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_WORKSPACE_REQUEST_LOG_H
#define STORE_WORKSPACE_REQUEST_LOG_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_page;

struct store_request_log {
	struct base_id id; /* begins with the time of the request */
	struct base_id workspace_id;
	char *endpoint; /* at most LIMIT_PATH_BYTES */
	char *method;
	guint status;
	char *user_agent; /* at most LIMIT_LOG_USER_AGENT characters; NULL: none */
	/* The bodies as JSON; NULL: none. Lists have neither. */
	char *request, *response;
};

void store_request_log_free(struct store_request_log *log);
DEFINE_AUTO(store_request_log, store_request_log_free)

/* Stores an entry with its id. */
bool store_request_log_add(struct db *db, const struct store_request_log *log, GError **error);

/* A page of entries, newest first, as an array of struct store_request_log. The caller owns it. */
GPtrArray *store_request_log_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* An entry. NOT_FOUND "Log not found". The caller frees it. */
struct store_request_log *store_request_log_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Removes entries older than before (store/upkeep/retention.h). */
bool store_request_log_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

/* Removes the workspace's entries that name an address anywhere. */
bool store_request_log_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

#endif
