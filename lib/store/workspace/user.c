/* SPDX-License-Identifier: MIT */
/* Adds, finds, lists, changes and removes the users of workspaces. */
#include "store/workspace/user.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/workspace/audit.h"
#include "store/workspace/note.h"

#define MEMBER_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "id")                                                                            \
	NEXT(email, "email")                                                                       \
	NEXT(first_name, "first_name")                                                             \
	NEXT(last_name, "last_name")                                                               \
	NEXT(role, "role")                                                                         \
	NEXT(created, "created")                                                                   \
	NEXT(last_seen, "last_seen")                                                               \
	NEXT(is_invited, "removed IS NOT NULL")                                                    \
	NEXT(picture, "picture")
#define COLUMNS DB_COLUMNS_SQL(MEMBER_COLUMNS)

/* An invited user counts as removed, wherever invitations are not looked for. */
#define IS_HERE "removed IS NULL"
#define IS_INVITED "removed IS NOT NULL AND invited IS NOT NULL"
#define IS_LISTED "(removed IS NULL OR invited IS NOT NULL)"
#define MEMBERSHIP_COLUMNS(FIRST, NEXT)                                                            \
	FIRST(user_id, "u.id")                                                                     \
	NEXT(workspace_id, "u.workspace_id")                                                       \
	NEXT(workspace, "w.name")                                                                  \
	NEXT(default_sender, "w.default_sender")                                                   \
	NEXT(role, "u.role")
#define WORKSPACES_OF(condition)                                                                   \
	"SELECT " DB_COLUMNS_SQL(                                                                  \
	    MEMBERSHIP_COLUMNS) " FROM user u JOIN workspace w ON w.id = u.workspace_id"           \
				" WHERE u.email = ? AND " condition " ORDER BY u.created, u.id"

enum {
	FIRST_ROLE,
	REVIVE,
	ADD,
	LIST,
	FIND,
	FIND_ANY,
	FIRST,
	GET,
	OWNERS,
	CHANGE,
	REMOVE,
	END_SESSIONS,
	END_KEYS,
	ELSEWHERE,
	ADMIT,
	WORKSPACES,
	INVITATIONS,
	INVITED,
	ACCEPT,
	DECLINE
};
/* System-wide: ELSEWHERE, ADMIT, WORKSPACES, INVITATIONS. A person is in several workspaces. */
static const char *const sql[] = {
    [FIRST_ROLE] = "SELECT COUNT(*) FROM user WHERE workspace_id = ? AND " IS_HERE " FOR UPDATE",
    [REVIVE] = "UPDATE user SET first_name = ?, last_name = ?, picture = ?, created = ?, role = ?,"
	       " removed = ?, invited = ?, last_seen = NULL WHERE workspace_id = ? AND email = ?"
	       " AND removed IS NOT NULL AND (? OR invited IS NULL)",
    [ADD] = "INSERT INTO user (id, workspace_id, email, first_name, last_name, picture, created,"
	    " role, removed, invited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LIST] =
	"SELECT " COLUMNS " FROM user WHERE workspace_id = ? AND " IS_LISTED " ORDER BY id DESC",
    [FIND] = "SELECT id FROM user WHERE workspace_id = ? AND email = ? AND " IS_HERE,
    [FIND_ANY] = "SELECT id FROM user WHERE workspace_id = ? AND email = ? AND " IS_LISTED,
    [FIRST] =
	"SELECT id, email FROM user WHERE workspace_id = ? AND " IS_HERE " ORDER BY id LIMIT 1",
    [GET] = "SELECT " COLUMNS " FROM user WHERE workspace_id = ? AND id = ? AND " IS_LISTED,
    [OWNERS] = "SELECT id FROM user WHERE workspace_id = ? AND role = " ROLE_OWNER_SQL
	       " AND " IS_HERE " FOR UPDATE",
    [CHANGE] = "UPDATE user SET role = ?, first_name = ?, last_name = ?"
	       " WHERE workspace_id = ? AND id = ? AND " IS_LISTED,
    [REMOVE] = "UPDATE user SET removed = ?, invited = NULL WHERE workspace_id = ? AND id = ?"
	       " AND " IS_LISTED,
    [END_SESSIONS] = "DELETE FROM session WHERE workspace_id = ? AND user_id = ?",
    [END_KEYS] = "UPDATE api_key SET revoked = ? WHERE workspace_id = ? AND user_id = ?"
		 " AND id <> ? AND revoked IS NULL",
    [ELSEWHERE] =
	"SELECT 1 FROM user WHERE email = ? AND workspace_id <> ? AND " IS_HERE " LIMIT 1",
    [ADMIT] = "UPDATE user SET removed = NULL, invited = NULL WHERE email = ? AND " IS_INVITED,
    [WORKSPACES] = WORKSPACES_OF("u.removed IS NULL"),
    [INVITATIONS] = WORKSPACES_OF("u.removed IS NOT NULL AND u.invited IS NOT NULL"),
    [INVITED] =
	"SELECT id FROM user WHERE workspace_id = ? AND email = ? AND " IS_INVITED " FOR UPDATE",
    [ACCEPT] = "UPDATE user SET removed = NULL, invited = NULL, created = ?"
	       " WHERE workspace_id = ? AND id = ?",
    [DECLINE] = "UPDATE user SET invited = NULL WHERE workspace_id = ? AND id = ?",
};
/* The columns of FIRST. */
enum { FIRST_ID, FIRST_EMAIL };

