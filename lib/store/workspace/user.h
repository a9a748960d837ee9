/* SPDX-License-Identifier: MIT */
/* The users of workspaces: addresses, each with a role. Errors that a function does not name are
   those of db/statement.h. */
#ifndef STORE_WORKSPACE_USER_H
#define STORE_WORKSPACE_USER_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_audit;

/* The rights of a user in a workspace, each more than the one before. Stored as number. */
enum store_role { ROLE_VIEWER = 1, ROLE_MEMBER = 2, ROLE_OWNER = 3 };
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define ROLE_OWNER_SQL "3"

/* "viewer", "member", "owner". */
const char *store_role_name(enum store_role role);

/* The role of this name. False when there is none. */
bool store_role_read(const char *name, enum store_role *role_r);

/* A user to be added, with borrowed texts; names and picture are NULL when there is none. */
struct store_user {
	const char *email, *first_name, *last_name, *picture;
	enum store_role role;
	struct base_id id; /* these are set */
	gint64 created;	   /* epoch ms */
	bool is_invited;
};

/* Adds a user to a workspace and sets user->id, user->role and user->created. A user who was
   removed before gets the same id again; one who was invited has access from now on. user->role 0:
   owner for the workspace's first user, else member. audit: as for store_user_change. CONFLICT
   "User already exists" when the workspace has a user with the address. */
bool store_user_add(struct db *db, const struct base_id *workspace, struct store_user *user,
    struct store_audit *audit, GError **error);

/* Does the same, but for a person who is a user of another workspace: who is invited then, sets
   user->is_invited, and has no access before store_user_answer. CONFLICT also when the person is
   invited already. */
bool store_user_invite(struct db *db, const struct base_id *workspace, struct store_user *user,
    struct store_audit *audit, GError **error);

/* The answer of the person with this address to an invitation into a workspace: takes it, or
   removes it. audit: of the person, without actor; stored in the same transaction, with the user
   as actor and target. NOT_FOUND "Invitation not found". */
bool store_user_answer(struct db *db, const struct base_id *workspace, const char *email,
    bool accepts, struct store_audit *audit, GError **error);

/* The id of the user with this address (case-insensitive). NOT_FOUND. */
bool store_user_find(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error);

/* The same, also of a user who is invited. */
bool store_user_find_any(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error);

/* The email of the user with this address; with NULL, of the user who was added first. NOT_FOUND,
   with a sentence for an operator. The caller owns it. */
char *store_user_choose(
    struct db *db, const struct base_id *workspace, const char *email, GError **error);

/* The id of the user who was added first. *found_r: there is one. */
bool store_user_first(struct db *db, const struct base_id *workspace, struct base_id *id_r,
    bool *found_r, GError **error);

/* A user as it is stored. */
struct store_member {
	struct base_id id;
	char *email, *first_name, *last_name, *picture; /* but email NULL when there is none */
	enum store_role role;
	gint64 created, last_seen; /* epoch ms, 0 = never */
	bool is_invited;	   /* has not answered yet, and so has no access */
};
void store_member_free(struct store_member *member);
DEFINE_AUTO(store_member, store_member_free)

/* Calls row for each user of the workspace, also those who are invited, newest first. The user
   lives until the next call. */
bool store_user_list(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_member *user, void *context), void *context, GError **error);

/* A page of users, also those who are invited, below before (NULL: the first one), newest first, as
   an array of struct store_member. The caller owns it. */
GPtrArray *store_user_page(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* A user, who may be invited. NOT_FOUND "User not found". The caller frees it. */
struct store_member *store_user_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The API keys of a user who is removed, or may do less from now on. They are revoked, ... */
struct store_user_keys {
	bool are_kept; /* ... unless they are kept, ... */
	const struct base_id
	    *but; /* ... or this is one of them: the key that asks for it; or NULL */
};

/* The members to change; one that is not given stays. */
struct store_user_change {
	enum store_role role; /* 0: not given */
	bool first_name_given, last_name_given;
	const char *first_name, *last_name;
	struct store_user_keys keys; /* when the role becomes less */
};

/* Changes a user. A user who may do less from now on loses the sessions in the workspace, and keys.
   audit, which may be NULL, is stored in the same transaction, with the user as its target.
   NOT_FOUND "User not found"; CONFLICT "A workspace needs an owner" when the last one would be none
   any more. The caller frees the result. */
struct store_member *store_user_change(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_user_change *change, struct store_audit *audit,
    GError **error);

/* Removes a user from a workspace, with the sessions that are in it, and keys. A person who is then
   a user of no workspace has access to those with an invitation, as a new user would. Errors and
   audit likewise. */
bool store_user_remove(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct store_user_keys *keys, struct store_audit *audit, GError **error);

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

/* The same, of the workspaces into which the person is invited. */
GPtrArray *store_user_invitations(struct db *db, const char *email, GError **error);

#endif
