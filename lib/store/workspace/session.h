/* SPDX-License-Identifier: MIT */
/* Sessions of users in browsers. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_WORKSPACE_SESSION_H
#define STORE_WORKSPACE_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"
#include "store/workspace/user.h"

struct db;
struct store_audit;
struct store_limits;

/* A session; the caller frees its texts. Times are epoch ms. */
struct store_session {
	struct base_id id, workspace_id, user_id; /* of the workspace in which it is now */
	enum store_role role;			  /* there */
	char *email;
	gint64 created, last_seen, expires;
	char *address, *user_agent; /* NULL where not known */
};
void store_session_clear(struct store_session *session);
void store_session_free(struct store_session *session);
DEFINE_AUTO(store_session, store_session_free)

/* A session that is looked for. */
struct store_session_wanted {
	const guint8 *hash;		 /* the SHA-256 of its cookie */
	gint64 now, seen_after;		 /* it expires after now; its last request is not before */
	const struct base_id *workspace; /* in which it is to be; NULL: the last one chosen */
};

/* A session, with user and role in the workspace, and the limits of that, in one round trip.
   NOT_FOUND when there is none, or its user is not in the workspace any more; FORBIDDEN when it is
   alive, and its person is not in the wanted workspace. The caller clears *session_r. */
bool store_session_find(struct db *db, const struct store_session_wanted *wanted,
    struct store_session *session_r, struct store_limits *limits_r, GError **error);

/* Stores a session, whose id the caller has made. */
bool store_session_add(struct db *db, const struct store_session *session,
    const guint8 hash[SHA256_SIZE], GError **error);

/* Notes that a session and its user were seen at now. */
bool store_session_see(
    struct db *db, const struct store_session *session, gint64 now, GError **error);

/* A page of a person's sessions that have not ended, newest first, as an array of struct
   store_session. The caller owns it. */
GPtrArray *store_session_page(struct db *db, const char *email, gint64 seen_after,
    const struct base_id *before, guint limit, GError **error);

/* Moves a session into another workspace of its person, also in *session. NOT_FOUND "Workspace not
   found" when the person is not in it. */
bool store_session_move(
    struct db *db, struct store_session *session, const struct base_id *workspace, GError **error);

/* Ends a session of a person. audit: of the person, with the session as its target; stored in the
   same transaction. NOT_FOUND "Session not found". */
bool store_session_end(struct db *db, const char *email, const struct base_id *id,
    struct store_audit *audit, GError **error);

/* Removes some sessions that expired before a time. */
bool store_session_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