static const char *const roles[] = {
    [ROLE_VIEWER] = "viewer", [ROLE_MEMBER] = "member", [ROLE_OWNER] = "owner"};

const char *
store_role_name(enum store_role role)
{
	return roles[role];
}

bool
store_role_read(const char *name, enum store_role *role_r)
{
	for (guint i = ROLE_VIEWER; i < G_N_ELEMENTS(roles); i++)
		if (strcmp(roles[i], name) == 0) {
			*role_r = (enum store_role)i;
			return true;
		}
	return false;
}

void
store_member_free(struct store_member *member)
{
	g_free(member->email);
	g_free(member->first_name);
	g_free(member->last_name);
	g_free(member->picture);
	g_free(member);
}

DB_COLUMNS_MAKER(user_make_member, struct store_member, MEMBER_COLUMNS)
DB_COLUMNS_MAKER(user_read_membership, struct store_user_workspace, MEMBERSHIP_COLUMNS)

static void *
user_read_member(struct db_rows *rows, const struct base_id *workspace)
{
	return user_make_member(rows);
}

/* A change of the users of a workspace. */
struct change {
	const struct base_id *workspace, *id;
	struct store_user *user;
	const struct store_user_change *given;
	const struct store_user_keys *keys;
	struct store_audit *audit;
	struct store_member *member;
	const char *email; /* of a person who answers, */
	bool accepts;	   /* in this way */
	bool may_invite;   /* a user of another workspace is invited */
};

static bool
user_note(struct db *db, const struct change *change, const struct base_id *id, const char *email,
    GError **error)
{
	struct store_audit *audit = change->audit;
	char text[ID_TEXT_SIZE];

	if (!audit)
		return true;
	audit->target_type = "user";
	audit->target_id = base_id_format(id, text);
	audit->target_name = email;
	bool done = store_audit_add(db, audit, error);
	audit->target_id = audit->target_name = NULL;
	return done;
}

static bool
choose_role(struct db *db, const struct change *change, enum store_role *role_r, GError **error)
{
	*role_r = change->user->role;
	if (*role_r)
		return true;
	AUTO(db_rows)
	rows = db_select(db, sql[FIRST_ROLE], DB_VALUES(db_id(change->workspace)), error);
	if (!rows)
		return false;
	db_rows_next(rows);
	*role_r = db_rows_int(rows, DB_ROWS_ONLY) == 0 ? ROLE_OWNER : ROLE_MEMBER;
	return true;
}

/* statement: takes the workspace and the email, and gives an id. NOT_FOUND. */
static bool
user_find(struct db *db, int statement, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error)
{
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	const char *known = g_str_is_ascii(email) ? email : "";
	AUTO(db_rows)
	rows = db_select(db, sql[statement], DB_VALUES(db_id(workspace), db_text(known)), error);

	if (!rows)
		return false;
	if (db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, id_r))
		return true;
	return statement == INVITED ? base_fail(error, PH_ERROR_NOT_FOUND, "Invitation not found")
				    : base_fail(error, PH_ERROR_NOT_FOUND,
					  "there is no user %s in this workspace", email);
}

/* Stores the row: that of a user who was removed, or a new one. */
static bool
user_put(struct db *db, const struct change *change, enum store_role role, GError **error)
{
	struct store_user *user = change->user;
	guint64 revived;

	user->created = base_clock_now();
	user->role = role;
	const struct db_value invited = db_int_or_null(user->is_invited ? user->created : 0);
	if (!db_run(db, sql[REVIVE],
		DB_VALUES(db_text(user->first_name), db_text(user->last_name),
		    db_text(user->picture), db_int(user->created), db_int(role), invited, invited,
		    db_id(change->workspace), db_text(user->email), db_int(!change->may_invite)),
		&revived, error))
		return false;
	if (revived > 0)
		return user_find(db, FIND_ANY, change->workspace, user->email, &user->id, error);
	user->id = base_id_new();
	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(&user->id), db_id(change->workspace), db_text(user->email),
		db_text(user->first_name), db_text(user->last_name), db_text(user->picture),
		db_int(user->created), db_int(role), invited, invited),
	    NULL, error);
}

