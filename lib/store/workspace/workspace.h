/* SPDX-License-Identifier: MIT */
/* Workspaces, as stored, and the workspace of the service itself. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_WORKSPACE_WORKSPACE_H
#define STORE_WORKSPACE_WORKSPACE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

struct store_workspace {
	struct base_id id;
	char *name;
	char *default_sender; /* NULL when there is none */
	gint64 created;	      /* epoch ms */
};

/* The workspace of the service itself, whose emails are those that sign people in and invite them.
   It has no row, no user and no key, so that nobody reads or changes what is in it, and no list of
   workspaces has it. Its emails leave from a domain of another workspace, or of none. */
extern const struct base_id store_workspace_system;
/* Whether an id is that of the workspace of the service itself. */
bool store_workspace_is_system(const struct base_id *id);

void store_workspace_free(struct store_workspace *workspace);
DEFINE_AUTO(store_workspace, store_workspace_free)

/* The message of CONFLICT for a name that another workspace had within LIMIT_WORKSPACE_NAME_MS. */
#define STORE_WORKSPACE_KEPT "Another workspace had this name less than a year ago"

/* Creates a workspace. CONFLICT when the name is taken, or kept (with that message). */
bool store_workspace_create(struct db *db, const char *name, const char *default_sender,
    struct base_id *id_r, GError **error);

/* The workspace of this name; with NULL, the only one. NOT_FOUND, or INVALID when the name is
   NULL and there are several. The caller frees it. */
struct store_workspace *store_workspace_find(struct db *db, const char *name, GError **error);

/* The only workspace that has the nearest registered domain: this one, in lower-case A-labels, or a
   parent of it. NOT_FOUND also when several have it. The caller frees it. */
struct store_workspace *store_workspace_of_domain(struct db *db, const char *name, GError **error);

/* The workspace with this id. NOT_FOUND. The caller frees it. */
struct store_workspace *store_workspace_get(
    struct db *db, const struct base_id *id, GError **error);

/* Sets the name and the default sender; NULL leaves them as they are. The name that the workspace
   leaves is kept for it. CONFLICT when the new one is taken, or kept for another (with that
   message). */
bool store_workspace_change(struct db *db, const struct base_id *id, const char *name,
    const char *default_sender, GError **error);

/* Removes kept names that were left before this time, at most so many at once. */
bool store_workspace_sweep_names(struct db *db, gint64 before, guint *count_r, GError **error);

/* All workspaces, newest first, as an array of struct store_workspace. The caller owns it. */
GPtrArray *store_workspace_list(struct db *db, GError **error);

/* The default sender of a workspace; *sender_r is NULL when there is none. The caller owns it. */
bool store_workspace_sender(
    struct db *db, const struct base_id *workspace, char **sender_r, GError **error);

/* Sets the default sender. */
bool store_workspace_set_sender(
    struct db *db, const struct base_id *workspace, const char *sender, GError **error);

#endif
