/* SPDX-License-Identifier: MIT */
/* Links that open a session, and the count of attempts to sign in. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_WORKSPACE_SIGN_IN_H
#define STORE_WORKSPACE_SIGN_IN_H

#include <glib.h>
#include <stdbool.h>

#include "base/secret.h"
#include "store/workspace/session.h"

struct db;
struct store_user_workspace;

/* A link for a person. */
struct store_sign_in_link {
	const guint8 *hash; /* SHA-256 of its token */
	const char *email;
	const struct store_user_workspace *first; /* the workspace into which it leads, if the
						     person is still in it then */
	const guint8 *browser; /* SHA-256 of the cookie of the browser that alone may use it; NULL:
				  any may */
	gint64 expires;	       /* epoch ms */
};

/* Stores it. */
bool store_sign_in_add(struct db *db, const struct store_sign_in_link *link, GError **error);

enum store_sign_in_outcome {
	SIGN_IN_DONE,
	SIGN_IN_INVALID, /* the link is unknown, used or too old, or its person is gone */
	SIGN_IN_BROWSER, /* another browser has asked for the link; it stays good */
};

/* The use of a link. */
struct store_sign_in {
	const guint8 *hash;	/* of the token, SHA256_SIZE bytes */
	const guint8 *browser;	/* of the browser's cookie; NULL: it has none */
	const guint8 *cookie;	/* of the session's cookie */
	gint64 now, longest_ms; /* longest: how long the session may last */
	const char *address, *user_agent, *request_id; /* NULL where not known */

	enum store_sign_in_outcome outcome; /* the result */
	struct store_session session; /* SIGN_IN_DONE: what is stored, cleared by the caller; else
					 only user_id and workspace_id are set, if known */
	bool is_known;		      /* the link is */
};

/* Uses a link: of several uses at once, one alone opens a session. Adds session.created or, where
   the link is known, session.refused to the audit. All in one transaction. */
bool store_sign_in_use(struct db *db, struct store_sign_in *use, GError **error);

/* Counts an attempt of a subject, a digest, at now (epoch ms), and gives the count of this hour and
   when that began. An hour begins with its first attempt. */
bool store_sign_in_count(struct db *db, const guint8 subject[SHA256_SIZE], gint64 now,
    gint64 *count_r, gint64 *begun_r, GError **error);

/* The attempts of a subject in the hour of now (epoch ms). */
bool store_sign_in_attempts(
    struct db *db, const guint8 subject[SHA256_SIZE], gint64 now, gint64 *count_r, GError **error);

#define STORE_SIGN_IN_HOUR_MS (60LL * 60 * 1000)
#define STORE_SIGN_IN_GAP_MS (60LL * 1000)
#define STORE_SIGN_IN_GAP_MAX_MS (5LL * 60 * 1000)

/* Lets an attempt of a subject, a digest, pass at now (epoch ms), or slows it: the first attempts
   of an hour pass, so many as most; then one passes a minute after the one before, the next after
   two minutes, and so on, but never later than five minutes after it. One that does not pass counts
   for nothing. *wait_ms_r: how long until the next one passes; 0: this one does. */
bool store_sign_in_pass(struct db *db, const guint8 subject[SHA256_SIZE], gint64 now, gint64 most,
    gint64 *wait_ms_r, GError **error);

/* Remove some links that expired, and attempts of hours that began, before a time. */
bool store_sign_in_sweep(struct db *db, gint64 before, guint *count_r, GError **error);
bool store_sign_in_sweep_attempts(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