/* Finds whether a person who may be invited is a user of another workspace. */
static bool
look_elsewhere(struct db *db, const struct change *change, GError **error)
{
	change->user->is_invited = false;
	if (!change->may_invite)
		return true;
	AUTO(db_rows)
	rows = db_select(db, sql[ELSEWHERE],
	    DB_VALUES(db_text(change->user->email), db_id(change->workspace)), error);
	change->user->is_invited = rows && db_rows_next(rows);
	return rows != NULL;
}

static bool
workspace_user_add(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	enum store_role role;

	return choose_role(db, change, &role, error) && look_elsewhere(db, change, error) &&
	       user_put(db, change, role, error) &&
	       user_note(db, change, &change->user->id, change->user->email, error);
}

static bool
run_add(struct db *db, struct change *change, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (db_transact(db, workspace_user_add, change, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return base_fail(error, PH_ERROR_CONFLICT, "User already exists");
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

bool
store_user_add(struct db *db, const struct base_id *workspace, struct store_user *user,
    struct store_audit *audit, GError **error)
{
	struct change change = {.workspace = workspace, .user = user, .audit = audit};

	return run_add(db, &change, error);
}

bool
store_user_invite(struct db *db, const struct base_id *workspace, struct store_user *user,
    struct store_audit *audit, GError **error)
{
	struct change change = {
	    .workspace = workspace, .user = user, .audit = audit, .may_invite = true};

	return run_add(db, &change, error);
}

static bool
user_answer(struct db *db, void *context, GError **error)
{
	const struct change *change = context;
	struct base_id id;

	if (!user_find(db, INVITED, change->workspace, change->email, &id, error))
		return false;
	if (!(change->accepts
		    ? db_run(db, sql[ACCEPT],
			  DB_VALUES(db_int(base_clock_now()), db_id(change->workspace), db_id(&id)),
			  NULL, error)
		    : db_run(db, sql[DECLINE], DB_VALUES(db_id(change->workspace), db_id(&id)),
			  NULL, error)))
		return false;
	change->audit->actor_id = &id;
	bool done = user_note(db, change, &id, change->email, error);
	change->audit->actor_id = NULL;
	return done;
}

bool
store_user_answer(struct db *db, const struct base_id *workspace, const char *email, bool accepts,
    struct store_audit *audit, GError **error)
{
	struct change change = {
	    .workspace = workspace, .email = email, .accepts = accepts, .audit = audit};

	return db_transact(db, user_answer, &change, error);
}

bool
store_user_list(struct db *db, const struct base_id *workspace,
    void (*row)(const struct store_member *user, void *context), void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		AUTO(store_member) member = user_make_member(rows);

		row(member, context);
	}
	return true;
}

bool
store_user_find(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error)
{
	return user_find(db, FIND, workspace, email, id_r, error);
}

bool
store_user_find_any(struct db *db, const struct base_id *workspace, const char *email,
    struct base_id *id_r, GError **error)
{
	return user_find(db, FIND_ANY, workspace, email, id_r, error);
}

char *
store_user_choose(struct db *db, const struct base_id *workspace, const char *email, GError **error)
{
	struct base_id id;

	if (email)
		return store_user_find(db, workspace, email, &id, error) ? g_strdup(email) : NULL;
	AUTO(db_rows) rows = db_select(db, sql[FIRST], DB_VALUES(db_id(workspace)), error);
	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return g_strdup(db_rows_text(rows, FIRST_EMAIL));
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "there is no user in this workspace yet: add one with \"posthouse user add EMAIL\"");
	return NULL;
}

bool
store_user_first(struct db *db, const struct base_id *workspace, struct base_id *id_r,
    bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIRST], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows) && db_rows_id(rows, FIRST_ID, id_r);
	return true;
}

STORE_LISTING(listing, user_read_member, store_member_destroy,
    "SELECT " COLUMNS " FROM user WHERE workspace_id = ? AND " IS_LISTED, "id");

GPtrArray *
store_user_page(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

struct store_member *
store_user_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return user_read_member(rows, workspace);
	base_fail(error, PH_ERROR_NOT_FOUND, "User not found");
	return NULL;
}

/* Locks the owners, and refuses to take the last one away. */
static bool
keep_owner(struct db *db, const struct change *change, enum store_role role, GError **error)
{
	bool is_owner = false;
	guint owners = 0;
	AUTO(db_rows) rows = db_select(db, sql[OWNERS], DB_VALUES(db_id(change->workspace)), error);

	if (!rows)
		return false;
	for (; db_rows_next(rows); owners++) {
		struct base_id id;

		is_owner =
		    (db_rows_id(rows, DB_ROWS_ONLY, &id) && base_id_equal(&id, change->id)) ||
		    is_owner;
	}
	return role == ROLE_OWNER || !is_owner || owners > 1 ||
	       base_fail(error, PH_ERROR_CONFLICT, "A workspace needs an owner");
}

