/* SPDX-License-Identifier: MIT */
#ifndef STORE_WORKSPACE_H
#define STORE_WORKSPACE_H

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

void store_workspace_free(struct store_workspace *workspace);
DEFINE_AUTO(store_workspace, store_workspace_free)

/* CONFLICT when the name is taken. */
bool store_workspace_create(struct db *db, const char *name, const char *default_sender,
    struct base_id *id_r, GError **error);

/* By its name; with NULL, the only one there is. NOT_FOUND, or INVALID when NULL does not say
 * which. The caller frees it. */
struct store_workspace *store_workspace_find(struct db *db, const char *name, GError **error);

/* All of them, oldest first, as an array of struct store_workspace. The caller owns it. */
GPtrArray *store_workspace_list(struct db *db, GError **error);

/* Who sends where nobody else is said to: *sender_r, which the caller owns, NULL when there is
 * none.
 */
bool store_workspace_sender(
    struct db *db, const struct base_id *workspace, char **sender_r, GError **error);

/* Makes this one the sender, in place of any other. */
bool store_workspace_set_sender(
    struct db *db, const struct base_id *workspace, const char *sender, GError **error);

struct store_user {
	struct base_id id;
	const char *email;
	const char *first_name, *last_name, *picture; /* NULL when there is none */
};

/* Adds a person to a workspace; user->id is set. CONFLICT when the address is there already. */
bool store_workspace_add_user(
    struct db *db, const struct base_id *workspace, struct store_user *user, GError **error);

/* Calls row for each user of the workspace, oldest first, with its time (epoch ms); its texts live
 * until the next one. */
bool store_workspace_list_users(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_user *user, gint64 created, void *context), void *context,
    GError **error);

/* The id of the user with this address (case-insensitive). NOT_FOUND. */
bool store_workspace_find_user(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error);

/* The email of that user; of the one who was added first where email is NULL.
   NOT_FOUND, with a sentence for an operator. The caller owns it. */
char *store_workspace_user(
    struct db *db, const struct base_id *workspace, const char *email, GError **error);

#endif
