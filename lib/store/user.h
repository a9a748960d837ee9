/* SPDX-License-Identifier: MIT */
/* The users of workspaces: addresses, each with a role. */
#ifndef STORE_USER_H
#define STORE_USER_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_audit;

/* The rights of a user in a workspace, each more than the one before. Stored as number. */
enum store_role { ROLE_VIEWER = 1, ROLE_MEMBER = 2, ROLE_OWNER = 3 };

/* "viewer", "member", "owner". */
const char *store_role_name(enum store_role role);

/* The role of this name. False when there is none. */
bool store_role_read(const char *name, enum store_role *role_r);

/* A user, with borrowed texts. Times are epoch ms, 0 = none. */
struct store_user {
	struct base_id id;
	const char *email;
	const char *first_name, *last_name, *picture; /* NULL when there is none */
	enum store_role role;
	gint64 created, last_seen;
};

/* Adds a user to a workspace and sets user->id, user->role and
   user->created. A user who was removed before
   gets the same id again. user->role 0: owner for the workspace's first user, else member. audit:
   as for store_user_change. CONFLICT "User already exists" when the workspace has a user with the
   address. */
bool store_user_add(struct db *db, const struct base_id *workspace, struct store_user *user,
    struct store_audit *audit, GError **error);

/* Calls row for each user of the workspace, oldest first. The texts live until the next call. */
bool store_user_list(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_user *user, void *context), void *context, GError **error);

/* The id of the user with this address (case-insensitive). NOT_FOUND. */
bool store_user_find(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error);

/* The email of the user with this address; with NULL, of the user who was added first. NOT_FOUND,
   with a sentence for an operator. The caller owns it. */
char *store_user_choose(
    struct db *db, const struct base_id *workspace, const char *email, GError **error);

/* The id of the user who was added first. *found_r: there is one. */
bool store_user_first(struct db *db, const struct base_id *workspace, struct base_id *id_r,
    bool *found_r, GError **error);

/* A user that the caller owns, with the texts. */
struct store_member {
	struct base_id id;
	char *email, *first_name, *last_name; /* names: NULL when there is none */
	enum store_role role;
	gint64 created, last_seen; /* epoch ms, 0 = never */
};
void store_member_free(struct store_member *member);
DEFINE_AUTO(store_member, store_member_free)

/* A page of users below before (NULL: the first one), newest first, as an array of struct
   store_member. The caller owns it. */
GPtrArray *store_user_page(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* NOT_FOUND "User not found". */
struct store_member *store_user_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The members to change; one that is not given stays. */
struct store_user_change {
	enum store_role role; /* 0: not given */
	bool first_name_given, last_name_given;
	const char *first_name, *last_name;
};

/* Changes a user. audit, which may be NULL, is stored in the same transaction, with the user as its
   target. NOT_FOUND "User not found"; CONFLICT "A workspace needs an owner" when the last one would
   be none any more. The caller frees the result. */
struct store_member *store_user_change(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_user_change *change, struct store_audit *audit,
    GError **error);

/* Removes a user from a workspace, with the sessions that are in it. Errors and audit likewise. */
bool store_user_remove(struct db *db, const struct base_id *workspace, const struct base_id *id,
    struct store_audit *audit, GError **error);

/* A workspace of a person. */
struct store_user_workspace {
	struct base_id user_id, workspace_id;
	char *workspace;      /* its name */
	char *default_sender; /* NULL when there is none */
	enum store_role role;
};

/* The workspaces of the person with this address, in the order in which the person came into them,
   as an array of struct store_user_workspace. The caller owns it. */
GPtrArray *store_user_workspaces(struct db *db, const char *email, GError **error);

#endif