static void
user_apply(struct store_member *member, const struct store_user_change *given)
{
	if (given->role)
		member->role = given->role;
	if (given->first_name_given) {
		g_free(member->first_name);
		member->first_name = g_strdup(given->first_name);
	}
	if (given->last_name_given) {
		g_free(member->last_name);
		member->last_name = g_strdup(given->last_name);
	}
}

/* Ends the sessions of a user in the workspace, and revokes the keys that are not kept. */
static bool
end_access(
    struct db *db, const struct change *change, const struct store_user_keys *keys, GError **error)
{
	static const struct base_id none;

	return db_run(db, sql[END_SESSIONS], DB_VALUES(db_id(change->workspace), db_id(change->id)),
		   NULL, error) &&
	       (keys->are_kept || db_run(db, sql[END_KEYS],
				      DB_VALUES(db_int(base_clock_now()), db_id(change->workspace),
					  db_id(change->id), db_id(keys->but ? keys->but : &none)),
				      NULL, error));
}

static bool
change_user(struct db *db, void *context, GError **error)
{
	struct change *change = context;

	g_clear_pointer(&change->member, store_member_free);
	if (change->given->role && !keep_owner(db, change, change->given->role, error))
		return false;
	struct store_member *member = store_user_get(db, change->workspace, change->id, error);
	change->member = member;
	if (!member)
		return false;
	bool is_less = change->given->role && change->given->role < member->role;
	user_apply(member, change->given);
	return (!is_less || end_access(db, change, &change->given->keys, error)) &&
	       db_run(db, sql[CHANGE],
		   DB_VALUES(db_int(member->role), db_text(member->first_name),
		       db_text(member->last_name), db_id(change->workspace), db_id(change->id)),
		   NULL, error) &&
	       user_note(db, change, &member->id, member->email, error);
}

struct store_member *
store_user_change(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct store_user_change *given, struct store_audit *audit, GError **error)
{
	struct change change = {.workspace = workspace, .id = id, .given = given, .audit = audit};

	if (!db_transact(db, change_user, &change, error))
		g_clear_pointer(&change.member, store_member_free);
	return change.member;
}

/* A user of no workspace any more has access where there is an invitation: nobody else could
   let the person answer. */
static bool
admit_homeless(struct db *db, const char *email, GError **error)
{
	g_autoptr(GPtrArray) memberships = store_user_workspaces(db, email, error);

	return memberships && (memberships->len > 0 ||
				  db_run(db, sql[ADMIT], DB_VALUES(db_text(email)), NULL, error));
}

static bool
workspace_user_remove_user(struct db *db, void *context, GError **error)
{
	const struct change *change = context;

	if (!keep_owner(db, change, 0, error))
		return false;
	const struct store_note_owner owner = {change->workspace, change->id};
	AUTO(store_member) member = store_user_get(db, change->workspace, change->id, error);
	return member && store_note_remove_all(db, &owner, error) &&
	       db_run(db, sql[REMOVE],
		   DB_VALUES(db_int(base_clock_now()), db_id(change->workspace), db_id(change->id)),
		   NULL, error) &&
	       end_access(db, change, change->keys, error) &&
	       admit_homeless(db, member->email, error) &&
	       user_note(db, change, &member->id, member->email, error);
}

bool
store_user_remove(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct store_user_keys *keys, struct store_audit *audit, GError **error)
{
	struct change change = {.workspace = workspace, .id = id, .keys = keys, .audit = audit};

	return db_transact(db, workspace_user_remove_user, &change, error);
}

static void
user_free_membership(void *data)
{
	struct store_user_workspace *membership = data;

	g_free(membership->workspace);
	g_free(membership->default_sender);
	g_free(membership);
}

static GPtrArray *
list_workspaces(struct db *db, int statement, const char *email, GError **error)
{
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(user_free_membership);

	if (!g_str_is_ascii(email))
		return g_steal_pointer(&list);
	AUTO(db_rows) rows = db_select(db, sql[statement], DB_VALUES(db_text(email)), error);
	if (!rows)
		return NULL;
	while (db_rows_next(rows))
		g_ptr_array_add(list, user_read_membership(rows));
	return g_steal_pointer(&list);
}

GPtrArray *
store_user_workspaces(struct db *db, const char *email, GError **error)
{
	return list_workspaces(db, WORKSPACES, email, error);
}

GPtrArray *
store_user_invitations(struct db *db, const char *email, GError **error)
{
	return list_workspaces(db, INVITATIONS, email, error);
}
